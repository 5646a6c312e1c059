//! What is left when a run ends as nobody planned: no process, a record that can be read and taken up
//! again, a table.

use crate::common::{Bench, LIMIT, SABOTEUR, can, is_root, works};
use analysis::Verdict;
use oscope_sabotage::endless;
use record::{EndReason, PointId, Purpose, Record, Request};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is measured where it does not matter what.
const POINTS: [&str; 4] =
    ["syscall.floor", "ipc.pipe.round_trip cpu=same", "switch.thread.futex cpu=same", "clock.read.monotonic"];

fn run<'w>(record: &'w Path, rounds: &'w str, points: &[&'w str]) -> Vec<&'w str> {
    ["run", "--rounds", rounds, "--output", record.to_str().unwrap()]
        .into_iter()
        .chain(points.iter().copied())
        .collect()
}

/// Trials that stand in a record so far.
fn trials(record: &Path) -> usize {
    Record::read(record).map_or(0, |record| record.trials.len())
}

/// Asserts that the record holds every round once for every point.
#[track_caller]
fn is_whole(record: &Path, rounds: u32) {
    let record = Record::read(record).unwrap();
    let mut times: BTreeMap<(u32, PointId), u32> = BTreeMap::new();
    let tried = record.trials.iter().map(|trial| (trial.round, trial.id.clone()));
    let failed = record.failures.iter().filter(|failure| failure.round > 0);
    for key in tried.chain(failed.map(|failure| (failure.round, failure.id.clone()))) {
        *times.entry(key).or_default() += 1;
    }
    for round in 1..=rounds {
        for point in &record.plan.as_ref().unwrap().points {
            let times = times.remove(&(round, point.id.clone()));
            // A point that is contradicted or failed is given up.
            let row =
                analysis::analyse(&record).rows.into_iter().find(|row| row.point.id == point.id).unwrap();
            let is_open = matches!(row.verdict, Verdict::Measured | Verdict::Noisy);
            assert!(
                times == Some(1) || !is_open && times.is_none(),
                "{} in round {round}: {times:?}",
                point.id
            );
        }
    }
    assert!(times.is_empty(), "more than the rounds: {times:?}");
    assert_eq!(
        record.rounds.iter().map(|end| end.round).collect::<Vec<_>>(),
        (1..=rounds).collect::<Vec<_>>()
    );
    assert_eq!(record.end.map(|end| end.reason), Some(EndReason::Rounds));
}

fn resume(bench: &Bench, record: &Path, rounds: &str) {
    let words = ["run", "--quiet", "--rounds", rounds, "--resume", record.to_str().unwrap()];
    bench.finish(bench.saboteur(&words)).expect_code(&[0]);
}

#[test]
fn a_killed_supervisor_leaves_no_actor() {
    for actor in ["worker", "process", "thread"] {
        let bench = Bench::shared();
        let point = format!("{} actor={actor}", endless::ID);
        let mut started = bench.start(bench.saboteur(&run(&bench.path("record.jsonl"), "1", &[&point])));
        // The rehearsal has a traced process more. Nobody ends by himself, so they are all there at last.
        let expected = if actor == "process" { 4 } else { 3 };
        started.until("all actors", || bench.processes().len() >= expected);
        started.signal("KILL");
        assert_eq!(started.wait(LIMIT).signal, Some(9));
        bench.no_process_is_left();
    }
}

/// Whether a run has come to its own end.
fn has_ended(record: &Path) -> bool {
    Record::read(record).is_ok_and(|record| record.end.is_some())
}

/// The System V objects of this machine, as the kernel lists them.
fn system_v_objects() -> usize {
    let lines = |name: &str| {
        std::fs::read_to_string(format!("/proc/sysvipc/{name}")).map_or(0, |text| text.lines().count())
    };
    lines("msg") + lines("sem")
}

