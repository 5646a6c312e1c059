//! System calls that are denied, one at a time: rows are left out or say what is not proven, and no number
//! is wrong because of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Bench, Row};

/// Calls that a sandbox may deny, with the error that it gives.
const DENIED: &[(&str, &str)] = &[
    ("ptrace", "EPERM"),
    ("perf_event_open", "EPERM"),
    ("perf_event_open", "ENOSYS"),
    ("sched_setaffinity", "EPERM"),
    ("sched_getaffinity", "EPERM"),
    ("sched_setaffinity,sched_getaffinity", "ENOSYS"),
    ("clone3", "ENOSYS"),
    ("clone3", "EPERM"),
    ("prctl", "EPERM"),
    ("getrusage", "EPERM"),
    ("clock_gettime", "EPERM"),
    ("futex", "EPERM"),
    ("membarrier", "EPERM"),
    ("pipe2", "EPERM"),
    ("wait4", "EPERM"),
    ("mincore", "EPERM"),
    ("getcpu,fcntl", "EPERM"),
    ("madvise", "EPERM"),
];

/// What is measured: every way to make actors and to count.
const POINTS: [&str; 9] = [
    "syscall.floor",
    "syscall.getppid",
    "call.procedure arguments=0",
    "process.create.fork_wait resident_mib=0",
    "thread.create.join",
    "switch.thread.futex cpu=same",
    "ipc.pipe.round_trip cpu=same",
    "clock.frequency of=core",
    "noise.gaps gap=1us",
];

/// How far from what is measured without denials a number may lie.
const FACTOR: f64 = 5.0;

/// Runs after which a disturbance of the machine is taken for an effect of the denial.
const LOOKS: usize = 4;

