//! The error of the data.

/// Why the data cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// A row is not what it should be.
    #[error("the reference figures of this program are damaged: {0}")]
    Data(#[from] csv::Error),
}
