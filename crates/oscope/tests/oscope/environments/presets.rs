//! Every preset that runs here: seen by its workers, with numbers, and with nothing left behind.

use super::{GETPPID, is_possible, leftovers, nothing_is_left_when_killed, versus};
use std::process::Stdio;

/// Asserts that workers of a preset see what they must, that their numbers are compared, and that nothing is left of them.
#[track_caller]
fn is_seen_and_gives_numbers(preset: &str, seen: &str) {
    if !is_possible(preset) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (code, rows, said) = versus(preset, GETPPID, &folder);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(seen), "{said}");
    let is_compared = rows.len() == 1 && !rows[0].contains("not comparable");
    assert!(is_compared, "{rows:?} {said}");
    assert_eq!(leftovers(folder.path()), "");
}

#[track_caller]
fn is_killed(preset: &str) {
    if !is_possible(preset) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let command = programs::command(assert_cmd::cargo::cargo_bin("oscope"));
    nothing_is_left_when_killed(command, preset, &folder);
}

/// Two tests for each preset, of its name.
macro_rules! presets {
    ($($test:ident: $preset:literal sees $seen:literal;)+) => {
        mod seen_with_numbers {
            $(#[test]
            fn $test() {
                super::is_seen_and_gives_numbers($preset, $seen);
            })+
        }
        mod killed_with_nothing_left {
            $(#[test]
            fn $test() {
                super::is_killed($preset);
            })+
        }
    };
}

presets! {
    namespaces: "namespaces" sees "process.namespace.pid";
    bwrap: "bwrap" sees "process.namespace.mnt";
    runc: "runc" sees "process.capabilities";
    crun: "crun" sees "process.capabilities";
    cgroup_quota: "cgroup-quota=50%" sees "process.cgroup.cpu.";
    cgroup_shares: "cgroup-shares=512" sees "process.cgroup.cpu.";
    strace: "strace" sees "process.traced: false → true";
    strace_seccomp: "strace-seccomp" sees "process.seccomp.mode: 0 → 2";
    proot: "proot" sees "process.traced: false → true";
    seccomp: "seccomp" sees "process.seccomp.filters: 0 → 1";
    filter: "filter=16" sees "process.seccomp.filters: 0 → 1";
    no_aslr: "no-aslr" sees "process.personality";
    no_thp: "no-thp" sees "process.huge_pages.disabled: 0 → 1";
    sched: "sched=batch" sees "process.scheduler.policy: 0 → 3";
    nice: "nice=7" sees "process.nice: ";
    gvisor: "gvisor" sees "process.capabilities";
}

/// PRoot shows a tracer inside no calls, and complains of every stop: witnesses of the rehearsal are unavailable there.
#[test]
fn rehearsals_under_a_tracer_end_and_contradict_nothing() {
    if !is_possible("proot") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (code, rows, said) = versus("proot", "ipc.pipe.round_trip cpu=same", &folder);
    assert_eq!(code, 0, "{said}");
    assert!(rows.len() == 1 && !rows[0].contains("not comparable"), "{rows:?} {said}");
    let record = std::fs::read_to_string(folder.path().join("record")).unwrap();
    let there = |line: &&str| line.contains("\"environment\":\"proot\"");
    let rehearsals: Vec<&str> =
        record.lines().filter(|line| line.starts_with("{\"line\":\"rehearsal\"") && there(line)).collect();
    assert!(
        !rehearsals.is_empty() && rehearsals.iter().all(|line| line.contains("ptrace is not available")),
        "{rehearsals:?}"
    );
}

/// Presets whose numbers need more rounds than tests have.
#[test]
fn nothing_is_left_of_slow_environments_that_are_killed() {
    ["gvisor-ptrace", "qemu-user", "valgrind"].into_iter().for_each(is_killed);
}

/// Speculation is the choice of a process where the kernel lets it choose.
#[test]
fn nothing_is_left_without_speculation() {
    // A machine on which processes may not choose says so when it is asked.
    let may_choose = programs::command(assert_cmd::cargo::cargo_bin("oscope"))
        .args(["launch", "mitigations", "true"])
        .stderr(Stdio::null())
        .status();
    if may_choose.unwrap().success() {
        is_killed("mitigations");
    } else {
        eprintln!("left out: this kernel lets no process choose its speculation");
    }
}
