//! What a step of `cargo xtask test` is given, and what it finds.

use crate::command::{echo, stream};
use crate::test_counts::TestCounts;
use anyhow::Result;
use std::path::PathBuf;
use std::process::Command;

/// Where and how the steps run.
pub struct Setting {
    /// The workspace.
    pub root: PathBuf,
    /// Whether this is a CI machine, where no test may be left out.
    pub ci: bool,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// All is well.
    #[default]
    Passed,
    /// It was not done, or not all of it.
    LeftOut,
    /// Something is wrong.
    Failed,
}

/// How a step ended.
#[derive(Debug, Default)]
pub struct StepResult {
    /// How it ended.
    pub status: Status,
    /// What there is to say, in a sentence or nothing.
    pub remark: String,
    /// Tests that ran in it.
    pub counts: TestCounts,
}

impl StepResult {
    /// One without tests.
    pub fn new(status: Status, remark: impl Into<String>) -> Self {
        Self { status, remark: remark.into(), counts: TestCounts::default() }
    }

    /// One that passed, with a remark.
    pub fn passed(remark: impl Into<String>) -> Self {
        Self::new(Status::Passed, remark)
    }

    /// What is missing: a failure on a CI machine.
    pub fn left_out(setting: &Setting, remark: impl Into<String>) -> Self {
        Self::new(if setting.ci { Status::Failed } else { Status::LeftOut }, remark)
    }

    /// A failure where there is an error.
    pub fn from_result(result: Result<()>) -> Self {
        result.map_or_else(|error| Self::new(Status::Failed, format!("{error:#}")), |()| Self::default())
    }

    /// What `cargo test` comes to, whose output is shown.
    pub fn of_tests(command: &mut Command) -> Self {
        let mut counts = TestCounts::default();
        let result = stream(command, |line| {
            counts.add_line(line);
            echo(line);
        });
        Self { counts, ..Self::from_result(result) }
    }
}
