//! `cargo xtask test`: all steps one after another, and what became of each.

use crate::command::echo;
use crate::step::{Setting, Status, StepResult};
use crate::steps::{STEPS, Step};
use crate::test_counts::TestCounts;
use std::path::Path;
use std::time::{Duration, Instant};

/// A step that was done.
struct Done {
    name: &'static str,
    took: Duration,
    result: StepResult,
}

/// Runs the steps, or the one of this name, up to the first that fails unless `keep_going`; gives whether all are well.
pub fn run(root: &Path, only: Option<&str>, keep_going: bool) -> bool {
    let steps: Vec<&Step> = STEPS.iter().filter(|step| only.is_none_or(|only| step.name == only)).collect();
    let ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    let done = run_steps(&steps, &Setting { root: root.to_owned(), ci }, keep_going);
    echo("");
    summary(&done, &steps).iter().for_each(|line| echo(line));
    let took = done.iter().map(|step| step.took).sum();
    echo(&format!("{} in {}", total(&done), quantity::duration_words(took)));
    done.iter().all(|step| step.result.status != Status::Failed)
}

fn run_steps(steps: &[&Step], setting: &Setting, keep_going: bool) -> Vec<Done> {
    let mut done = Vec::with_capacity(steps.len());
    for step in steps {
        echo(&format!("== {}", step.name));
        let began = Instant::now();
        let result = (step.run)(setting).unwrap_or_else(|error| StepResult::from_result(Err(error)));
        let failed = result.status == Status::Failed;
        let entry = Done { name: step.name, took: began.elapsed(), result };
        echo(&format!("== {}", line_of(&entry)));
        done.push(entry);
        if failed && !keep_going {
            break;
        }
    }
    done
}

fn line_of(done: &Done) -> String {
    let status = match done.result.status {
        Status::Passed => "passed",
        Status::LeftOut => "left out",
        Status::Failed => "FAILED",
    };
    let time = quantity::duration_words(done.took);
    let remark = match done.result.remark.as_str() {
        "" => String::new(),
        remark => format!(": {remark}"),
    };
    format!("{status:8}  {} ({time}){remark}", done.name)
}

fn summary(done: &[Done], steps: &[&Step]) -> Vec<String> {
    let undone = steps.iter().skip(done.len());
    let undone = undone.map(|step| format!("not run   {} (an earlier step failed)", step.name));
    done.iter().map(line_of).chain(undone).collect()
}

/// The tests of all steps. A step that failed without a failed test counts as one, so that the last line
/// never says that nothing failed when something did.
fn total(done: &[Done]) -> TestCounts {
    let mut total = TestCounts::default();
    for Done { result, .. } in done {
        let itself = result.status == Status::Failed && result.counts.failed == 0;
        total.passed += result.counts.passed;
        total.failed += result.counts.failed + u64::from(itself);
        total.ignored += result.counts.ignored;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{Result, anyhow};

    fn result(status: Status, passed: u64, failed: u64) -> Result<StepResult> {
        let counts = TestCounts { passed, failed, ignored: 0 };
        Ok(StepResult { status, remark: String::new(), counts })
    }

    const MADE_UP: &[&Step] = &[
        &Step { name: "good", run: |_| result(Status::Passed, 5, 0) },
        &Step { name: "bad", run: |_| Err(anyhow!("no good")) },
        &Step { name: "worse", run: |_| result(Status::Failed, 1, 3) },
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
