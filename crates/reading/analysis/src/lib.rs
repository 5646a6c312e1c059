//! Estimates and verdicts, computed from a record.
//!
//! Trials come in ([`Analyst`]), are checked (`plausibility`), gated (`gate`), made into samples
//! (`sample`) and summarised; rows come out on demand: estimate, verdict, bounds, prediction, remarks. Reasons and remarks
//! are values, of which `report` makes words.
//!
//! **Invariant:** everything here can be computed again from a record by any later version.
//! **Invariant:** no row that is contradicted, skipped or failed has a number.
#![forbid(unsafe_code)]

mod analyst;
mod answers;
mod compare;
mod deviations;
mod estimates;
mod evidence;
mod museum;
mod rows;
mod run;
mod samples;
mod tails;
mod thresholds;
mod verdicts;

pub use analyst::{Analyst, analyse, analyse_after};
pub use answers::answer::Answer;
pub use answers::cache_points::{CACHE_OPERATIONS, is_data_cache, tells_of_cache};
pub use answers::contrast::{Contrast, Direction};
pub use answers::finding::{Answered, Finding, HugePageBacking, Measured, Numbers, Ranking, Untested};
pub use answers::questions::question::{CostSplit, Derivation, Fastest, Operand, Question, ReportedSize};
pub use answers::questions::questions;
pub use compare::clocks::common_clock;
pub use compare::compare;
pub use compare::decomposition::{CallsChange, Decomposition, TermChange, decompositions};
pub use compare::machines::{FactChange, FactsCompared};
pub use compare::runs::compare_runs;
pub use compare::shapes::{
    Change, Clocks, Compare, Compared, Comparison, Decision, Limits, NoDecision, Position,
};
pub use deviations::interposition::interposers;
pub use estimates::carry::{Carried, at_one_clock};
pub use evidence::in_environment::skip_unproven;
pub use evidence::single_trial::{SingleTrial, single_trial};
pub use evidence::witness_counts::LINEARITY;
pub use museum::evaluation::{NoNumber, Outcome, ShownExhibit, museum};
pub use museum::exhibit::{Demonstration, Exhibit, ExhibitPoint, Expected, PublishedCase};
pub use museum::exhibits;
pub use museum::wrong_statistics::WrongStatistic;
pub use rows::beside::BesidePrograms;
pub use rows::core_use::{CoreState, CoreUse, CpuUse, QuietSpan};
pub use rows::deviation::{CallsBeyond, Deviation, Ingredient, Interposer, LikelyReason};
pub use rows::distribution::Distribution;
pub use rows::earlier_runs::{BetweenRuns, EarlierRuns, is_same_moment};
pub use rows::epoch::{Epoch, EpochChange};
pub use rows::failure::{Cause, Failure, Impossible, Unread};
pub use rows::idle_state::{IdleShare, IdleState};
pub use rows::note::{Bottleneck, Limit, Note, StreamShares};
pub use rows::outlying_trials::OutlyingTrials;
pub use rows::placement::PlacementShare;
pub use rows::reason::{Broken, Reason};
pub use rows::row::{
    Estimate, Judged, NoValue, Predicted, Row, SetAside, SweepLine, Tier, TrialValue, Unpredicted, Verdict,
};
pub use rows::trial_statistics::TrialStatistics;
pub use run::accuracy::{Accuracy, Agreement, Factors, LeftOut, WITHIN};
pub use run::analysis::{Analysis, RunNote};
pub use run::beside::{Beside, beside};
pub use run::closest::{Closest, closest};
pub use run::distances::{Distance, Elsewhere};
pub use run::distinct::distinct;
pub use run::drift_by_round::RoundDrift;
pub use run::highlights::{Highlight, highlights};
pub use run::machine_history::{MachineHistory, StateFact};
pub use run::more_time::{LEAST_OF_A_ROUND, MoreTime};
pub use run::pairs::Pairs;
pub use run::past_value::PastValue;
pub use run::plots::{Drawing, DrawnPoint, DrawnSeries};
pub use run::point_history::{Histories, PointHistory};
pub use run::run_placements::{RunPlacement, RunPlacements};
pub use run::scaling::{ScaledPoint, ScalingCurve};
pub use run::steps::Step;
pub use run::strip::StripCell;
pub use run::user_accuracy::{Closer, UserAccuracy, UserComparison};
pub use samples::core_clock::reference as reference_clock;
pub use samples::core_state::quiet_ratio;
/// Fewest runs in which steps are looked for.
pub use stats::change_points::MIN_VALUES as LEAST_RUNS;
pub use stats::clusters::Level;
pub use stats::interval::{Coverage, Interval};
pub use stats::modes::Mode;
pub use stats::percentile::{Percentile, PercentileInterval, TooFew};
pub use tails::cause::TailCause;
pub use tails::causes::{SlowIteration, TailCauses};
pub use tails::change::{TailChange, TailDecision, tail_changes};
pub use tails::distribution::{PERCENTILES, TailDistribution};
pub use tails::plot::percentile_name;
pub use tails::point_tail::{Observer, PointTail};

pub use thresholds::GROUPS as THRESHOLDS;
pub use verdicts::known_values::{KnownValue, rows_of_known};
pub use verdicts::stopping::Needs;
