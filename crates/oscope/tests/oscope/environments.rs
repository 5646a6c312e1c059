//! Environments beside the native one: found to differ, believed only where workers prove that they were there.

mod presets;
mod settings;
mod ssh;

use assert_cmd::Command;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// One point natively and in an environment, eight times; the lines of a CSV of the comparison, and all that was said.
fn versus(environment: &str, point: &str, folder: &TempDir) -> (i32, Vec<String>, String) {
    versus_by(oscope(folder), environment, point, folder)
}

/// The same by a command that begins so.
fn versus_by(
    mut command: Command,
    environment: &str,
    point: &str,
    folder: &TempDir,
) -> (i32, Vec<String>, String) {
    let record = folder.path().join("record");
    let run = ["run", point, "--rounds", "8", "--versus", environment, "-o"];
    let (code, said) = outcome(command.args(run).arg(&record));
    let (_, csv, _) = crate::outcome(oscope(folder).args(["compare", "--format", "csv"]).arg(&record));
    (code, csv.lines().skip(1).map(str::to_owned).collect(), said)
}

fn oscope(folder: &TempDir) -> Command {
    let mut command = crate::oscope(folder.path());
    command.env("TMPDIR", folder.path()).env("COLUMNS", "200").timeout(Duration::from_secs(600));
    command
}

/// Exit code, and all that was said.
fn outcome(command: &mut Command) -> (i32, String) {
    let (code, said, errors) = crate::outcome(command);
    (code, errors + &said)
}

fn script(path: &Path, lines: &str) -> String {
    fs::write(path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

const GETPPID: &str = "syscall.getppid method=raw";

/// Whether this preset can be entered here: its program is installed, and no kernel or sandbox denies what it needs. If not, says
/// that the test is left out, and why.
#[track_caller]
fn is_possible(preset: &str) -> bool {
    let emulator = format!("qemu-{}", std::env::consts::ARCH);
    match preset {
        "namespaces" => programs::may_make_user_namespaces(),
        "bwrap" => programs::installed(&["bwrap"]) && programs::may_make_user_namespaces(),
        "runc" | "crun" => programs::installed(&[preset]) && programs::may_make_containers(),
        "strace" | "strace-seccomp" => programs::installed(&["strace"]),
        "proot" => programs::installed(&["proot"]),
        "gvisor" | "gvisor-ptrace" => is_here("runsc"),
        "qemu-user" => is_here(&emulator),
        "valgrind" => is_here("valgrind"),
        _ => true,
    }
}

/// Whether a program is here that has no package in Debian, or whose package tests do not install.
fn is_here(program: &str) -> bool {
    let is_here = programs::locate(program).is_some();
    if !is_here {
        eprintln!("left out: {program} is not installed");
    }
    is_here
}

#[test]
fn a_setting_is_seen_by_its_workers_and_compared_in_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let (code, rows, said) = versus("nice=7", GETPPID, &folder);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("process.nice: ") && said.contains(" → 7"), "{said}");
    assert!(rows.len() == 1 && rows[0].contains("nice=7"), "{rows:?}");
    assert!(!rows[0].contains("not comparable"), "{rows:?}");
}

#[test]
fn a_filter_is_seen_and_every_call_pays_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let (code, rows, said) = versus("seccomp-arguments", GETPPID, &folder);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("process.seccomp.mode: 0 → 2"), "{said}");
    assert!(!rows[0].contains("faster"), "{rows:?}");
    let mut explain = oscope(&folder);
    let explain = explain.args(["explain", "--versus", "syscall.getppid", "--record"]);
    let (_, text, _) = crate::outcome(explain.arg(folder.path().join("record")));
    assert!(text.starts_with("seccomp-arguments, compared with"), "{text}");
}

/// A worker that is started by words which make the setting for the first workers only.
#[test]
fn workers_that_escape_give_no_number() {
    let folder = tempfile::tempdir().unwrap();
    let count = folder.path().join("count");
    let own = assert_cmd::cargo::cargo_bin("oscope");
    let lines = format!(
        "for n in 1 2; do mkdir {count}.$n 2>/dev/null && exec {own} launch nice=3 \"$@\"; done\nexec \"$@\"",
        count = count.display(),
        own = own.display()
    );
    let words = format!("leaky={}", script(&folder.path().join("leaky"), &lines));
    let (_, rows, said) = versus(&words, GETPPID, &folder);
    assert!(rows[0].contains("not comparable") && rows[0].contains("ran natively"), "{rows:?}, {said}");
}

