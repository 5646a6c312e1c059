//! What figures alone reveal: a table of measurements in, the mistakes that its own numbers show out.
//!
//! **Invariant:** a rule sees a [`Table`], and a table has no place for what somebody else found suspect in it, nor
//! for remarks: they are dropped while it is read.
//! **Invariant:** no rule names a report, a machine or a row; what it knows is what is true of measurements.
//! **Invariant:** pure. The same table gives the same findings.
#![forbid(unsafe_code)]

mod clocks;
mod columns;
mod error;
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

pub use error::LintError;
pub use finding::{Finding, Rule};
pub use machines::machines;
pub use names::known_ids;
pub use params::Params;
pub use read::read;
pub use rules::RULES;
pub use table::{Machine, Row, Table};

/// Everything that the rules find in a table, in the order of its rows.
pub fn lint(table: &Table) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES
        .iter()
        .flat_map(|rule| {
            let by = |found| Finding {
                rule: rule.id,
                code: rule.code,
                ..found
            };
            (rule.check)(table).into_iter().map(by)
        })
        .collect();
    findings.sort_by(|a, b| a.lines.cmp(&b.lines).then(a.rule.cmp(b.rule)));
    findings
}
