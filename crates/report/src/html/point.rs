//! All that a record says of one point besides its value: both predictions term by term, witnesses with what
//! they counted, what was set aside, notes.

use super::number::{Number, Unit};
use super::parts::{anchor, heading, name, number_cell, scrolled};
use super::sources::Sources;
use super::writer::Html;
use crate::wording::{many, sentence};
use crate::{cells, remarks};
use analysis::{Judged, Predicted, Row};
use quantity::{Quantity, show, show_ratio};
use record::{Formula, Origin, Range, Side, Term};

/// Writes what is known, closed until somebody asks.
pub(super) fn point(row: &Row, run_hz: Option<f64>, sources: &Sources<'_>, html: &mut Html) {
    let unit = Unit::of(row, run_hz);
    html.tag(
        "details",
        &[("class", "about"), ("id", &anchor(&row.point.id))],
        |html| {
            html.tag("summary", &[], |html| {
                name(html, &row.point.id);
                html.leaf("span", &[("class", "soft")], ": prediction, evidence, notes");
            });
            verdict(row, html);
            predictions(row, unit, sources, html);
            for reason in &row.unpredicted {
                html.leaf("p", &[("class", "soft")], &format!("Not predicted: {reason}."));
            }
            witnesses(row, html);
            rest(row, unit, html);
        },
    );
}

fn verdict(row: &Row, html: &mut Html) {
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
    scrolled(html, "prediction", |html| {
        html.tag("table", &[("class", "terms")], |html| {
            html.leaf("caption", &[("class", "unseen")], "the prediction, part by part");
            heading(html, &["part", "side", "comes to", "formula"], 2..3);
            for (name, predicted) in tiers {
                html.tag("tbody", &[], |html| {
                    total(name, predicted, row, unit, html);
                    let terms = predicted.terms.iter();
                    terms.for_each(|(term, range)| term_row(term, *range, unit, sources, html));
                });
            }
        });
    });
}

fn total(name: &str, predicted: &Predicted, row: &Row, unit: Unit, html: &mut Html) {
    html.tag("tr", &[], |html| {
        html.leaf("th", &[("scope", "rowgroup"), ("colspan", "2")], name);
        number_cell(html, "number strong", Some(&unit.range(predicted.total)));
        html.tag("td", &[], |html| {
            unit.interval(predicted.total.low, predicted.total.high)
                .write(html);
            if let Some(ratio) = predicted.ratio(row) {
                html.say(&format!("; measured / predicted {}", show_ratio(ratio)));
            }
        });
    });
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

fn term_row(term: &Term, range: Range, unit: Unit, sources: &Sources<'_>, html: &mut Html) {
    html.tag("tr", &[], |html| {
        let side = match term.side {
            Side::Hardware => "hardware",
            Side::Software => "software",
        };
        html.leaf("th", &[("scope", "row")], &term.name);
        html.leaf("td", &[], side);
        number_cell(html, "number", Some(&unit.range(range)));
        html.tag("td", &[], |html| {
            html.tag("code", &[], |html| formula(&term.formula, html));
            sources.refer(&term.formula, html);
        });
    });
}

/// Every witness with what it counted; what each proves is said once for the operation.
fn witnesses(row: &Row, html: &mut Html) {
    if row.witnesses.is_empty() {
        return;
    }
    html.leaf("p", &[], "Evidence, per iteration:");
    html.tag("ul", &[("class", "witnesses")], |html| {
        row.witnesses.iter().for_each(|judged| witness(judged, html));
    });
}

fn witness(judged: &Judged, html: &mut Html) {
    let witness = &judged.witness;
    let number = |value: f64| show(value, None, Quantity::Count);
    let expected = if witness.low == witness.high {
        number(witness.low)
    } else {
        format!("{} to {}", number(witness.low), number(witness.high))
    };
    html.tag("li", &[], |html| {
        match (judged.counted, judged.broken) {
            (None, _) => html.say("– "),
            (Some(_), 0) => html.say("✓ "),
            (Some(_), _) => html.leaf("span", &[("class", "verdict contradicted")], "✗ broken: "),
        }
        html.leaf("code", &[], &witness.counter);
        html.say(&format!(" {}, expected {expected}", counted(judged)));
    });
}

fn counted(judged: &Judged) -> String {
    let place = match judged.witness.origin {
        Origin::Trial => many(judged.read, "trial"),
        Origin::Rehearsal => "the rehearsal".to_owned(),
    };
    let broken = match judged.broken {
        0 => String::new(),
        times => format!(", broken in {}", show(times as f64, None, Quantity::Count)),
    };
    match (judged.counted, &judged.unavailable) {
        (Some(counted), _) => format!("{} in {place}{broken}", show(counted, None, Quantity::Count)),
        (None, Some(reason)) => format!("unavailable: {reason}"),
        (None, None) => "not counted".to_owned(),
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
