//! `cargo xtask test`: all steps one after another, and what became of each.

use crate::cargo::echo;
use crate::step::{Finding, Setting, Status};
use crate::steps::{STEPS, Step};
use crate::test_counts::TestCounts;
use std::path::Path;
use std::time::{Duration, Instant};

/// A step that was done.
struct Done {
    name: &'static str,
    took: Duration,
    finding: Finding,
}

/// Runs the steps, up to the first that fails unless `keep_going`; gives whether all are well.
pub fn run(root: &Path, keep_going: bool) -> bool {
    run_all(STEPS, root, keep_going)
}

/// Runs the step of this name; gives whether all is well.
pub fn alone(root: &Path, name: &str) -> bool {
    let at = STEPS.iter().position(|step| step.name == name);
    at.is_some_and(|at| run_all(&STEPS[at..=at], root, false))
}

fn run_all(steps: &[Step], root: &Path, keep_going: bool) -> bool {
    let setting =
        Setting { root: root.to_owned(), ci: std::env::var_os("CI").is_some_and(|value| value == "true") };
    let done = run_steps(steps, &setting, keep_going);
    echo("");
    for line in summary(&done, steps) {
        echo(&line);
    }
    let total = total(&done);
    echo(&total.to_string());
    done.iter().all(|step| step.finding.status != Status::Failed)
}

fn run_steps(steps: &[Step], setting: &Setting, keep_going: bool) -> Vec<Done> {
    let mut done = Vec::with_capacity(steps.len());
    for step in steps {
        echo(&format!("== {}", step.name));
        let began = Instant::now();
        let finding = (step.run)(setting);
        let failed = finding.status == Status::Failed;
        let entry = Done { name: step.name, took: began.elapsed(), finding };
        echo(&format!("== {}", line_of(&entry)));
        done.push(entry);
        if failed && !keep_going {
            break;
        }
    }
    done
}

fn line_of(done: &Done) -> String {
    let status = match done.finding.status {
        Status::Passed => "passed",
        Status::LeftOut => "left out",
        Status::Failed => "FAILED",
    };
    let time = quantity::duration_words(done.took);
    let remark = match done.finding.remark.as_str() {
        "" => String::new(),
        remark => format!(": {remark}"),
    };
    format!("{status:8}  {} ({time}){remark}", done.name)
}

fn summary(done: &[Done], steps: &[Step]) -> Vec<String> {
    let undone = steps.iter().skip(done.len());
    let undone = undone.map(|step| format!("not run   {} (an earlier step failed)", step.name));
    done.iter().map(line_of).chain(undone).collect()
}

/// The tests of all steps. A step that failed without a failed test counts as one, so that the last line
/// never says that nothing failed when something did.
fn total(done: &[Done]) -> TestCounts {
    let mut total = TestCounts::default();
    for Done { finding, .. } in done {
        let itself = finding.status == Status::Failed && finding.counts.failed == 0;
        total.passed += finding.counts.passed;
        total.failed += finding.counts.failed + u64::from(itself);
        total.ignored += finding.counts.ignored;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(status: Status, passed: u64, failed: u64) -> Finding {
        let counts = TestCounts { passed, failed, ignored: 0 };
        Finding { status, remark: String::new(), counts }
    }

    const MADE_UP: &[Step] = &[
        Step { name: "good", run: |_| finding(Status::Passed, 5, 0) },
        Step { name: "bad", run: |_| finding(Status::Failed, 0, 0) },
        Step { name: "worse", run: |_| finding(Status::Failed, 1, 3) },
    ];

    fn setting() -> Setting {
        Setting { root: "/".into(), ci: false }
    }

    #[test]
    fn the_first_failure_stops() {
        let done = run_steps(MADE_UP, &setting(), false);
        assert_eq!(done.len(), 2);
        assert_eq!(total(&done).to_string(), "5 passed, 1 failed");
        let lines = summary(&done, MADE_UP).join("\n");
        assert!(lines.contains("FAILED    bad") && lines.contains("not run   worse"), "{lines}");
    }

    #[test]
    fn keep_going_does_all() {
        let done = run_steps(MADE_UP, &setting(), true);
        assert_eq!(done.len(), 3);
        assert_eq!(total(&done).to_string(), "6 passed, 4 failed");
    }
}
