//! Reading the tables that the program carries.

use serde::de::DeserializeOwned;

/// Why the data cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReferenceError {
    /// A row is not what it should be.
    #[error("the reference figures of this program are damaged: {0}")]
    Data(#[from] csv::Error),
}

/// The rows of a table.
pub(crate) fn rows<T: DeserializeOwned>(table: &str) -> Result<Vec<T>, ReferenceError> {
    Ok(csv::Reader::from_reader(table.as_bytes()).into_deserialize().collect::<Result<_, _>>()?)
}
