//! Counts as a file, which `--format json` writes and the command reads in place of a kernel.

use crate::exit::unusable;
use count::{Difference, FORMAT, KernelCount, SCHEMA};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A file of counts as it is read.
#[derive(Debug, Deserialize)]
struct CountsRead {
    format: String,
    kernels: Vec<KernelCount>,
}

/// A file of counts as it is written.
#[derive(Debug, Serialize)]
pub struct Counts<'a> {
    /// As a record has it, so that a file of counts is not taken for one.
    format: &'static str,
    kernels: &'a [KernelCount],
    /// Of two kernels; who reads the file computes it anew.
    #[serde(skip_serializing_if = "Option::is_none")]
    difference: Option<&'a Difference>,
}

impl<'a> Counts<'a> {
    pub fn new(kernels: &'a [KernelCount], difference: Option<&'a Difference>) -> Self {
        Self { format: FORMAT, kernels, difference }
    }
}

/// The counts in a file that this command wrote; `None` where it is something else.
pub fn read_counts(path: &Path) -> anyhow::Result<Option<Vec<KernelCount>>> {
    if path.extension().is_none_or(|extension| extension != "json") {
        return Ok(None);
    }
    let text = std::fs::read(path).map_err(|error| unusable(path, error))?;
    let no_counts = || unusable(path, "no counts, or cut; 'oscope count --format json' writes them");
    let counts: CountsRead = serde_json::from_slice(&text).map_err(|_| no_counts())?;
    if counts.format != FORMAT || counts.kernels.is_empty() {
        return Err(no_counts());
    }
    match counts.kernels.iter().find(|kernel| kernel.schema != SCHEMA) {
        Some(kernel) => {
            let (theirs, newer) = (kernel.schema, "counts of another oscope");
            Err(unusable(path, format!("{newer} (schema {theirs}, and this one has {SCHEMA}): count anew")))
        }
        None => Ok(Some(counts.kernels)),
    }
}
