//! All that a record says of one point besides its value: both predictions term by term, witnesses with what
//! they counted, what was set aside, notes.

use super::number::{Number, Unit};
use super::parts::anchor;
use super::sources::{Sources, expected};
use super::writer::Html;
use crate::wording::{many, sentence};
use crate::{cells, remarks};
use analysis::{Judged, Predicted, Row, Verdict};
use quantity::{Quantity, show, show_ratio};
use record::{Formula, Origin, Range, Side, Term};

/// Writes what is known, closed until somebody asks.
pub(super) fn point(row: &Row, own: &str, run_hz: Option<f64>, sources: &Sources<'_>, html: &mut Html) {
    let unit = Unit::of(row, run_hz);
    html.tag(
        "details",
        &[("class", "about"), ("id", &anchor(&row.point.id))],
        |html| {
            html.tag("summary", &[], |html| {
                // The heading above names the operation.
                html.say(if own.is_empty() {
                    "Prediction, evidence, notes"
                } else {
                    own
                });
            });
            verdict(row, html);
            predictions(row, unit, sources, html);
            for reason in &row.unpredicted {
                html.leaf("p", &[("class", "soft")], &format!("Not predicted: {reason}."));
            }
            witnesses(row, sources, html);
            rest(row, unit, html);
        },
    );
}

fn verdict(row: &Row, html: &mut Html) {
    // The table above says it of every point; here it stands where there is more to say.
    if row.verdict == Verdict::Measured && row.reason.is_none() {
        return;
    }
    html.tag("p", &[], |html| {
        super::parts::verdict(html, row.verdict);
        if let Some(reason) = &row.reason {
            html.say(&format!(" {}", sentence(reason)));
        }
    });
    if let Some(remedy) = &row.remedy {
        html.leaf("p", &[("class", "remedy")], &format!("→ {remedy}"));
    }
}

/// Both tiers term by term, each below its total.
fn predictions(row: &Row, unit: Unit, sources: &Sources<'_>, html: &mut Html) {
    let tiers = [
        ("T0, from facts", &row.from_facts),
        ("T1, from parts", &row.from_parts),
    ];
    let tiers = tiers
        .iter()
        .filter_map(|(name, predicted)| Some((*name, predicted.as_ref()?)));
    if tiers.clone().next().is_none() {
        return;
    }
    for (name, predicted) in tiers {
        html.tag("p", &[], |html| total(name, predicted, row, unit, html));
        html.tag("ul", &[("class", "terms")], |html| {
            let terms = predicted.terms.iter();
            terms.for_each(|(term, range)| term_item(term, *range, unit, sources, html));
        });
    }
}

fn total(name: &str, predicted: &Predicted, row: &Row, unit: Unit, html: &mut Html) {
    html.leaf("b", &[], name);
    html.say(": ");
    unit.range(predicted.total).write(html);
    html.say(" (");
    unit.interval(predicted.total.low, predicted.total.high)
        .write(html);
    html.say(")");
    if let Some(ratio) = predicted.ratio(row) {
        html.say(&format!("; ratio {}", show_ratio(ratio)));
    }
}

/// A formula in which every part leads to its point.
fn formula(formula: &Formula, html: &mut Html) {
    let text = formula.to_string();
    let mut rest = text.as_str();
    for part in formula.parts() {
        // Parts are named in the order in which they are printed.
        let name = format!("[{part}]");
        if let Some((before, after)) = rest.split_once(&name) {
            html.say(before);
            html.lead(&anchor(part), "", |html| html.say(&part.to_string()));
            rest = after;
        }
    }
    html.say(rest);
}

/// A term: what it comes to, whose it is, what it stands for, and its formula.
fn term_item(term: &Term, range: Range, unit: Unit, sources: &Sources<'_>, html: &mut Html) {
    html.tag("li", &[], |html| {
        let side = match term.side {
            Side::Hardware => "hardware",
            Side::Software => "software",
        };
        html.say(&format!("{} {side}, {} = ", unit.range(range).own(), term.name));
        html.tag("code", &[], |html| formula(&term.formula, html));
        sources.refer(&term.formula, html);
    });
}

