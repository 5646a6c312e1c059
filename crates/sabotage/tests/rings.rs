//! A ring of many processes: none is left when the worker is killed in the middle, and a limit is a reason.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Bench, LIMIT, SABOTEUR, find};
use record::{PointId, Purpose, Request};
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

const RING: &str = "processes=96 kib=0";

#[test]
fn a_worker_that_is_killed_leaves_none_of_its_ring_behind() {
    let bench = Bench::new();
    let cpu = sys::cpu::allowed().unwrap().first().copied();
    let request = Request {
        protocol: measure::worker::PROTOCOL,
        purpose: Purpose::Trial,
        id: PointId::new("switch.process.ring", RING),
        cpu,
        peer_cpu: None,
        seed: 1,
        spend_ns: u64::MAX,
    };
    let mut worker = bench
        .saboteur(&["worker"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = worker.stdin.take().unwrap();
    writeln!(input, "{}", serde_json::to_string(&request).unwrap()).unwrap();
    let soon = Instant::now() + LIMIT;
    while bench.processes().len() < 96 && Instant::now() < soon {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(
        worker.try_wait().unwrap(),
        None,
        "it ended before it could be killed"
    );
    worker.kill().unwrap();
    worker.wait().unwrap();
    bench.nobody_is_left();
}

#[test]
fn a_ring_that_a_limit_forbids_is_skipped_and_its_processes_are_gone() {
    let bench = Bench::new();
    let record = bench.path("record.jsonl");
    // Descriptors for some twenty of the pipes; a worker has a few of its own.
    let limited = "ulimit -n 24; exec \"$@\"";
    let point = format!("switch.process.ring {RING}");
    let words = [
        "-c", limited, "sh", SABOTEUR, "run", "--quiet", "--rounds", "2", "--output",
    ];
    let mut command = bench.command("sh");
    command.args(words).arg(&record).arg(&point);
    bench.finish(command);
    let rows = bench.rows(&record);
    let row = find(&rows, "switch.process.ring", RING);
    // The first process of a ring keeps two ends, whatever its length: no limit on open files stands in its way.
    assert!(
        ["noisy", "measured", "skipped"].contains(&row.verdict.as_str()),
        "{row:?}"
    );
    bench.nobody_is_left();
}
