//! The test programs of the workspace: built by cargo, and run by this program, because two at a time take two thirds of the time.
//! Those that measure mostly wait, and the machine is theirs; the others run beside them at the lowest priority.

use crate::command::{cargo, echo, output, stream};
use crate::step::{Status, StepResult};
use crate::test_counts::TestCounts;
use anyhow::{Result, ensure};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// What runs beside nothing, and first: witnesses of idle CPUs, which no CPU is beside other tests.
const ALONE: (&str, &str) = ("sabotage", "witnesses::");

/// Programs whose tests measure, the longest first.
const MEASURING: [&str; 3] = ["sabotage", "real", "oscope"];

/// One program of tests.
struct TestProgram {
    /// Of the file or crate that it is made of.
    name: String,
    executable: PathBuf,
    /// Of its package: where cargo would run it.
    folder: PathBuf,
}

/// Builds the test programs and runs all of them, with these variables.
///
/// # Errors
/// When they cannot be built.
pub fn run(root: &Path, variables: &[(&str, &Path)]) -> Result<StepResult> {
    let arguments = [
        "test",
        "--workspace",
        "--tests",
        "--no-run",
        "--quiet",
        "--message-format",
        "json-render-diagnostics",
    ];
    let programs = listed(&output(&mut cargo(root, &arguments))?);
    ensure!(!programs.is_empty(), "cargo has built no test program");
    let (mut measuring, others): (Vec<_>, Vec<_>) =
        programs.iter().partition(|program| rank(program).is_some());
    measuring.sort_by_key(|program| rank(program));
    let (of_alone, alone) = ALONE;
    let (first, rest) = (&[alone][..], &["--skip", alone][..]);
    let is_first = |program: &TestProgram| program.name == of_alone;

    let mut results: Vec<StepResult> = measuring
        .iter()
        .filter(|program| is_first(program))
        .map(|program| tested(program, program.command().args(first).envs(variables.iter().copied()), true))
        .collect();
    std::thread::scope(|scope| {
        let beside = scope.spawn(|| {
            let run = |program: &&TestProgram| {
                tested(program, program.yielding().envs(variables.iter().copied()), false)
            };
            others.iter().map(run).collect::<Vec<_>>()
        });
        for program in &measuring {
            let arguments = if is_first(program) { rest } else { &[] };
            let mut command = program.command();
            results.push(tested(program, command.args(arguments).envs(variables.iter().copied()), true));
        }
        results.extend(beside.join().unwrap_or_default());
    });
    Ok(together(results))
}

fn rank(program: &TestProgram) -> Option<usize> {
    MEASURING.iter().position(|name| *name == program.name)
}

/// The programs that cargo says it built.
fn listed(messages: &str) -> Vec<TestProgram> {
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let program = |message: Value| {
        let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
        Some(TestProgram {
            name: message["target"]["name"].as_str().filter(|_| is_test)?.to_owned(),
            executable: message["executable"].as_str()?.into(),
            folder: Path::new(message["manifest_path"].as_str()?).parent()?.to_owned(),
        })
    };
    messages.filter_map(program).collect()
}

impl TestProgram {
    fn command(&self) -> Command {
        self.started_by(Command::new(&self.executable))
    }

    /// One that has what the others leave of the CPUs.
    fn yielding(&self) -> Command {
        let mut command = Command::new("nice");
        command.args(["-n", "19"]).arg(&self.executable);
        self.started_by(command)
    }

    fn started_by(&self, mut command: Command) -> Command {
        command.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder);
        command
    }
}

/// Runs a test program. What it prints is shown line by line, or at its end, so that it is not mixed with what another prints.
fn tested(program: &TestProgram, command: &mut Command, is_live: bool) -> StepResult {
    let began = Instant::now();
    let mut counts = TestCounts::default();
    let mut kept = String::new();
    let result = stream(command, |line| {
        counts.add_line(line);
        if is_live {
            echo(line);
        } else {
            kept.push_str(line);
            kept.push('\n');
        }
    });
    let took = quantity::duration_words(began.elapsed());
    let is_well = result.is_ok();
    echo(&format!("{}{} {} ({took})", kept, if is_well { "passed" } else { "FAILED" }, program.name));
    StepResult { counts, ..StepResult::from_result(result) }
}

/// The sum of the counts, and the worst status with every reason.
fn together(results: Vec<StepResult>) -> StepResult {
    let mut sum = StepResult::default();
    for result in results {
        sum.counts.passed += result.counts.passed;
        sum.counts.failed += result.counts.failed;
        sum.counts.ignored += result.counts.ignored;
        if result.status == Status::Failed {
            let before = std::mem::take(&mut sum.remark);
            let join = if before.is_empty() { "" } else { "; " };
            (sum.status, sum.remark) = (Status::Failed, format!("{before}{join}{}", result.remark));
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn test_programs_are_read_from_what_cargo_prints() {
        let messages = r#"
            warning: no message
            {"reason":"compiler-artifact","manifest_path":"/p/a/Cargo.toml","target":{"name":"a"},"profile":{"test":false},"executable":null}
            {"reason":"compiler-artifact","manifest_path":"/p/a/Cargo.toml","target":{"name":"real"},"profile":{"test":true},"executable":"/t/real-1"}
            {"reason":"compiler-artifact","manifest_path":"/p/b/Cargo.toml","target":{"name":"b"},"profile":{"test":true},"executable":"/t/b-2"}
        "#;
        let programs = listed(messages);
        let names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
        assert_eq!(names, ["real", "b"]);
        assert_eq!(programs[1].folder, Path::new("/p/b"));
        assert_eq!((rank(&programs[0]), rank(&programs[1])), (Some(1), None));
    }

    #[test]
    fn one_failure_fails_all_and_every_reason_is_kept() {
        let counts = |passed, failed| TestCounts { passed, failed, ignored: 0 };
        let failed = |why: &str| StepResult { counts: counts(1, 1), ..StepResult::new(Status::Failed, why) };
        let well = StepResult { counts: counts(3, 0), ..StepResult::default() };
        let sum = together(vec![failed("first"), well, failed("second")]);
        assert_eq!(
            (sum.status, sum.counts, sum.remark.as_str()),
            (Status::Failed, counts(5, 2), "first; second")
        );
    }
}
