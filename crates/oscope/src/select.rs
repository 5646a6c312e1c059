//! Which points are meant by what was typed.

use crate::Operations;
use crate::exit::usage;
use crate::suggest::nothing_is;
use analysis::{Analysis, Row};
use glob::Pattern;
use measure::{Operation, Point};
use record::renamed::meant;
use record::{PointId, Profile};
use std::collections::{BTreeMap, BTreeSet};

/// An operation and one of its points.
pub type Selected = (&'static Operation, Point);

/// Points that belong together across areas: what a word of the selection means that is neither an id nor an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    /// What the first screen shows.
    Headline,
    /// What the five reports measured, as docs/REPORTS.md maps it.
    Reports,
    /// The rows of the reports' summary tables.
    Table,
    /// Every point.
    All,
}

impl Set {
    fn named(text: &str) -> Option<Self> {
        match text {
            HEADLINE => Some(Self::Headline),
            "reports" => Some(Self::Reports),
            TABLE => Some(Self::Table),
            ALL => Some(Self::All),
            _ => None,
        }
    }

    fn has(self, operation: &Operation, point: &str) -> bool {
        match self {
            Self::Headline => operation.headline.iter().any(|(own, _)| *own == point),
            Self::Reports => {
                Self::Table.has(operation, point)
                    || reference::is_of_an_experiment(operation.id, point)
                    || reference::counterparts()
                        .filter(|counterpart| counterpart.operation == operation.id)
                        .any(|counterpart| counterpart.point.is_empty() || counterpart.point == point)
            }
            Self::Table => {
                reference::SUMMARY_ROWS.iter().any(|row| row.operation == operation.id && row.point == point)
            }
            Self::All => true,
        }
    }
}

/// The set that is measured when nothing is named.
pub const HEADLINE: &str = "headline";

/// The set of the rows of the reports' table.
pub const TABLE: &str = "table";

/// The set of every point.
pub const ALL: &str = "all";

/// A word of the selection.
struct Term {
    text: String,
    set: Option<Set>,
    /// It is an operation's id, and means this one, not those whose ids begin like it.
    is_id: bool,
    glob: Pattern,
}

impl Term {
    fn new(typed: &str, operations: Operations) -> anyhow::Result<Self> {
        let text = &*meant(typed);
        let glob = Pattern::new(text);
        let glob = glob.map_err(|error| usage(format!("'{text}' is no id, area or glob: {error}")))?;
        Ok(Self {
            text: text.to_owned(),
            set: Set::named(text),
            is_id: operations.iter().any(|operation| operation.id == text),
            glob,
        })
    }

    /// An area, an id or its beginning up to a dot, or a glob over ids.
    fn names(&self, operation: &Operation) -> bool {
        self.names_id(operation.id, operation.area.name())
    }

    fn names_id(&self, id: &str, area: &str) -> bool {
        if self.is_id {
            return id == self.text;
        }
        let begins = id.strip_prefix(&self.text).is_some_and(|rest| rest.starts_with('.'));
        begins || area == self.text || self.glob.matches(id)
    }

    /// A glob over an id with its point.
    fn names_point(&self, id: &PointId) -> bool {
        let text = id.to_string();
        text == self.text || self.glob.matches(&text)
    }

    fn is_for(&self, operation: &Operation, id: &PointId) -> bool {
        if let Some(set) = self.set {
            return set.has(operation, &id.point);
        }
        self.names(operation) || (self.text.contains(' ') && self.names_point(id))
    }
}

fn terms(operations: Operations, words: &[String]) -> anyhow::Result<Vec<Term>> {
    words.iter().map(|word| Term::new(word, operations)).collect()
}

/// Leaves of an analysis what these words mean.
///
/// # Errors
/// When a word means none of its rows.
pub fn keep(operations: Operations, words: &[String], analysis: &mut Analysis) -> anyhow::Result<()> {
    let terms = terms(operations, words)?;
    let is_for = |term: &Term, row: &Row| {
        let id = &row.point.id;
        if let Some(set) = term.set {
            let operation = operations.iter().find(|operation| operation.id == id.operation);
            return set == Set::All || operation.is_some_and(|operation| set.has(operation, &id.point));
        }
        term.names_id(&id.operation, &row.point.area) || (term.text.contains(' ') && term.names_point(id))
    };
    for term in &terms {
        if !analysis.rows.iter().any(|row| is_for(term, row)) {
            return Err(usage(format!("no record, topic or row: {}", nothing_is(&term.text, operations))));
        }
    }
    analysis.keep(|row| terms.iter().any(|term| is_for(term, row)));
    Ok(())
}