/// The directories, mounts and control groups that are left of workers with this directory for temporary files.
fn leftovers(folder: &Path) -> String {
    let mut left = String::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with("oscope-") {
            left += &format!("directory {}\n", entry.path().display());
        }
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    for mount in mounts.lines().filter(|line| line.contains(&*folder.to_string_lossy())) {
        left += &format!("mount {mount}\n");
    }
    for group in groups(Path::new("/sys/fs/cgroup")) {
        let (_, maker) = group.rsplit_once("oscope-").unwrap();
        let pid = maker.split('.').next().unwrap();
        if !Path::new("/proc").join(pid).exists() && Path::new(&group).exists() {
            left += &format!("control group {group}\n");
        }
    }
    left
}

/// The control groups of a CPU controller that workers were put into.
fn groups(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut found = Vec::new();
    for path in folders.map(|entry| entry.path()) {
        // Groups with a limit of memory are of other tests.
        if path.ends_with("memory") {
            continue;
        }
        if path.file_name().unwrap().to_string_lossy().starts_with("oscope-") {
            found.push(path.display().to_string());
        }
        found.extend(groups(&path));
    }
    found
}

/// A variable of the environment by which the processes of a test are found, whatever made them.
fn marked(command: &mut std::process::Command, folder: &TempDir) -> String {
    let value = folder.path().display().to_string();
    command.env("OSCOPE_TEST_MARK", &value);
    // As for the other runs here: the program of an environment need not be of a package.
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    format!("OSCOPE_TEST_MARK={value}")
}

/// The processes that have this in their environment variables.
fn processes(mark: &str) -> Vec<String> {
    let all = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    let marked = all.filter(|path| {
        let variables = fs::read(path.join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&variables).contains(mark)
    });
    marked
        .map(|path| {
            let words = fs::read(path.join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&words).replace('\0', " ")
        })
        .collect()
}

/// Kills the supervisor of a run in an environment when trials of it are in the record; asserts that nothing is left.
fn nothing_is_left_when_killed(mut command: std::process::Command, environment: &str, folder: &TempDir) {
    let record = folder.path().join("record");
    let mark = marked(&mut command, folder);
    let mut supervisor = command
        .args(["run", GETPPID, "--rounds", "10000", "--versus", environment, "-o"])
        .arg(&record)
        .env("XDG_STATE_HOME", folder.path())
        .env("TMPDIR", folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let there = format!("\"environment\":\"{environment}\"");
    let has_begun = wait_until(|| {
        let text = fs::read_to_string(&record).unwrap_or_default();
        let mut lines = text.lines();
        lines.any(|line| line.contains("\"ns_per_tick\"") && line.contains(&there))
    });
    // A worker is running most of the time, there or natively.
    supervisor.kill().unwrap();
    supervisor.wait().unwrap();
    let are_gone = wait_until(|| processes(&mark).is_empty());
    assert!(has_begun, "{environment}: no trial of it in the record");
    assert!(are_gone, "{environment}: {:?}", processes(&mark));
    assert_eq!(leftovers(folder.path()), "", "{environment}");
}

/// Asks until it is so, at most for a minute; whether it was.
fn wait_until(mut is_so: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

/// A worker that hangs is ended by what attends it, and what was made for it is removed.
#[test]
fn nothing_is_left_of_a_program_that_does_not_end_by_itself() {
    for setting in ["runc", "crun", "cgroup-quota=50%"].into_iter().filter(|setting| is_possible(setting)) {
        let folder = tempfile::tempdir().unwrap();
        let mut command = programs::command(assert_cmd::cargo::cargo_bin("oscope"));
        let mark = marked(&mut command, &folder);
        let mut launcher = command
            .args(["launch", setting, "sleep", "600"])
            .env("TMPDIR", folder.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = || processes(&mark).iter().any(|words| words == "sleep 600 ");
        let has_begun = wait_until(begun);
        // The supervisor is gone.
        drop(launcher.stdin.take());
        launcher.wait().unwrap();
        assert!(has_begun, "{setting}");
        let are_gone = wait_until(|| processes(&mark).is_empty());
        assert!(are_gone, "{setting}: {:?}", processes(&mark));
        assert_eq!(leftovers(folder.path()), "", "{setting}");
    }
}

/// What needs a network or the test file is measured in namespaces and containers, too.
#[test]
fn loopback_and_the_test_file_are_there() {
    for (preset, point) in [("namespaces", "network.round_trip.udp.self"), ("runc", "file.read.cached")] {
        if !is_possible(preset) {
            continue;
        }
        let folder = tempfile::tempdir().unwrap();
        let (code, rows, said) = versus(preset, point, &folder);
        assert_eq!(code, 0, "{preset}: {said}");
        let is_comparable = |row: &String| !row.contains("not comparable");
        assert!(!rows.is_empty() && rows.iter().all(is_comparable), "{preset}: {rows:?} {said}");
    }
}

#[test]
fn a_planted_difference_is_a_finding_and_drawn_on_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = versus("nice=7", GETPPID, &folder);
    assert_eq!(code, 0, "{said}");
    let record = folder.path().join("record");
    // Every batch in the environment took four times as long.
    let slower = |line: &str| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        let is_there = line.pointer("/id/environment").is_some();
        let series = line.get_mut("series").and_then(serde_json::Value::as_array_mut);
        for one in series.filter(|_| is_there).into_iter().flatten() {
            for ticks in one["ticks"].as_array_mut().unwrap() {
                *ticks = (4 * ticks.as_u64().unwrap()).into();
            }
        }
        format!("{line}\n")
    };
    let planted: String = fs::read_to_string(&record).unwrap().lines().map(slower).collect();
    fs::write(&record, planted).unwrap();
    let compare = |words: &[&str]| crate::outcome(oscope(&folder).arg("compare").args(words).arg(&record));
    // Beside other tasks nothing is decided.
    let (_, errors) = outcome(oscope(&folder).args(["compare", "--fail-if", "undecided:50%"]).arg(&record));
    let is_decided = !errors.contains("open at 1 of 1 point");
    for (rule, is_met) in [("slower:50%", is_decided), ("faster:50%", false)] {
        let (ended, _, errors) = compare(&["--fail-if", rule]);
        assert_eq!(ended, i32::from(is_met), "{rule}: {errors}");
        assert_eq!(errors.contains("shown to be slower by 50 % or more"), is_met, "{errors}");
    }
    let (_, page, _) = compare(&["--format", "html"]);
    for part in ["nice=7", "process.nice", "syscall.getppid", "<svg"] {
        assert!(page.contains(part), "{part} is missing");
    }
}

#[test]
fn words_that_change_nothing_are_said_to_be_no_environment() {
    let folder = tempfile::tempdir().unwrap();
    let (code, rows, said) = versus("bare=env", GETPPID, &folder);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("workers saw no difference from native ones"), "{said}");
    assert!(rows.len() == 1 && rows[0].contains("bare"), "{rows:?}");
}

