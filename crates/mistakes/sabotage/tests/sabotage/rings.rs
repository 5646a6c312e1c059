//! A ring of many processes: none is left when the worker is killed in the middle, and a limit is a reason.

use crate::common::{Bench, LIMIT, NOBODY, can, find, may_become};
use record::{PointId, Purpose, Request};
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

const RING: &str = "processes=96 bytes=0B";

#[test]
fn a_killed_worker_leaves_no_ring_process() {
    let bench = Bench::shared();
    let cpu = sys::cpu::allowed().unwrap().first().copied();
    let request = Request {
        cpu,
        seed: 1,
        spend_ns: u64::MAX,
        ..measure::worker::request(Purpose::Trial, PointId::new("switch.process.ring", RING))
    };
    let mut worker = bench.saboteur(&["worker"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut input = worker.stdin.take().unwrap();
    writeln!(input, "{}", serde_json::to_string(&request).unwrap()).unwrap();
    let soon = Instant::now() + LIMIT;
    while bench.processes().len() < 96 && Instant::now() < soon {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(worker.try_wait().unwrap(), None, "it ended before it could be killed");
    worker.kill().unwrap();
    worker.wait().unwrap();
    bench.no_process_is_left();
}

#[test]
fn a_ring_that_a_limit_forbids_is_skipped_and_its_processes_are_gone() {
    let bench = Bench::shared();
    if !can("root, to become nobody by setpriv", may_become(NOBODY)) {
        return;
    }
    let program = bench.open_to_anybody();
    let record = bench.path("record.jsonl");
    let mut command = bench.command("setpriv");
    let prlimit = programs::path("prlimit");
    let limited = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", &prlimit, "--nproc=48"];
    command.args(limited).arg(&program);
    command.args(["run", "--quiet", "--rounds", "2", "--output"]).arg(&record);
    command.arg(format!("switch.process.ring {RING}"));
    bench.finish(command);
    let rows = bench.rows(&record);
    let row = find(&rows, "switch.process.ring", RING);
    assert_eq!(row.verdict, "skipped", "{row:?}");
    assert!(row.reason.contains("fork") && row.remedy.contains("ulimit -u"), "{row:?}");
    bench.no_process_is_left();
}
