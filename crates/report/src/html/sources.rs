//! What the points of an operation would say again and again, said once: where the numbers of their formulas
//! are from, and what their witnesses prove.

use super::writer::Html;
use analysis::{Judged, Predicted, Row};
use record::Formula;

/// The sources that an operation's formulas cite, in the order in which they first do.
#[derive(Debug, Default)]
pub(super) struct Sources<'a> {
    cited: Vec<&'a str>,
}

impl<'a> Sources<'a> {
    /// Those of these rows.
    pub(super) fn of(rows: impl Iterator<Item = &'a Row>) -> Self {
        let mut this = Self::default();
        let tiers = rows.flat_map(|row| row.from_facts.iter().chain(&row.from_parts));
        let terms = tiers.flat_map(|predicted: &Predicted| &predicted.terms);
        for source in terms.flat_map(|(term, _)| term.formula.sources()) {
            if !this.cited.contains(&source) {
                this.cited.push(source);
            }
        }
        this
    }

    /// The numbers of the sources that a formula cites.
    pub(super) fn refer(&self, formula: &Formula, html: &mut Html) {
        let place = |source: &str| self.cited.iter().position(|cited| *cited == source);
        let places = formula.sources().into_iter().filter_map(place);
        let numbers: Vec<String> = places.map(|place| (place + 1).to_string()).collect();
        if !numbers.is_empty() {
            html.say(" ");
            html.leaf("sup", &[], &format!("[{}]", numbers.join(", ")));
        }
    }

    /// The sources by their numbers.
    pub(super) fn write(&self, html: &mut Html) {
        if self.cited.is_empty() {
            return;
        }
        html.leaf("h5", &[], "Where the numbers of the formulas are from");
        html.tag("ol", &[], |html| {
            for source in &self.cited {
                html.leaf("li", &[], source);
            }
        });
    }
}

/// Writes what the witnesses of an operation prove.
pub(super) fn proved(witnesses: &[&Judged], html: &mut Html) {
    if witnesses.is_empty() {
        return;
    }
    html.leaf("h5", &[], "What the witnesses prove");
    html.tag("ul", &[("class", "witnesses")], |html| {
        for judged in witnesses {
            html.tag("li", &[], |html| {
                html.leaf("code", &[], &judged.witness.counter);
                let quiet = if judged.witness.positive {
                    ""
                } else {
                    " (the quiet)"
                };
                html.say(&format!("{quiet}: {}", judged.witness.proves));
            });
        }
    });
}

/// The witnesses of these rows, each that proves something else once.
pub(super) fn witnesses<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<&'a Judged> {
    let mut found: Vec<&Judged> = Vec::new();
    for judged in rows.flat_map(|row| &row.witnesses) {
        let same = |other: &&Judged| {
            (&other.witness.counter, &other.witness.proves)
                == (&judged.witness.counter, &judged.witness.proves)
        };
        if !found.iter().any(same) {
            found.push(judged);
        }
    }
    found
}
