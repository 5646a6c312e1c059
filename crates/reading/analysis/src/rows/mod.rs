//! What an analysis says of each point: shapes that everything else fills.

pub(crate) mod beside;
pub(crate) mod core_use;
pub(crate) mod deviation;
pub(crate) mod distribution;
pub(crate) mod earlier_runs;
pub(crate) mod epoch;
pub(crate) mod failure;
pub(crate) mod idle_state;
pub(crate) mod next_run;
pub(crate) mod note;
pub(crate) mod outlying_trials;
pub(crate) mod placement;
pub(crate) mod reason;
pub(crate) mod row;
pub(crate) mod run_class;
pub(crate) mod system_calls;
pub(crate) mod trial_statistics;
