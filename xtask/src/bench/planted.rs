//! `cargo xtask bench planted`: small changes that are known to be there, between runs of a minute each, and how many of them
//! `compare` finds. A filter of system calls costs what its length says; another point stands for a switch or a latency that
//! changed: of a costlier kind, of a larger working set.

use super::next_run::after;
use super::runs::{self, Run};
use crate::command::program;
use crate::markdown;
use crate::oscope_run::OscopeRun;
use analysis::{Analysis, Compare, Decision, EarlierRuns, Limits, Row, compare};
use anyhow::{Context, Result};
use record::PointId;
use std::path::{Path, PathBuf};

/// What is measured, or read.
#[derive(clap::Args)]
pub struct Choice {
    /// Pairs of runs of each change
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=100))]
    pairs: u16,
    /// Runs before the first pair, which count as earlier records
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(0..=20))]
    earlier: u16,
    /// Time of a run
    #[arg(long, value_name = "TIME", default_value = "60s")]
    budget: String,
    /// Judge the records of this directory again, which this command left there
    #[arg(long, value_name = "DIR")]
    records: Option<PathBuf>,
}

/// A change that longer filters make.
struct Planted {
    /// How its records are called.
    name: &'static str,
    operation: &'static str,
    point: &'static str,
    change: f64,
}

const PLANTED: [Planted; 2] = [
    Planted { name: "call", operation: "syscall.getppid", point: "method=raw", change: 0.03 },
    Planted {
        name: "read",
        operation: "file.read.direct",
        point: "access=random file_size=64MiB",
        change: 0.25,
    },
];

/// Points of which one stands for another whose cost changed.
struct StandIn {
    /// How its records are called.
    name: &'static str,
    selection: &'static str,
    change: f64,
}

const STAND_INS: [StandIn; 2] = [
    StandIn { name: "switch", selection: "switch.* cpu=same", change: 0.05 },
    StandIn { name: "latency", selection: "memory.latency page_size=4KiB", change: 0.10 },
];

/// How records without a change are called.
const SAME: &str = "same";

/// Instructions of the filter without a change, of the one that tells what an instruction costs, of the longest of one
/// filter, and of all together (`MAX_INSNS_PER_PATH` of the kernel, less the penalty of each).
const SHORT: u32 = 2;
const LONG: u32 = 4000;
const MOST: u32 = 8 * LONG;

impl Planted {
    fn id(&self) -> PointId {
        PointId::new(self.operation, self.point)
    }

    /// Instructions that make this change, by what a point costs under a short filter and under a long one.
    fn length(&self, short: &Run, long: &Run) -> Result<u32> {
        let [short, long] = [short, long].map(|run| {
            let row = run.analysis.row(&self.id());
            row.and_then(Row::typical).with_context(|| format!("{} has no number", self.id()))
        });
        let (short, long) = (short?, long?);
        let instruction = (long - short) / f64::from(LONG - SHORT);
        let length = f64::from(SHORT) + self.change * short / instruction;
        eprintln!("{}: an instruction {instruction:.4} ns, {length:.0} of them are planted", self.id());
        Ok((length.round() as u32).clamp(SHORT, MOST))
    }
}

/// Measures or reads the runs, and prints the table.
pub fn planted(root: &Path, choice: &Choice) -> Result<bool> {
    let folder = match &choice.records {
        Some(folder) => folder.clone(),
        None => {
            let folder = root.join(format!("target/bench/planted-{}", std::process::id()));
            std::fs::create_dir_all(&folder)?;
            measure(&OscopeRun::new(&program(root, &["--release"])?), choice, &folder)?;
            println!("records: {} (again: --records {0})\n", folder.display());
            folder
        }
    };
    let same = read(&folder, SAME)?;
    let earlier = usize::from(choice.earlier).min(same.len().saturating_sub(1));
    let mut rows = Vec::new();
    for planted in &PLANTED {
        let changed = read(&folder, planted.name)?;
        rows.push(row(&planted.id(), &planted.id(), planted.change, earlier, &same, &changed));
    }
    for stand_in in &STAND_INS {
        let runs = read(&folder, stand_in.name)?;
        if let Some((from, to)) = costlier(&runs, stand_in.change) {
            // A run has both points; the costlier one of the next run stands for a change of the other.
            let earlier = earlier.min(runs.len().saturating_sub(2));
            let next = runs.get(earlier + 1..).unwrap_or_default();
            rows.push(row(&from, &to, stand_in.change, earlier, &runs, next));
        }
    }
    let titles = [
        "point",
        "planted",
        "measured",
        "found by the table",
        "found after earlier runs",
        "A/A called different",
    ];
    print!("{}", markdown::table(&titles, rows));
    Ok(true)
}

/// Runs under filters, in shuffled order within each round, and runs of latencies.
fn measure(oscope: &OscopeRun<'_>, choice: &Choice, folder: &Path) -> Result<()> {
    let points = PLANTED.map(|planted| planted.id().to_string());
    let points: Vec<&str> = points.iter().map(String::as_str).chain(["--budget", &choice.budget]).collect();
    let record = |name: &str, number: u16| folder.join(format!("{name}-{number:03}.oscope.jsonl"));
    let [short, long] = [SHORT, LONG].map(|length| {
        let path = folder.join(format!("length-{length}.oscope.jsonl"));
        oscope.record_under(&filters(length), &points, &path).map(|()| runs::read_records(&[path]))
    });
    let (short, long) = (short?, long?);
    let (short, long) = short.first().zip(long.first()).context("no records")?;
    let mut lengths = vec![(SAME, SHORT)];
    for planted in &PLANTED {
        lengths.push((planted.name, planted.length(short, long)?));
    }
    let mut random = fastrand::Rng::with_seed(1);
    for round in 1..=choice.earlier + choice.pairs {
        eprintln!("round {round} of {}", choice.earlier + choice.pairs);
        random.shuffle(&mut lengths);
        for (name, length) in &lengths {
            if round > choice.earlier || *name == SAME {
                oscope.record_under(&filters(*length), &points, &record(name, round))?;
            }
        }
        stand_ins(oscope, choice, &record, round)?;
    }
    // The last pair needs a run after it.
    stand_ins(oscope, choice, &record, choice.earlier + choice.pairs + 1)
}

