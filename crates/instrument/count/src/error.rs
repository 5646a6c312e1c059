//! Why something cannot be counted.

/// Why something cannot be counted: one sentence that ends with what helps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(pub String);

impl Error {
    /// An error of these words.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}

/// What can be made, or why not.
pub type Result<T> = std::result::Result<T, Error>;

/// Why kernels were not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The index of the kernel that did not boot; `None` where it is the fault of none.
    pub kernel: Option<usize>,
    /// Why.
    pub error: Error,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self { kernel: None, error }
    }
}
