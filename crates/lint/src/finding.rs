//! Rules and findings: what a rule is, and which rows show what.

use crate::table::{Row, Table};

/// A rule: what it finds, why that is a mistake, how it can be wrong, and the function that looks.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its name.
    pub id: &'static str,
    /// The code of the mistake that it shows.
    pub code: &'static str,
    /// What it looks for, in a sentence.
    pub what: &'static str,
    /// Why that is a mistake.
    pub why: &'static str,
    /// How it can be wrong.
    pub wrong_when: &'static str,
    /// Looks.
    pub check: fn(&Table) -> Vec<Finding>,
}

/// Something that the figures show to be wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that caught it.
    pub rule: &'static str,
    /// The code of the mistake.
    pub code: &'static str,
    /// Report and operation.
    pub subject: String,
    /// Lines of the file that show it, from the first line (its heading) on counted as 1.
    pub lines: Vec<u64>,
    /// What they show, with the figures.
    pub sentence: String,
}

impl Finding {
    /// A finding that these rows show; the first names the subject. The rule is filled in by who runs it.
    pub(crate) fn new(rows: &[&Row], sentence: impl Into<String>) -> Self {
        let mut lines: Vec<u64> = rows.iter().map(|row| row.line).collect();
        lines.sort_unstable();
        lines.dedup();
        Self {
            rule: "",
            code: "",
            subject: rows.first().map(|row| row.subject()).unwrap_or_default(),
            lines,
            sentence: sentence.into(),
        }
    }
}
