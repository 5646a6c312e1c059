//! All that happened to a point, and what its witnesses saw.

pub(crate) mod history;
pub(crate) mod in_environment;
pub(crate) mod single_trial;
pub(crate) mod witness_counts;
