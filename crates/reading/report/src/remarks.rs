//! What has to be said besides numbers: troubles with their remedy, notes, lines of sweeps. What is said
//! of several points in the same words is said once.

use crate::groups::grouped;
use crate::remark::{NoteGroup, Remark};
use crate::{failures, notes, reasons};
use analysis::Interval;
use analysis::{Analysis, Contrast, Direction, LikelyReason, Note, Reason, Row, SweepLine, Verdict};
use quantity::{Quantity, show, show_half_width, show_interval, show_ratio};
use record::{HIDDEN, PointId, Range};

/// The verdicts that need words, the gravest first.
pub(crate) const TROUBLES: [Verdict; 4] =
    [Verdict::Contradicted, Verdict::Noisy, Verdict::Failed, Verdict::Skipped];

/// What a verdict means for the rows that have it, in a few words.
pub(crate) fn meaning(rows: &[Row], verdict: Verdict) -> &'static str {
    let skipped = || rows.iter().filter(|row| row.verdict == Verdict::Skipped);
    let hidden = skipped().filter(|row| {
        row.reasons.iter().any(|reason| matches!(reason, Reason::Unmet(why, _) if why == HIDDEN))
    });
    let hidden = hidden.count();
    match verdict {
        Verdict::Skipped if hidden > 0 && hidden == skipped().count() => {
            "the point is hidden by --blind until the user has predicted it"
        }
        Verdict::Skipped if hidden > 0 => {
            "a requirement of the point is not met on this machine, or it is hidden by --blind"
        }
        Verdict::Measured => "the interval is as narrow as requested, and all witnesses passed",
        Verdict::Noisy => "the interval is wider than requested, or something disturbed the measurement",
        Verdict::Contradicted => "the evidence shows that other work was done, so no value is reported",
        Verdict::Skipped => "a requirement of the point is not met on this machine",
        Verdict::Failed => "a worker failed",
    }
}

/// What is said of points, each with what the user can do, once for all points of which the same is said.
fn collected(said: impl Iterator<Item = ((String, Option<String>), PointId)>) -> Vec<Remark> {
    let groups = grouped(said).into_iter();
    groups.map(|((text, remedy), points)| Remark { text, remedy, points }).collect()
}

/// The reasons why points have this verdict, where they have no kind.
pub(crate) fn troubles(rows: &[Row], verdict: Verdict) -> Vec<Remark> {
    let plain = rows.iter().filter(|row| row.verdict == verdict && !reasons::is_grouped(row));
    collected(plain.map(|row| {
        let reason = reasons::reason(row).unwrap_or_else(|| "no reason was recorded".to_owned());
        ((reason, reasons::remedy(row)), row.point.id.clone())
    }))
}

/// What the flawed methods get wrong, what they gave, and what the right ones gave in the same run.
pub(crate) fn flawed_methods(contrasts: &[Contrast]) -> Vec<Remark> {
    let all = contrasts.iter();
    all.map(|contrast| Remark {
        text: format!("{}; {}", contrast.wrong.trim_end_matches('.'), beside(contrast)),
        remedy: None,
        points: vec![contrast.method.clone()],
    })
    .collect()
}

/// A flawed method beside the right one, in words.
fn beside(contrast: &Contrast) -> String {
    let number = |value: f64| show(value, None, contrast.quantity);
    let Some(right) = &contrast.right else {
        return "the record has no correct method to compare it with".to_owned();
    };
    match (contrast.gave, contrast.right_gave) {
        (None, None) => format!("neither it nor {right} has a number in this run"),
        (None, Some(value)) => format!("it has no number in this run; {right} gave {}", number(value)),
        (Some(gave), None) => {
            format!("it gave {}; {right} was not measured in this run, so its error is unknown", number(gave))
        }
        (Some(gave), Some(value)) => {
            let off = contrast.factor.map_or_else(String::new, |factor| off_by(contrast, factor));
            format!("it gave {} where {right} gave {}{off}", number(gave), number(value))
        }
    }
}

/// By what factor a result is off, and in which direction.
fn off_by(contrast: &Contrast, factor: Range) -> String {
    let (above, below) = match contrast.quantity {
        Quantity::Latency => ("too long", "too short"),
        Quantity::Bandwidth => ("too fast", "too slow"),
        Quantity::Frequency => ("too high", "too low"),
        _ => ("too much", "too little"),
    };
    match contrast.direction {
        Direction::Above => factor_words(factor.value, factor.low, factor.high, above),
        Direction::Below => {
            factor_words(factor.value.recip(), factor.high.recip(), factor.low.recip(), below)
        }
        Direction::Undecided => {
            let (low, high) = (show_ratio(factor.low), show_ratio(factor.high));
            format!(": no measurable difference here ({low} … {high})")
        }
    }
}

