//! What becomes of a question, and the rows that it may rest on.

use crate::answers::contrast::seen;
use crate::answers::questions::question::Side;
use crate::rows::row::{Row, Verdict, find};
use quantity::show;
use record::{PointId, Range};

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Finding {
    /// The interval excludes that there is no difference: the ratio, the slope, or the rate.
    Decided(Range),
    /// The interval includes it.
    Undecided(Range),
    /// A number is missing, contradicted, or too noisy.
    Untested,
}

/// A sentence about a finding, or why there is none.
pub(crate) type Outcome = Result<(Finding, String), String>;

/// The point of a side.
pub(crate) fn id_of(side: &Side) -> PointId {
    PointId::new(side.operation, side.point)
}

/// The typical value as it is written.
pub(crate) fn typical(row: &Row) -> String {
    let half = |(low, high): (f64, f64)| (high - low) / 2.0;
    row.estimate.as_ref().map_or_else(String::new, |estimate| {
        show(estimate.typical, estimate.interval.map(half), row.quantity())
    })
}

/// The row, its interval widened to all that its trials saw where it is noisy.
pub(crate) fn cautious(row: &Row) -> Row {
    let mut row = row.clone();
    if row.verdict == Verdict::Noisy
        && let Some(typical) = row.estimate.as_ref().map(|estimate| estimate.typical)
    {
        let all = seen(&row, typical);
        if let Some(estimate) = &mut row.estimate {
            estimate.interval = Some((all.low, all.high));
        }
    }
    row
}

/// The row of a side that may be used.
///
/// # Errors
/// Why it may not, in a sentence.
pub(crate) fn usable<'r>(side: &Side, rows: &'r [Row]) -> Result<&'r Row, String> {
    let id = id_of(side);
    let row = find(rows, &id).ok_or_else(|| format!("{id} was not measured in this run"))?;
    match row.verdict {
        Verdict::Measured | Verdict::Noisy if row.estimate.is_some() => Ok(row),
        Verdict::Measured | Verdict::Noisy => Err(format!("{id} has no number")),
        other => Err(format!("{id} is {}", other.word())),
    }
}
