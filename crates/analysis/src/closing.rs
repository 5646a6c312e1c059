//! When a point needs no further trial.

use crate::{Judged, Row, Verdict};
use record::{Origin, Settings};

/// Whether a measured row is narrow enough.
pub fn narrow(row: &Row, settings: &Settings) -> bool {
    let trials = row.estimate.as_ref().map_or(0, |estimate| estimate.trials);
    let enough = trials >= settings.least_rounds as usize;
    enough && row.verdict == Verdict::Measured
}

/// Trials without any result after which a point is given up: a single one may be bad luck.
const LAST_STRAW: usize = 3;

/// Whether a row without a number will not get one by trying again.
pub(crate) fn hopeless(row: &Row, attempts: usize, settings: &Settings) -> bool {
    let broken = |judged: &Judged| judged.broken > 0 && judged.witness.origin == Origin::Rehearsal;
    match row.verdict {
        Verdict::Measured | Verdict::Noisy => false,
        Verdict::Skipped | Verdict::Failed => row.point.skip.is_some() || attempts >= LAST_STRAW,
        // What a rehearsal saw stays; what trials saw may yet turn out to be rare.
        Verdict::Contradicted => {
            row.witnesses.iter().any(broken) || attempts >= settings.least_rounds as usize
        }
    }
}
