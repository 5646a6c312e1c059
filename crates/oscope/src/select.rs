//! Which points are meant by what was typed.

use crate::Operations;
use crate::exit::usage;
use crate::operation_list::operation;
use crate::suggest::nothing_is;
use analysis::{Analysis, Row};
use glob::Pattern;
use measure::{Operation, Point};
use record::renamed::meant;
use record::{PointId, Profile};
use std::collections::{BTreeMap, BTreeSet};

/// An operation and one of its points.
pub type Selected = (&'static Operation, Point);

/// Points that belong together across areas: whether one of an operation is among them.
type Set = fn(&Operation, &str) -> bool;

/// What a word of the selection means that is neither an id nor an area.
const SETS: [(&str, Set); 4] =
    [(HEADLINE, is_of_headline), (REPORTS, is_of_reports), (TABLE, is_of_table), (ALL, |_, _| true)];

/// Whether the first screen shows a point.
fn is_of_headline(operation: &Operation, point: &str) -> bool {
    operation.headline.iter().any(|(own, _)| *own == point)
}

/// Whether the five reports measured a point, as docs/REPORTS.md maps it.
fn is_of_reports(operation: &Operation, point: &str) -> bool {
    let mut beside = reference::counterparts().filter(|one| one.operation == operation.id);
    is_of_table(operation, point)
        || reference::is_of_an_experiment(operation.id, point)
        || beside.any(|one| one.point.is_empty() || one.point == point)
}

/// Whether a point is a row of the reports' summary tables.
fn is_of_table(operation: &Operation, point: &str) -> bool {
    reference::SUMMARY_ROWS.iter().any(|row| row.operation == operation.id && row.point == point)
}

/// The set that is measured when nothing is named.
pub const HEADLINE: &str = "headline";

/// The set of what the reports measured.
const REPORTS: &str = "reports";

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
        let text = meant(typed).into_owned();
        let glob = Pattern::new(&text);
        let glob = glob.map_err(|error| usage(format!("'{text}' is not an id, area or glob: {error}")))?;
        let is_id = operation(operations, &text).is_some();
        let set = SETS.iter().find(|(name, _)| *name == text).map(|(_, set)| *set);
        Ok(Self { set, is_id, glob, text })
    }

    /// An area, an id or its beginning up to a dot, or a glob over ids.
    fn names(&self, id: &str, area: &str) -> bool {
        if self.is_id {
            return id == self.text;
        }
        let begins = id.strip_prefix(&self.text).is_some_and(|rest| rest.starts_with('.'));
        begins || area == self.text || self.glob.matches(id)
    }

    /// Whether it means a point of an operation, or one that an older program had.
    fn is_for(&self, operation: Option<&Operation>, id: &PointId, area: &str) -> bool {
        match self.set {
            Some(_) if self.text == ALL => true,
            Some(has) => operation.is_some_and(|operation| has(operation, &id.point)),
            None if self.names(&id.operation, area) => true,
            None => {
                self.text.contains(' ') && {
                    let id = id.to_string();
                    id == self.text || self.glob.matches(&id)
                }
            }
        }
    }

    fn selects(&self, (operation, point): &Selected) -> bool {
        self.is_for(Some(operation), &operation.point_id(point), operation.area.name())
    }
}

fn terms(operations: Operations, words: &[String]) -> anyhow::Result<Vec<Term>> {
    words.iter().map(|word| Term::new(word, operations)).collect()
}

/// Leaves of an analysis what these words mean; each must mean some of its rows.
pub fn keep(operations: Operations, words: &[String], analysis: &mut Analysis) -> anyhow::Result<()> {
    let terms = terms(operations, words)?;
    let is_for = |term: &Term, row: &Row| {
        let id = &row.point.id;
        term.is_for(operation(operations, &id.operation), id, &row.point.area)
    };
    for term in &terms {
        if !analysis.rows.iter().any(|row| is_for(term, row)) {
            return Err(usage(format!("no record, topic or row: {}", nothing_is(&term.text, operations))));
        }
    }
    analysis.keep(|row| terms.iter().any(|term| is_for(term, row)));
    Ok(())
}

