//! What may be said of a point: verdicts, bounds, predictions, remarks.

pub(crate) mod bottleneck;
pub(crate) mod bounds;
pub(crate) mod division;
pub(crate) mod known_values;
pub(crate) mod point_result;
pub(crate) mod predictions;
pub(crate) mod remarks;
pub(crate) mod resolver;
pub(crate) mod stopping;
pub(crate) mod verdict;
