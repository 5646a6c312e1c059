//! Estimates and verdicts, computed from a record.
//!
//! Trials come in ([`Analyst`]), are checked (`shape`), gated (`gate`), made into samples
//! (`sample`) and summarised; rows come out on demand: estimate, verdict, bounds, prediction, remarks.
//!
//! **Invariant:** everything here can be computed again from a record by any later version.
//! **Invariant:** no row that is contradicted, skipped or failed has a number.
#![forbid(unsafe_code)]

mod analyst;
mod bounds;
mod closing;
mod estimate;
mod evidence;
mod gate;
mod history;
mod predict;
mod remarks;
mod row;
mod sample;
mod settle;
mod shape;
mod steady;
mod summary;
mod sweep;
mod tally;
mod verdict;
mod wording;

pub use analyst::{Analyst, analyse};
pub use closing::narrow;
pub use row::{
    Analysis, Estimate, Judged, Mode, Note, Predicted, Row, SetAside, SweepLine, Tier, TrialValue, Verdict,
};
