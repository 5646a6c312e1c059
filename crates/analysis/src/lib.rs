//! Estimates and verdicts, computed from a record.
//!
//! Trials come in ([`Analyst`]), are checked (`shape`), gated (`gate`), made into samples
//! (`sample`) and summarised; rows come out on demand: estimate, verdict, bounds, prediction, remarks.
//!
//! **Invariant:** everything here can be computed again from a record by any later version.
//! **Invariant:** no row that is contradicted, skipped or failed has a number.
#![forbid(unsafe_code)]

mod accuracy;
mod analyst;
mod answers;
mod backing;
mod bounds;
mod closing;
mod compare;
mod contrast;
mod core_clock;
mod core_state;
mod core_use;
mod course;
mod distribution;
mod estimate;
mod evidence;
mod fastest;
mod gate;
mod held_back;
mod history;
mod linearity;
mod museum;
mod plots;
mod predict;
mod questions;
mod remarks;
mod row;
mod run;
mod sample;
mod selection;
mod settle;
mod shape;
mod share;
mod split;
mod steady;
mod summary;
mod sweep;
mod tally;
mod told;
mod trial_states;
mod user;
mod verdict;
mod wording;

pub use accuracy::{Accuracy, Agreement};
pub use analyst::{Analyst, analyse, analyse_at};
pub use answers::{Answer, Finding};
pub use closing::narrow;
pub use compare::{
    Change, Clocks, Compare, Compared, Comparison, Decision, Differs, Limits, common_clock, compare,
};
pub use contrast::{Contrast, Direction};
pub use core_use::{CoreState, CoreUse, CpuUse};
pub use course::Round;
pub use distribution::Distribution;
pub use museum::{
    Exhibit, Expected, Outcome, Reading, Seen, Shown, Spot, Way as ExhibitWay, exhibits, museum,
};
pub use plots::{Drawing, DrawnPoint, DrawnSeries};
pub use questions::{Fastest, Question, Side, Split, Told, Way, questions};
pub use row::{
    Estimate, Figure, Judged, Mode, Note, NoteKind, Predicted, Reason, ReasonKind, Row, SetAside, SweepLine,
    Tier, TrialValue, Verdict,
};
pub use run::Analysis;
pub use user::{Closer, Contest, Duel};
