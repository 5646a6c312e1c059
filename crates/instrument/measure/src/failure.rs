//! Why an operation gave no trial.

use record::Skip;
use sys::remedies::{self, Context};

/// A need that is not met, or an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The machine or the user lacks something; the row is *skipped*.
    #[error("{}", .0.reason)]
    Skipped(Skip),
    /// The directory of the point's files cannot be written to; the row is *skipped*.
    #[error("no file can be written: {0}")]
    Unwritable(sys::Error),
    /// It went wrong; the row is *failed*.
    #[error("{0}")]
    Failed(String),
}

/// What a step of an operation gives, or why the operation gave no trial.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// An error.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self::Failed(reason.into())
    }

    /// An error with this reason unless the condition holds.
    ///
    /// # Errors
    /// When it does not hold.
    pub fn unless(holds: bool, reason: &str) -> Result<()> {
        if holds { Ok(()) } else { Err(Self::failed(reason)) }
    }

    /// What an error of a call in this context means, by the table of `sys::remedies`: a need that is not met and what would
    /// help, or what went wrong.
    pub fn of_call(error: sys::Error, context: Context) -> Self {
        match remedies::explain(error, context) {
            Some(known) if known.is_fault => Self::Failed(known.sentence()),
            Some(known) => Self::skipped(known.reason, known.remedy),
            None => Self::Failed(error.to_string()),
        }
    }

    /// The same with what could not be done in front of its reason.
    pub fn because(self, what: &str) -> Self {
        match self {
            Self::Skipped(skip) => Self::skipped(format!("{what}: {}", skip.reason), skip.remedy),
            Self::Failed(reason) => Self::Failed(format!("{what}: {reason}")),
            Self::Unwritable(error) => Self::Unwritable(error),
        }
    }

    /// A need that is not met, and what would help.
    pub fn skipped(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Skipped(Skip { reason: reason.into(), remedy: remedy.into() })
    }
}

impl From<sys::Error> for Failure {
    fn from(error: sys::Error) -> Self {
        Self::of_call(error, Context::Any)
    }
}
