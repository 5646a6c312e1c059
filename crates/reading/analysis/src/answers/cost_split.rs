//! The two parts of a cost that grows with bytes: the cost of a request, and that of each byte.

use crate::answers::finding::{Finding, Numbers, Outcome, Untested, line};
use crate::answers::questions::question::CostSplit;
use crate::rows::row::SweepLine;
use record::{PointId, Range};

/// What the line of a sweep says, if points of it were planned.
pub(crate) fn outcome(of: &CostSplit, is_planned: bool, lines: &[SweepLine]) -> Outcome {
    let sweep = PointId::new(of.operation, of.fixed);
    let line = line(&sweep, is_planned, lines)?;
    let Some((intercept, slope)) = line.intercept_interval.zip(line.slope_interval) else {
        return Err(Untested::NoInterval(sweep));
    };
    let request = Range { low: intercept.low, value: line.intercept, high: intercept.high };
    let per_byte = Range { low: slope.low, value: line.slope, high: slope.high };
    let numbers = Numbers::CostSplit {
        request: of.once,
        per_byte,
        bytes: of.bytes,
        share: (line.intercept / (line.intercept + line.slope * of.bytes)).clamp(0.0, 1.0),
    };
    Ok(Finding::new(request.low > 0.0, request, numbers))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use stats::interval::Interval;

    const OF: CostSplit =
        CostSplit { operation: "x", fixed: "server_cache=warm", once: "a request", bytes: 4096.0 };

    fn line(intercept: f64, half: f64) -> SweepLine {
        SweepLine {
            sweep: PointId::new("x", "server_cache=warm"),
            slope_name: String::new(),
            slope: 1.0,
            slope_interval: Some(Interval::at_level(0.9, 1.1, 0.95)),
            intercept_name: String::new(),
            intercept,
            intercept_interval: Some(Interval::at_level(intercept - half, intercept + half, 0.95)),
            worst: 0.0,
        }
    }

    #[test]
    fn cost_per_request_is_decided_where_it_is_above_zero() {
        let decided = outcome(&OF, true, &[line(61_440.0, 500.0)]).unwrap();
        assert_eq!(decided.range().unwrap().value, 61_440.0);
        let Finding::Decided(answered) = decided else { unreachable!("{decided:?}") };
        assert!(matches!(answered.numbers, Numbers::CostSplit { share, .. } if share == 61_440.0 / 65_536.0));
        assert!(matches!(outcome(&OF, true, &[line(100.0, 500.0)]).unwrap(), Finding::Undecided(_)));
        let numbers = Numbers::CostSplit {
            request: "a request",
            per_byte: Range { low: 0.9, value: 1.0, high: 1.1 },
            bytes: 4096.0,
            share: 4096.0 / 8192.0,
        };
        let at_zero = Finding::new(false, Range { low: 0.0, value: 4096.0, high: 8192.0 }, numbers);
        assert_eq!(outcome(&OF, true, &[line(4096.0, 4096.0)]).unwrap(), at_zero);
        let sweep = PointId::new("x", "server_cache=warm");
        assert_eq!(outcome(&OF, true, &[]).unwrap_err(), Untested::NoLine(sweep.clone()));
        assert_eq!(outcome(&OF, false, &[]).unwrap_err(), Untested::NotMeasured(sweep.clone()));
        let no_interval = [
            SweepLine { intercept_interval: None, ..line(100.0, 50.0) },
            SweepLine { slope_interval: None, ..line(100.0, 50.0) },
        ];
        for line in no_interval {
            assert_eq!(outcome(&OF, true, &[line]).unwrap_err(), Untested::NoInterval(sweep.clone()));
        }
    }
}