/// The points that are meant, in the order of the list.
///
/// # Errors
/// When a word means nothing, or only reference methods that were not asked for.
pub fn select(
    operations: Operations,
    words: &[String],
    profile: Profile,
    reference_methods: bool,
) -> anyhow::Result<Vec<Selected>> {
    let terms = terms(operations, words)?;
    let all: Vec<Selected> = operations
        .iter()
        .flat_map(|&operation| points(operation, profile).into_iter().map(move |point| (operation, point)))
        .collect();
    for term in &terms {
        let mut meant =
            all.iter().filter(|(operation, point)| term.is_for(operation, &operation.point_id(point)));
        let Some(_) = meant.clone().next() else {
            let of_the_run =
                operations.iter().find(|operation| operation.is_of_the_run() && term.names(operation));
            return Err(usage(of_the_run.map_or_else(
                || nothing_is(&term.text, operations),
                |operation| {
                    let id = operation.id;
                    format!(
                        "{id} is computed in every run and has no point of its own: see 'oscope explain {id}'"
                    )
                },
            )));
        };
        if !reference_methods && meant.all(|(operation, _)| operation.reference.is_some()) {
            return Err(usage(format!(
                "'{}' is a reference method, which oscope does not stand behind; add --with-reference-methods",
                term.text
            )));
        }
    }
    let wanted = |(operation, point): &Selected| {
        let id = operation.point_id(point);
        (reference_methods || operation.reference.is_none())
            && (terms.is_empty() || terms.iter().any(|term| term.is_for(operation, &id)))
    };
    Ok(all.into_iter().filter(wanted).collect())
}

/// The points of a profile, and those of the headline and of the reports' table, which every profile has.
fn points(operation: &Operation, profile: Profile) -> Vec<Point> {
    let mut points = (operation.points)(profile);
    let headline = operation.headline.iter().map(|(point, _)| *point);
    let rows = reference::SUMMARY_ROWS.iter();
    let rows = rows.filter(|row| row.operation == operation.id).map(|row| row.point);
    let wanted = headline.chain(rows).filter_map(Point::parse);
    for point in wanted {
        if !points.contains(&point) {
            points.push(point);
        }
    }
    points
}

/// Adds to every reference method the point of the right one: alone it says nothing.
pub fn add_right_ones(operations: Operations, selected: &mut Vec<Selected>, profile: Profile) {
    let right = |(operation, _): &Selected| {
        let (id, point) = operation.reference?.right;
        Some(PointId::new(id, point))
    };
    let wanted: Vec<PointId> = selected.iter().filter_map(right).collect();
    for id in wanted {
        add(operations, selected, &id, profile);
    }
    sort(operations, selected);
}

/// Adds a point that is not there yet, if there is one of this name.
fn add(operations: Operations, selected: &mut Vec<Selected>, id: &PointId, profile: Profile) {
    let known = selected.iter().any(|(operation, point)| operation.point_id(point) == *id);
    if !known && let Some(found) = find(operations, id, profile) {
        selected.push(found);
    }
}

/// Back into the order of the list.
pub fn sort(operations: Operations, selected: &mut [Selected]) {
    let place = |operation: &Operation| operations.iter().position(|listed| listed.id == operation.id);
    selected.sort_by_key(|(operation, _)| place(operation));
}

/// The operations that are meant, reference methods included, in the order of the list.
///
/// # Errors
/// When a word means nothing.
pub fn select_operations(
    operations: Operations,
    words: &[String],
) -> anyhow::Result<Vec<&'static Operation>> {
    let terms = terms(operations, words)?;
    let is_for = |term: &Term, operation: &Operation| {
        let mut points = points(operation, Profile::Thorough).into_iter();
        (term.set.is_none() && term.names(operation))
            || points.any(|point| term.is_for(operation, &operation.point_id(&point)))
    };
    if let Some(term) = terms.iter().find(|term| !operations.iter().any(|operation| is_for(term, operation)))
    {
        return Err(usage(nothing_is(&term.text, operations)));
    }
    let is_meant =
        |operation: &&'static Operation| terms.is_empty() || terms.iter().any(|term| is_for(term, operation));
    Ok(operations.iter().copied().filter(is_meant).collect())
}