/// Every witness with what it counted; what each proves is said once for the operation, and so is what is expected of
/// it where that is the same for all points.
fn witnesses(row: &Row, sources: &Sources<'_>, html: &mut Html) {
    if row.witnesses.is_empty() {
        return;
    }
    html.tag("p", &[("class", "witnesses")], |html| {
        html.say("Evidence, per iteration");
        let mut place = String::new();
        let mut all: Vec<&Judged> = row.witnesses.iter().collect();
        all.sort_by_key(|judged| (judged.witness.origin == Origin::Rehearsal, judged.read));
        for judged in all {
            let here = counted_in(judged);
            html.say(if place == here { ", " } else { "; " });
            if place != here {
                html.say(&format!("in {here}: "));
                place = here;
            }
            witness(judged, sources.expects_alike(&judged.witness), html);
        }
        html.say(".");
    });
}

/// Where it was counted.
fn counted_in(judged: &Judged) -> String {
    match judged.witness.origin {
        Origin::Trial => many(judged.read, "trial"),
        Origin::Rehearsal => "the rehearsal".to_owned(),
    }
}

fn witness(judged: &Judged, is_said: bool, html: &mut Html) {
    let number = |value: f64| show(value, None, Quantity::Count);
    match (judged.counted, judged.broken) {
        (None, _) => html.say("– "),
        (Some(_), 0) => html.say("✓ "),
        (Some(_), _) => html.leaf("span", &[("class", "verdict contradicted")], "✗ broken: "),
    }
    html.say(&judged.witness.counter);
    match (judged.counted, &judged.unavailable) {
        (Some(counted), _) => html.say(&format!(" {}", number(counted))),
        (None, Some(reason)) => html.say(&format!(" unavailable: {reason}")),
        (None, None) => html.say(" not counted"),
    }
    if judged.broken > 0 {
        html.say(&format!(", broken in {}", number(judged.broken as f64)));
    }
    if judged.broken > 0 || !is_said {
        html.say(&format!(" (expected {})", expected(&judged.witness)));
    }
}

/// How much was measured, what was set aside, modes, notes.
fn rest(row: &Row, unit: Unit, html: &mut Html) {
    let entries = entries(row, unit);
    if entries.is_empty() {
        return;
    }
    html.tag("dl", &[("class", "rest")], |html| {
        for (label, number) in &entries {
            html.leaf("dt", &[], label);
            html.tag("dd", &[], |html| number.write(html));
        }
    });
}

fn entries(row: &Row, unit: Unit) -> Vec<(&'static str, Number)> {
    let mut all = Vec::new();
    if let Some(estimate) = &row.estimate {
        let counted = format!(
            "{}, {}",
            many(estimate.trials, "trial"),
            many(estimate.batches, "batch")
        );
        all.push(("counted", Number::plain(counted)));
    }
    all.extend(cells::user_words(row).map(|words| ("predicted by the user", Number::plain(words))));
    let aside = row.set_aside.iter();
    let aside: Vec<String> = aside
        .map(|entry| format!("{} ({})", many(entry.batches, "batch"), entry.cause))
        .collect();
    if !aside.is_empty() {
        all.push(("set aside", Number::plain(aside.join(", "))));
    }
    if !row.modes.is_empty() {
        all.push(("modes", Number::plain(remarks::modes(row))));
    }
    let half = row
        .estimate
        .as_ref()
        .and_then(|estimate| cells::half(estimate.interval));
    all.extend(
        row.residual()
            .map(|residual| ("unexplained", unit.show(residual, half))),
    );
    let wrong = row.point.reference.clone();
    all.extend(wrong.map(|wrong| ("what is wrong with it", Number::plain(wrong))));
    all.extend(
        row.notes
            .iter()
            .map(|note| ("note", Number::plain(note.text.clone()))),
    );
    all
}
