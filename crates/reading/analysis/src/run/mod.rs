//! What an analysis says of a whole run.

pub(crate) mod accuracy;
pub(crate) mod analysis;
pub(crate) mod beside;
pub(crate) mod closest;
pub(crate) mod distances;
pub(crate) mod distinct;
pub(crate) mod disturbances;
pub(crate) mod drift_by_round;
pub(crate) mod highlights;
pub(crate) mod machine_history;
pub(crate) mod more_time;
pub(crate) mod pairs;
pub(crate) mod past_value;
pub(crate) mod plots;
pub(crate) mod point_history;
pub(crate) mod run_placements;
pub(crate) mod scaling;
pub(crate) mod steps;
pub(crate) mod strip;
pub(crate) mod summary;
pub(crate) mod sweep;
pub(crate) mod user_accuracy;
