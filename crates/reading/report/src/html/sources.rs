//! What the predictions of an operation would say again and again, said once: their terms, and where the numbers of the
//! formulas are from.

use super::parts::anchor;
use super::writer::Html;
use crate::cells;
use crate::groups::grouped;
use analysis::{Row, distinct};
use record::{Formula, Term};

fn terms<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<&'a Term> {
    let tiers = rows.flat_map(|row| row.from_facts.iter().chain(&row.from_parts));
    let terms = tiers.flat_map(|predicted| &predicted.terms);
    terms.map(|(term, _)| term).collect()
}

/// The sources that the formulas of the page cite, in the order in which they first do: many operations cite the same.
#[derive(Debug, Default)]
pub(super) struct Cited<'a>(Vec<&'a str>);

impl<'a> Cited<'a> {
    /// Those of these rows.
    pub(super) fn of_rows(rows: impl Iterator<Item = &'a Row>) -> Self {
        Self(distinct(terms(rows).into_iter().flat_map(|term| term.formula.sources())))
    }

    /// The sources with their numbers, collapsed at first.
    pub(super) fn write(&self, html: &mut Html) {
        if self.0.is_empty() {
            return;
        }
        let title = "Sources of the numbers in formulas, by the number in brackets";
        html.folded(&[("class", "method")], title, |html| {
            html.tag("ol", &[], |html| {
                self.0.iter().for_each(|source| html.leaf("li", &[], source));
            });
        });
    }
}

/// What is said once for the predictions of an operation.
#[derive(Debug)]
pub(super) struct Sources<'a> {
    cited: &'a Cited<'a>,
    /// Terms that stand in several predictions, where their name can mean no other term.
    terms: Vec<&'a Term>,
}

impl<'a> Sources<'a> {
    /// Those of these rows.
    pub(super) fn of_rows(rows: impl Iterator<Item = &'a Row>, cited: &'a Cited<'a>) -> Self {
        let terms = repeated_terms(&terms(rows));
        Self { cited, terms }
    }

    /// What a term stands for, and its formula unless the operation says it once.
    pub(super) fn term(&self, term: &Term, html: &mut Html) {
        if self.terms.contains(&term) {
            html.say(&named(term));
        } else {
            self.in_full(term, html);
        }
    }

    fn in_full(&self, term: &Term, html: &mut Html) {
        html.say(&format!("{} = ", named(term)));
        html.tag("code", &[], |html| formula(&term.formula, html));
        self.refer(&term.formula, html);
    }

    /// The numbers of the sources that a formula cites.
    fn refer(&self, formula: &Formula, html: &mut Html) {
        let sources = formula.sources().into_iter();
        let places = sources.filter_map(|source| self.cited.0.iter().position(|cited| *cited == source));
        let numbers: Vec<String> = places.map(|place| (place + 1).to_string()).collect();
        if !numbers.is_empty() {
            html.say(" ");
            html.leaf("sup", &[], &format!("[{}]", numbers.join(", ")));
        }
    }

    /// The terms of several predictions.
    pub(super) fn write(&self, html: &mut Html) {
        if self.terms.is_empty() {
            return;
        }
        html.leaf("h5", &[], "Terms of several predictions");
        html.list("", &self.terms, |html, term| self.in_full(term, html));
    }
}

/// The terms that stand at least twice, if every term of their name is the same.
fn repeated_terms<'a>(terms: &[&'a Term]) -> Vec<&'a Term> {
    let by_name = grouped(terms.iter().map(|term| (&term.name, *term))).into_iter();
    let repeated = by_name.filter_map(|(_, of_name)| {
        let (first, others) = of_name.split_first()?;
        (!others.is_empty() && others.iter().all(|other| other == first)).then_some(*first)
    });
    repeated.collect()
}

/// Whose a term is and what it stands for.
fn named(term: &Term) -> String {
    format!("{}, {}", cells::side(term), term.name)
}

/// What is so common in formulas that it has a name of its own on the page: before a part, the part, and the name.
const CYCLE: (&str, &str, &str) = ("1e9 / ", "clock.frequency clock=core", "core cycle");
/// What the name means.
pub(super) const CYCLE_MEANS: &str = "a core cycle is 1e9 / clock.frequency clock=core";

/// The text before a part and what the part is called behind it.
fn called<'t>(before: &'t str, part: &str) -> (&'t str, String) {
    let named =
        before.strip_suffix(CYCLE.0).filter(|rest| part == CYCLE.1 && !rest.ends_with(char::is_alphanumeric));
    named.map_or((before, part.to_owned()), |rest| (rest, CYCLE.2.to_owned()))
}

/// A formula in which every part leads to its point.
fn formula(formula: &Formula, html: &mut Html) {
    let text = formula.to_string();
    let mut rest = text.as_str();
    for part in formula.parts() {
        // Parts are named in the order in which they are printed.
        let name = format!("[{part}]");
        if let Some((before, after)) = rest.split_once(&name) {
            let (before, name) = called(before, &part.to_string());
            html.say(before);
            html.lead(&anchor(part), "", |html| html.say(&name));
            rest = after;
        }
    }
    html.say(rest);
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::TermSide;

    #[test]
    fn terms_are_written_once_where_their_name_means_no_other() {
        let all = [("path", 1.0), ("path", 1.0), ("copy", 2.0), ("copy", 3.0), ("copy", 2.0), ("once", 1.0)];
        let all = all.map(|(name, cycles)| Term {
            name: name.to_owned(),
            side: TermSide::Software,
            formula: Formula::exactly(cycles),
        });
        let repeated = repeated_terms(&all.iter().collect::<Vec<&Term>>());
        assert_eq!(repeated, [&all[0]]);
    }

    #[test]
    fn only_a_whole_cycle_is_called_one() {
        let part = "clock.frequency clock=core";
        assert_eq!(called("90 × 1e9 / ", part), ("90 × ", "core cycle".to_owned()));
        assert_eq!(called("1e9 / ", part), ("", "core cycle".to_owned()));
        for other in ["21e9 / ", "90 / ", ""] {
            assert_eq!(called(other, part), (other, part.to_owned()));
        }
        assert_eq!(called("1e9 / ", "clock.frequency clock=counter").0, "1e9 / ");
    }
}
