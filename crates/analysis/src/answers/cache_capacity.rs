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
    #![allow(clippy::unwrap_used)]
    use super::*;
    use record::{Fact, FactValue, Unit};

    #[test]
    fn allowed_memory_is_the_limit_or_the_memory_of_the_machine() {
        let of = |point: &str, machine: &Machine| allowed(&PointId::new("file.cache_size", point), machine);
        let mut machine = Machine::default();
        assert_eq!(of("memory_limit=32MiB", &machine).unwrap(), (33_554_432.0, false));
        let unreported = Untested::Unreported("memory.total".to_owned());
        assert_eq!(of("memory_limit=machine", &machine).unwrap_err(), unreported);
        assert!(matches!(of("", &machine), Err(Untested::NoLimit(_))));
        machine.facts.push(Fact {
            key: "memory.total".to_owned(),
            value: FactValue::Number { value: 1e9, unit: Unit::Bytes },
            source: "fixture".to_owned(),
            within: None,
        });
        assert_eq!(of("memory_limit=machine", &machine).unwrap(), (1e9, true));
    }
}
