//! Places that are not like a developer's machine: one CPU, no rights, no home, no terminal, no /proc.

use crate::common::{
    Bench, Ended, LIMIT, NOBODY, Row, SABOTEUR, can, find, may_become, note_contradictions, works,
};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::process::Stdio;
use std::time::Instant;

/// Every way to make actors, at the placements of two CPUs.
const POINTS: [&str; 6] = [
    "syscall.getppid method=raw",
    "call.procedure arguments=0",
    "process.create.fork_wait resident=0B",
    "thread.create.join",
    "switch.thread.futex",
    "ipc.pipe.round_trip",
];

fn run(record: &Path) -> Vec<&str> {
    let words = ["run", "--quiet", "--rounds", "4", "--output", record.to_str().unwrap()];
    words.into_iter().chain(POINTS).collect()
}

/// Runs saboteur under a prefix; gives the rows of its record.
#[track_caller]
fn rows_under(bench: &Bench, prefix: &[&str]) -> Vec<Row> {
    let record = bench.path("record.jsonl");
    let mut command = bench.command(prefix[0]);
    command.args(&prefix[1..]).arg(SABOTEUR).args(run(&record));
    bench.finish(command).expect_code(&[0]);
    bench.rows(&record)
}

/// Asserts that all rows have numbers, or say what they lack on one CPU.
#[track_caller]
fn are_measured(rows: &[Row]) {
    note_contradictions(rows);
    for row in rows {
        let is_elsewhere = row.point.contains("cpu=") && row.point != "cpu=same";
        let ok = match row.verdict.as_str() {
            "noisy" | "measured" => true,
            // Evidence that is timed can come of a neighbour: two rounds are few.
            "contradicted" => row.broken.iter().all(|counter| counter == "linearity" || is_elsewhere),
            "skipped" => is_elsewhere && !row.reason.is_empty() && !row.remedy.is_empty(),
            _ => false,
        };
        assert!(ok, "{row:?}");
    }
}

fn first_cpu() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
    list.trim().split([',', '-']).next().unwrap().to_owned()
}

#[test]
fn points_that_need_two_cpus_are_skipped_on_one() {
    let bench = Bench::new();
    let cpu = first_cpu();
    if !works("taskset", &["-c", &cpu, "true"]) {
        return;
    }
    let rows = rows_under(&bench, &["taskset", "-c", &cpu]);
    are_measured(&rows);
    let other = find(&rows, "ipc.pipe.round_trip", "cpu=other");
    assert_eq!(other.verdict, "skipped", "{other:?}");
    assert!(other.reason.contains("second CPU") && other.remedy.contains("two CPUs"), "{other:?}");
    assert_ne!(find(&rows, "ipc.pipe.round_trip", "cpu=same").verdict, "skipped");
}

