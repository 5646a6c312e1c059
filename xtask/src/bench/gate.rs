//! `cargo xtask bench gate`: what `oscope gate` gains beside a program that uses the CPU, and what a sham gate gains.
//!
//! A sham gate keeps as many runs as the real one, chosen by lot: what it gains is due to fewer runs, not to the trigger.

use super::beside::Beside;
use crate::command::program;
use crate::markdown;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Gates of a workload.
const GATES: usize = 5;

/// Share of its CPU that the neighbour uses, in percent.
const SHARE: u32 = 50;

/// What one gate found: three medians, in the unit of the workload.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Found {
    gated: f64,
    ungated: f64,
    sham: f64,
}

/// Measures the gates, and prints the deviation of their values.
pub fn gate(root: &Path) -> Result<bool> {
    let program = program(root, &["--release"])?;
    let cpu = sys::cpu::allowed()?.last().context("no CPU")?.to_string();
    let own = std::env::current_exe()?.display().to_string();
    let calls = ["--value", "([0-9.]+) ns", "--unit", "ns", "--", &own, "calls", "20000"];
    let perf = ["--value", "([0-9.]+) usecs/op", "--unit", "us", "--"];
    let perf = [&perf[..], &["perf", "bench", "syscall", "basic", "--loop", "10000"]].concat();
    let mut workloads = vec![("getppid, 20 000 calls", calls.to_vec())];
    if programs::locate("perf").is_some() {
        workloads.push(("perf bench syscall basic", perf));
    }
    let mut rows = Vec::new();
    for (name, words) in workloads {
        for (place, hog) in [("nothing", None), ("a program with half of the CPU", Some(SHARE))] {
            let _hog = hog.map(|percent| Beside::hog(&cpu, percent)).transpose()?;
            let mut found = Vec::new();
            for seed in 0..GATES {
                found.extend(one_gate(&program, &cpu, &words, seed as u64)?);
            }
            rows.push(row(name, place, &found));
        }
    }
    println!("Deviation of the values of {GATES} gates of 12 s each:\n");
    let titles = ["workload", "beside", "gates with a value", "gated", "ungated", "sham gate"];
    print!("{}", markdown::table(&titles, rows.into_iter()));
    Ok(true)
}

fn row(name: &str, beside: &str, found: &[Found]) -> Vec<String> {
    let deviation = |of: fn(&Found) -> f64| {
        let values: Vec<f64> = found.iter().map(of).collect();
        match (stats::spread::deviation(&values), stats::spread::mean(&values)) {
            (Some(deviation), Some(mean)) => {
                format!("{:.2} % (mean {mean:.4})", 100.0 * deviation / mean)
            }
            _ => "–".to_owned(),
        }
    };
    vec![
        name.to_owned(),
        beside.to_owned(),
        format!("{} of {GATES}", found.len()),
        deviation(|found| found.gated),
        deviation(|found| found.ungated),
        deviation(|found| found.sham),
    ]
}

/// One gate; `None` where too few runs were quiet.
fn one_gate(program: &Path, cpu: &str, words: &[&str], seed: u64) -> Result<Option<Found>> {
    let began = Instant::now();
    let mut command = Command::new(program);
    command
        .args(["gate", "--cpu", cpu, "--budget", "12s", "--rounds", "400", "--format", "json"])
        .args(words);
    let output = command.stderr(Stdio::inherit()).output().context("oscope gate")?;
    eprintln!("gate {seed}: {:.0} s", began.elapsed().as_secs_f64());
    let text = String::from_utf8_lossy(&output.stdout);
    if text.trim().is_empty() {
        return Ok(None);
    }
    Ok(found_in(&serde_json::from_str(&text).context("oscope gate --format json")?, seed))
}

/// The medians in the document of a gate.
fn found_in(document: &Value, seed: u64) -> Option<Found> {
    let value = |part: &str| document[part]["value"].as_f64();
    let mut values: Vec<f64> =
        document["runs"].as_array()?.iter().filter_map(|run| run["value"].as_f64()).collect();
    let kept = usize::try_from(document["gated"]["runs"].as_u64()?).ok()?;
    fastrand::Rng::with_seed(seed).shuffle(&mut values);
    values.truncate(kept);
    Some(Found { gated: value("gated")?, ungated: value("ungated")?, sham: stats::order::median(&values)? })
}

/// System calls in a loop, and what one took: the workload of a gate.
pub fn calls(count: u64) {
    let start = Instant::now();
    for _ in 0..count {
        std::hint::black_box(std::os::unix::process::parent_id());
    }
    println!("{:.3} ns", start.elapsed().as_nanos() as f64 / count.max(1) as f64);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sham_gate_keeps_as_many_runs_chosen_by_lot() {
        let runs: Vec<Value> = (1..=100).map(|value| serde_json::json!({ "value": value })).collect();
        let document = serde_json::json!({
            "gated": { "value": 7.0, "runs": 1 }, "ungated": { "value": 50.5, "runs": 100 }, "runs": runs,
        });
        let [one, other] = [1, 2].map(|seed| found_in(&document, seed).map(|found| found.sham));
        assert!(one.is_some() && other.is_some() && one != other);
        assert_eq!(found_in(&serde_json::json!({ "gated": null, "runs": [] }), 1), None);
    }
}
