//! What figures alone reveal: a table of measurements in, the mistakes that its own numbers show out.
//!
//! **Invariant:** a rule sees a [`Table`], and a table has no place for what somebody else found suspect in it, nor
//! for remarks: they are dropped while it is read.
//! **Invariant:** no rule names a report, a machine or a row; what it knows is what is true of measurements.
//! **Invariant:** pure. The same table gives the same findings.
#![forbid(unsafe_code)]

mod clocks;
mod columns;
mod finding;
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
mod tellings;

pub use finding::Finding;
pub use machines::{Machine, machines};
pub use params::Params;
pub use read::{LintError, read};
pub use rules::{RULES, Rule};
pub use table::{Row, Table};

/// Everything that the rules find in a table, in the order of its rows.
pub fn lint(table: &Table) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES
        .iter()
        .flat_map(|rule| (rule.check)(table).into_iter().map(|found| found.by(rule)))
        .collect();
    findings.sort_by(|a, b| a.lines.cmp(&b.lines).then(a.rule.cmp(b.rule)));
    findings
}
