//! How far whole runs differ from each other, beside other programs that measure the same in the same minutes.

use super::process::{Oscope, Scratch};
use crate::agree::Plain;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// What is measured.
const POINTS: &[&str] = &[
    "syscall.getppid",
    "switch.process.pipe cpu=same",
    "call.procedure arguments=0",
    "thread.create.join",
    "process.create.fork_wait resident_mib=0",
    "memory.latency pages=4KiB size=16KiB",
    "memory.latency pages=4KiB size=64MiB",
    "ipc.pipe.round_trip cpu=same",
];

/// Other programs: what they measure, and the words that start the plain one.
const PLAIN: &[(&str, &str)] = &[
    ("getppid, plain C loop", "getppid"),
    ("pipe round trip on one CPU, plain C loop", "pipe"),
];

/// The last CPU, on which oscope's main actor runs, too.
const CPU: &str = "1";

/// The time of one run.
const BUDGET: &str = "20s";

/// Values of one thing, one for each run.
type Values = BTreeMap<String, Vec<f64>>;

/// Measures so many times, alternating with the other programs, and prints how far the runs differ.
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
    }
    println!("{}", clocks(&oscope, &records)?);
    println!(
        "| what | median | coefficient of variation | furthest from the median |\n| --- | --- | --- | --- |"
    );
    for (title, arguments) in [("", &[][..]), (", at 3 GHz", &["--clock", "3GHz"])] {
        let mut values = Values::new();
        for record in &records {
            for row in oscope.rows(record, arguments)? {
                let name = format!("{}{title}", row.name());
                values.entry(name).or_default().extend(row.typical);
            }
        }
        print(&values);
    }
    print(&others);
    Ok(true)
}

/// What the runs say of the machine: share of the time that was quiet, and the core's clock.
fn clocks(oscope: &Oscope<'_>, records: &[Scratch]) -> Result<String> {
    let mut text = String::new();
    for record in records {
        let report = oscope.report(record, &["--format", "json"])?;
        let json: serde_json::Value = serde_json::from_str(&report)?;
        text += &format!("{} {}\n", json["core_hz"], json["cpus"]);
    }
    Ok(text)
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
        let n = sorted.len() as f64;
        let mean = sorted.iter().sum::<f64>() / n;
        let variance = sorted.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let furthest = sorted
            .iter()
            .map(|value| (value / median - 1.0).abs())
            .fold(0.0, f64::max);
        println!(
            "| {what} | {median:.2} | {:.2} % | {:.2} % |",
            100.0 * variance.sqrt() / mean,
            100.0 * furthest
        );
    }
}