/// A run of each set of points of which one stands for another.
fn stand_ins(
    oscope: &OscopeRun<'_>,
    choice: &Choice,
    record: &dyn Fn(&str, u16) -> PathBuf,
    round: u16,
) -> Result<()> {
    STAND_INS.iter().try_for_each(|one| {
        oscope.record_into(&[one.selection, "--budget", &choice.budget], &record(one.name, round))
    })
}

/// Lengths of filters that have this length together.
fn filters(length: u32) -> Vec<u32> {
    let whole = std::iter::repeat_n(LONG, (length / LONG) as usize);
    whole.chain(Some(length % LONG).filter(|rest| *rest >= SHORT)).collect()
}

/// The records of this name in the order of their numbers, at one clock.
fn read(folder: &Path, name: &str) -> Result<Vec<Run>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        file.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
    });
    paths.sort();
    Ok(runs::read_records(&paths))
}

/// The two points whose median costs over these runs differ most nearly by the change.
fn costlier(runs: &[Run], change: f64) -> Option<(PointId, PointId)> {
    let ids = runs.first()?.analysis.rows.iter().map(|row| &row.point.id);
    let costs = ids.filter_map(|id| {
        let values = runs.iter().filter_map(|run| run.analysis.row(id)?.typical());
        Some((id, stats::order::median(values.collect::<Vec<_>>())?))
    });
    let costs: Vec<(&PointId, f64)> = costs.collect();
    let pairs = costs.iter().flat_map(|one| costs.iter().map(move |other| (one, other)));
    let pairs =
        pairs.map(|((from, less), (to, more))| ((more / less / (1.0 + change)).ln().abs(), *from, *to));
    let (_, from, to) = pairs.min_by(|(one, ..), (other, ..)| one.total_cmp(other))?;
    Some((from.clone(), to.clone()))
}

/// A line of the table: in how many pairs a change from one point to another is found, the runs before the pair known or not.
fn row(
    from: &PointId,
    to: &PointId,
    change: f64,
    earlier: usize,
    same: &[Run],
    changed: &[Run],
) -> Vec<String> {
    let (mut found, mut called, mut ratios) = ([0; 2], 0, Vec::new());
    let pairs = same.iter().skip(earlier).zip(changed);
    for (place, (first, second)) in pairs.clone().enumerate() {
        let mut known = EarlierRuns::default();
        same.iter().take(earlier + place).for_each(|run| known.add(&run.analysis.summary_rows()));
        for (found, known) in found.iter_mut().zip([&EarlierRuns::default(), &known]) {
            let decision = decided(first, from, second, to, known);
            *found += usize::from(decision == Some(Decision::Slower));
        }
        let next = same.get(earlier + place + 1).and_then(|next| decided(first, from, next, from, &known));
        called += usize::from(next.is_some_and(Decision::is_change));
        let value = |run: &Run, id: &PointId| run.analysis.row(id).and_then(Row::typical);
        ratios.extend(value(first, from).zip(value(second, to)).map(|(one, other)| other / one));
    }
    let pairs = pairs.count();
    let measured = stats::order::median(&ratios).map_or(f64::NAN, |ratio| 100.0 * (ratio - 1.0));
    let name = if from == to { from.to_string() } else { format!("{from}, as {to}") };
    let found = found.map(|found| format!("{found} of {pairs}"));
    let [by_table, after_earlier] = found;
    vec![
        name,
        format!("{:+.0} %", 100.0 * change),
        format!("{measured:+.1} %"),
        by_table,
        format!("{after_earlier} ({earlier} and more)"),
        format!("{called} of {}", pairs.min(same.len().saturating_sub(earlier + 1))),
    ]
}

/// What `compare` says of a point of one run and a point of another, which stands for the same.
fn decided(first: &Run, from: &PointId, second: &Run, to: &PointId, known: &EarlierRuns) -> Option<Decision> {
    let [mut one, mut other] = [(first, from), (second, to)].map(|(run, id)| {
        let mut run = after(run, known);
        run.rows.retain(|row| row.point.id == *id);
        run
    });
    let (row, renamed) = (one.rows.pop()?, other.rows.pop()?);
    // What is known of its runs is that of the point whose change it stands for.
    let mut point = renamed.point.clone();
    point.id = from.clone();
    let renamed = Row { point, by_earlier_runs: row.by_earlier_runs, ..renamed };
    let [one, other] = [row, renamed].map(|row| Analysis { rows: vec![row], ..Analysis::default() });
    let first = Compare { machine: &first.machine, plan: &first.plan, analysis: &one, period: None };
    let second = Compare { machine: &second.machine, plan: &second.plan, analysis: &other, period: None };
    compare(&first, &second, &Limits::default()).points.first().map(|point| point.decision)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_as_long_together_as_they_must_be() {
        for (length, expected) in
            [(2, &[2][..]), (4000, &[4000]), (4001, &[4000]), (9000, &[4000, 4000, 1000]), (MOST, &[4000; 8])]
        {
            assert_eq!(filters(length), expected);
        }
    }
}
