//! Rules and findings: what a rule is, and which rows show what.

use crate::claims::Claim;
use crate::context::Context;
use crate::series::Series;
use crate::table::{Row, grouped};

/// A rule: what it finds, an example, why that is a mistake, when it is wrong, and how it looks.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// Its name.
    pub id: &'static str,
    /// The code of the mistake that it shows.
    pub code: &'static str,
    /// What it finds.
    pub what: &'static str,
    /// A table in which it finds something.
    pub example: &'static str,
    /// Why that is a mistake.
    pub why: &'static str,
    /// When a finding is wrong.
    pub wrong_when: &'static str,
    /// How it looks.
    pub(crate) checks: &'static [Check],
}

/// What a rule looks at one by one. A function gives a finding, or its sentence.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// Every row; what is found at one point is one finding.
    Points(fn(&Context<'_>, &Row) -> Option<String>),
    /// Every row; what is found of one operation is one finding.
    Operations(fn(&Context<'_>, &Row) -> Option<String>),
    /// The rows of every claim; the first finding counts.
    Claims(fn(&Context<'_>, &Row) -> Option<String>),
    /// Every claim as a whole.
    WholeClaims(fn(&Context<'_>, &Claim<'_>) -> Option<Finding>),
    /// Every series of at least n trials.
    Series(usize, fn(&Context<'_>, &Series<'_>) -> Option<String>),
    /// Every row that summarises a series with enough trials.
    Summaries(fn(&Series<'_>, &Row) -> Option<Finding>),
    /// Every report.
    Reports(fn(&Context<'_>, &str) -> Option<Finding>),
    /// The table as a whole.
    Table(fn(&Context<'_>) -> Vec<Finding>),
}

impl Rule {
    /// The rule as a section of its documentation, with the name of its mistake.
    pub fn section(&self, mistake: &str) -> String {
        let example: String = self.example.lines().map(|line| format!("    {line}\n")).collect();
        let Self { id, code, what, why, wrong_when, .. } = self;
        format!(
            "### `{id}`\n\n{code}, {mistake}. {what}\n\n{example}\n*Why it is a mistake:* {why}\n\n*Wrong when:* {wrong_when}\n"
        )
    }

    /// What this rule finds in a table.
    pub(crate) fn findings(&self, context: &Context<'_>) -> Vec<Finding> {
        let found = self.checks.iter().flat_map(|check| check.findings(context));
        found.map(|finding| Finding { rule: self.id, code: self.code, ..finding }).collect()
    }
}

impl Check {
    fn findings(self, context: &Context<'_>) -> Vec<Finding> {
        let claims = context.claims.iter();
        match self {
            Self::Points(judge) => by_group(context, |row| row.params.essence(), judge),
            Self::Operations(judge) => by_group(context, |_| (), judge),
            Self::Claims(judge) => claims
                .filter_map(|claim| {
                    claim.rows.iter().find_map(|row| Some(Finding::new(&[row], judge(context, row)?)))
                })
                .collect(),
            Self::WholeClaims(judge) => claims.filter_map(|claim| judge(context, claim)).collect(),
            Self::Series(fewest, judge) => context
                .series_of(fewest)
                .filter_map(|series| Some(Finding::new(&series.rows, judge(context, series)?)))
                .collect(),
            Self::Summaries(judge) => {
                context.summaries().filter_map(|(series, row)| judge(series, row)).collect()
            }
            Self::Reports(judge) => {
                let reports = context.table.reports().into_iter();
                reports.filter_map(|report| judge(context, report)).collect()
            }
            Self::Table(judge) => judge(context),
        }
    }
}

/// One finding for all rows of a report, an operation and a key, with the sentence of the first.
fn by_group<K: PartialEq>(
    context: &Context<'_>,
    key: impl Fn(&Row) -> K,
    judge: fn(&Context<'_>, &Row) -> Option<String>,
) -> Vec<Finding> {
    let found = context.table.rows.iter().filter_map(|row| Some((row, judge(context, row)?)));
    let groups = grouped(found.map(|(row, text)| ((&row.report, &row.operation, key(row)), (row, text))));
    groups.into_iter().filter_map(|(_, found)| Finding::in_rows(found)).collect()
}

/// A contradiction that figures show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static str,
    /// The code of the mistake.
    pub code: &'static str,
    /// Report and operation.
    pub subject: String,
    /// Lines of the file that show it; the first line of the file is 1.
    pub lines: Vec<u64>,
    /// What they show, with the figures.
    pub sentence: String,
}

/// Rules whose figures show that something is wrong, and of several causes do not show which.
pub(crate) const HINTS: [&str; 1] = ["wide_deviation"];

impl Finding {
    /// Whether the mistake is one of several that the figures may come from.
    pub fn is_hint(&self) -> bool {
        HINTS.contains(&self.rule)
    }

    /// One finding in all of these rows, with the sentence of the first; `None` of none.
    pub(crate) fn in_rows<'t>(found: impl IntoIterator<Item = (&'t Row, String)>) -> Option<Self> {
        let (rows, texts): (Vec<&Row>, Vec<String>) = found.into_iter().unzip();
        Some(Self::new(&rows, texts.into_iter().next()?))
    }

    /// A finding in these rows; the first names the subject. Rule and code are filled in by the rule.
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