fn factor_words(factor: f64, low: f64, high: f64, how: &str) -> String {
    let (factor, low, high) = (show_ratio(factor), show_ratio(low), show_ratio(high));
    format!(": {factor} {how} ({low} … {high})")
}

/// Further remarks on points, by kind: modes, notes, missing predictions.
pub(crate) fn notes(rows: &[Row]) -> Vec<NoteGroup> {
    let several = rows.iter().filter(|row| !row.modes.is_empty());
    let modes = NoteGroup {
        heading: "several modes: the samples cluster around more than one value".to_owned(),
        points: several.map(|row| (row.point.id.clone(), modes(row))).collect(),
        lines: true,
        remedy: None,
    };
    let noted = rows.iter().flat_map(|row| row.notes.iter().map(move |note| (row, note)));
    let mut kinds = grouped(noted.map(|(row, note)| (notes::heading(note), (row, note))));
    kinds.sort_by_key(|(heading, _)| *heading);
    let of_kind = kinds.into_iter().map(|((_, heading), noted)| {
        let points = noted.iter();
        let points = points.map(|(row, note)| (row.point.id.clone(), notes::brief(note, row.quantity())));
        let lines = match noted.first() {
            Some((_, Note::Failed(..) | Note::Skipped(..) | Note::Bottleneck(_))) => true,
            Some((_, Note::Deviation(deviation))) => deviation.reason != LikelyReason::Unexplained,
            _ => false,
        };
        NoteGroup { heading: heading.to_owned(), points: points.collect(), lines, remedy: None }
    });
    let modes = Some(modes).filter(|modes| !modes.points.is_empty());
    modes.into_iter().chain(of_kind).collect()
}

/// Why points are not predicted: a reason that several share is said once.
pub(crate) fn unpredicted(rows: &[Row]) -> Vec<Remark> {
    let rows = rows.iter().filter(|row| !row.unpredicted.is_empty());
    collected(rows.map(|row| {
        let mut reasons: Vec<String> =
            row.unpredicted.iter().map(|term| failures::no_value(&term.why)).collect();
        reasons.dedup();
        let text = format!("{}: {}", missing(row), reasons.join("; "));
        ((text, None), row.point.id.clone())
    }))
}

/// Which prediction a row has not: none, or only that from parts or from facts.
pub(crate) fn missing(row: &Row) -> &'static str {
    match (&row.from_facts, &row.from_parts) {
        (None, None) => "not predicted",
        (Some(_), _) => "not predicted from parts",
        (None, Some(_)) => "not predicted from facts",
    }
}

/// The modes of a row with their shares.
pub(crate) fn modes(row: &Row) -> String {
    notes::modes(&row.modes, row.quantity())
}

/// The line through a sweep, in words.
pub(crate) fn sweep(line: &SweepLine, analysis: &Analysis) -> String {
    let row = analysis.rows.iter().find(|row| row.point.id.operation == line.sweep.operation);
    let quantity = row.map_or(Quantity::Count, Row::quantity);
    let value = |value: f64, interval: Option<Interval>| match interval {
        None => show(value, None, quantity),
        Some(Interval { low, high, .. }) => {
            let half = (high - low) / 2.0;
            format!("{} ({})", show(value, Some(half), quantity), show_interval(low, high, quantity))
        }
    };
    let slope = value(line.slope, line.slope_interval);
    let intercept = value(line.intercept, line.intercept_interval);
    let (slope_name, intercept_name) = (&line.slope_name, &line.intercept_name);
    let worst = show_half_width(line.worst);
    format!("{slope_name} {slope}, {intercept_name} {intercept}; points within {worst} of the line")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_that_a_blind_run_hides_are_said_to_be_hidden() {
        let skipped = |why: &str| Row {
            verdict: Verdict::Skipped,
            reasons: vec![Reason::Unmet(why.to_owned(), None)],
            ..Row::default()
        };
        let [hidden, unmet] = [HIDDEN, "there is one CPU"].map(skipped);
        let meaning = |rows: &[Row]| meaning(rows, Verdict::Skipped);
        assert_eq!(
            meaning(std::slice::from_ref(&unmet)),
            "a requirement of the point is not met on this machine"
        );
        assert!(meaning(&[hidden.clone(), unmet]).ends_with("machine, or it is hidden by --blind"));
        assert!(meaning(&[hidden]).starts_with("the point is hidden by --blind"));
    }
}
