//! From the samples of all trials to one estimate.

pub(crate) mod beside_programs;
pub(crate) mod carry;
pub(crate) mod epochs;
pub(crate) mod estimate;
pub(crate) mod idle_states;
pub(crate) mod placements;
pub(crate) mod selection;
pub(crate) mod trial_states;
