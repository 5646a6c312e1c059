//! Rules and findings: what a rule is, and which rows show what.

use crate::context::Context;
use crate::series::Series;
use crate::table::{Row, Table, grouped};

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
    pub(crate) check: Check,
}

/// What a rule looks at one by one. A function gives the sentence of a finding.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Check {
    /// Every row; what is found at one point is one finding.
    Points(fn(&Context<'_>, &Row) -> Option<String>),
    /// Every row; what is found of one operation is one finding.
    Operations(fn(&Context<'_>, &Row) -> Option<String>),
    /// The rows of every claim; the first finding counts.
    Claims(fn(&Context<'_>, &Row) -> Option<String>),
    /// Every series of at least five trials.
    Series(fn(&Context<'_>, &Series<'_>) -> Option<String>),
    /// The table as a whole.
    Table(fn(&Context<'_>) -> Vec<Finding>),
}

impl Rule {
    /// The rule as a section of its documentation, with the name of its mistake.
    pub fn section(&self, mistake: &str) -> String {
        let example: String = self.example.lines().map(|line| format!("    {line}\n")).collect();
        let (id, code, what) = (self.id, self.code, self.what);
        let (why, wrong_when) = (self.why, self.wrong_when);
        format!(
            "### `{id}`\n\n{code}, {mistake}. {what}\n\n{example}\n*Why it is a mistake:* {why}\n\n*Wrong when:* {wrong_when}\n"
        )
    }

    /// What this rule finds in a table.
    pub(crate) fn findings(&self, context: &Context<'_>) -> Vec<Finding> {
        let mut findings: Vec<Finding> = match self.check {
            Check::Points(judge) => {
                by_group(context.table, |row| row.params.essence(), |row| judge(context, row))
            }
            Check::Operations(judge) => by_group(context.table, |_| (), |row| judge(context, row)),
            Check::Claims(judge) => {
                let first = context.claims.iter().filter_map(|claim| {
                    claim.rows.iter().find_map(|row| Some(Finding::new(&[row], judge(context, row)?)))
                });
                first.collect()
            }
            Check::Series(judge) => {
                let found = context
                    .series()
                    .filter_map(|series| Some(Finding::new(&series.rows, judge(context, series)?)));
                found.collect()
            }
            Check::Table(judge) => judge(context),
        };
        for finding in &mut findings {
            (finding.rule, finding.code) = (self.id, self.code);
        }
        findings
    }
}

/// One finding for all rows of a report, an operation and a key, with the sentence of the first.
fn by_group<K: PartialEq>(
    table: &Table,
    key: impl Fn(&Row) -> K,
    judge: impl Fn(&Row) -> Option<String>,
) -> Vec<Finding> {
    let found = table.rows.iter().filter_map(|row| Some((row, judge(row)?)));
    let groups = grouped(found.map(|(row, text)| ((&row.report, &row.operation, key(row)), (row, text))));
    let finding = |(_, found): (_, Vec<(&Row, String)>)| {
        let (rows, texts): (Vec<&Row>, Vec<String>) = found.into_iter().unzip();
        Finding::new(&rows, texts.into_iter().next().unwrap_or_default())
    };
    groups.into_iter().map(finding).collect()
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

impl Finding {
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
