//! What has to be said besides numbers: troubles with their remedy, notes, lines of sweeps. What is said
//! of several points in the same words is said once.

use crate::wording::many;
use analysis::{Analysis, Mode, Row, SweepLine, Verdict};
use quantity::{Quantity, show, show_percent};
use record::PointId;

/// The verdicts that need words, the gravest first.
pub(crate) const TROUBLES: [Verdict; 4] = [
    Verdict::Contradicted,
    Verdict::Noisy,
    Verdict::Failed,
    Verdict::Skipped,
];

/// Points of which the same has to be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Remark {
    /// What.
    pub(crate) text: String,
    /// What the user can do.
    pub(crate) remedy: Option<String>,
    /// Of which points.
    pub(crate) points: Vec<PointId>,
}

/// What a verdict means, in a few words.
pub(crate) fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Measured => "the interval is narrow enough and the evidence agrees",
        Verdict::Noisy => "the interval is wider than asked, or there was no steady state",
        Verdict::Contradicted => "the evidence says that something else happened, so there is no number",
        Verdict::Skipped => "something that the point needs is not here",
        Verdict::Failed => "something went wrong",
    }
}

/// The points' names; an operation is not named again for the points that follow its first.
pub(crate) fn short_names(points: &[PointId]) -> Vec<String> {
    let mut before = "";
    let mut names = Vec::new();
    for point in points {
        let again = before == point.operation && !point.point.is_empty();
        names.push(if again {
            point.point.clone()
        } else {
            point.to_string()
        });
        before = &point.operation;
    }
    names
}

fn collect(remarks: &mut Vec<Remark>, row: &Row, text: &str, remedy: Option<&String>) {
    let name = row.point.id.clone();
    let same = |remark: &&mut Remark| remark.text == text && remark.remedy.as_ref() == remedy;
    match remarks.iter_mut().find(same) {
        Some(remark) => remark.points.push(name),
        None => remarks.push(Remark {
            text: text.to_owned(),
            remedy: remedy.cloned(),
            points: vec![name],
        }),
    }
}

/// The reasons why points have this verdict.
pub(crate) fn troubles(rows: &[Row], verdict: Verdict) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for row in rows.iter().filter(|row| row.verdict == verdict) {
        let reason = row.reason.as_deref().unwrap_or("no reason was recorded");
        collect(&mut remarks, row, reason, row.remedy.as_ref());
    }
    remarks
}

/// What the reference methods get wrong.
pub(crate) fn references(rows: &[Row]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for row in rows {
        if let Some(wrong) = &row.point.reference {
            collect(&mut remarks, row, wrong, None);
        }
    }
    remarks
}

/// Further remarks on points: modes, missing predictions, notes; all of one point in one text.
pub(crate) fn notes(rows: &[Row]) -> Vec<Remark> {
    let mut remarks = Vec::new();
    for row in rows {
        let several = (!row.modes.is_empty()).then(|| modes(&row.modes, row.quantity()));
        let notes = row.notes.iter().map(|note| note.0.clone());
        let unpredicted = row
            .unpredicted
            .iter()
            .map(|reason| format!("not predicted: {reason}"));
        let all: Vec<String> = several.into_iter().chain(notes).chain(unpredicted).collect();
        if !all.is_empty() {
            collect(&mut remarks, row, &all.join("; "), None);
        }
    }
    remarks
}

fn modes(modes: &[Mode], quantity: Quantity) -> String {
    let mode = |mode: &Mode| format!("{} ({})", show(mode.at, None, quantity), show_percent(mode.share));
    let peaks: Vec<String> = modes.iter().map(mode).collect();
    format!(
        "the samples have {}: {}",
        many(modes.len(), "mode"),
        peaks.join(", ")
    )
}

/// How many batches do not count, by cause, over all points; `None` when all do.
pub(crate) fn set_aside(rows: &[Row]) -> Option<String> {
    let mut causes: Vec<(&str, usize)> = Vec::new();
    for entry in rows.iter().flat_map(|row| &row.set_aside) {
        match causes.iter_mut().find(|(cause, _)| *cause == entry.cause) {
            Some((_, batches)) => *batches += entry.batches,
            None => causes.push((&entry.cause, entry.batches)),
        }
    }
    let words: Vec<String> = causes
        .iter()
        .map(|(cause, batches)| format!("{} ({cause})", many(*batches, "batch")))
        .collect();
    (!words.is_empty()).then(|| format!("set aside: {}", words.join(", ")))
}

/// The line through a sweep, in words.
pub(crate) fn sweep(line: &SweepLine, analysis: &Analysis) -> String {
    let of_operation = |row: &&Row| row.point.id.operation == line.sweep.operation;
    let quantity = analysis
        .rows
        .iter()
        .find(of_operation)
        .map_or(Quantity::Count, Row::quantity);
    format!(
        "{} {}, {} {}; points at most {} off the line",
        line.slope_name,
        show(line.slope, None, quantity),
        line.intercept_name,
        show(line.intercept, None, quantity),
        show_percent(line.worst),
    )
}
