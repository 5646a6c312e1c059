//! In which cache a working set lies, by the sizes that the machine reports.

use record::Machine;

/// Caches of data from the first level up, with the keys of their sizes.
const CACHES: [(&str, &[&str]); 4] = [
    ("L1d", &["cache.l1d.size", "cache.l1.size"]),
    ("L2", &["cache.l2.size"]),
    ("L3", &["cache.l3.size"]),
    ("L4", &["cache.l4.size"]),
];

/// The smallest cache that holds this many bytes, or `memory` where none does; `None` where no cache is known.
pub(super) fn level(machine: &Machine, bytes: f64) -> Option<&'static str> {
    let size = |keys: &[&str]| keys.iter().find_map(|key| machine.number(key));
    let mut known = CACHES
        .iter()
        .filter_map(|(name, keys)| Some((*name, size(keys)?)))
        .peekable();
    known.peek()?;
    Some(
        known
            .find(|(_, size)| bytes <= *size)
            .map_or("memory", |(name, _)| name),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Fact, FactValue, Unit};

    #[test]
    fn a_working_set_lies_in_the_smallest_cache_that_holds_it() {
        let fact = |key: &str, value: f64| Fact {
            key: key.to_owned(),
            value: FactValue::Number {
                value,
                unit: Unit::Bytes,
            },
            source: "test".to_owned(),
            within: None,
        };
        let facts = vec![fact("cache.l1d.size", 32768.0), fact("cache.l2.size", 524_288.0)];
        let machine = Machine { facts };
        let levels = [16e3, 32768.0, 40e3, 1e6].map(|bytes| level(&machine, bytes));
        assert_eq!(levels, [Some("L1d"), Some("L1d"), Some("L2"), Some("memory")]);
        assert_eq!(level(&Machine::default(), 1.0), None);
    }
}
