//! The notations of the kernel's files: `key: value` lines, CPU lists, sizes, selected words.

/// CPUs with a higher number are not read, and lists end there.
pub(crate) const MOST_CPUS: usize = 4096;

/// A finite number.
pub(crate) fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite())
}

/// The value behind the first line `key: value` or `key value`.
pub(crate) fn value<'text>(text: &'text str, key: &str) -> Option<&'text str> {
    text.lines().find_map(|line| {
        let (name, rest) = line.split_once(':')?;
        (name.trim() == key).then(|| rest.trim())
    })
}

/// Bytes of a line `1234 kB`, the unit of `/proc/meminfo` (which means KiB).
pub(crate) fn kibibytes(text: &str) -> Option<f64> {
    let (amount, unit) = text.trim().split_once(' ')?;
    (unit.trim() == "kB").then_some(number(amount)? * 1024.0)
}

/// Bytes of a size such as `48K`, `2M` or `512`.
pub(crate) fn size(text: &str) -> Option<f64> {
    let text = text.trim();
    let mut units = [('K', 1024.0), ('M', 1_048_576.0), ('G', 1_073_741_824.0)].into_iter();
    let binary = units.find_map(|(letter, factor)| Some((text.strip_suffix(letter)?, factor)));
    let (digits, factor) = binary.unwrap_or((text, 1.0));
    number(digits).filter(|amount| *amount >= 0.0).map(|amount| amount * factor)
}

/// The CPUs of a list such as `0-3,8,10-11`; at most [`MOST_CPUS`]. `None` when it is not such a list.
pub(crate) fn cpu_list(text: &str) -> Option<Vec<usize>> {
    let mut cpus = Vec::new();
    for part in text.trim().split(',').take(MOST_CPUS) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: usize = first.trim().parse().ok()?;
        let last: usize = last.trim().parse().ok()?;
        if first > last {
            return None;
        }
        let room = MOST_CPUS.saturating_sub(cpus.len());
        cpus.extend((first..=last.min(first.saturating_add(MOST_CPUS))).take(room));
    }
    Some(cpus)
}

/// The selected word of a line such as `always [madvise] never`.
pub(crate) fn selected(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('[')?;
    let (word, _) = rest.split_once(']')?;
    (!word.is_empty()).then_some(word)
}

/// A number written `0x1a` or `1a`.
pub(crate) fn hexadecimal(text: &str) -> Option<u64> {
    let text = text.trim();
    u64::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16).ok()
}

/// What a table has beside the first key for which this holds.
pub(crate) fn beside<K>(table: &[(K, &str)], holds: impl Fn(&K) -> bool) -> Option<String> {
    table.iter().find(|(key, _)| holds(key)).map(|(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cpus_are_read_and_bounded() {
        assert_eq!(cpu_list("0-3,8,10-11\n").unwrap(), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(cpu_list("5").unwrap(), [5]);
        assert_eq!(cpu_list("0-18446744073709551615").unwrap().len(), MOST_CPUS);
        assert_eq!(cpu_list("0-4000,5000-9000").unwrap().len(), MOST_CPUS);
        for wrong in ["", "a", "3-1", "1-", "-1", "1,,2", "1;2"] {
            assert_eq!(cpu_list(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn sizes_are_binary() {
        assert_eq!(size("48K"), Some(49_152.0));
        assert_eq!(size("2M"), Some(2_097_152.0));
        assert_eq!(size("1G"), Some(1_073_741_824.0));
        assert_eq!(size("512"), Some(512.0));
        assert_eq!(size("-1K"), None);
        assert_eq!(size("K"), None);
        assert_eq!(kibibytes("2048 kB"), Some(2_097_152.0));
        assert_eq!(kibibytes("2048"), None);
    }

    #[test]
    fn numbers_are_finite() {
        assert_eq!(number(" 12.5\n"), Some(12.5));
        assert_eq!(number("inf"), None);
        assert_eq!(number("nan"), None);
        assert_eq!(number("1e999"), None);
    }

    #[test]
    fn words_and_values_are_found() {
        assert_eq!(selected("always [madvise] never"), Some("madvise"));
        assert_eq!(selected("none"), None);
        assert_eq!(selected("[]"), None);
        assert_eq!(value("a : 1\nmodel name\t: X Y\n", "model name"), Some("X Y"));
        assert_eq!(value("a: 1", "b"), None);
        assert_eq!(hexadecimal("0xd0c"), Some(0xd0c));
        assert_eq!(hexadecimal("zz"), None);
    }
}
