//! `cargo xtask bench next-run`: how often the interval of a run covers the value of another run on the same machine, how
//! often `compare` calls two such runs different, and how wide the intervals are, by area.

use super::area::area;
use super::next_tail;
use super::runs::{self, Run};
use crate::command::program;
use crate::markdown;
use crate::oscope_run::OscopeRun;
use analysis::{Analysis, Compare, Decision, EarlierRuns, Limits, Row, compare};
use anyhow::Result;
use record::PointId;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is measured, or read.
#[derive(clap::Args)]
pub struct Choice {
    /// Runs that are measured
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=100))]
    runs: u16,
    /// Minutes from the beginning of a run to that of the next
    #[arg(long, value_name = "MIN", default_value_t = 5.0)]
    every: f64,
    /// Read the runs of this directory instead: records, or tables of `oscope report --format csv`
    #[arg(long, value_name = "DIR", conflicts_with = "selection")]
    records: Option<PathBuf>,
    /// Percentiles of the profile `tail` instead of medians
    #[arg(long)]
    tail: bool,
    /// What to measure, and further arguments of `oscope run` [default: headline]
    selection: Vec<String>,
}

/// Measures or reads the runs, and prints the tables.
pub fn next_run(root: &Path, choice: &Choice) -> Result<bool> {
    let runs = runs_of(root, "next-run", choice)?;
    if choice.tail {
        print!("{}", next_tail::table(&runs));
        return Ok(true);
    }
    println!("{} runs; the component between runs from the table:\n", runs.len());
    print!("{}", table(&figures(&runs, |_, _| EarlierRuns::default())));
    if runs.len() >= 5 {
        println!("\nfrom the other {} runs, as if they were earlier records:\n", runs.len() - 2);
        print!("{}", table(&figures(&runs, |one, other| others(&runs, one, other))));
    }
    if !runs.iter().any(|run| has_trials(&run.analysis)) {
        println!("\nTables have no trials: what `compare` would call different is by their intervals.");
    }
    Ok(true)
}

/// The runs that are measured, in a folder that is called after what they are for, or read.
pub fn runs_of(root: &Path, purpose: &str, choice: &Choice) -> Result<Vec<Run>> {
    let folder = match &choice.records {
        Some(folder) => folder.clone(),
        None => {
            let folder = root.join(format!("target/bench/{purpose}-{}", std::process::id()));
            let program = program(root, &["--release"])?;
            let every = Duration::try_from_secs_f64(60.0 * choice.every)?;
            let tail = choice.tail.then_some("--tail");
            let arguments: Vec<&str> =
                tail.into_iter().chain(choice.selection.iter().map(String::as_str)).collect();
            runs::measure(&OscopeRun::new(&program), choice.runs.into(), every, &arguments, &folder)?;
            println!("records: {} (again: --records {0})\n", folder.display());
            folder
        }
    };
    runs::read(&folder)
}

/// All runs but these two.
pub fn others(runs: &[Run], one: usize, other: usize) -> EarlierRuns {
    let mut earlier = EarlierRuns::default();
    let rest = runs.iter().enumerate().filter(|(place, _)| ![one, other].contains(place));
    rest.for_each(|(_, run)| earlier.add(&run.analysis.summary_rows()));
    earlier
}

/// What pairs of runs say of the points of an area.
#[derive(Debug, Default, PartialEq)]
struct Figures {
    points: std::collections::BTreeSet<PointId>,
    /// Pairs of a run and another one.
    pairs: usize,
    /// Those where the interval of the one run covers the value of the other.
    in_this_run: usize,
    /// Those where the interval of the next run does.
    in_next_run: usize,
    /// Half widths of the intervals of the next run.
    halves: Vec<f64>,
    /// Pairs that were compared, each once.
    compared: usize,
    /// Those that are called different.
    different: usize,
}

/// The areas, those of two CPUs separately, and all together.
fn figures(runs: &[Run], earlier: impl Fn(usize, usize) -> EarlierRuns) -> BTreeMap<&'static str, Figures> {
    let mut all: BTreeMap<&'static str, Figures> = BTreeMap::new();
    for one in 0..runs.len() {
        for other in (0..runs.len()).filter(|other| *other != one) {
            let earlier = earlier(one, other);
            let [first, second] = [one, other].map(|place| after(&runs[place], &earlier));
            let by_id: HashMap<&PointId, &Row> = second.rows.iter().map(|row| (&row.point.id, row)).collect();
            let pairs = first.rows.iter().filter_map(|row| Some((row, *by_id.get(&row.point.id)?)));
            for (row, next) in pairs {
                for area in [area(&row.point), "all"] {
                    all.entry(area).or_default().see(row, next);
                }
            }
            if one < other {
                let decisions = decisions([&runs[one], &runs[other]], [&first, &second]);
                for (row, is_different) in decisions {
                    for area in [area(&row.point), "all"] {
                        let figures = all.entry(area).or_default();
                        figures.compared += 1;
                        figures.different += usize::from(is_different);
                    }
                }
            }
        }
    }
    all
}

/// The analysis of a run after these.
pub fn after(run: &Run, earlier: &EarlierRuns) -> Analysis {
    let rows = run.analysis.rows.iter().cloned();
    let rows = rows.map(|row| Row { by_earlier_runs: earlier.between_runs(&row.point), ..row });
    Analysis { rows: rows.collect(), ..Analysis::default() }
}

