//! Many machines that were measured by the same points: of which types they are, how far machines of a type lie apart,
//! which are not like the others, and why.
//!
//! **Invariant:** pure: what was read comes in by an [`Intake`], what was found goes out as a [`Survey`]; everything random
//! is seeded.
//! **Invariant:** nothing is left out silently: whatever is wrong with a record is a [`Problem`], and a machine that cannot be
//! compared is in a type of its own.
#![forbid(unsafe_code)]

mod boots;
mod choice;
mod intake;
mod odd;
mod precision;
mod problems;
mod scale;
mod siblings;
mod signs;
mod spread;
mod survey;
mod table;
mod taken;
mod thresholds;
mod versus;
mod whole;

pub use choice::OddRun;
pub use intake::{Import, Intake};
pub use odd::OddPoint;
pub use precision::{Design, designs};
pub use problems::Problem;
pub use siblings::{DifferingFact, Type};
pub use signs::{Cause, Sign};
pub use spread::Spread;
pub use stats::components::{Component, Components};
pub use survey::{OddMachine, Survey, Suspect, TypeSurvey, survey};
pub use table::{Column, Fleet, Level, Machine, Quality, Run, Text, Value};
pub use thresholds::GROUPS as THRESHOLDS;
pub use versus::TypeChange;
pub use whole::Whole;
