//! What the points of an operation would say again and again, said once: where the numbers of their formulas
//! are from, and what their witnesses prove.

use super::writer::Html;
use analysis::{Judged, Predicted, Row};
use quantity::{Quantity, show};
use record::{Formula, Witness};

/// The sources that an operation's formulas cite, in the order in which they first do.
#[derive(Debug, Default)]
pub(super) struct Sources<'a> {
    cited: Vec<&'a str>,
    /// Witnesses of which the same is expected at every point.
    alike: Vec<&'a Witness>,
}

/// What is expected of a witness.
pub(super) fn expected(witness: &Witness) -> String {
    let number = |value: f64| show(value, None, Quantity::Count);
    if witness.low == witness.high {
        number(witness.low)
    } else {
        format!("{} to {}", number(witness.low), number(witness.high))
    }
}

impl<'a> Sources<'a> {
    /// Those of these rows.
    pub(super) fn of(rows: impl Iterator<Item = &'a Row> + Clone) -> Self {
        let mut this = Self::default();
        let all = || {
            rows.clone()
                .flat_map(|row| &row.witnesses)
                .map(|judged| &judged.witness)
        };
        let differs = |one: &Witness| {
            all().any(|other| other.counter == one.counter && expected(other) != expected(one))
        };
        this.alike = all().filter(|one| !differs(one)).collect();
        let tiers = rows.flat_map(|row| row.from_facts.iter().chain(&row.from_parts));
        let terms = tiers.flat_map(|predicted: &Predicted| &predicted.terms);
        for source in terms.flat_map(|(term, _)| term.formula.sources()) {
            if !this.cited.contains(&source) {
                this.cited.push(source);
            }
        }
        this
    }

    /// Whether the operation says once what is expected of a witness.
    pub(super) fn expects_alike(&self, witness: &Witness) -> bool {
        self.alike.iter().any(|alike| alike.counter == witness.counter)
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

/// What witnesses prove in so many operations that it is said once for all of them.
#[derive(Debug, Default)]
pub(super) struct Everywhere<'a>(Vec<&'a Judged>);

/// In so many operations the same is said of a witness before it is said once for all.
const MANY: usize = 5;

impl<'a> Everywhere<'a> {
    /// Those of these operations.
    pub(super) fn of(operations: &[Vec<&'a Row>]) -> Self {
        let mut all: Vec<(&Judged, usize)> = Vec::new();
        for judged in operations.iter().flat_map(|rows| witnesses(rows.iter().copied())) {
            match all.iter_mut().find(|(known, _)| says_the_same(known, judged)) {
                Some((_, times)) => *times += 1,
                None => all.push((judged, 1)),
            }
        }
        let many = all.into_iter().filter(|(_, times)| *times >= MANY);
        Self(many.map(|(judged, _)| judged).collect())
    }

    fn holds(&self, judged: &Judged) -> bool {
        self.0.iter().any(|known| says_the_same(known, judged))
    }

    /// Writes them, closed until somebody asks.
    pub(super) fn write(&self, html: &mut Html) {
        if self.0.is_empty() {
            return;
        }
        html.tag("details", &[("class", "method")], |html| {
            html.leaf("summary", &[], "What the witnesses of many operations prove");
            html.tag("ul", &[("class", "witnesses")], |html| {
                for judged in &self.0 {
                    html.tag("li", &[], |html| {
                        html.leaf("code", &[], &judged.witness.counter);
                        html.say(&format!("{}: {}", quiet(judged), judged.witness.proves));
                    });
                }
            });
        });
    }
}

fn says_the_same(one: &Judged, other: &Judged) -> bool {
    (&one.witness.counter, &one.witness.proves) == (&other.witness.counter, &other.witness.proves)
}

/// Whether it proves the work or only that nothing disturbed it.
fn quiet(judged: &Judged) -> &'static str {
    if judged.witness.positive {
        ""
    } else {
        " (the quiet)"
    }
}

/// Writes what the witnesses of an operation prove; what is said for all operations is only named.
pub(super) fn proved(
    witnesses: &[&Judged],
    sources: &Sources<'_>,
    everywhere: &Everywhere<'_>,
    html: &mut Html,
) {
    if witnesses.is_empty() {
        return;
    }
    let (common, own): (Vec<&Judged>, Vec<&Judged>) =
        witnesses.iter().partition(|judged| everywhere.holds(judged));
    let expects = |judged: &Judged| {
        if sources.expects_alike(&judged.witness) {
            format!(", expected {}", expected(&judged.witness))
        } else {
            String::new()
        }
    };
    html.leaf("h5", &[], "What the witnesses prove");
    html.tag("ul", &[("class", "witnesses")], |html| {
        for judged in own {
            html.tag("li", &[], |html| {
                html.leaf("code", &[], &judged.witness.counter);
                html.say(&format!(
                    "{}{}: {}",
                    quiet(judged),
                    expects(judged),
                    judged.witness.proves
                ));
            });
        }
        if !common.is_empty() {
            let named = common
                .iter()
                .map(|judged| format!("{}{}", judged.witness.counter, expects(judged)));
            let named: Vec<String> = named.collect();
            html.leaf(
                "li",
                &[],
                &format!("as for many operations (above): {}", named.join("; ")),
            );
        }
    });
}

/// The witnesses of these rows, each that proves something else once.
pub(super) fn witnesses<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<&'a Judged> {
    let mut found: Vec<&Judged> = Vec::new();
    for judged in rows.flat_map(|row| &row.witnesses) {
        if !found.iter().any(|other| says_the_same(other, judged)) {
            found.push(judged);
        }
    }
    found
}