/// The points that are meant, in the order of the list. Each word must mean some, and not only reference methods that were
/// not asked for.
pub fn select(
    operations: Operations,
    words: &[String],
    profile: Profile,
    reference_methods: bool,
) -> anyhow::Result<Vec<Selected>> {
    let terms = terms(operations, words)?;
    let of = |&operation: &&'static Operation| {
        points(operation, profile).into_iter().map(move |point| (operation, point))
    };
    let mut all: Vec<Selected> = operations.iter().flat_map(of).collect();
    for term in &terms {
        let mut meant = all.iter().filter(|one| term.selects(one)).peekable();
        if meant.peek().is_none() {
            return Err(usage(nothing_is_selected(term, operations)));
        }
        if !reference_methods && meant.all(|(operation, _)| operation.reference().is_some()) {
            return Err(usage(format!(
                "'{}' is a reference method, which oscope does not stand behind; add --with-reference-methods",
                term.text
            )));
        }
    }
    all.retain(|one| {
        (reference_methods || one.0.reference().is_none())
            && (terms.is_empty() || terms.iter().any(|term| term.selects(one)))
    });
    Ok(all)
}

/// Why a word means no point.
fn nothing_is_selected(term: &Term, operations: Operations) -> String {
    let mut of_the_run = operations.iter().filter(|operation| operation.is_of_the_run());
    match of_the_run.find(|operation| term.names(operation.id, operation.area.name())) {
        None => nothing_is(&term.text, operations),
        Some(Operation { id, .. }) => {
            format!("{id} is computed in every run and has no point of its own: see 'oscope explain {id}'")
        }
    }
}

