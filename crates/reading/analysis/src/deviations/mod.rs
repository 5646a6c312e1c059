//! Why rows are off their predictions: contrasts between the rows of one run.

#[cfg(test)]
mod fixtures;
pub(crate) mod ingredients;
pub(crate) mod interposition;
pub(crate) mod likely_reason;
mod measured_parts;
mod other_point;
pub(crate) mod ratio;
