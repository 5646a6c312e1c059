//! Rows of the reports' table without a value: why, and how to measure them.

use super::row::TableRow;
use crate::groups::grouped;
use crate::wording::many;
use crate::{View, reasons};
use analysis::{Row, Verdict, distinct};

/// Reasons that are named; the others are counted.
const MOST: usize = 3;

/// A sentence for every reason why rows have no number; of many, how many more there are.
pub(super) fn reasons(view: &View<'_>, rows: &[TableRow<'_>]) -> Vec<String> {
    let mut lines = without_number(view, rows);
    let more = lines.len().saturating_sub(MOST);
    lines.truncate(MOST);
    if more > 0 {
        lines.push(format!("{}: oscope report evidence", many(more, "more reason")));
    }
    lines
}

/// How to measure the rows that the run does not have.
pub(super) fn unmeasured(rows: &[TableRow<'_>]) -> Option<String> {
    let missing: Vec<&TableRow<'_>> = rows.iter().filter(|row| row.row.is_none()).collect();
    let options = missing.iter().map(|row| row.summary.option()).filter(|option| !option.is_empty());
    let options: String = distinct(options).iter().map(|option| format!(" {option}")).collect();
    let count = missing.len();
    (count > 0).then(|| format!("{} not measured: oscope run table{options}", many(count, "row")))
}

/// Rows that have no number, by their reason.
fn without_number(view: &View<'_>, rows: &[TableRow<'_>]) -> Vec<String> {
    let without = rows.iter().filter_map(|of| Some((of, of.row.filter(|row| row.estimate.is_none())?)));
    let groups = grouped(without.map(|(of, row)| (why(row), of.label(view))));
    groups.into_iter().map(|(why, labels)| format!("{}: {why}", labels.join("; "))).collect()
}

/// The verdict of a row without a number, its reason, and what helps.
pub(super) fn why(row: &Row) -> String {
    let verdict = Some(row.verdict).filter(|verdict| *verdict != Verdict::Skipped);
    let verdict = verdict.map_or_else(String::new, |verdict| format!("{}: ", verdict.word()));
    let reason = reasons::reason(row).unwrap_or_else(|| "no trial".to_owned());
    let remedy = reasons::remedy(row).map_or_else(String::new, |remedy| format!(" → {remedy}"));
    format!("{verdict}{reason}{remedy}")
}
