//! What witnesses prove and what they counted. What all points of an operation have in common is said once.

use super::writer::Html;
use crate::groups::grouped;
use crate::wording::{consequence, count, expected, many, some_joined};
use crate::{failures, reasons};
use analysis::{Judged, Row};
use record::{Breach, Origin, Witness};

/// What is said once of the witnesses of an operation.
#[derive(Debug, Default)]
pub(super) struct Evidence<'a> {
    /// Witnesses of which the same is expected at every point.
    alike: Vec<&'a Witness>,
    /// Witnesses that counted the same at every point, as expected.
    common: Vec<&'a Judged>,
}

impl<'a> Evidence<'a> {
    /// That of these rows.
    pub(super) fn of_rows(rows: &[&'a Row]) -> Self {
        let witnesses = rows.iter().flat_map(|row| &row.witnesses).map(|judged| &judged.witness);
        let alike = witnesses.clone().filter(|one| {
            let mut others = witnesses.clone().filter(|other| other.counter == one.counter);
            others.all(|other| expected(other) == expected(one))
        });
        let mut this = Self { alike: alike.collect(), common: Vec::new() };
        let seen: Vec<&Row> = rows.iter().copied().filter(|row| !row.witnesses.is_empty()).collect();
        if let [first, _, ..] = seen.as_slice() {
            let common = first.witnesses.iter().filter(|one| {
                this.expects_alike(&one.witness)
                    && seen.iter().all(|row| row.witnesses.iter().any(|other| counted_alike(one, other)))
            });
            this.common = common.collect();
        }
        this
    }

    /// Whether the operation says once what is expected of a witness.
    fn expects_alike(&self, witness: &Witness) -> bool {
        self.alike.iter().any(|alike| alike.counter == witness.counter)
    }

    /// What the witnesses counted alike at every point.
    pub(super) fn write_common(&self, html: &mut Html) {
        self.line("✓ Evidence at every point", &self.common, None, html);
    }

    /// What the other witnesses of a point counted.
    pub(super) fn write(&self, row: &Row, html: &mut Html) {
        // One sign does for all where nothing else is to be said.
        let begins = if row.witnesses.iter().all(Judged::is_kept) { "✓ Evidence" } else { "Evidence" };
        let own =
            row.witnesses.iter().filter(|one| !self.common.iter().any(|common| counted_alike(common, one)));
        self.line(begins, &own.collect::<Vec<_>>(), Some(row), html);
    }

    /// Witnesses by where they counted, of one row or of all.
    fn line(&self, begins: &str, all: &[&Judged], row: Option<&Row>, html: &mut Html) {
        if all.is_empty() {
            return;
        }
        let kept = all.iter().all(|judged| judged.is_kept());
        // Of witnesses of the quiet that are kept their number is enough, unless everything is asked for.
        let (quiet, mut all): (Vec<&Judged>, Vec<&Judged>) =
            all.iter().partition(|judged| !html.is_full && !judged.witness.positive && judged.is_kept());
        all.sort_by_key(|judged| (judged.witness.origin == Origin::Rehearsal, judged.read));
        html.tag("p", &[], |html| {
            html.say(begins);
            let mut place = String::new();
            for judged in all {
                let here = match (judged.witness.origin, row) {
                    (Origin::Rehearsal, _) => "the rehearsal".to_owned(),
                    (Origin::Trial, Some(_)) => many(judged.read, "trial"),
                    (Origin::Trial, None) => "all trials".to_owned(),
                };
                if place == here {
                    html.say(", ");
                } else {
                    html.say(if place.is_empty() { " in " } else { "; in " });
                    html.say(&format!("{here}: "));
                    place = here;
                }
                if !kept {
                    sign(judged, html);
                }
                match judged.breach() {
                    // The verdict says how.
                    Some(_) if row.is_some_and(|row| reasons::names(row, &judged.witness)) => {
                        html.say(&judged.witness.counter);
                    }
                    Some(broken) => html.say(&reasons::outside(&broken)),
                    None => counted(judged, self.expects_alike(&judged.witness), html),
                }
            }
            let between = if place.is_empty() { ": " } else { "; " };
            html.say(&match quiet.len() {
                0 => ".".to_owned(),
                1 => format!("{between}1 witness of the quiet."),
                quiet => format!("{between}{quiet} witnesses of the quiet."),
            });
        });
    }
}

/// Whether both counted the same, as expected.
fn counted_alike(one: &Judged, other: &Judged) -> bool {
    one.witness.counter == other.witness.counter
        && one.witness.origin == other.witness.origin
        && one.is_kept()
        && other.is_kept()
        && one.counted.map(count) == other.counted.map(count)
}

fn sign(judged: &Judged, html: &mut Html) {
    match (judged.counted, judged.broken) {
        (None, _) => html.say("– "),
        (Some(_), 0) => html.say("✓ "),
        (Some(_), _) => html.leaf("span", &[("class", "verdict contradicted")], "✗ broken: "),
    }
}

/// What one counted, and what was expected where that is not said elsewhere.
fn counted(judged: &Judged, is_said: bool, html: &mut Html) {
    html.say(&format!("{} {}", judged.witness.counter, failures::counted(judged)));
    let expected = expected(&judged.witness);
    let reads_alike = judged.counted.map(count).as_ref() == Some(&expected);
    if !(is_said || reads_alike) {
        html.say(&format!(" (expected {expected})"));
    }
}

/// Witnesses that many operations declare alike: what they prove is written once for all of them.
#[derive(Debug, Default)]
pub(super) struct Everywhere<'a>(Vec<&'a Judged>);