#[test]
fn actors_on_two_cpus_settle_and_count_idle_ticks() {
    let bench = Bench::new();
    let record = bench.path("record.jsonl");
    let command = bench.saboteur(&run(&record));
    bench.finish(command).expect_code(&[0]);
    let text = fs::read_to_string(&record).unwrap();
    let trials: Vec<&str> = text.lines().filter(|line| line.starts_with(r#"{"line":"trial""#)).collect();
    assert!(trials.len() >= 2 * POINTS.len(), "{} trials", trials.len());
    for trial in trials {
        let is_apart = trial.contains(r#""point":"cpu="#) && !trial.contains(r#""point":"cpu=same"#);
        assert_eq!(trial.contains("idle.tick_stopped"), is_apart, "{trial}");
    }
}

/// A command as an ordinary user.
fn as_nobody(bench: &Bench, program: &str) -> Option<Command> {
    let identity = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"];
    can("root, to become nobody by setpriv", may_become(NOBODY)).then(|| {
        let mut command = bench.command("setpriv");
        command.args(identity).arg(program);
        command
    })
}

#[test]
fn an_ordinary_user_measures_without_hidden_counters() {
    let bench = Bench::new();
    let program = bench.open_to_anybody();
    let record = bench.path("record.jsonl");
    let Some(mut command) = as_nobody(&bench, &program) else {
        return;
    };
    // The kernel does not count migrations for him: the mistake must be seen all the same (E52).
    command.args(run(&record)).arg("sabotage.placement.moved method=raw");
    bench.finish(command).expect_code(&[0]);
    let mut rows = bench.rows(&record);
    let moved = rows.pop().unwrap();
    let expected = if crate::common::cpus() > 1 { "contradicted" } else { "skipped" };
    assert_eq!(
        (moved.operation.as_str(), moved.verdict.as_str()),
        ("sabotage.placement.moved", expected),
        "{moved:?}"
    );
    are_measured(&rows);
}

#[test]
fn without_a_home_the_record_is_in_the_temporary_directory() {
    let bench = Bench::new();
    let mut command = bench.saboteur(&["run", "--quiet", "--rounds", "1", "syscall.floor"]);
    command.env_remove("HOME").env("TMPDIR", bench.folder());
    let ended = bench.finish(command).expect_code(&[0]);
    let path = Path::new(ended.stdout.lines().last().unwrap().trim());
    assert!(path.starts_with(bench.folder()) && path.is_file(), "{ended:?}");
    let mut report = bench.saboteur(&["report"]);
    report.env_remove("HOME").env("TMPDIR", bench.folder());
    assert!(bench.finish(report).expect_code(&[0]).stdout.contains("syscall.floor"));
}

#[test]
fn from_a_read_only_directory_the_record_goes_to_the_temporary_one() {
    let bench = Bench::new();
    let program = bench.open_to_anybody();
    let Some(mut command) = as_nobody(&bench, &program) else {
        return;
    };
    let temporary = bench.path("temporary");
    fs::create_dir(&temporary).unwrap();
    fs::set_permissions(&temporary, Permissions::from_mode(0o777)).unwrap();
    command
        .args(["run", "--quiet", "--rounds", "1", "syscall.floor"])
        .env_remove("HOME")
        .env("TMPDIR", &temporary)
        .current_dir("/");
    let ended = bench.finish(command).expect_code(&[0]);
    let record = ended.stdout.lines().last().unwrap_or_default().to_owned();
    assert!(record.starts_with(temporary.to_str().unwrap()) && Path::new(&record).is_file(), "{ended:?}");
    // With a place for the record, the folder does not matter.
    let record = bench.path("record.jsonl");
    let mut command = as_nobody(&bench, &program).unwrap();
    command.args(run(&record)).current_dir("/");
    bench.finish(command).expect_code(&[0]);
}

#[test]
fn a_closed_output_pipe_is_success() {
    let bench = Bench::new();
    let record = bench.path("record.jsonl");
    bench.finish(bench.saboteur(&run(&record))).expect_code(&[0]);
    let report = ["report", record.to_str().unwrap()];
    let again = bench.path("again.jsonl");
    let measure = ["run", "--quiet", "--rounds", "1", "syscall.floor", "--output", again.to_str().unwrap()];
    for words in [
        &report[..],
        &measure[..],
        &["list"][..],
        &["explain", "syscall.floor"][..],
        &["describe"][..],
        &["--help"][..],
    ] {
        let errors = bench.path("errors");
        let mut command = bench.saboteur(words);
        command.stdout(Stdio::piped()).stderr(fs::File::create(&errors).unwrap());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let deadline = Instant::now() + LIMIT;
        let status = loop {
            match child.try_wait().unwrap() {
                Some(status) => break status,
                None => assert!(Instant::now() < deadline, "{words:?} does not end"),
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        };
        let said = fs::read_to_string(&errors).unwrap();
        assert!(status.code() == Some(0) && !said.contains("panicked"), "{words:?}: {status:?} {said}");
    }
}

#[test]
fn a_report_fits_its_columns() {
    let bench = Bench::new();
    let record = bench.path("record.jsonl");
    bench.finish(bench.saboteur(&run(&record))).expect_code(&[0]);
    for columns in [40, 80, 200] {
        let mut command = bench.saboteur(&["report", record.to_str().unwrap()]);
        command.env("COLUMNS", columns.to_string());
        let text = bench.finish(command).expect_code(&[0]).stdout;
        for line in text.lines() {
            assert!(line.chars().count() <= columns, "{columns} columns: {line:?}");
        }
    }
}

#[test]
fn as_the_first_process_of_a_container_it_works() {
    let bench = Bench::new();
    let prefix = ["unshare", "--pid", "--fork", "--mount-proc"];
    if can("the right to make a pid namespace", works(prefix[0], &[&prefix[1..], &["true"]].concat())) {
        are_measured(&rows_under(&bench, &prefix));
    }
}

#[test]
fn without_proc_and_sys_it_works_and_says_what_is_unknown() {
    let bench = Bench::new();
    let hide = "mount -t tmpfs none /proc && mount -t tmpfs none /sys && exec \"$@\"";
    let prefix = ["unshare", "--mount", "sh", "-c", hide, "sh"];
    if !can("the right to mount", works(prefix[0], &[&prefix[1..], &["true"]].concat())) {
        return;
    }
    are_measured(&rows_under(&bench, &prefix));
    let mut command = bench.command(prefix[0]);
    command.args(&prefix[1..]).args([SABOTEUR, "describe"]);
    let Ended { stdout, .. } = bench.finish(command).expect_code(&[0]);
    assert!(stdout.contains("unknown"), "{stdout}");
}
