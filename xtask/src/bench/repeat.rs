//! How far whole runs differ from each other, beside other programs that measure the same in the same minutes.

use super::process::Oscope;
use crate::agree::{Plain, Reads, figure};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

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

/// The plain C program: what it measures, and the words that start it.
const PLAIN: &[(&str, &str)] =
    &[("getppid, plain C loop", "getppid"), ("pipe round trip on one CPU, plain C loop", "pipe")];

/// `perf bench`, where it is installed: what it measures, and the words that start it.
const PERF: &[(&str, &[&str])] = &[
    ("getppid, perf bench", &["bench", "syscall", "basic", "--loop", "3000000"]),
    ("pipe round trip on one CPU, perf bench", &["bench", "sched", "pipe", "-l", "100000"]),
];

/// The last CPU, on which oscope's main actor runs, too.
const CPU: &str = "1";

/// The time of one run.
const BUDGET: &str = "20s";

/// Values of one thing, one for each run.
type Values = BTreeMap<String, Vec<f64>>;

/// Measures `runs` times, alternating with the other programs, and prints how far the runs differ.
pub fn repeat(root: &Path, runs: usize) -> Result<bool> {
    let program = crate::agree::build(root)?;
    let oscope = Oscope::new(&program);
    let plain = Plain::compile(root)?;
    let (mut others, mut records) = (Values::new(), Vec::new());
    for run in 1..=runs {
        eprintln!("run {run} of {runs}");
        records.push(oscope.recorded(&[POINTS, &["--cpu", CPU, "--budget", BUDGET]].concat())?);
        for (what, word) in PLAIN {
            let value = once(&plain.command(&[word, CPU, CPU]))?;
            others.entry((*what).to_owned()).or_default().push(value);
        }
        for (what, words) in PERF {
            if let Some(value) = by_perf(words) {
                others.entry((*what).to_owned()).or_default().push(value);
            }
        }
    }
    println!(
        "| what | median | coefficient of variation | furthest from the median |\n| --- | --- | --- | --- |"
    );
    let (mut times, mut cycles) = (Values::new(), Values::new());
    for record in &records {
        for row in oscope.rows(record, &[])? {
            let in_cycles = row.typical.zip(row.core_hz).map(|(ns, hertz)| ns * hertz / 1e9);
            cycles.entry(format!("{}, in core cycles", row.name())).or_default().extend(in_cycles);
            times.entry(row.name()).or_default().extend(row.typical);
        }
    }
    print(&times);
    print(&cycles);
    print(&others);
    Ok(true)
}

/// Nanoseconds that `perf` prints; `None` where it is not installed.
fn by_perf(words: &[&str]) -> Option<f64> {
    let output = Command::new("taskset").args(["-c", CPU, "perf"]).args(words).output().ok()?;
    figure(Reads::Before(" usecs/op", 1e3), &String::from_utf8_lossy(&output.stdout))
}

/// The median figure that a program prints.
fn once(words: &[String]) -> Result<f64> {
    let (program, arguments) = words.split_first().context("no program")?;
    let output = Command::new(program).args(arguments).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = text.split_whitespace().find_map(|word| word.parse().ok());
    number.with_context(|| format!("{program} printed no figure: {text}"))
}

fn print(all: &Values) {
    for (what, values) in all {
        let mut sorted = values.clone();
        sorted.sort_by(f64::total_cmp);
        let Some(median) = sorted.get(sorted.len() / 2).copied() else {
            continue;
        };
        eprintln!("{what}: {values:.2?}");
        let n = sorted.len() as f64;
        let mean = sorted.iter().sum::<f64>() / n;
        let variance = sorted.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let furthest = sorted.iter().map(|value| (value / median - 1.0).abs()).fold(0.0, f64::max);
        println!(
            "| {what} | {median:.2} | {:.2} % | {:.2} % |",
            100.0 * variance.sqrt() / mean,
            100.0 * furthest
        );
    }
}
