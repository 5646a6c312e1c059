//! What a step of `cargo xtask test` is given, and what it finds.

use crate::test_counts::TestCounts;
use std::path::PathBuf;

/// Where and how the steps run.
pub struct Setting {
    /// The workspace.
    pub root: PathBuf,
    /// Whether this is a CI machine, where no test may be left out.
    pub ci: bool,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All is well.
    Passed,
    /// It was not done, or not all of it.
    LeftOut,
    /// Something is wrong.
    Failed,
}

/// What a step found.
#[derive(Debug)]
pub struct Finding {
    /// How it ended.
    pub status: Status,
    /// What there is to say, in a sentence or nothing.
    pub remark: String,
    /// Tests that ran in it.
    pub counts: TestCounts,
}

impl Finding {
    /// One without tests.
    pub fn new(status: Status, remark: impl Into<String>) -> Self {
        Self { status, remark: remark.into(), counts: TestCounts::default() }
    }

    pub fn of(result: Result<(), String>) -> Self {
        match result {
            Ok(()) => Self::new(Status::Passed, ""),
            Err(why) => Self::new(Status::Failed, why),
        }
    }
}
