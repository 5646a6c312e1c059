//! Which points are meant by what was typed.

mod declared;
mod one;
mod scaled;
mod term;
mod unmatched;

pub use declared::{ALL, CHANNELS, HEADLINE, TABLE};
pub use one::{Selected, find, sort};
use one::{add, parts};
pub use scaled::{add_alone, scaled};

use crate::Operations;
use crate::exit::usage;
use crate::operation_list::labelled;
use analysis::Analysis;
use declared::{any_points, points};
use measure::{Operation, Point};
use record::{PointId, Profile};
use std::collections::{BTreeMap, BTreeSet};
use term::Term;

/// What these words mean: ids, or what the first screen calls a point.
fn terms(operations: Operations, words: &[String]) -> anyhow::Result<Vec<Term>> {
    let ids = words.iter().map(|word| labelled(operations, word).unwrap_or_else(|| word.clone()));
    ids.map(|word| Term::new(&word, operations)).collect()
}

/// Leaves of the analyses what these words mean; each must mean some row of one of them. Each analysis has its record's name.
pub fn keep(
    operations: Operations,
    words: &[String],
    analyses: &mut [(&str, &mut Analysis)],
) -> anyhow::Result<()> {
    let mut terms = terms(operations, words)?;
    for term in &mut terms {
        let rows = || analyses.iter().flat_map(|(_, analysis)| &analysis.rows);
        term.or_point_of(rows());
        if !rows().any(|row| term.is_for_row(row, operations)) {
            let names: Vec<&str> = analyses.iter().map(|(name, _)| *name).collect();
            return Err(usage(unmatched::in_records(term, operations, &names, rows())));
        }
    }
    for (_, analysis) in analyses {
        analysis.keep(|row| terms.iter().any(|term| term.is_for_row(row, operations)));
    }
    Ok(())
}

/// Which of these points the words mean. Each word must mean one of them, unless the others come from elsewhere.
pub fn meant(
    operations: Operations,
    words: &[String],
    points: &[&PointId],
    are_all: bool,
) -> anyhow::Result<BTreeSet<PointId>> {
    let terms = terms(operations, words)?;
    let unmet = terms.iter().find(|term| !points.iter().any(|id| term.is_for_id(id, operations)));
    if let Some(term) = unmet.filter(|_| are_all) {
        let exists = operations.iter().any(|operation| term.is_for_operation(operation));
        return Err(usage(match exists {
            true => format!("'{}' was not counted in these files", term.text),
            false => unmatched::anywhere(term, operations),
        }));
    }
    let meant = points.iter().filter(|id| terms.iter().any(|term| term.is_for_id(id, operations)));
    Ok(meant.map(|&id| id.clone()).collect())
}

/// The points that are meant, in the order of the list. Each word must mean some, and not only flawed methods that were
/// not asked for.
pub fn select(
    operations: Operations,
    words: &[String],
    profile: Profile,
    flawed_methods: bool,
) -> anyhow::Result<Vec<Selected>> {
    let terms = terms(operations, words)?;
    let mut all: Vec<Selected> = operations
        .iter()
        .flat_map(|&operation| points(operation, profile).into_iter().map(move |point| (operation, point)))
        .collect();
    for term in &terms {
        let mut meant =
            all.iter().filter(|(operation, point)| term.is_for_point(operation, point)).peekable();
        if meant.peek().is_none() {
            return Err(usage(unmatched::in_profile(term, operations, profile)));
        }
        if !flawed_methods && meant.all(|(operation, _)| flawed::method(operation.id).is_some()) {
            return Err(usage(format!(
                "'{}' is a flawed method, which oscope does not stand behind; add --with-flawed-methods",
                term.text
            )));
        }
    }
    all.retain(|(operation, point)| {
        let is_offered = flawed_methods || flawed::method(operation.id).is_none();
        is_offered && (terms.is_empty() || terms.iter().any(|term| term.is_for_point(operation, point)))
    });
    Ok(all)
}

/// Leaves out what the headline has only on machines with more CPUs, unless another word means it.
pub fn leave_out_of_headline(
    operations: Operations,
    words: &[String],
    cpus: usize,
    selected: &mut Vec<Selected>,
) -> anyhow::Result<()> {
    let others: Vec<String> = words.iter().filter(|word| *word != HEADLINE).cloned().collect();
    let others = terms(operations, &others)?;
    selected.retain(|(operation, point)| {
        operation.headline_from_cpus <= cpus || others.iter().any(|term| term.is_for_point(operation, point))
    });
    Ok(())
}