/// A library that asks the kernel once.
const CACHED: &str = "long syscall(long, ...);\n\
    int getppid(void) { static int number; return number ? number : (number = syscall(110)); }\n";

/// A library that never asks it.
const CONSTANT: &str = "int getppid(void) { return 4242; }\n";

/// What is said of a point with a library preloaded that is made of this source.
fn preloaded(source_text: &str, point: &str) -> (Vec<String>, String) {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("answer.c"), folder.path().join("answer.so"));
    fs::write(&source, source_text).unwrap();
    let made = programs::command("cc")
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .arg(&library)
        .arg(&source)
        .status()
        .unwrap();
    assert!(made.success());
    let words = format!("preload=env LD_PRELOAD={}", library.display());
    let (_, rows, said) = versus(&words, point, &folder);
    (rows, said)
}

#[test]
fn a_library_that_answers_for_the_kernel_is_caught() {
    for source in [CACHED, CONSTANT] {
        let (rows, said) = preloaded(source, "syscall.getppid method=libc");
        assert!(rows[0].contains("not comparable") && rows[0].contains("contradicted"), "{rows:?}, {said}");
        assert!(!said.contains("the rounds in both runs"), "{said}");
    }
    // The system-call instruction is not answered by it.
    let (rows, said) = preloaded(CONSTANT, "syscall.getppid method=raw");
    assert!(!rows[0].contains("not comparable"), "{rows:?}, {said}");
}

#[test]
fn what_cannot_be_started_is_said_before_the_first_round() {
    let folder = tempfile::tempdir().unwrap();
    for (environment, reason) in
        [("none=/no/such/program", "no worker"), ("bwarp", "did you mean bwrap"), ("nice=99", "-20 to 19")]
    {
        let (code, rows, said) = versus(environment, GETPPID, &folder);
        assert_eq!(code, 2, "{environment}: {said}");
        assert!(said.contains(reason) && rows.is_empty(), "{environment}: {said}");
        assert!(!folder.path().join("record").exists(), "{environment}");
    }
}

/// A filter that answers for an unassigned number itself is no system call of the kernel.
#[test]
fn the_floor_of_a_call_is_skipped_where_a_filter_answers() {
    if !is_possible("runc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (_, rows, said) = versus("runc", "syscall.floor", &folder);
    assert_eq!(rows.len(), 1, "{said}");
    let is_skipped = rows[0].contains("skipped in the second");
    // Some versions of the runtime answer with ENOSYS as the kernel does.
    assert!(is_skipped || !rows[0].contains("not comparable"), "{rows:?}");
}
