//! Estimates and verdicts, computed from a record.
//!
//! Trials come in ([`Analyst`]), are checked (`shape`), gated (`gate`), made into samples
//! (`sample`) and summarised; rows come out on demand: estimate, verdict, bounds, prediction, remarks.
//!
//! **Invariant:** everything here can be computed again from a record by any later version.
//! **Invariant:** no row that is contradicted, skipped or failed has a number.
#![forbid(unsafe_code)]

mod analyst;
mod answers;
mod compare;
mod estimates;
mod evidence;
mod museum;
mod rows;
mod run;
mod samples;
mod verdicts;

pub use analyst::{Analyst, analyse, analyse_at};
pub use answers::answer::Answer;
pub use answers::contrast::{Contrast, Direction};
pub use answers::finding::Finding;
pub use answers::questions::question::{Fastest, Question, Side, Split, Told, Way};
pub use answers::questions::questions;
pub use compare::clocks::common_clock;
pub use compare::compare;
pub use compare::machines::Differs;
pub use compare::shapes::{Change, Clocks, Compare, Compared, Comparison, Decision, Limits};
pub use museum::evaluate::{Outcome, Shown, museum};
pub use museum::exhibit::{Exhibit, Expected, Seen, Spot, Way as ExhibitWay};
pub use museum::exhibits;
pub use museum::readings::Reading;
pub use rows::core_use::{CoreState, CoreUse, CpuUse};
pub use rows::distribution::Distribution;
pub use rows::row::{
    Estimate, Figure, Judged, Mode, Note, NoteKind, Predicted, Reason, ReasonKind, Row, SetAside, SweepLine,
    Tier, TrialValue, Verdict,
};
pub use run::accuracy::{Accuracy, Agreement};
pub use run::analysis::Analysis;
pub use run::course::Round;
pub use run::highlights::{Highlight, highlights};
pub use run::plots::{Drawing, DrawnPoint, DrawnSeries};
pub use run::user::{Closer, Contest, Duel};
pub use verdicts::stopping::narrow;