/// Those of these points that a word means by a name of operations, not by their area or a set.
pub fn named(
    operations: Operations,
    words: &[String],
    selected: &[Selected],
) -> anyhow::Result<Vec<PointId>> {
    let mut names = terms(operations, words)?;
    names.retain(Term::is_of_operations);
    let is_named =
        |(operation, point): &&Selected| names.iter().any(|term| term.is_for_point(operation, point));
    Ok(selected.iter().filter(is_named).map(|(operation, point)| operation.point_id(point)).collect())
}

/// Adds to every flawed method the point of the right one: alone it says nothing.
pub fn add_right_ones(operations: Operations, selected: &mut Vec<Selected>, profile: Profile) {
    let flawed: Vec<_> = selected.iter().filter_map(|(operation, _)| flawed::method(operation.id)).collect();
    flawed.iter().for_each(|method| add(operations, selected, &method.right_point(), profile));
    sort(operations, selected);
}

/// The operations that are meant, flawed methods included, in the order of the list, each with its points that are meant.
/// Each word must mean some.
pub fn select_operations(
    operations: Operations,
    words: &[String],
) -> anyhow::Result<Vec<(&'static Operation, Vec<Point>)>> {
    let terms = terms(operations, words)?;
    let unmatched =
        terms.iter().find(|term| !operations.iter().any(|operation| term.is_for_operation(operation)));
    if let Some(term) = unmatched {
        return Err(usage(unmatched::anywhere(term, operations)));
    }
    let meant = operations
        .iter()
        .filter(|operation| terms.is_empty() || terms.iter().any(|term| term.is_for_operation(operation)));
    Ok(meant.map(|&operation| (operation, points_meant(&terms, operation))).collect())
}