#[test]
fn a_killed_run_leaves_no_system_v_object() {
    let points = ["ipc.sysv_queue.round_trip cpu=same", "ipc.sysv_semaphore.round_trip cpu=same"];
    let before = system_v_objects();
    let bench = Bench::new();
    let record = bench.path("record.jsonl");
    let mut started = bench.start(bench.saboteur(&run(&record, "400", &points)));
    // Where no private namespace is allowed there is no trial and the run ends by itself.
    started.until("trials", || trials(&record) >= 3 || has_ended(&record));
    started.signal("KILL");
    started.wait(LIMIT);
    bench.no_process_is_left();
    assert_eq!(system_v_objects(), before);
}

#[test]
fn a_worker_ends_with_its_supervisor() {
    let bench = Bench::shared();
    let request = Request {
        seed: 1,
        spend_ns: 1,
        ..measure::worker::request(Purpose::Trial, PointId::new(endless::ID, "actor=process"))
    };
    let mut command = bench.saboteur(&["worker"]);
    let mut worker = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut input = worker.stdin.take().unwrap();
    writeln!(input, "{}", serde_json::to_string(&request).unwrap()).unwrap();
    let soon = Instant::now() + LIMIT;
    while bench.processes().len() < 2 && Instant::now() < soon {
        std::thread::sleep(Duration::from_millis(5));
    }
    // The kernel signals what is written as it signals the end.
    for _ in 0..20 {
        input.write_all(b"\n").unwrap();
        std::thread::sleep(Duration::from_millis(2));
    }
    assert_eq!(worker.try_wait().unwrap(), None, "it ended while its supervisor was there");
    drop(input);
    let soon = Instant::now() + Duration::from_secs(10);
    while worker.try_wait().unwrap().is_none() {
        assert!(Instant::now() < soon, "it goes on without its supervisor");
        std::thread::sleep(Duration::from_millis(5));
    }
    bench.no_process_is_left();
}

#[test]
fn a_killed_run_is_resumed() {
    for killed_after in [1, 6] {
        let bench = Bench::shared();
        let record = bench.path("record.jsonl");
        let mut started = bench.start(bench.saboteur(&run(&record, "400", &POINTS)));
        started.until("trials", || trials(&record) >= killed_after);
        started.signal("KILL");
        started.wait(LIMIT);
        bench.no_process_is_left();
        let stand = trials(&record);
        bench.rows(&record);
        let rounds = stand / POINTS.len() + 2;
        resume(&bench, &record, &rounds.to_string());
        is_whole(&record, u32::try_from(rounds).unwrap());
    }
}

#[test]
fn a_truncated_record_is_read_and_resumed() {
    let bench = Bench::shared();
    let whole = bench.path("whole.jsonl");
    bench.finish(bench.saboteur(&run(&whole, "2", &POINTS))).expect_code(&[0]);
    let bytes = std::fs::read(&whole).unwrap();
    let ends: Vec<usize> =
        bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
    let trial = bytes.windows(14).position(|words| words == b"\"line\":\"trial\"").unwrap();
    let plan = bytes.windows(13).position(|words| words == b"\"line\":\"plan\"").unwrap();
    let torn = bench.path("torn.jsonl");
    for length in [ends[0] - 5, plan + 40, trial + 100, bytes.len() - 40, bytes.len() - 1] {
        std::fs::write(&torn, &bytes[..length]).unwrap();
        let ended = bench.finish(bench.saboteur(&["report", torn.to_str().unwrap()]));
        // Without a whole first line it is no record.
        let code = if length < ends[0] { 3 } else { 0 };
        let ended = ended.expect_code(&[code]);
        assert!(code == 0 || ended.stderr.contains("not a record"), "{ended:?}");
        if length > trial {
            resume(&bench, &torn, "3");
            is_whole(&torn, 3);
        }
    }
}

#[test]
fn an_interrupted_run_shows_its_table() {
    for (signal, reason) in [("INT", EndReason::Interrupted), ("TERM", EndReason::Interrupted)] {
        let bench = Bench::shared();
        let record = bench.path("record.jsonl");
        let mut started = bench.start(bench.saboteur(&run(&record, "400", &POINTS)));
        started.until("a round", || trials(&record) > POINTS.len());
        started.signal(signal);
        let ended = started.wait(LIMIT).expect_code(&[130]);
        assert!(
            POINTS.iter().all(|point| ended.stdout.contains(point.split(' ').next().unwrap())),
            "{ended:?}"
        );
        bench.no_process_is_left();
        let end = Record::read(&record).unwrap().end;
        assert_eq!(end.map(|end| end.reason), Some(reason));
    }
}

