//! The two parts of a cost that grows with bytes: what it is whatever they are, and what each adds.

use crate::answers::finding::{Finding, Outcome};
use crate::answers::questions::question::Split;
use crate::rows::row::SweepLine;
use quantity::{Bytes, Quantity, show, show_bytes, show_percent};
use record::{PointId, Range};

/// Bytes of which the second part is told: of one alone there is too little to see.
const PIECE: f64 = 1_048_576.0;

/// What the line of a sweep says, if points of it were planned.
pub(crate) fn outcome(of: &Split, is_planned: bool, lines: &[SweepLine]) -> Outcome {
    let sweep = PointId::new(of.operation, of.fixed);
    if !is_planned {
        return Err(format!("{sweep} was not measured in this run"));
    }
    let line = lines.iter().find(|line| line.sweep == sweep);
    let line = line.ok_or_else(|| format!("too few points of {sweep} have a number for a line"))?;
    let few = || format!("some points of {sweep} have too few trials for an interval");
    let (low, high) = line.intercept_interval.ok_or_else(few)?;
    let (slow, shigh) = line.slope_interval.ok_or_else(few)?;
    let nanos = |value: f64, low: f64, high: f64| show(value, Some((high - low) / 2.0), Quantity::Latency);
    let piece = nanos(line.slope * PIECE, slow * PIECE, shigh * PIECE);
    let range = Range {
        low,
        value: line.intercept,
        high,
    };
    let bytes = |size: f64| show_bytes(Bytes::from_bytes(size as u64));
    if low <= 0.0 {
        let sentence = format!(
            "{} costs nothing measurable whatever it brings, and {piece} for each {}",
            of.once,
            bytes(PIECE)
        );
        return Ok((Finding::Undecided(range), sentence));
    }
    let whole = line.intercept + line.slope * of.bytes;
    let sentence = format!(
        "{} costs {} whatever it brings, and {piece} more for each {}: at {} the first part is {} of it",
        of.once,
        nanos(line.intercept, low, high),
        bytes(PIECE),
        bytes(of.bytes),
        show_percent((line.intercept / whole).clamp(0.0, 1.0)),
    );
    Ok((Finding::Decided(range), sentence))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const OF: Split = Split {
        operation: "x",
        fixed: "server_cache=warm",
        once: "a request",
        bytes: 4096.0,
    };

    fn line(intercept: f64, half: f64) -> SweepLine {
        SweepLine {
            sweep: PointId::new("x", "server_cache=warm"),
            slope_name: String::new(),
            slope: 1.0,
            slope_interval: Some((0.9, 1.1)),
            intercept_name: String::new(),
            intercept,
            intercept_interval: Some((intercept - half, intercept + half)),
            worst: 0.0,
        }
    }

    #[test]
    fn both_parts_are_told_where_there_are_two() {
        let outcome = |lines: &[SweepLine]| outcome(&OF, true, lines);
        let (finding, sentence) = outcome(&[line(61_440.0, 500.0)]).unwrap();
        assert!(matches!(finding, Finding::Decided(_)));
        assert!(sentence.contains("61.4") && sentence.contains("94"), "{sentence}");
        let (finding, sentence) = outcome(&[line(100.0, 500.0)]).unwrap();
        assert!(
            matches!(finding, Finding::Undecided(_)) && sentence.contains("1 MiB"),
            "{sentence}"
        );
        assert!(outcome(&[]).unwrap_err().contains("too few points"));
        assert!(
            super::outcome(&OF, false, &[])
                .unwrap_err()
                .contains("not measured")
        );
    }
}
