//! Tails: percentiles of iterations that were each timed, and what delayed the slowest of them.

pub(crate) mod cause;
pub(crate) mod causes;
pub(crate) mod change;
pub(crate) mod distribution;
pub(crate) mod next_run;
pub(crate) mod plot;
pub(crate) mod point_tail;
