//! How far whole runs differ from each other, beside other programs that measure the same in the same minutes.

use crate::agree::{self, Comparison, ToolRunner};
use crate::command::program;
use crate::markdown;
use crate::oscope_run::OscopeRun;
use anyhow::Result;
use std::collections::BTreeMap;
use std::path::Path;

/// What is measured.
const POINTS: &[&str] = &[
    "syscall.getppid method=libc",
    "switch.process.pipe cpu=same",
    "call.procedure arguments=0",
    "thread.create.join",
    "process.create.fork_wait resident=0B",
    "memory.latency page_size=4KiB bytes=16KiB",
    "memory.latency page_size=4KiB bytes=64MiB",
    "ipc.pipe.round_trip cpu=same",
];

/// The time of one run.
const BUDGET: &str = "20s";

/// Values of one thing, one for each run.
type Values = BTreeMap<String, Vec<f64>>;

/// Tools that measure some of it, in a few seconds.
const TOOLS: [&str; 2] = ["plain C", "perf bench"];

/// Runs that are compared.
const RUNS: usize = 10;

/// Measures, alternating with the other programs, and prints how far the runs differ.
pub fn repeat(root: &Path) -> Result<bool> {
    let program = program(root, &["--release"])?;
    let oscope = OscopeRun::new(&program);
    let runner = ToolRunner::new(root)?;
    let comparisons: Vec<&Comparison> =
        agree::OS.iter().filter(|one| POINTS.contains(&one.ours) && TOOLS.contains(&one.tool.name)).collect();
    let (mut theirs, mut records) = (Values::new(), Vec::new());
    for run in 1..=RUNS {
        eprintln!("run {run} of {RUNS}");
        let options = ["--cpu", &runner.cpus.own, "--budget", BUDGET];
        records.push(oscope.recorded(&[POINTS, &options].concat())?);
        for one in &comparisons {
            // A tool that is not installed has no figure.
            let figures = theirs.entry(format!("{}, {}", one.what, one.tool.name)).or_default();
            figures.extend(runner.figure(one).ok());
        }
    }
    let (mut times, mut cycles) = (Values::new(), Values::new());
    for record in &records {
        for row in oscope.rows(record)? {
            let in_cycles = row.typical.zip(row.core_hz).map(|(ns, hertz)| ns * hertz / 1e9);
            cycles.entry(format!("{}, in core cycles", row.name())).or_default().extend(in_cycles);
            times.entry(row.name()).or_default().extend(row.typical);
        }
    }
    let rows = times.into_iter().chain(cycles).chain(theirs).filter_map(|(what, values)| row(what, &values));
    let titles = ["what", "median", "coefficient of variation", "furthest from the median"];
    print!("{}", markdown::table(&titles, rows));
    Ok(true)
}

fn row(what: String, values: &[f64]) -> Option<Vec<String>> {
    eprintln!("{what}: {values:.2?}");
    let median = stats::order::median(values)?;
    let variation = stats::spread::deviation(values).unwrap_or(f64::NAN) / stats::spread::mean(values)?;
    let furthest = values.iter().map(|value| (value / median - 1.0).abs()).fold(0.0, f64::max);
    let [variation, furthest] = [variation, furthest].map(|share| format!("{:.2} %", 100.0 * share));
    Some(vec![what, format!("{median:.2}"), variation, furthest])
}
