//! In which cache a working set lies, by the sizes that the machine reports, and beyond all where the run found less.

use analysis::Row;
use record::Machine;

/// Caches of data from the first level up, with the keys of their sizes.
const CACHES: [(&str, &[&str]); 4] = [
    ("L1d", &["cache.l1d.size", "cache.l1.size"]),
    ("L2", &["cache.l2.size"]),
    ("L3", &["cache.l3.size"]),
    ("L4", &["cache.l4.size"]),
];

/// Where no cache holds it.
const MEMORY: &str = "memory";

/// How many times the largest capacity that the run found is beyond it.
const BEYOND: f64 = 2.0;

/// The smallest cache that holds this many bytes, or `memory` where none does; `None` where no cache is known. A guest has a
/// share of the reported cache: what is well beyond the largest capacity that the run found is memory.
pub(super) fn level(machine: &Machine, found: Option<f64>, bytes: f64) -> Option<&'static str> {
    if found.is_some_and(|capacity| bytes >= BEYOND * capacity) {
        return Some(MEMORY);
    }
    let known = CACHES.iter().filter_map(|(name, keys)| {
        let size = keys.iter().find_map(|key| machine.number(key))?;
        Some((*name, size))
    });
    let mut known = known.peekable();
    known.peek()?;
    Some(known.find(|(_, size)| bytes <= *size).map_or(MEMORY, |(name, _)| name))
}

/// The end of the last cache that the run found: of levels beyond the second, because the last may have shown none.
pub(super) fn largest_found(rows: &[Row]) -> Option<f64> {
    let found = rows.iter().filter(|row| {
        let id = &row.point.id;
        let beyond_second = !id.point.starts_with("level=1 ") && !id.point.starts_with("level=2 ");
        id.operation == "memory.levels" && id.point.ends_with("property=capacity") && beyond_second
    });
    found.filter_map(|row| Some(row.estimate.as_ref()?.typical)).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Fact, FactValue, Unit};

    fn size(key: &str, value: f64) -> Fact {
        Fact {
            key: key.to_owned(),
            value: FactValue::Number { value, unit: Unit::Bytes },
            source: "test".to_owned(),
            within: None,
            assumed: false,
        }
    }

    #[test]
    fn a_working_set_lies_in_the_smallest_cache_that_holds_it() {
        let facts = vec![size("cache.l1d.size", 32768.0), size("cache.l2.size", 524_288.0)];
        let machine = Machine { facts };
        let levels = [16e3, 32768.0, 40e3, 1e6].map(|bytes| level(&machine, None, bytes));
        assert_eq!(levels, [Some("L1d"), Some("L1d"), Some("L2"), Some("memory")]);
        assert_eq!(level(&Machine::default(), None, 1.0), None);
    }

    #[test]
    fn what_the_run_found_to_be_beyond_its_share_of_a_cache_is_memory() {
        let machine = Machine { facts: vec![size("cache.l3.size", 480.0 * MEBIBYTE)] };
        // Of what is beyond 40 MiB, half may be in the cache.
        let found = [None, Some(24.0 * MEBIBYTE), Some(40.0 * MEBIBYTE)];
        let levels = found.map(|found| level(&machine, found, 64.0 * MEBIBYTE));
        assert_eq!(levels, [Some("L3"), Some("memory"), Some("L3")]);
    }

    const MEBIBYTE: f64 = 1_048_576.0;
}
