//! `oscope selftest` where something is denied: it says what does not work and why, and leaves nothing behind.

use crate::common::{Bench, Ended};

/// The line of a check.
fn line<'e>(ended: &'e Ended, check: &str) -> &'e str {
    let found = ended.stdout.lines().find(|line| line.starts_with(check));
    found.unwrap_or_else(|| panic!("no line of {check}: {ended:#?}"))
}

/// The self-test with these calls denied, in a directory for temporary files of its own.
fn selftest(bench: &Bench, denied: Option<&str>) -> Ended {
    let temporary = bench.path("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = match denied {
        Some(calls) => bench.denied(calls, "EPERM", &["selftest"]),
        None => bench.saboteur(&["selftest"]),
    };
    command.env("TMPDIR", &temporary);
    let ended = bench.finish(command);
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0, "left behind: {ended:#?}");
    ended
}

#[test]
fn selftest_says_what_does_not_work_and_why() {
    let bench = Bench::new();
    let free = selftest(&bench, None).expect_code(&[0, 1]);
    for check in ["clock", "faults counted", "switches counted"] {
        assert!(line(&free, check).contains("works"), "{free:#?}");
    }
    assert!(line(&free, "mistakes are caught").contains("works"), "{free:#?}");

    let untraced = selftest(&bench, Some("ptrace")).expect_code(&[1]);
    let said = line(&untraced, "tracing");
    assert!(said.contains("FAILS") && said.contains("ptrace"), "{untraced:#?}");

    let unpinned = selftest(&bench, Some("sched_setaffinity")).expect_code(&[1]);
    let said = line(&unpinned, "placement");
    assert!(said.contains("FAILS") && said.contains("sched_setaffinity"), "{unpinned:#?}");

    let uncounted = selftest(&bench, Some("getrusage")).expect_code(&[0, 1]);
    assert!(line(&uncounted, "switches counted").contains("lacks"), "{uncounted:#?}");

    let unprofiled = selftest(&bench, Some("perf_event_open")).expect_code(&[0, 1]);
    let said = line(&unprofiled, "instructions counted");
    assert!(said.contains("lacks") && said.contains("perf_event_open"), "{unprofiled:#?}");
}
