//! From the batches of a trial to its samples: what counts, and the state of the cores beside it.

pub(crate) mod cause_counts;
pub(crate) mod core_clock;
pub(crate) mod core_state;
pub(crate) mod gate;
pub(crate) mod idle_state;
pub(crate) mod linearity;
pub(crate) mod plausibility;
pub(crate) mod sample;
pub(crate) mod steady_state;
pub(crate) mod summary;

#[cfg(test)]
pub(crate) mod tests;
