//! `oscope history`: the values of points over the runs of a machine, and where their level changed.

mod acknowledged;

use crate::arguments::{ChangeRule, History as Arguments};
use crate::exit::{Exit, nothing};
use crate::history::{Differs, History, MEMORY, MOST_RUNS, PastRun};
use crate::notice::notice;
use crate::operation_list::operation;
use crate::{Operations, kept, output, records, select};
use acknowledged::Acknowledged;
use analysis::{Analysis, EarlierRuns, Histories, PastValue, PointHistory, Row};
use record::{Machine, PlannedPoint};
use report::{HistoryView, ShownStep};
use std::collections::HashMap;
use std::path::PathBuf;

/// Records that are read, the newest first: years of nights.
const MOST_FILES: usize = 5000;

/// Points of which every value is shown; of more, a line each.
const FEW: usize = 3;

/// Runs up to which that is so: a year of nights, and not the minutes of a watch.
const MOST_SHOWN: usize = 400;

pub fn run(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    let Words { folder, record, selection } = Words::of(&arguments.what);
    let mut histories = Histories::default();
    let mut add = |place: usize, run: &mut PastRun| histories.add(place, run.take_rows());
    let mut history = History::read_each(folder.as_deref(), MOST_FILES, &mut add)?;
    history.warn();
    let runs = history.runs.len();
    if let Some(folder) = &folder {
        kept::minutes(folder, |run| history.add(run, &mut add))?;
    }
    let has_minutes = history.runs.len() > runs;
    let newest = match record {
        Some(path) => history.take(&path, &mut add)?,
        None => history.newest().ok_or_else(|| {
            nothing("there is no record with estimates in the directory; make one with 'oscope run'")
        })?,
    };
    let (order, left_out) = runs_of_the_machine(&history, newest, arguments.one_type);
    let runs: Vec<&PastRun> = order.iter().filter_map(|run| history.runs.get(*run)).collect();
    let points = selected(operations, histories.over(&order), &selection)?;
    let alike = alike(&runs, history.runs.get(newest))?;
    let started: Vec<&str> = runs.iter().map(|run| run.header.started.as_str()).collect();
    let count = points.len();
    let points: Vec<PointHistory> = points
        .into_iter()
        .map(|(point, values)| {
            let history = PointHistory::new(point, values, &started, count, &alike);
            // What runs differ by is not what the minutes of a watch differ by.
            PointHistory { between_runs: history.between_runs.filter(|_| !has_minutes), ..history }
        })
        .collect();
    let acknowledged = match &arguments.acknowledged {
        Some(path) => Acknowledged::read(path)?,
        None => Acknowledged::default(),
    };
    let shown = shown(&runs);
    let steps = steps(&points, &shown, &acknowledged);
    let view = HistoryView {
        runs: &shown,
        is_detailed: arguments.full || points.len() <= FEW && runs.len() <= MOST_SHOWN,
        points: &points,
        steps: &steps,
        left_out: &left_out,
    };
    let form = arguments.format;
    output::write(&arguments.output, output::marks(form), |width, style, out| {
        report::history(&view, form.on(width, style), out)
    })?;
    if points.iter().all(|point| point.values.len() < analysis::LEAST_RUNS) {
        for rule in &arguments.fail_if {
            notice!("oscope: {rule}: not looked for, because no point has {} runs", analysis::LEAST_RUNS);
        }
    }
    Ok(judge(&steps, &shown, &arguments.fail_if))
}

/// What the words of a command line mean.
#[derive(Default)]
struct Words {
    folder: Option<PathBuf>,
    record: Option<PathBuf>,
    selection: Vec<String>,
}

impl Words {
    fn of(all: &[String]) -> Self {
        let mut words = Self::default();
        for word in all {
            let path = PathBuf::from(word);
            if words.folder.is_none() && (path.is_dir() || word.ends_with('/')) {
                words.folder = Some(path);
            } else if words.record.is_none() && records::is_named(word) {
                words.record = Some(path);
            } else {
                words.selection.push(word.clone());
            }
        }
        words
    }
}

/// The places of the runs on the machine of this one, or on all of one type, in order of time; and what else is to be said of
/// machines and records.
fn runs_of_the_machine(history: &History, newest: usize, one_type: bool) -> (Vec<usize>, Vec<String>) {
    let other_by = |run: &PastRun| {
        let differences = run.conditions().differences(history.runs.get(newest)?.conditions());
        differences.into_iter().find_map(|one| if let Differs::Machine(key) = one { Some(key) } else { None })
    };
    let all = history.runs.iter().enumerate().map(|(place, run)| (place, run, other_by(run)));
    let is_meant = |key: Option<&str>| key.is_none() || one_type && key == Some(MEMORY);
    let meant: Vec<(usize, &PastRun, Option<&str>)> = all.filter(|(.., key)| is_meant(*key)).collect();
    let several = meant.iter().any(|(.., key)| key.is_some());
    let several =
        several.then(|| "several machines of one type: the values include what they differ by".to_owned());
    let mut runs: Vec<(usize, &PastRun)> = meant.into_iter().map(|(place, run, _)| (place, run)).collect();
    runs.sort_by(|(_, one), (_, other)| one.header.started.cmp(&other.header.started));
    let others = history.runs.len() - runs.len();
    let others =
        (others > 0).then(|| format!("not shown: {} of other machines", report::many(others, "record")));
    let older =
        (history.left_out > 0).then(|| format!("not read: {}", report::many(history.left_out, "older file")));
    (
        runs.into_iter().map(|(place, _)| place).collect(),
        several.into_iter().chain(others).chain(older).collect(),
    )
}

