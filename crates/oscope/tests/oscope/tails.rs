//! Runs in which every iteration is timed: percentiles, refused ones, and stops that are planted in the worker.

use super::{oscope, text};
use serde_json::Value;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The children of a process, by its threads.
fn children(pid: u32) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

fn signal(pid: u32, name: &str) {
    // The worker may be over by now.
    let _ = programs::command("kill").args([&format!("-{name}"), &pid.to_string()]).output();
}

/// Runs wake-ups, stops each worker for 6 ms again and again when it is asked for, and gives the tail of the run.
fn run(arguments: &[&str], plants: bool) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let record = folder.path().join("record.jsonl");
    let mut command = programs::command(assert_cmd::cargo::cargo_bin("oscope"));
    command.args([
        "run",
        "--tail",
        "-q",
        "wakeup.latency load=idle",
        "--duration",
        "1200ms",
        "--rounds",
        "6",
    ]);
    command.args(arguments).arg("-o").arg(&record).env("XDG_STATE_HOME", folder.path());
    let mut running = command.stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while running.try_wait().unwrap().is_none() && begun.elapsed() < Duration::from_secs(60) {
        for worker in children(running.id()).into_iter().filter(|_| plants) {
            signal(worker, "STOP");
            std::thread::sleep(Duration::from_millis(6));
            signal(worker, "CONT");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(running.wait().unwrap().success());
    let shown = oscope(folder.path()).args(["report", "--format", "json"]).arg(&record).output().unwrap();
    let document: Value = serde_json::from_str(&text(&shown.stdout)).unwrap();
    document["tails"][0].clone()
}

#[test]
fn planted_stops_are_classed_as_stops() {
    let tail = run(&[], true);
    let counts = tail["causes"]["counts"].as_array().unwrap();
    let stopped = counts.iter().find(|count| count["cause"] == "stopped by a signal");
    assert!(stopped.is_some_and(|count| count["count"].as_u64() > Some(0)), "{tail}");
    // What was stopped for 6 ms woke up late.
    let worst = tail["causes"]["worst"].as_array().unwrap();
    let worst = worst.iter().filter(|one| one["cause"] == "stopped by a signal");
    assert!(worst.filter_map(|one| one["ns"].as_u64()).any(|ns| ns > 4_000_000), "{tail}");
}

#[test]
fn percentiles_have_intervals_or_are_refused() {
    let tail = run(&["--rate", "100"], false);
    let service = &tail["service"];
    let percentiles = service["percentiles"].as_array().unwrap();
    // 3 trials of 200 ms have some 600 wake-ups: enough for p99, too few for p99.9.
    let shares: Vec<f64> = percentiles.iter().filter_map(|found| found["share"].as_f64()).collect();
    assert!(!shares.contains(&0.999) && shares.contains(&0.9), "{tail}");
    assert!(
        percentiles.iter().all(|found| found["low"].is_null()),
        "three processes have no interval: {tail}"
    );
    // A timer keeps its own schedule.
    assert!(tail["rate"].is_null() && tail["response"].is_null(), "{tail}");
}
