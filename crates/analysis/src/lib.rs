//! Estimates and verdicts, computed from a record.
//!
//! **Invariant:** everything here can be computed again from a record by any later version.
#![forbid(unsafe_code)]

mod row;

pub use row::{
    Analysis, Estimate, Judged, Mode, Note, Predicted, Row, SetAside, SweepLine, Tier, TrialValue, Verdict,
};