/// The steps of all points: first those that last and are not acknowledged, the largest first.
fn steps<'a>(
    points: &'a [PointHistory],
    runs: &[report::PastRun<'_>],
    acknowledged: &Acknowledged,
) -> Vec<ShownStep<'a>> {
    let all = points.iter().flat_map(|history| history.steps.iter().map(move |step| (history, step)));
    let mut steps: Vec<ShownStep<'_>> = all
        .map(|(history, step)| {
            let step = ShownStep { history, step, acknowledged: None };
            ShownStep { acknowledged: acknowledged.why(&step, runs), ..step }
        })
        .collect();
    let size =
        |step: &ShownStep<'_>| step.step.change.relative_cost().map_or(0.0, |change| change.value.ln().abs());
    steps.sort_by(|one, other| {
        let later = |step: &ShownStep<'_>| (step.acknowledged.is_some(), !step.step.lasts);
        later(one).cmp(&later(other)).then(size(other).total_cmp(&size(one)))
    });
    steps
}

/// Ends with the code for findings where the newest run is behind a step that a rule looks for and that is not acknowledged.
fn judge(steps: &[ShownStep<'_>], runs: &[report::PastRun<'_>], rules: &[ChangeRule]) -> Exit {
    let mut exit = Exit::Success;
    for rule in rules {
        let met = steps.iter().filter(|shown| {
            shown.acknowledged.is_none() && shown.step.lasts && rule.is_met(&shown.step.change)
        });
        let found: Vec<String> = met.map(|shown| shown.words(runs)).collect();
        if !found.is_empty() {
            notice!("oscope: {rule}: {}", found.join(", "));
            exit = Exit::Findings;
        }
    }
    exit
}

/// What the newest runs say that were measured as the newest one.
fn alike(runs: &[&PastRun], newest: Option<&PastRun>) -> anyhow::Result<EarlierRuns> {
    let mut alike = EarlierRuns::default();
    let same = runs.iter().rev().filter(|run| {
        newest.is_some_and(|newest| run.conditions().differences(newest.conditions()).is_empty())
    });
    for run in same.take(MOST_RUNS) {
        alike.add(&run.rows_again()?);
    }
    Ok(alike)
}

/// The points that are meant, with their values.
fn selected(
    operations: Operations,
    points: Vec<(PlannedPoint, Vec<PastValue>)>,
    words: &[String],
) -> anyhow::Result<Vec<(PlannedPoint, Vec<PastValue>)>> {
    let rows = points.iter().map(|(point, _)| {
        let area = operation(operations, &point.id.operation).map_or("", |operation| operation.area.name());
        Row::new(PlannedPoint { area: area.to_owned(), ..point.clone() })
    });
    let mut all = Analysis { rows: rows.collect(), ..Analysis::default() };
    if !words.is_empty() {
        select::keep(operations, words, &mut [("the records", &mut all)])?;
    }
    let mut values: HashMap<_, _> = points.into_iter().map(|(point, values)| (point.id, values)).collect();
    let kept = all.rows.into_iter().map(|row| row.point);
    Ok(kept.filter_map(|point| values.remove(&point.id).map(|values| (point, values))).collect())
}

/// The runs as they are shown, each with what changed since the one before.
fn shown<'r>(runs: &[&'r PastRun]) -> Vec<report::PastRun<'r>> {
    let before = std::iter::once(None).chain(runs.iter().map(Some));
    let shown = runs.iter().zip(before).map(|(run, before)| report::PastRun {
        name: records::name_of(&run.path),
        header: &run.header,
        kernel: run.machine.text("kernel.release"),
        changed: before.map(|before| changes(before, run)).unwrap_or_default(),
    });
    shown.collect()
}

/// In what a run differs from the one before it, in words.
fn changes(before: &PastRun, run: &PastRun) -> Vec<String> {
    let differences = run.conditions().differences(before.conditions());
    let words = differences.into_iter().map(|differs| match differs {
        Differs::Machine(key) | Differs::Libraries(key) => between(key, key, before, run),
        Differs::Kernel(key) => between("kernel", key, before, run),
        Differs::Program => {
            let [before, now] = [before, run].map(|run| {
                let commit = run.header.commit.as_ref();
                format!(
                    "{}{}",
                    run.header.program,
                    commit.map_or_else(String::new, |commit| format!(" ({commit})"))
                )
            });
            format!("oscope {before} → {now}")
        }
        Differs::Settings(name) => format!("another {name}"),
    });
    words.collect()
}

/// A fact in the run before, and in this one.
fn between(name: &str, key: &str, before: &PastRun, run: &PastRun) -> String {
    let known = |machine: &Machine| {
        machine.get(key).and_then(report::fact_value).unwrap_or_else(|| "unknown".to_owned())
    };
    format!("{name} {} → {}", known(&before.machine), known(&run.machine))
}