/// The number of operations that declare a witness alike before it is written once for all.
const MANY: usize = 3;

impl<'a> Everywhere<'a> {
    /// Those of these operations.
    pub(super) fn of_operations(operations: &[Vec<&'a Row>]) -> Self {
        let all = operations.iter().flat_map(|rows| witnesses(rows.iter().copied()));
        let groups = grouped(all.map(|judged| (statement(judged), judged)));
        let many = groups.into_iter().filter(|(_, operations)| operations.len() >= MANY);
        Self(many.filter_map(|(_, operations)| operations.first().copied()).collect())
    }

    fn holds(&self, judged: &Judged) -> bool {
        self.0.iter().any(|known| statement(known) == statement(judged))
    }

    /// Writes them, collapsed at first.
    pub(super) fn write(&self, html: &mut Html) {
        if self.0.is_empty() {
            return;
        }
        let title = "Witnesses of many operations";
        html.folded(&[("class", "method")], title, |html| {
            html.list("witnesses", &self.0, |html, judged| {
                html.leaf("code", &[], &judged.witness.counter);
                html.say(&format!("{}: {}", quiet(judged), judged.witness.proves));
            });
        });
    }
}

/// What a witness counts, and what that proves.
fn statement(judged: &Judged) -> (&str, &str) {
    (&judged.witness.counter, &judged.witness.proves)
}

/// Whether it proves the work or only that nothing disturbed it, and what it means that it is broken if that is not
/// that other work was done.
fn quiet(judged: &Judged) -> String {
    let quiet = (!judged.witness.positive).then(|| "the quiet".to_owned());
    let breach = judged.witness.breach;
    let broken = (breach != Breach::OtherWork).then(|| format!("if broken: {}", consequence(breach)));
    let said = some_joined(quiet.into_iter().chain(broken), "; ");
    said.map_or_else(String::new, |said| format!(" ({said})"))
}

/// Writes what the witnesses of an operation prove; what is said for all operations is only named.
pub(super) fn proved(
    witnesses: &[&Judged],
    evidence: &Evidence<'_>,
    everywhere: &Everywhere<'_>,
    html: &mut Html,
) {
    if witnesses.is_empty() {
        return;
    }
    let (common, own): (Vec<&Judged>, Vec<&Judged>) =
        witnesses.iter().partition(|judged| everywhere.holds(judged));
    let expects = |judged: &Judged| {
        if evidence.expects_alike(&judged.witness) {
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
                html.say(&format!("{}{}: {}", quiet(judged), expects(judged), judged.witness.proves));
            });
        }
        // Those of each point are named below.
        if !common.is_empty() && html.is_full {
            let named = common.iter().map(|judged| format!("{}{}", judged.witness.counter, expects(judged)));
            let mut named: Vec<String> = named.collect();
            named.sort();
            named.dedup();
            html.leaf("li", &[], &format!("as for many operations (above): {}", named.join("; ")));
        }
    });
}

/// The witnesses of these rows, each that proves something else once.
pub(super) fn witnesses<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<&'a Judged> {
    let groups = grouped(rows.flat_map(|row| &row.witnesses).map(|judged| (statement(judged), judged)));
    groups.into_iter().filter_map(|(_, alike)| alike.first().copied()).collect()
}
