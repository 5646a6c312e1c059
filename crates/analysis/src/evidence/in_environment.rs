//! What counts as evidence in an environment.

use crate::evidence::witness_counts::LINEARITY;
use record::{Estimator, Origin, PlannedPoint, Witness};

/// A point as it is judged in an environment. What the environment itself does (a tracer that runs in between, a filter
/// under which one call costs more than another) is part of what is measured: only what proves that the work was done counts.
/// What a cost is divided by keeps its limits: a tracer adds switches of its own.
pub(crate) fn judged_within(point: &PlannedPoint) -> PlannedPoint {
    let mut judged = point.clone();
    judged.gate.cpu_share = None;
    judged.gate.involuntary = false;
    judged.bounds.retain(|bound| bound.formula.parts().is_empty());
    judged.witnesses.retain(|witness| witness.positive);
    let divisor = match &point.estimator {
        Estimator::SlopeLessControl { per } => per.as_str(),
        Estimator::Slope | Estimator::Each | Estimator::Values => "",
    };
    let may_be_more = |witness: &&mut Witness| {
        witness.origin == Origin::Trial && ![LINEARITY, divisor].contains(&witness.counter.as_str())
    };
    for witness in judged.witnesses.iter_mut().filter(may_be_more) {
        witness.high = f64::INFINITY;
    }
    judged
}
