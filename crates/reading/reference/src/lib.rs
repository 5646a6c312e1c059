//! The published figures of five reports, as data: what was predicted, what was measured, on which machine, and which
//! mistakes make a figure suspect; and the corpus of machines that oscope was run on.
//!
//! **Invariant:** figures are as they were printed, in the unit in which they were printed; only [`Figure::result`]
//! and [`Figure::expectation`] convert.
//! **Invariant:** every figure points into a section of its report.
//! **Invariant:** quotes are the words of a report.
//! **Invariant:** it knows the ids of operations only as text, in one table that is checked against their list.
#![forbid(unsafe_code)]

mod corpus;
mod counterparts;
mod data;
mod experiments;
mod figures;
mod machines;
mod mistakes;
mod quotes;
mod sections;
mod summary_table;

pub use corpus::{CORPUS, MeasuredMachine, MeasuredPoint};
pub use counterparts::{Counterpart, Method, beside, counterparts, of_operation};
pub use data::ReferenceError;
pub use experiments::{Experiment, experiments, has_parameters, is_of_an_experiment};
pub use figures::{Figure, RESULTS, Shown, figures};
pub use machines::{MACHINES, ReferenceMachine, machines};
pub use mistakes::{MISTAKES, Mistake, Theme, cited_mistakes, find_mistake, mistake_name};
pub use quotes::{Quote, has_number, numbers, quotes};
pub use sections::{Section, names_sections, section, sections};
pub use summary_table::{SUMMARY_ROWS, SummaryRow};