/// The points of a profile, and those of the headline and of the reports' table, which every profile has.
fn points(operation: &Operation, profile: Profile) -> Vec<Point> {
    let mut points = operation.points_of(profile);
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
    let references: Vec<_> = selected.iter().filter_map(|(operation, _)| operation.reference()).collect();
    references.iter().for_each(|(_, right)| add(operations, selected, right, profile));
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

/// The operations that are meant, reference methods included, in the order of the list. Each word must mean some.
pub fn select_operations(
    operations: Operations,
    words: &[String],
) -> anyhow::Result<Vec<&'static Operation>> {
    let terms = terms(operations, words)?;
    let is_for = |term: &Term, operation: &&'static Operation| {
        let mut points = points(operation, Profile::Thorough).into_iter();
        (term.set.is_none() && term.names(operation.id, operation.area.name()))
            || points.any(|point| term.selects(&(*operation, point)))
    };
    let mut meant = operations.to_vec();
    if !terms.is_empty() {
        meant.retain(|operation| terms.iter().any(|term| is_for(term, operation)));
    }
    match terms.iter().find(|term| !meant.iter().any(|operation| is_for(term, operation))) {
        Some(term) => Err(usage(nothing_is(&term.text, operations))),
        None => Ok(meant),
    }
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
    selected.iter().flat_map(parts).for_each(|part| *users.entry(part).or_default() += 1);
    let is_short = |(operation, point): Selected| operation.spend_at(&point) <= SHORT_NS;
    for (part, _) in users.into_iter().filter(|(_, users)| *users > 1) {
        if find(operations, &part, profile).is_some_and(is_short) {
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
    let operation = operation(operations, &id.operation)?;
    let point = points(operation, profile).into_iter().find(|point| point.text() == id.point)?;
    Some((operation, point))
}

/// The operation with exactly this id.
pub fn exactly(operations: Operations, id: &str) -> anyhow::Result<&'static Operation> {
    operation(operations, id).ok_or_else(|| usage(nothing_is(id, operations)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points_of(words: &[&str], profile: Profile, reference_methods: bool) -> anyhow::Result<Vec<Selected>> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        select(operations::ALL, &words, profile, reference_methods)
    }

    fn selected(words: &[&str]) -> Vec<Selected> {
        points_of(words, Profile::Standard, false).unwrap()
    }

    fn refused(word: &str) -> String {
        points_of(&[word], Profile::Standard, false).unwrap_err().to_string()
    }

    fn ids(selected: &[Selected]) -> Vec<&'static str> {
        let mut ids: Vec<&str> = selected.iter().map(|(operation, _)| operation.id).collect();
        ids.dedup();
        ids
    }

    #[test]
    fn ids_beginnings_areas_and_globs() {
        let ids = |words: &[&str]| ids(&selected(words));
        assert_eq!(ids(&["syscall.getppid"]), ["syscall.getppid"]);
        assert_eq!(ids(&["syscall.open_close"]), ["syscall.open_close.read", "syscall.open_close.write"]);
        assert_eq!(ids(&["*.getp*"]).len(), 2);
        assert!(ids(&["os"]).contains(&"noise.gaps") && !ids(&["os"]).contains(&"loop.iteration"));
        let references = operations::ALL.iter().filter(|one| one.reference().is_some()).count();
        let of_runs = operations::ALL.iter().filter(|one| one.is_of_the_run()).count();
        assert_eq!(ids(&[]).len() + references + of_runs, operations::ALL.len());
        assert_eq!(selected(&["loop.iteration counter=register iterations=16"]).len(), 1);
    }

    #[test]
    fn every_row_of_the_reports_table_is_a_point_of_every_profile() {
        for profile in [Profile::Quick, Profile::Standard, Profile::Thorough] {
            let selected = points_of(&[TABLE], profile, false).unwrap();
            for row in &reference::SUMMARY_ROWS {
                let is_row = |(operation, point): &&Selected| {
                    operation.id == row.operation && point.text() == row.point
                };
                assert_eq!(selected.iter().filter(is_row).count(), 1, "{row:?}");
            }
            assert_eq!(selected.len(), reference::SUMMARY_ROWS.len());
        }
    }

    #[test]
    fn every_experiment_of_the_reports_is_selected_with_its_points() {
        for profile in [Profile::Standard, Profile::Thorough] {
            let selected = points_of(&[REPORTS], profile, true).unwrap();
            for experiment in reference::experiments().unwrap() {
                for (id, parameters) in experiment.operations() {
                    let has = |point: &Point| reference::has_parameters(&point.text(), parameters);
                    let points = operation(operations::ALL, id).map(|operation| points(operation, profile));
                    let is_selected = selected.iter().any(|(one, point)| one.id == id && has(point));
                    assert_eq!(is_selected, points.iter().flatten().any(has), "{id} {parameters}");
                }
            }
        }
    }

    #[test]
    fn results_of_the_whole_run_are_listed_and_cannot_be_selected_alone() {
        let refused = refused("noise.shared_core");
        assert!(refused.contains("computed in every run"), "{refused}");
        let listed = |word: &str| select_operations(operations::ALL, &[word.to_owned()]);
        assert_eq!(listed("noise.shared_core").unwrap().len(), 1);
        assert_eq!(ids(&selected(&["noise"])), ["noise.gaps"]);
        assert!(listed("nois").is_err());
    }

    #[test]
    fn old_names_mean_the_current_ones() {
        let points = |word: &str| -> Vec<String> {
            let selected = points_of(&[word], Profile::Standard, true).unwrap();
            selected.iter().map(|(operation, point)| operation.point_id(point).to_string()).collect()
        };
        for (old, current) in [
            ("syscall.getpid.raw", "syscall.getpid method=raw"),
            ("call.procedure.crowded", "call.procedure.aliased"),
            ("process.create.fork_wait resident_mib=64", "process.create.fork_wait resident=64MiB"),
        ] {
            assert_eq!(points(old), [current]);
        }
        let with_parameters = "loop.iteration counter=register iterations=1*";
        assert_eq!(points("loop.iteration counter=register n=1*"), points(with_parameters));
        assert_eq!(points("syscall.getppid").len(), 3);
    }

    #[test]
    fn reference_methods_must_be_asked_for() {
        let id = "clock.read.rdtsc_cpuid";
        assert!(refused(id).contains("--with-reference-methods"), "{}", refused(id));
        assert_eq!(ids(&points_of(&[id], Profile::Standard, true).unwrap()), [id]);
    }

    #[test]
    fn a_reference_method_brings_the_right_one() {
        for operation in operations::ALL.iter().filter(|listed| listed.reference().is_some()) {
            let mut selected = points_of(&[operation.id], Profile::Standard, true).unwrap();
            add_right_ones(operations::ALL, &mut selected, Profile::Standard);
            let (id, point) = operation.right;
            let is_right = |(found, of): &Selected| found.id == id && of.text() == point;
            assert!(selected.iter().any(is_right), "{}", operation.id);
        }
    }

    #[test]
    fn unknown_words_are_met_with_a_suggestion() {
        let refused = refused("syscall.getpd");
        assert!(refused.contains("did you mean syscall.getp"), "{refused}");
    }

    #[test]
    fn the_headline_comes_with_the_short_parts_of_two_of_its_points() {
        let alone = selected(&[HEADLINE]);
        let mut with = alone.clone();
        add_common_parts(operations::ALL, &mut with, Profile::Standard);
        let has = |id: &str| ids(&with).contains(&id);
        // Of many; of `fork_wait` only; of all latencies, and long.
        assert!(has("syscall.floor") && has("switch.process.eventfd"));
        assert!(!has("process.end.exit_wait") && !has("memory.levels"));
        let more = with.len() - alone.len();
        assert!((8..=14).contains(&more), "{more}");
    }

    #[test]
    fn parts_come_with_their_own_parts() {
        let mut selected = selected(&["ipc.pipe.round_trip cpu=same"]);
        add_parts(operations::ALL, &mut selected, Profile::Standard);
        let ids = ids(&selected);
        for part in ["syscall.floor", "syscall.pipe.self", "switch.thread.futex", "clock.frequency"] {
            assert!(ids.contains(&part), "{part} is missing in {ids:?}");
        }
    }
}
