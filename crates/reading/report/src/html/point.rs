//! All that a record says of one point besides its value: both predictions term by term, its evidence, what was set
//! aside, notes.

use super::evidence::Evidence;
use super::number::{Number, Unit};
use super::parts::anchor;
use super::sources::Sources;
use super::writer::Html;
use crate::wording::{many, sentence};
use crate::{cells, cores, failures, notes, reasons, remarks};
use analysis::{LikelyReason, Note, Predicted, Reason, Row, Verdict};
use quantity::show_percent;

/// Writes what is known, collapsed at first.
pub(super) fn point(
    (row, own): (&Row, &str),
    run_hz: Option<f64>,
    sources: &Sources<'_>,
    evidence: &Evidence<'_>,
    html: &mut Html,
) {
    let unit = Unit::of_row(row, run_hz);
    // The heading above names the operation.
    let title = if own.is_empty() { "Prediction, evidence, notes" } else { own };
    let id = html.id(&anchor(&row.point.id));
    html.folded(&[("id", &id)], title, |html| {
        verdict(row, html);
        predictions(row, unit, sources, html);
        for reason in &row.unpredicted {
            let says = format!("Not predicted: {}.", failures::unpredicted(reason));
            html.leaf("p", &[("class", "soft")], &says);
        }
        evidence.write(row, html);
        rest(row, unit, html);
    });
}

fn verdict(row: &Row, html: &mut Html) {
    // The table above has the verdict and the interval of every point; here stands what is to be said besides.
    let is_wide = !html.is_full && matches!(row.reasons.as_slice(), [Reason::TooWide { .. }]);
    if is_wide || (row.verdict == Verdict::Measured && row.reasons.is_empty()) {
        return;
    }
    html.tag("p", &[], |html| {
        super::parts::verdict(html, row.verdict);
        if let Some(reason) = reasons::reason(row) {
            html.say(&format!(" {}", sentence(&reason)));
        }
    });
    // What helps against noise stands once, in the part that says what stands out.
    let remedy = reasons::remedy(row).filter(|_| html.is_full || row.verdict != Verdict::Noisy);
    if let Some(remedy) = remedy {
        html.leaf("p", &[("class", "remedy")], &format!("→ {remedy}"));
    }
}

/// Both tiers, each with its interval and below it its terms. Those of T0 are left out where there is T1.
fn predictions(row: &Row, unit: Unit, sources: &Sources<'_>, html: &mut Html) {
    let tiers = [("T0", &row.from_facts), ("T1", &row.from_parts)];
    let tiers = tiers.iter().filter_map(|(name, predicted)| Some((*name, predicted.as_ref()?)));
    if tiers.clone().next().is_none() {
        return;
    }
    for (name, predicted) in tiers {
        let is_compared = row.predicted().is_some_and(|compared| std::ptr::eq(compared, predicted));
        let is_brief = !html.is_full && !is_compared;
        html.tag("p", &[], |html| {
            html.leaf("b", &[], name);
            html.say(": ");
            if is_brief {
                html.say(&unit.range(predicted.total).own())
            } else {
                total(predicted, unit, html)
            }
            let ratio = cells::factors(row, predicted.total.value);
            if !ratio.is_empty() {
                html.say(&format!("; ratio {ratio}"));
            }
        });
        if is_brief {
            continue;
        }
        html.list("", &predicted.terms, |html, (term, range)| {
            html.say(&format!("{} ", unit.range(*range).own()));
            sources.term(term, html);
        });
    }
}

fn total(predicted: &Predicted, unit: Unit, html: &mut Html) {
    let (value, interval) =
        (unit.range(predicted.total), unit.interval(predicted.total.low, predicted.total.high));
    if !html.is_full {
        // The table above has the value in both units.
        return html.say(&format!("{} ({})", value.own(), interval.own()));
    }
    value.write(html);
    html.say(" (");
    interval.write(html);
    html.say(")");
}

/// How much was measured, what was set aside and what nothing explains, in a line; then modes and notes.
fn rest(row: &Row, unit: Unit, html: &mut Html) {
    let entries = entries(row, unit, html.is_full);
    if !entries.is_empty() {
        html.tag("p", &[], |html| {
            for (index, (label, number)) in entries.iter().enumerate() {
                html.say(if index > 0 { "; " } else { "" });
                html.say(&format!("{label}: "));
                number.write(html);
            }
            html.say(".");
        });
    }
    for (label, text) in remarks(row, html.is_full) {
        html.leaf("p", &[], &format!("{label}: {}", sentence(&text)));
    }
}

fn entries(row: &Row, unit: Unit, is_full: bool) -> Vec<(&'static str, Number)> {
    let (estimate, half) = (row.estimate.as_ref(), cells::half_of(row));
    let counted = estimate.map(|estimate| {
        let (trials, batches) = (many(estimate.trials, "trial"), many(estimate.batches, "batch"));
        Number::plain(format!("{trials}, {batches}"))
    });
    let is_of_one = row.undecided_states().is_empty();
    let best = estimate.filter(|_| is_full && is_of_one).map(|estimate| unit.show(estimate.best, half));
    let deviation = estimate.and_then(|estimate| estimate.deviation).filter(|_| is_full);
    let deviation = deviation.map(|deviation| unit.show(deviation, Some(deviation * cells::TWO_DIGITS)));
    // The ratio above says how much that is.
    let residual = row.residual().filter(|_| is_full && is_of_one).map(|residual| unit.show(residual, half));
    let share = estimate.and_then(|estimate| estimate.clock_share).filter(|_| !is_full);
    let all = [
        ("Counted", counted),
        ("best", best),
        ("standard deviation of the trials", deviation),
        ("set aside", set_aside(row, is_full).map(Number::plain)),
        ("unexplained", residual),
        ("scales with the core's clock", share.map(show_percent).map(Number::plain)),
    ];
    all.into_iter().filter_map(|(label, number)| Some((label, number?))).collect()
}

/// How many batches were set aside; for which causes where everything is asked for, as the summary names those of the run.
fn set_aside(row: &Row, is_full: bool) -> Option<String> {
    if !is_full {
        let batches: usize = row.set_aside.iter().map(|entry| entry.batches).sum();
        return (batches > 0).then(|| batches.to_string());
    }
    let mut aside: Vec<_> = row.set_aside.iter().collect();
    aside.sort_by_key(|entry| std::cmp::Reverse(entry.batches));
    let words = aside.iter().map(|entry| format!("{} ({})", entry.batches, failures::cause(&entry.cause)));
    words.reduce(|all, one| format!("{all}, {one}"))
}

fn remarks(row: &Row, is_full: bool) -> Vec<(&'static str, String)> {
    let notes = row
        .notes
        .iter()
        .filter(|note| match note {
            // The ratio above says as much.
            Note::Deviation(deviation) => is_full || deviation.reason != LikelyReason::Unexplained,
            _ => true,
        })
        .map(|note| notes::text(note, row.quantity()));
    let all = [
        // The table above says what a quiet core has to say.
        ("Core", cores::words(row).filter(|_| is_full || !cores::state(row).is_empty())),
        ("Clock", cores::clock_words(row).filter(|_| is_full)),
        ("Predicted by the user", cells::user_words(row)),
        ("Modes", (!row.modes.is_empty()).then(|| remarks::modes(row))),
        ("What is wrong with it", row.point.flaw.clone()),
    ];
    let all = all.into_iter().chain(notes.map(|text| ("Note", Some(text))));
    all.filter_map(|(label, text)| Some((label, text?))).collect()
}
