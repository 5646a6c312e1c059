//! The share of the memory that the file cache may use which it holds: of its limit, or of the machine's memory.

use crate::answers::finding::{Finding, Numbers, Outcome, Untested, cautious, usable};
use crate::answers::questions::question::Operand;
use crate::rows::row::Row;
use quantity::parse_bytes;
use record::{Machine, PointId};

/// The fact that tells the memory of a machine.
const TOTAL: &str = "memory.total";

/// The share.
pub(crate) fn outcome(side: &Operand, rows: &[Row], machine: &Machine) -> Outcome {
    let (row, held) = usable(side, rows)?;
    let (allowed, is_machine) = allowed(&row.point.id, machine)?;
    let whole = cautious(row).estimate.and_then(|estimate| estimate.range());
    let whole = whole.ok_or_else(|| Untested::NoInterval(row.point.id.clone()))?;
    let numbers = Numbers::CacheCapacity { held, allowed, is_machine };
    Ok(Finding::new(true, whole.map(|bytes| bytes / allowed), numbers))
}

/// Bytes that it may hold, and whether that is the memory of the machine.
fn allowed(point: &PointId, machine: &Machine) -> Result<(f64, bool), Untested> {
    match point.parameter("memory_limit") {
        Some("machine") => {
            let total = machine.number(TOTAL).filter(|total| *total > 0.0);
            let total = total.ok_or_else(|| Untested::Unreported(TOTAL.to_owned()))?;
            Ok((total, true))
        }
        text => {
            let bytes = text.and_then(|text| parse_bytes(text).ok());
            let bytes = bytes.ok_or_else(|| Untested::NoLimit(point.clone()))?;
            Ok((bytes.bytes() as f64, false))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::finding::Measured;
    use crate::answers::fixtures::{machine, noisy, range, row, without_interval};
    use quantity::Quantity;

    #[test]
    fn allowed_memory_is_the_limit_or_the_memory_of_the_machine() {
        let unlimited = PointId::new("file.cache_size", "");
        let unreported = Untested::Unreported("memory.total".to_owned());
        for (point, total, expected) in [
            ("memory_limit=32MiB", None, Ok((33_554_432.0, false))),
            ("", None, Err(Untested::NoLimit(unlimited))),
            ("memory_limit=machine", None, Err(unreported.clone())),
            ("memory_limit=machine", Some(0.0), Err(unreported.clone())),
            ("memory_limit=machine", Some(-1.0), Err(unreported)),
            ("memory_limit=machine", Some(1e9), Ok((1e9, true))),
        ] {
            let facts: Vec<(&str, f64)> = total.into_iter().map(|total| (TOTAL, total)).collect();
            let found = allowed(&PointId::new("file.cache_size", point), &machine(&[], &facts));
            assert_eq!(found, expected, "{point} {total:?}");
        }
    }

    #[test]
    fn share_is_of_what_the_cache_may_hold() {
        const HELD: Operand =
            Operand { words: "the cache", operation: "file.cache_size", point: "memory_limit=32B" };
        let measured = row("file.cache_size", "memory_limit=32B", Quantity::Size, (16.0, 24.0, 28.0));
        let held = Measured {
            name: "the cache".to_owned(),
            typical: 24.0,
            states: Vec::new(),
            interval: Some(stats::interval::Interval::at_level(16.0, 28.0, 0.95)),
            quantity: Quantity::Size,
            is_noisy: false,
        };
        let noisy = noisy(measured.clone(), &[8.0, 40.0]);
        for (row, share, is_noisy) in
            [(measured.clone(), (0.5, 0.75, 0.875), false), (noisy, (0.25, 0.75, 1.25), true)]
        {
            let held = Measured { is_noisy, ..held.clone() };
            let numbers = Numbers::CacheCapacity { held, allowed: 32.0, is_machine: false };
            let expected = Finding::new(true, range(share), numbers);
            assert_eq!(outcome(&HELD, &[row], &Machine::default()), Ok(expected));
        }
        let no_interval = outcome(&HELD, &[without_interval(measured)], &Machine::default());
        let point = PointId::new("file.cache_size", "memory_limit=32B");
        assert_eq!(no_interval, Err(Untested::NoInterval(point)));
    }
}
