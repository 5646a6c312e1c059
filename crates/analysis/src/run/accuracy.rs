//! How well the predictions of a run did, as factors between measured and predicted.

use crate::rows::row::{Predicted, Row, Verdict, find};
use crate::run::user_accuracy::{UserAccuracy, factor, user_accuracy};
use record::PointId;
use stats::order::Sorted;

/// Factor within which a prediction from parts should lie.
const WITHIN_PARTS: f64 = 1.5;
/// Factor within which a prediction from facts should lie.
const WITHIN_FACTS: f64 = 2.0;
/// Predictions that are named because they were furthest off.
const NAMED: usize = 3;

/// How far measured values were from predictions of one tier.
#[derive(Debug, Clone, PartialEq)]
pub struct Agreement {
    /// Points that were measured and predicted.
    pub points: usize,
    /// Median factor between measured and predicted, either way; 1 is exact.
    pub median: f64,
    /// Ninth decile of that factor.
    pub ninth_decile: f64,
    /// The factor within which such a prediction should lie.
    pub limit: f64,
    /// Points within it.
    pub within: usize,
    /// The points that were furthest off, the worst first, each with measured divided by predicted.
    pub worst: Vec<(PointId, f64)>,
}

/// How well the predictions did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Accuracy {
    /// T1, over points that are made of others of their own kind.
    pub from_parts: Option<Agreement>,
    /// T0, over all points that it says something of.
    pub from_facts: Option<Agreement>,
    /// The user's own, over all points of which there are any.
    pub user: Option<UserAccuracy>,
}

/// The accuracy over rows whose verdict is measured. Methods that are known to be wrong prove nothing.
pub(crate) fn accuracy(rows: &[Row]) -> Accuracy {
    let right = || {
        rows.iter()
            .filter(|row| row.point.reference.is_none() && row.verdict == Verdict::Measured)
    };
    let composite = right().filter(|row| is_composite(row, rows));
    Accuracy {
        from_parts: agreement(
            composite.filter_map(|row| compared(row, row.from_parts.as_ref())),
            WITHIN_PARTS,
        ),
        from_facts: agreement(
            right().filter_map(|row| compared(row, row.from_facts.as_ref())),
            WITHIN_FACTS,
        ),
        user: user_accuracy(rows),
    }
}

/// Whether a row is predicted from costs of its own kind: the clock of the core alone makes no composite.
fn is_composite(row: &Row, rows: &[Row]) -> bool {
    let terms = row.from_parts.iter().flat_map(|predicted| &predicted.terms);
    let mut parts = terms.flat_map(|(term, _)| term.formula.parts());
    parts.any(|part| find(rows, part).is_some_and(|part| part.quantity() == row.quantity()))
}

fn compared(row: &Row, predicted: Option<&Predicted>) -> Option<(PointId, f64)> {
    let measured = row.estimate.as_ref()?.typical;
    Some((row.point.id.clone(), measured / predicted?.total.value))
}

fn agreement(ratios: impl Iterator<Item = (PointId, f64)>, limit: f64) -> Option<Agreement> {
    let mut ratios: Vec<(PointId, f64)> = ratios.collect();
    ratios.sort_by(|(_, a), (_, b)| factor(*b).total_cmp(&factor(*a)));
    let factors: Vec<f64> = ratios.iter().map(|(_, ratio)| factor(*ratio)).collect();
    let sorted = Sorted::of(&factors);
    Some(Agreement {
        points: factors.len(),
        median: sorted.median()?,
        ninth_decile: sorted.quantile(0.9)?,
        limit,
        within: factors.iter().filter(|factor| **factor <= limit).count(),
        worst: ratios.into_iter().take(NAMED).collect(),
    })
}