/// Adds the points that the predictions of these are made of, and those of which theirs are.
pub fn add_parts(operations: Operations, selected: &mut Vec<Selected>, profile: Profile) {
    let mut next = 0;
    while let Some(one) = selected.get(next) {
        for part in parts(one) {
            add(operations, selected, &part, profile);
        }
        next += 1;
    }
    sort(operations, selected);
}

/// What a trial that adds little to a round spends on its batches, in nanoseconds.
const SHORT_NS: u64 = 20_000_000;

/// Adds the points that at least two of these are predicted from, where a trial is short.
pub fn add_common_parts(operations: Operations, selected: &mut Vec<Selected>, profile: Profile) {
    let mut users: BTreeMap<PointId, usize> = BTreeMap::new();
    let of_each = selected.iter().flat_map(parts);
    of_each.for_each(|part| *users.entry(part).or_default() += 1);
    let is_short = |(operation, point): &Selected| operation.spend_at(point) <= SHORT_NS;
    for (part, _) in users.into_iter().filter(|(_, users)| *users > 1) {
        if find(operations, &part, profile).is_some_and(|part| is_short(&part)) {
            add(operations, selected, &part, profile);
        }
    }
    sort(operations, selected);
}

/// The points that one is predicted from.
fn parts((operation, point): &Selected) -> BTreeSet<PointId> {
    let prediction = operation.prediction_at(point);
    let terms = prediction.from_parts.iter();
    terms.flat_map(|term| term.formula.parts()).cloned().collect()
}

/// The point of this name, if this profile has it.
pub fn find(operations: Operations, id: &PointId, profile: Profile) -> Option<Selected> {
    let operation = operations.iter().find(|operation| operation.id == id.operation)?;
    let point = points(operation, profile).into_iter().find(|point| point.text() == id.point)?;
    Some((operation, point))
}