impl Figures {
    /// Counts whether the intervals of a row cover the value that another run has. Rows without one say nothing.
    fn see(&mut self, row: &Row, next: &Row) {
        let this_run = row.estimate.as_ref().and_then(|estimate| estimate.interval);
        let (Some(this_run), Some(next_run), Some(value)) = (this_run, row.next_run(), next.typical()) else {
            return;
        };
        self.points.insert(row.point.id.clone());
        self.pairs += 1;
        self.in_this_run += usize::from((this_run.low..=this_run.high).contains(&value));
        self.in_next_run += usize::from((next_run.low..=next_run.high).contains(&value));
        self.halves.extend(row.next_run_half_width());
    }
}

/// The points of a pair of runs that `compare` can compare, and whether it calls them different.
fn decisions<'r>(runs: [&'r Run; 2], [first, second]: [&'r Analysis; 2]) -> Vec<(&'r Row, bool)> {
    if !has_trials(first) || !has_trials(second) {
        let pairs = first.rows.iter().filter_map(|row| Some((row, second.row(&row.point.id)?)));
        return pairs.filter_map(|(row, other)| Some((row, differ_by_intervals(row, other)?))).collect();
    }
    let side = |run: &'r Run, analysis: &'r Analysis| Compare {
        machine: &run.machine,
        plan: &run.plan,
        analysis,
        period: None,
    };
    let [one, other] = runs;
    let comparison = compare(&side(one, first), &side(other, second), &Limits::default());
    let points = comparison.points.iter().filter(|point| point.decision != Decision::Incomparable);
    points.filter_map(|point| Some((first.row(&point.id)?, point.decision.is_change()))).collect()
}

/// Whether a run is of a record: tables have no trials.
pub fn has_trials(analysis: &Analysis) -> bool {
    analysis.rows.iter().any(|row| !row.trials.is_empty())
}

/// Whether two values differ by more than both intervals allow, at the level of `compare`.
fn differ_by_intervals(row: &Row, other: &Row) -> Option<bool> {
    let (level, limits) = (stats::normal::beyond((1.0 - Limits::default().level) / 2.0), Limits::default());
    let [one, two] = [row, other].map(|row| {
        let within = level / stats::normal::beyond(0.025) * row.estimate.as_ref()?.half_width()?;
        Some((row.typical()?, within.hypot(row.between_runs()?.reach(level))))
    });
    let ((one, one_reach), (two, two_reach)) = (one?, two?);
    Some((two / one).ln().abs() > one_reach.hypot(two_reach) + limits.least.ln_1p())
}

fn table(all: &BTreeMap<&'static str, Figures>) -> String {
    let share = |part: usize, all: usize| match all {
        0 => "–".to_owned(),
        all => format!("{:.1} %", 100.0 * part as f64 / all as f64),
    };
    // All together come last.
    let (total, areas): (Vec<_>, Vec<_>) = all.iter().partition(|(area, _)| **area == "all");
    let rows = areas.into_iter().chain(total).map(|(area, figures)| {
        let half = stats::order::median(&figures.halves).unwrap_or(f64::NAN);
        vec![
            (*area).to_owned(),
            figures.points.len().to_string(),
            figures.pairs.to_string(),
            share(figures.in_this_run, figures.pairs),
            share(figures.in_next_run, figures.pairs),
            format!("{:.2} %", 100.0 * half),
            format!(
                "{} ({} of {})",
                share(figures.different, figures.compared),
                figures.different,
                figures.compared
            ),
        ]
    });
    let titles = [
        "area",
        "points",
        "pairs",
        "covered by this run",
        "covered by the next run",
        "median ± of the next run",
        "called different",
    ];
    markdown::table(&titles, rows)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;

    /// Tables of runs in which a point has these values, each ± 1 %.
    fn tables(values: &[f64]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (run, value) in values.iter().enumerate() {
            let text = format!(
                "operation,point,area,quantity,verdict,typical,low,high\nsyscall.floor,,os,latency,measured,{value},{},{}\n\
                 clock.frequency,clock=core,cpu,count,measured,1,1,1\nfile.stat,,file,latency,skipped,,,\n",
                0.99 * value,
                1.01 * value
            );
            fs::create_dir_all(folder.path().join("runs")).unwrap();
            fs::write(folder.path().join(format!("runs/{run}.csv")), text).unwrap();
        }
        folder
    }

    #[test]
    fn pairs_of_runs_are_counted_by_area() {
        let folder = tables(&[100.0, 101.2, 100.1, 99.9, 130.0]);
        let runs = runs::read(folder.path()).unwrap();
        let by_table = figures(&runs, |_, _| EarlierRuns::default());
        let calls = &by_table["system calls"];
        assert_eq!(calls, &by_table["all"]);
        assert_eq!((calls.points.len(), calls.pairs, calls.compared), (1, 20, 10));
        // Four values within ± 1.4 % of each other, and one beyond.
        assert_eq!((calls.in_next_run, calls.different), (12, 4));
        assert!(calls.in_this_run < 12);
        let with_others = figures(&runs, |one, other| others(&runs, one, other));
        // Where the run that differs is an earlier one, intervals are wider: by more than half of the pairs.
        let half = |figures: &Figures| stats::order::median(&figures.halves).unwrap();
        assert!(half(&with_others["all"]) > 3.0 * half(&by_table["all"]));
        assert!(table(&by_table).contains("60.0 %"), "{}", table(&by_table));
    }

    #[test]
    fn one_run_is_too_few() {
        assert!(runs::read(tables(&[100.0]).path()).is_err());
    }
}