/// The points of an operation that are meant, as a usual run has them; else those that a run of another profile has.
fn points_meant(terms: &[Term], operation: &Operation) -> Vec<Point> {
    let is_meant =
        |point: &Point| terms.is_empty() || terms.iter().any(|term| term.is_for_point(operation, point));
    let all = [points(operation, Profile::Standard), any_points(operation)].into_iter();
    let mut meant = all.map(|points| points.into_iter().filter(is_meant).collect::<Vec<_>>());
    meant.find(|points| !points.is_empty()).unwrap_or_default()
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
    for (part, _) in users.into_iter().filter(|(_, users)| *users > 1) {
        let found = find(operations, &part, profile);
        if found.is_some_and(|(operation, point)| operation.spend_at(&point) <= SHORT_NS) {
            add(operations, selected, &part, profile);
        }
    }
    sort(operations, selected);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation_list::operation;

    fn points_of(words: &[&str], profile: Profile, flawed_methods: bool) -> anyhow::Result<Vec<Selected>> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        select(flawed::all_operations(), &words, profile, flawed_methods)
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
        for (word, expected) in [
            ("syscall.getppid", &["syscall.getppid"][..]),
            (
                "syscall.open_close",
                &["syscall.open_close.read", "syscall.open_close.write", "syscall.open_close.landlock"],
            ),
        ] {
            assert_eq!(ids(&selected(&[word])), expected);
        }
        assert_eq!(ids(&selected(&["*.getp*"])).len(), 2);
        let os = ids(&selected(&["os"]));
        assert!(os.contains(&"noise.gaps") && !os.contains(&"loop.iteration"));
        let flawed = flawed::methods().count();
        let of_runs = flawed::all_operations().iter().filter(|one| one.is_of_the_run()).count();
        assert_eq!(ids(&selected(&[])).len() + flawed + of_runs, flawed::all_operations().len());
        assert_eq!(selected(&["loop.iteration counter=register iterations=16"]).len(), 1);
    }

    #[test]
    fn points_are_named_by_ids_beginnings_and_globs_not_by_areas_and_sets() {
        for (word, expected) in [
            ("memory.latency.remote", true),
            ("memory.latency", false),
            ("memory.latency.*", true),
            ("memory.* cpu=node", true),
            ("memory", false),
            ("memory cpu=node", false),
            ("all", false),
        ] {
            let words = [word.to_owned()];
            let named = named(flawed::all_operations(), &words, &selected(&[word])).unwrap();
            let remote = PointId::new("memory.latency.remote", "bytes=64MiB cpu=node");
            assert_eq!(named.contains(&remote), expected, "{word}");
        }
    }

    #[test]
    fn points_are_meant_by_what_the_first_screen_calls_them() {
        let labels = crate::operation_list::labels(flawed::all_operations());
        for label in &labels {
            let [(operation, point)] = &*selected(&[&label.label.to_uppercase()]) else {
                panic!("{label:?}");
            };
            assert_eq!((operation.id, &*point.text()), (label.operation, label.point));
        }
        assert!(labels.len() > 20 && refused("process switch, same").contains("process switch, same"));
    }

    #[test]
    fn every_row_of_the_reports_table_is_a_point_of_every_profile() {
        for profile in [Profile::Quick, Profile::Standard, Profile::Thorough] {
            let selected = points_of(&[TABLE], profile, false).unwrap();
            for row in &reference::SUMMARY_ROWS {
                let points = selected.iter().filter(|(operation, _)| operation.id == row.operation);
                assert_eq!(points.filter(|(_, point)| point.text() == row.point).count(), 1, "{row:?}");
            }
            assert_eq!(selected.len(), reference::SUMMARY_ROWS.len());
        }
    }

    #[test]
    fn every_experiment_of_the_reports_is_selected_with_its_points() {
        for profile in [Profile::Standard, Profile::Thorough] {
            let selected = points_of(&["reports"], profile, true).unwrap();
            for experiment in reference::experiments().unwrap() {
                for (id, parameters) in experiment.operations() {
                    let is_declared = operation(flawed::all_operations(), id).is_some_and(|operation| {
                        let mut points = points(operation, profile).into_iter();
                        points.any(|point| reference::has_parameters(&point.text(), parameters))
                    });
                    let is_selected = selected.iter().any(|(one, point)| {
                        one.id == id && reference::has_parameters(&point.text(), parameters)
                    });
                    assert_eq!(is_selected, is_declared, "{id} {parameters}");
                }
            }
        }
    }

    /// A row of docs/REPORTS.md: each operation with its parameters, and the numbers of points in the standard and in the thorough
    /// profile.
    type PageRow = (Vec<(String, String)>, [usize; 2]);

    fn rows_of_the_page() -> Vec<PageRow> {
        let page = include_str!("../../../docs/REPORTS.md");
        let rows = page.lines().filter(|line| line.contains("](handbook/") && !line.contains("](../crates/"));
        rows.map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
            let operations = cells[2].split("<br>").map(|one| {
                let (id, rest) = one.trim_start_matches('[').split_once(']').unwrap();
                let (_, parameters) = rest.split_once(')').unwrap();
                let parameters = parameters.replace(" (thorough)", "").replace(" *", "");
                (id.to_owned(), parameters.trim().to_owned())
            });
            (operations.collect(), [3, 4].map(|cell| cells[cell].parse().unwrap()))
        })
        .collect()
    }

    #[test]
    fn the_page_of_the_reports_and_the_set_have_the_same_points() {
        let rows = rows_of_the_page();
        assert!(rows.len() > 60);
        for (profile, column) in [(Profile::Standard, 0), (Profile::Thorough, 1)] {
            let selected = points_of(&["reports"], profile, true).unwrap();
            let is_in = |operations: &[(String, String)], one: &Operation, point: &Point| {
                let has = |parameters: &str| reference::has_parameters(&point.text(), parameters);
                operations.iter().any(|(id, parameters)| id == one.id && has(parameters))
            };
            for (operations, counts) in &rows {
                let found = selected.iter().filter(|(one, point)| is_in(operations, one, point));
                assert_eq!(found.count(), counts[column], "{operations:?}");
            }
            let in_no_row: Vec<String> = selected
                .iter()
                .filter(|(one, point)| !rows.iter().any(|(operations, _)| is_in(operations, one, point)))
                .map(|(one, point)| one.point_id(point).to_string())
                .collect();
            assert!(in_no_row.is_empty(), "{in_no_row:#?}");
        }
    }

    #[test]
    fn operations_on_several_cpus_are_found_by_their_calls() {
        let scaled = |words: &[&str]| scaled(flawed::all_operations(), &selected(words), Profile::Standard);
        let of_pipe = scaled(&["syscall.pipe.self"]).unwrap();
        let is_of_pipe = |(operation, point): &Selected| {
            operation.point_id(point).parameter("call") == Some("pipe") && operation.id == "scaling.message"
        };
        assert!(of_pipe.iter().all(is_of_pipe) && of_pipe.len() > 8);
        assert_eq!(scaled(&["scaling.task"]).unwrap().len(), selected(&["scaling.task"]).len());
        assert!(scaled(&["clock"]).unwrap_err().to_string().contains("oscope list scaling"));
    }

    #[test]
    fn the_point_of_one_cpu_comes_with_those_of_several() {
        let mut with = selected(&["scaling.message call=pipe object=shared cpus=2"]);
        assert_eq!(with.len(), 1);
        add_alone(flawed::all_operations(), &mut with, Profile::Standard);
        let cpus: Vec<_> = with.iter().map(|(operation, at)| operation.point_id(at)).collect();
        assert_eq!(cpus.iter().filter_map(|id| id.parameter("cpus")).collect::<Vec<_>>(), ["2", "1"]);
    }

    fn texts(words: &[&str]) -> Vec<String> {
        selected(words).iter().map(|(operation, point)| operation.point_id(point).to_string()).collect()
    }

    #[test]
    fn conditions_select_the_points_that_satisfy_all_of_them() {
        for word in [
            "network.* path=remote",
            "network path=remote",
            "all path=remote",
            "file.* access=random file_size=*",
        ] {
            let (name, conditions) = word.split_once(' ').unwrap();
            let named = texts(&[name]);
            let expected: Vec<&String> = named
                .iter()
                .filter(|id| {
                    conditions.split(' ').all(|condition| {
                        let condition = condition.trim_end_matches('*');
                        id.split(' ').any(|pair| pair.starts_with(condition))
                    })
                })
                .collect();
            assert!(!expected.is_empty() && expected.len() < named.len(), "{word}");
            assert_eq!(texts(&[word]).iter().collect::<Vec<_>>(), expected, "{word}");
        }
    }

    #[test]
    fn conditions_hold_in_any_order_and_for_any_of_several_values() {
        let both = texts(&["switch.process.pipe cpu=same|other"]);
        assert_eq!(
            both,
            [
                "switch.process.pipe cpu=same",
                "switch.process.pipe cpu=other",
                "switch.process.pipe cpu=other idle=busy",
                "switch.process.pipe cpu=other idle=polling",
            ]
        );
        let one = texts(&["loop.iteration counter=register iterations=16"]);
        assert_eq!(texts(&["loop.iteration iterations=16 counter=register"]), one);
        assert!(texts(&["headline cpu=same"]).iter().all(|id| id.contains("cpu=same")));
    }

    #[test]
    fn ids_of_points_mean_these_points_alone() {
        let all = points_of(&[ALL], Profile::Thorough, true).unwrap();
        for (operation, point) in all.iter().filter(|(_, point)| !point.text().is_empty()) {
            let id = operation.point_id(point).to_string();
            let term = Term::new(&id, flawed::all_operations()).unwrap();
            let meant = all.iter().filter(|(operation, point)| term.is_for_point(operation, point));
            assert_eq!(meant.count(), 1, "{id}");
        }
    }

    #[test]
    fn what_no_point_satisfies_is_named_with_the_values_that_there_are() {
        for (word, says) in [
            (
                "switch.process.pipe cpu=smae",
                "no point of 'switch.process.pipe' has cpu=smae; did you mean cpu=same? (cpu is same",
            ),
            ("network.* pth=remote", "has a parameter 'pth'; did you mean path?"),
            ("syscall.floor cpu=same", "no point of 'syscall.floor' has a parameter 'cpu' (they have none)"),
            (
                "network.round_trip.tcp path=remote bytes=3B",
                "of 'network.round_trip.tcp' with path=remote has bytes=3B",
            ),
            ("netwrok.* path=remote", "nothing is called"),
            ("switch.process.pipe smae", "'smae' is not a condition"),
        ] {
            assert!(refused(word).contains(says), "{}", refused(word));
            let listed = select_operations(flawed::all_operations(), &[word.to_owned()]);
            assert_eq!(listed.unwrap_err().to_string(), refused(word));
        }
    }

    fn point_ids(word: &str, profile: Profile, flawed_methods: bool) -> Vec<String> {
        let selected = points_of(&[word], profile, flawed_methods).unwrap();
        selected.iter().map(|(operation, point)| operation.point_id(point).to_string()).collect()
    }

    #[test]
    fn points_of_another_profile_are_said_to_be() {
        let usual = point_ids(ALL, Profile::Standard, false);
        let thorough = point_ids(ALL, Profile::Thorough, false);
        let other = thorough.into_iter().find(|one| !usual.contains(one)).unwrap();
        let said = refused(&other);
        assert!(said.contains("add --profile thorough"), "{said}");
    }

    #[test]
    fn results_of_the_whole_run_are_listed_and_cannot_be_selected_alone() {
        let refused = refused("noise.shared_core");
        assert!(refused.contains("computed in every run"), "{refused}");
        let listed = select_operations(flawed::all_operations(), &["noise.shared_core".to_owned()]).unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!(ids(&selected(&["noise"])), ["noise.gaps"]);
        assert!(select_operations(flawed::all_operations(), &["nois".to_owned()]).is_err());
    }

    #[test]
    fn old_names_mean_the_current_ones() {
        let points = |word: &str| point_ids(word, Profile::Standard, true);
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
    fn flawed_methods_must_be_asked_for() {
        let id = "clock.read.rdtsc_cpuid";
        assert!(refused(id).contains("--with-flawed-methods"), "{}", refused(id));
        assert_eq!(ids(&points_of(&[id], Profile::Standard, true).unwrap()), [id]);
    }

    #[test]
    fn a_flawed_method_brings_the_right_one() {
        for method in flawed::methods() {
            let mut selected = points_of(&[method.card.id], Profile::Standard, true).unwrap();
            add_right_ones(flawed::all_operations(), &mut selected, Profile::Standard);
            let (id, point) = method.right;
            let has_right = selected.iter().any(|(operation, at)| operation.id == id && at.text() == point);
            assert!(has_right, "{}", method.card.id);
        }
    }

    #[test]
    fn unknown_words_are_met_with_a_suggestion() {
        let refused = refused("syscall.getpd");
        assert!(refused.contains("did you mean syscall.getp"), "{refused}");
    }

    #[test]
    fn the_headline_has_the_pairs_of_cpus_where_there_are_more_than_two() {
        let with_pairs = |words: &[&str], cpus: usize| {
            let mut points = selected(words);
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            leave_out_of_headline(flawed::all_operations(), &words, cpus, &mut points).unwrap();
            ids(&points).contains(&"pairs.cache_line")
        };
        assert_eq!(
            [1, 2, 3, 16, 1024, 4096].map(|cpus| with_pairs(&[HEADLINE], cpus)),
            [false, false, true, true, true, true]
        );
        assert!(!with_pairs(&[HEADLINE, "switch.* cpu=same"], 2));
        // Who names them gets them.
        assert!(
            with_pairs(&["pairs.cache_line"], 2) && with_pairs(&[HEADLINE, "os"], 2) && with_pairs(&[ALL], 2)
        );
    }

    #[test]
    fn the_headline_comes_with_the_short_parts_of_two_of_its_points() {
        let alone = selected(&[HEADLINE]);
        let mut with = alone.clone();
        add_common_parts(flawed::all_operations(), &mut with, Profile::Standard);
        let ids = ids(&with);
        // Of many; of `fork_wait` only; of all latencies, and long.
        assert!(ids.contains(&"syscall.floor") && ids.contains(&"switch.process.eventfd"));
        assert!(!ids.contains(&"process.end.exit_wait") && !ids.contains(&"memory.levels"));
        let more = with.len() - alone.len();
        assert!((8..=14).contains(&more), "{more}");
    }

    #[test]
    fn parts_come_with_their_own_parts() {
        let mut selected = selected(&["ipc.pipe.round_trip cpu=same"]);
        add_parts(flawed::all_operations(), &mut selected, Profile::Standard);
        let ids = ids(&selected);
        for part in ["syscall.floor", "syscall.pipe.self", "switch.thread.futex", "clock.frequency"] {
            assert!(ids.contains(&part), "{part} is missing in {ids:?}");
        }
    }
}