/// The operation with exactly this id.
///
/// # Errors
/// When there is none.
pub fn exactly(operations: Operations, id: &str) -> anyhow::Result<&'static Operation> {
    let found = operations.iter().find(|operation| operation.id == id);
    found.copied().ok_or_else(|| usage(nothing_is(id, operations)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn ids(words: &[&str], reference: bool) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let selected = select(operations::ALL, &words, Profile::Standard, reference).unwrap();
        let mut ids: Vec<String> = selected.iter().map(|(operation, _)| operation.id.to_owned()).collect();
        ids.dedup();
        ids
    }

    #[test]
    fn ids_beginnings_areas_and_globs() {
        assert_eq!(ids(&["syscall.getppid"], false), ["syscall.getppid"]);
        assert_eq!(
            ids(&["syscall.open_close"], false),
            ["syscall.open_close.read", "syscall.open_close.write"]
        );
        assert_eq!(ids(&["*.getp*"], false).len(), 2);
        assert!(ids(&["os"], false).contains(&"noise.gaps".to_owned()));
        assert!(!ids(&["os"], false).contains(&"loop.iteration".to_owned()));
        let references = operations::ALL.iter().filter(|one| one.reference.is_some()).count();
        let of_runs = operations::ALL.iter().filter(|one| one.is_of_the_run()).count();
        assert_eq!(ids(&[], false).len() + references + of_runs, operations::ALL.len());
    }

    #[test]
    fn every_row_of_the_reports_table_is_a_point_of_every_profile() {
        for profile in [Profile::Quick, Profile::Standard, Profile::Thorough] {
            let selected = select(operations::ALL, &[TABLE.to_owned()], profile, false).unwrap();
            for row in &reference::SUMMARY_ROWS {
                let is_row = |(operation, point): &Selected| {
                    operation.id == row.operation && point.text() == row.point
                };
                assert_eq!(selected.iter().filter(|one| is_row(one)).count(), 1, "{row:?}");
            }
            assert_eq!(selected.len(), reference::SUMMARY_ROWS.len());
        }
    }

    #[test]
    fn every_experiment_of_the_reports_is_selected_with_its_points() {
        for profile in [Profile::Standard, Profile::Thorough] {
            let words = ["reports".to_owned()];
            let selected = select(operations::ALL, &words, profile, true).unwrap();
            let has = |id: &str, parameters: &str| {
                let of = |(operation, point): &Selected| {
                    operation.id == id && reference::has_parameters(&point.text(), parameters)
                };
                selected.iter().any(of)
            };
            for experiment in reference::experiments().unwrap() {
                for (id, parameters) in experiment.operations() {
                    let operation = operations::ALL.iter().find(|operation| operation.id == id);
                    let points = operation.map_or_else(Vec::new, |operation| points(operation, profile));
                    let exists = |point: &Point| reference::has_parameters(&point.text(), parameters);
                    assert_eq!(has(id, parameters), points.iter().any(exists), "{id} {parameters}");
                }
            }
        }
    }

    #[test]
    fn what_every_run_computes_is_listed_and_cannot_be_selected_alone() {
        let words = ["noise.shared_core".to_owned()];
        let refused = select(operations::ALL, &words, Profile::Standard, false).unwrap_err();
        assert!(refused.to_string().contains("computed in every run"), "{refused}");
        let listed = select_operations(operations::ALL, &words).unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!(ids(&["noise"], false), ["noise.gaps"]);
        assert!(select_operations(operations::ALL, &["nois".to_owned()]).is_err());
    }

    #[test]
    fn single_points() {
        let words = vec!["loop.iteration counter=register iterations=16".to_owned()];
        assert_eq!(select(operations::ALL, &words, Profile::Standard, false).unwrap().len(), 1);
    }

    #[test]
    fn old_names_mean_the_current_ones() {
        let points = |word: &str| -> Vec<String> {
            let selected = select(operations::ALL, &[word.to_owned()], Profile::Standard, true).unwrap();
            let id = |(operation, point): &Selected| operation.point_id(point).to_string();
            selected.iter().map(id).collect()
        };
        assert_eq!(points("syscall.getpid.raw"), ["syscall.getpid method=raw"]);
        assert_eq!(points("call.procedure.crowded"), ["call.procedure.aliased"]);
        assert_eq!(
            points("loop.iteration counter=register n=1*"),
            points("loop.iteration counter=register iterations=1*")
        );
        assert_eq!(
            points("process.create.fork_wait resident_mib=64"),
            ["process.create.fork_wait resident=64MiB"]
        );
        assert_eq!(points("syscall.getppid").len(), 3);
    }

    #[test]
    fn reference_methods_must_be_asked_for() {
        let words = vec!["clock.read.rdtsc_cpuid".to_owned()];
        let refused = select(operations::ALL, &words, Profile::Standard, false).unwrap_err().to_string();
        assert!(refused.contains("--with-reference-methods"), "{refused}");
        assert_eq!(ids(&["clock.read.rdtsc_cpuid"], true), ["clock.read.rdtsc_cpuid"]);
    }

    #[test]
    fn a_reference_method_brings_the_right_one() {
        for operation in operations::ALL.iter().filter(|listed| listed.reference.is_some()) {
            let words = vec![operation.id.to_owned()];
            let mut selected = select(operations::ALL, &words, Profile::Standard, true).unwrap();
            add_right_ones(operations::ALL, &mut selected, Profile::Standard);
            let (id, point) = operation.reference.unwrap().right;
            let is_right = |(found, of): &Selected| found.id == id && of.text() == point;
            assert!(selected.iter().any(is_right), "{}", operation.id);
        }
    }

    #[test]
    fn what_means_nothing_is_met_with_a_suggestion() {
        let words = vec!["syscall.getpd".to_owned()];
        let refused = select(operations::ALL, &words, Profile::Standard, false).unwrap_err().to_string();
        assert!(refused.contains("did you mean syscall.getp"), "{refused}");
    }

    #[test]
    fn the_headline_comes_with_the_short_parts_of_two_of_its_points() {
        let alone = select(operations::ALL, &[HEADLINE.to_owned()], Profile::Standard, false).unwrap();
        let mut with = alone.clone();
        add_common_parts(operations::ALL, &mut with, Profile::Standard);
        let has = |id: &str| with.iter().any(|(operation, _)| operation.id == id);
        // Of many; of `fork_wait` only; of all latencies, and long.
        assert!(has("syscall.floor") && has("switch.process.eventfd"));
        assert!(!has("process.end.exit_wait") && !has("memory.levels"));
        let more = with.len() - alone.len();
        assert!((8..=14).contains(&more), "{more}");
    }

    #[test]
    fn parts_come_with_their_own_parts() {
        let words = vec!["ipc.pipe.round_trip cpu=same".to_owned()];
        let mut selected = select(operations::ALL, &words, Profile::Standard, false).unwrap();
        add_parts(operations::ALL, &mut selected, Profile::Standard);
        let ids: Vec<&str> = selected.iter().map(|(operation, _)| operation.id).collect();
        for part in ["syscall.floor", "syscall.pipe.self", "switch.thread.futex", "clock.frequency"] {
            assert!(ids.contains(&part), "{part} is missing in {ids:?}");
        }
    }
}
