//! Mistakes that the figures of a table of measurements reveal: a table in, findings out.
//!
//! **Invariant:** a rule sees a [`Table`]; columns of remarks and of suspected mistakes are dropped while it is read.
//! **Invariant:** no rule names a report, a machine or a row; what it knows is true of all measurements.
//! **Invariant:** pure. The same table gives the same findings.
#![forbid(unsafe_code)]

mod aggregates;
mod claims;
mod columns;
mod context;
mod decode;
mod error;
mod finding;
mod formats;
mod grid;
mod layout;
mod machines;
mod names;
mod params;
mod read;
mod rules;
mod series;
mod statistics;
mod table;

pub use decode::decoded;
pub use error::LintError;
pub use finding::{Finding, Rule};
pub use formats::formats;
pub use machines::machines;
pub use names::known_ids;
pub use params::Params;
pub use read::read;
pub use rules::{FAMILIES, rules};
pub use table::{Machine, Row, Table, Unrecognised};

/// Everything that the rules find in a table, in the order of its rows.
pub fn lint(table: &Table) -> Vec<Finding> {
    let context = context::Context::new(table);
    let mut findings: Vec<Finding> = rules().flat_map(|rule| rule.findings(&context)).collect();
    findings.sort_by(|a, b| a.lines.cmp(&b.lines).then(a.rule.cmp(b.rule)));
    findings
}