#[test]
fn an_interrupt_does_not_wait_for_a_worker_that_hangs() {
    let bench = Bench::shared();
    let (record, point) = (bench.path("record.jsonl"), format!("{} actor=process", endless::ID));
    let mut started = bench.start(bench.saboteur(&run(&record, "1", &[&point, "syscall.floor"])));
    started.until("an actor", || bench.processes().len() >= 3);
    let began = Instant::now();
    started.signal("INT");
    started.wait(LIMIT).expect_code(&[130]);
    // The timeout of a worker without an interrupt is 20 s.
    assert!(began.elapsed() < Duration::from_secs(12), "the interrupt was not heard");
    bench.no_process_is_left();
    let record = Record::read(&record).unwrap();
    assert_eq!(record.end.map(|end| end.reason), Some(EndReason::Interrupted));
    // That nobody waited for it says nothing of the point.
    assert_eq!(record.failures, []);
}

#[test]
fn a_second_interrupt_ends_a_run_that_hangs() {
    let bench = Bench::shared();
    let point = format!("{} actor=process", endless::ID);
    let mut started = bench.start(bench.saboteur(&run(&bench.path("record.jsonl"), "1", &[&point])));
    started.until("an actor", || bench.processes().len() >= 3);
    started.signal("INT");
    std::thread::sleep(Duration::from_millis(100));
    let began = Instant::now();
    if !bench.processes().is_empty() {
        started.signal("INT");
    }
    started.wait(LIMIT).expect_code(&[130]);
    assert!(began.elapsed() < Duration::from_secs(10), "the second interrupt was not heard");
    bench.no_process_is_left();
}

/// Asserts that a run whose record cannot grow says so once and shows its table.
#[track_caller]
fn says_that_the_disk_is_full(bench: &Bench, command: Command) {
    let ended = bench.finish(command).expect_code(&[3]);
    assert_eq!(ended.stderr.matches("the record ends here").count(), 1, "{ended:?}");
    assert!(
        ended.stdout.contains("syscall.floor") && ended.stdout.contains("no complete record"),
        "{ended:?}"
    );
}

#[test]
fn a_record_at_its_size_limit_still_shows_the_table() {
    let bench = Bench::shared();
    let record = bench.path("record.jsonl");
    // In blocks of 512 bytes; with the signal ignored the write fails as on a full disk.
    let limited = "trap '' XFSZ; ulimit -f 200; exec \"$@\"";
    let mut command = bench.command("sh");
    command.args(["-c", limited, "sh", SABOTEUR]).args(run(&record, "8", &POINTS));
    says_that_the_disk_is_full(&bench, command);
    // What is there is whole lines, and can be read.
    bench.rows(&record);
    assert!(trials(&record) > 0);
}

/// A small file system, unmounted when dropped.
struct Small<'b>(&'b Path);

impl Drop for Small<'_> {
    fn drop(&mut self) {
        works("umount", &["-l", self.0.to_str().unwrap()]);
    }
}

#[test]
fn a_full_disk_still_shows_the_table() {
    let bench = Bench::shared();
    let folder = bench.path("small");
    std::fs::create_dir(&folder).unwrap();
    let mount = ["-t", "tmpfs", "-o", "size=100k", "oscope-test", folder.to_str().unwrap()];
    if !can("the right to mount", is_root() && works("mount", &mount)) {
        return;
    }
    let small = Small(&folder);
    let record = folder.join("record.jsonl");
    says_that_the_disk_is_full(&bench, bench.saboteur(&run(&record, "8", &POINTS)));
    bench.rows(&record);
    assert!(trials(&record) > 0);
    drop(small);
}

#[test]
fn a_full_device_still_shows_the_table() {
    let bench = Bench::shared();
    says_that_the_disk_is_full(&bench, bench.saboteur(&run(Path::new("/dev/full"), "1", &POINTS)));
}
