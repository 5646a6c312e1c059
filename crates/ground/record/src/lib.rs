//! The shapes of a run (what was planned, predicted, tried) and the journal that keeps them.
//!
//! All crates share these shapes: the worker answers with a [`Trial`], the supervisor appends
//! [`Line`]s, the analysis reads them. A line never depends on the program that wrote it: what
//! is needed to judge a trial (witnesses, estimator, bounds) is in the plan.
//!
//! **Invariant:** append-only; a field is never renamed or re-used; a reader accepts every older schema.
#![forbid(unsafe_code)]

mod blind;
mod checksum;
mod conditions;
mod defaults;
mod environment;
mod fact;
mod formula;
mod journal;
mod line;
mod pair;
mod plan;
mod plot;
mod point;
mod range;
pub mod renamed;
mod same_as;
mod settings;
mod skip;
mod summarized;
mod summary;
mod tail;
mod trial;
mod user;
mod whole_number;

pub use blind::HIDDEN;
pub use conditions::{Disturbance, DisturbanceKind, FactChange, MachineChange};
pub use environment::{AttributeChange, Environment, FreshProcess};
pub use fact::{Fact, FactValue, Machine, Unit};
pub use formula::{Formula, Lookup, Prediction, Term, TermSide, Unevaluated};
pub use journal::{Journal, JournalError, Record};
pub use line::{End, EndReason, Header, Line, PeerEnd, RoundEnd, SCHEMA};
pub use pair::{MAX_CPUS, pair_at, place_of_pair};
pub use plan::{Bound, Breach, Estimator, Fit, Gate, Need, Origin, Plan, PlannedPoint, Source, Witness};
pub use plot::{Plot, Scale};
pub use point::{Parameters, PointId};
pub use range::Range;
pub use same_as::same_as;
pub use settings::{Profile, Settings, Trigger, UNLIMITED_S};
pub use skip::Skip;
pub use summarized::Summarized;
pub use summary::{Summary, SummaryRow, boot_digest};
pub use tail::{Durations, Outlier, Tail, TailLooks, TailRequest, TailSettings, Usual};
pub use trial::{
    Attributes, CoreLooks, Counted, Directory, Evidence, Looks, PeerLink, Purpose, Rehearsal, Reply, Request,
    Role, Sampling, Series, Trial, TrialFailure, TriggerRequest,
};
pub use user::{PredictionsFile, UserPrediction};
