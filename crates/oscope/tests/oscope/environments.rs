//! Environments beside the native one: found to differ, believed only where workers prove that they were there.

use assert_cmd::Command;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

/// One point natively and in an environment, six times; the lines of a CSV of the comparison, and standard error.
fn versus(environment: &str, point: &str, folder: &TempDir) -> (Option<i32>, Vec<String>, String) {
    let record = folder.path().join("record");
    let ran = oscope(folder)
        .args(["run", point, "--rounds", "8", "--versus", environment, "-o"])
        .arg(&record)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned() + &String::from_utf8_lossy(&ran.stdout);
    let csv = oscope(folder)
        .args(["compare", "--format", "csv"])
        .arg(&record)
        .output()
        .unwrap();
    let csv = String::from_utf8_lossy(&csv.stdout).into_owned();
    (
        ran.status.code(),
        csv.lines().skip(1).map(str::to_owned).collect(),
        said,
    )
}

fn oscope(folder: &TempDir) -> Command {
    let mut command = Command::cargo_bin("oscope").unwrap();
    command.env("XDG_STATE_HOME", folder.path()).env("COLUMNS", "200");
    command
}

fn script(path: &Path, lines: &str) -> String {
    fs::write(path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    path.display().to_string()
}

const GETPPID: &str = "syscall.getppid method=raw";

#[test]
fn a_setting_is_seen_by_its_workers_and_compared_in_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let (code, rows, said) = versus("nice=7", GETPPID, &folder);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("process.nice: 0 → 7"), "{said}");
    assert!(rows.len() == 1 && rows[0].contains("nice=7"), "{rows:?}");
    assert!(!rows[0].contains("not comparable"), "{rows:?}");
}

#[test]
fn a_filter_is_seen_and_every_call_pays_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let (code, rows, said) = versus("seccomp-arguments", GETPPID, &folder);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("process.seccomp.mode: 0 → 2"), "{said}");
    assert!(!rows[0].contains("faster"), "{rows:?}");
    let explained = oscope(&folder)
        .args(["explain", "--versus", "--record"])
        .arg(folder.path().join("record"))
        .arg("syscall.getppid")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&explained.stdout).into_owned();
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
    assert!(
        rows[0].contains("not comparable") && rows[0].contains("ran natively"),
        "{rows:?}, {said}"
    );
}

/// Each preset whose program comes from a package that tests install.
#[test]
fn presets_are_seen_by_their_workers_and_give_numbers() {
    for (preset, seen) in [
        ("namespaces", "process.namespace.pid"),
        ("bwrap", "process.namespace.mnt"),
        ("runc", "process.capabilities"),
        ("strace", "process.traced: false → true"),
        ("strace-seccomp", "process.seccomp.mode: 0 → 2"),
        ("seccomp", "process.seccomp.filters: 0 → 1"),
        ("no-aslr", "process.personality"),
        ("no-thp", "process.huge_pages.disabled: 0 → 1"),
        ("sched=batch", "process.scheduler.policy: 0 → 3"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (code, rows, said) = versus(preset, GETPPID, &folder);
        assert_eq!(code, Some(0), "{preset}: {said}");
        assert!(said.contains(seen), "{preset}: {said}");
        assert!(
            rows.len() == 1 && !rows[0].contains("not comparable"),
            "{preset}: {rows:?} {said}"
        );
        assert!(!has_leftovers(), "{preset}");
    }
}

/// Whether a container has left something.
fn has_leftovers() -> bool {
    let entries = fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    entries
        .into_iter()
        .any(|entry| entry.file_name().to_string_lossy().ends_with(".runc"))
}

#[test]
fn words_that_change_nothing_are_said_to_be_no_environment() {
    let folder = tempfile::tempdir().unwrap();
    let (code, rows, said) = versus("bare=env", GETPPID, &folder);
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("no worker saw anything that a native one does not see"),
        "{said}"
    );
    assert!(rows.len() == 1 && rows[0].contains("bare"), "{rows:?}");
}

/// A library that asks the kernel once.
const CACHED: &str = "long syscall(long, ...);\n\
    int getppid(void) { static int number; return number ? number : (number = syscall(110)); }\n";

#[test]
fn a_library_that_answers_for_the_kernel_is_caught() {
    let folder = tempfile::tempdir().unwrap();
    let (source, library) = (folder.path().join("answer.c"), folder.path().join("answer.so"));
    fs::write(&source, CACHED).unwrap();
    let made = programs::command("cc")
        .args(["-shared", "-fPIC", "-O2", "-o"])
        .arg(&library)
        .arg(&source)
        .status()
        .unwrap();
    assert!(made.success());
    let words = format!("preload=env LD_PRELOAD={}", library.display());
    let (_, rows, said) = versus(&words, "syscall.getppid method=libc", &folder);
    assert!(
        rows[0].contains("not comparable") && rows[0].contains("contradicted"),
        "{rows:?}, {said}"
    );
}

#[test]
fn what_cannot_be_started_is_said_before_the_first_round() {
    let folder = tempfile::tempdir().unwrap();
    for (environment, reason) in [
        ("none=/no/such/program", "no worker"),
        ("bwarp", "did you mean bwrap"),
        ("nice=99", "-20 to 19"),
    ] {
        let (code, rows, said) = versus(environment, GETPPID, &folder);
        assert_eq!(code, Some(2), "{environment}: {said}");
        assert!(said.contains(reason) && rows.is_empty(), "{environment}: {said}");
        assert!(!folder.path().join("record").exists(), "{environment}");
    }
}
