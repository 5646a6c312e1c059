//! How much of the memory that it may have something holds: the cache of files under its limit, or on the machine.

use crate::answers::finding::{Finding, Outcome, cautious, typical, usable};
use crate::answers::questions::question::Side;
use crate::rows::row::Row;
use quantity::{Quantity, parse_bytes, show, show_percent};
use record::{Machine, Range};

/// The share in a sentence.
///
/// # Errors
/// Why there is none.
pub(crate) fn outcome(held: &Side, rows: &[Row], machine: &Machine) -> Outcome {
    let row = usable(held, rows)?;
    let (allowed, of) = allowed(row.point.id.parameter("memory_limit"), machine)?;
    let found = cautious(row).estimate;
    let (low, high) = found
        .as_ref()
        .and_then(|estimate| estimate.interval)
        .ok_or_else(|| format!("{} has too few trials for an interval", row.point.id))?;
    let value = found.map_or(low, |estimate| estimate.typical);
    let share = Range {
        low: low / allowed,
        value: value / allowed,
        high: high / allowed,
    };
    let sentence = format!(
        "{} holds {} of {} {of}: {} ({} … {})",
        held.words,
        typical(row),
        show(allowed, None, Quantity::Size),
        show_percent(share.value),
        show_percent(share.low),
        show_percent(share.high),
    );
    Ok((Finding::Decided(share), sentence))
}

/// Bytes that it may have, and what they are.
fn allowed(limit: Option<&str>, machine: &Machine) -> Result<(f64, &'static str), String> {
    match limit {
        Some("machine") => {
            let total = machine.number("memory.total").filter(|total| *total > 0.0);
            let total =
                total.ok_or_else(|| "the machine does not say its memory (memory.total)".to_owned())?;
            Ok((total, "that the machine has"))
        }
        text => {
            let bytes = text.and_then(|text| parse_bytes(text).ok());
            let bytes =
                bytes.ok_or_else(|| "the point does not say what it may have (memory_limit)".to_owned())?;
            Ok((bytes.bytes() as f64, "that its group may have"))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use record::{Fact, FactValue, Unit};

    #[test]
    fn what_it_may_have_is_its_limit_or_the_memory_of_the_machine() {
        let mut machine = Machine::default();
        assert_eq!(
            allowed(Some("32MiB"), &machine).unwrap(),
            (33_554_432.0, "that its group may have")
        );
        assert!(
            allowed(Some("machine"), &machine)
                .unwrap_err()
                .contains("memory.total")
        );
        assert!(allowed(None, &machine).is_err());
        machine.facts.push(Fact {
            key: "memory.total".to_owned(),
            value: FactValue::Number {
                value: 1e9,
                unit: Unit::Bytes,
            },
            source: "fixture".to_owned(),
            within: None,
        });
        assert_eq!(
            allowed(Some("machine"), &machine).unwrap(),
            (1e9, "that the machine has")
        );
    }
}
