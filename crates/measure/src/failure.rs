//! Why an operation gave no trial.

use record::Skip;

/// A need that is not met, or an error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The machine or the user lacks something; the row is *skipped*.
    #[error("{}", .0.reason)]
    Skipped(Skip),
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

    /// A need that is not met where the call is denied or absent, and what would help; otherwise the error of the call.
    pub fn denied(error: sys::Error, reason: &str, remedy: &str) -> Self {
        if error.is_denied() { Self::skipped(format!("{error}: {reason}"), remedy) } else { error.into() }
    }

    /// A need that is not met, and what would help.
    pub fn skipped(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Skipped(Skip { reason: reason.into(), remedy: remedy.into() })
    }
}

impl From<sys::Error> for Failure {
    fn from(error: sys::Error) -> Self {
        if error.is_denied() {
            Self::skipped(
                format!("{error}: the call is denied or absent here"),
                format!(
                    "run where {} is allowed (no seccomp filter, a newer kernel, or as root)",
                    error.call
                ),
            )
        } else if error.is_limit() {
            Self::skipped(
                format!("{error}: a limit of this user or cgroup is reached"),
                "raise the limit on processes, open files or memory (ulimit -u, ulimit -n, pids.max, memory.max)",
            )
        } else {
            Self::Failed(error.to_string())
        }
    }
}
