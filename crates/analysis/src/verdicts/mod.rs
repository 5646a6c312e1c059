//! What may be said of a point: verdicts, bounds, predictions, remarks.

pub(crate) mod bounds;
pub(crate) mod closing;
pub(crate) mod held_back;
pub(crate) mod predict;
pub(crate) mod remarks;
pub(crate) mod settle;
pub(crate) mod verdict;