fn words<'w>(record: &'w str, points: &[&'w str]) -> Vec<&'w str> {
    ["run", "--quiet", "--rounds", "2", "--output", record]
        .into_iter()
        .chain(points.iter().copied())
        .collect()
}

/// What is wrong with a row, if anything is.
fn complaint(row: &Row, free: &[Row]) -> Option<String> {
    let free = free.iter().find(|free| free.name() == row.name())?;
    let with = |what: &str| Some(format!("{what}: {row:?}; without denials: {free:?}"));
    match (row.verdict.as_str(), row.typical) {
        ("skipped" | "failed", None) if row.reason.is_empty() => with("it does not say why"),
        ("skipped", None) if row.remedy.is_empty() => with("it does not say what would help"),
        ("skipped" | "failed", None) => None,
        ("measured" | "noisy", Some(_)) if row.proofs.0 == 0 => with("a number without proof"),
        ("measured" | "noisy", Some(typical)) => {
            let ratio = typical / free.typical?;
            // Noise is a share of time near zero, whose ratios mean nothing.
            let is_far = !(1.0 / FACTOR..FACTOR).contains(&ratio) && !row.operation.starts_with("noise");
            if is_far { with("another number") } else { None }
        }
        ("noisy", None) => None,
        _ => with("contradicted"),
    }
}

#[test]
fn no_denied_call_leads_to_a_wrong_number() {
    let bench = Bench::new();
    let free = bench.path("free.jsonl");
    bench
        .finish(bench.saboteur(&words(free.to_str().unwrap(), &POINTS)))
        .expect_code(&[0]);
    let free = bench.rows(&free);
    let complaints: Vec<String> = DENIED
        .iter()
        .flat_map(|(calls, errno)| complaints(&bench, calls, errno, &free))
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// What is wrong with the rows under a denial. Only what is seen in every look is the denial's doing.
fn complaints(bench: &Bench, calls: &str, errno: &str, free: &[Row]) -> Vec<String> {
    let mut open: Vec<String> = POINTS.map(str::to_owned).to_vec();
    let mut found = Vec::new();
    for look in 0..LOOKS {
        let record = bench.path(&format!("{calls}-{errno}-{look}.jsonl"));
        let points: Vec<&str> = open.iter().map(String::as_str).collect();
        let command = bench.denied(calls, errno, &words(record.to_str().unwrap(), &points));
        bench.finish(command).expect_code(&[0, 4]);
        let rows = bench.rows(&record);
        let wrong = rows
            .iter()
            .filter_map(|row| Some((row.name(), complaint(row, free)?)));
        (open, found) = wrong.unzip();
        if open.is_empty() {
            break;
        }
    }
    found
        .iter()
        .map(|found| format!("{calls} denied by {errno}: {found}"))
        .collect()
}

#[test]
fn without_a_tracer_every_other_witness_still_counts() {
    let bench = Bench::new();
    let record = bench.path("record.jsonl");
    let points = [
        "sabotage.answers.error_path",
        "sabotage.switches.alone",
        "sabotage.children.none",
        "syscall.floor",
    ];
    bench
        .finish(bench.denied("ptrace", "EPERM", &words(record.to_str().unwrap(), &points)))
        .expect_code(&[0]);
    for row in bench.rows(&record) {
        let verdict = if row.operation == "syscall.floor" {
            "noisy"
        } else {
            "contradicted"
        };
        assert_eq!(row.verdict, verdict, "{row:?}");
    }
}

#[test]
fn an_operation_whose_own_call_is_denied_has_no_number() {
    let bench = Bench::new();
    for (call, point) in [
        ("clock_gettime", "clock.read.monotonic.syscall"),
        ("getppid", "syscall.getppid"),
        ("getpid", "syscall.getpid.raw"),
        ("clone", "process.create.fork_wait resident_mib=0"),
        ("futex", "switch.thread.futex cpu=same"),
    ] {
        let record = bench.path(&format!("{call}.jsonl"));
        bench
            .finish(bench.denied(call, "EPERM", &words(record.to_str().unwrap(), &[point])))
            .expect_code(&[0, 4]);
        let rows = bench.rows(&record);
        assert!(
            rows.iter().all(|row| row.typical.is_none()),
            "{call} denied: {rows:?}"
        );
        assert!(
            rows.iter().all(|row| row.verdict != "noisy"),
            "{call} denied: {rows:?}"
        );
    }
}

#[test]
fn what_is_denied_is_named_with_what_would_help() {
    let bench = Bench::new();
    for (call, point) in [
        ("prctl", "ipc.pipe.round_trip cpu=same"),
        ("sched_setaffinity", "ipc.pipe.round_trip cpu=same"),
        ("wait4", "process.create.fork_wait resident_mib=0"),
        ("clone", "process.create.fork_wait resident_mib=0"),
    ] {
        let record = bench.path(&format!("{call}.jsonl"));
        bench
            .finish(bench.denied(call, "EPERM", &words(record.to_str().unwrap(), &[point])))
            .expect_code(&[4]);
        let rows = bench.rows(&record);
        assert_eq!(rows[0].verdict, "skipped", "{call}: {rows:?}");
        assert!(
            rows[0].reason.contains(call) && !rows[0].remedy.is_empty(),
            "{call}: {rows:?}"
        );
    }
}

#[test]
fn the_instrument_denies_what_it_is_told_to() {
    let bench = Bench::new();
    let mut command = bench.command(common::DENY);
    command.args(["getdents64", "--errno", "ENOSYS", "--", "ls", "/"]);
    let ended = bench.finish(command);
    assert!(
        ended.code != Some(0) && ended.stderr.to_lowercase().contains("not implemented"),
        "{ended:?}"
    );
    for wrong in [
        &["no_such_call", "--", "true"][..],
        &["ptrace"][..],
        &["ptrace", "--", "/no/such/program"][..],
    ] {
        let mut command = bench.command(common::DENY);
        command.args(wrong);
        assert_eq!(bench.finish(command).code, Some(125), "{wrong:?}");
    }
}
