//! Arguments of commands that know of earlier runs.

use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Debug, Args, Default, Clone)]
pub(crate) struct HistoryFolder {
    /// Directory of earlier records of this machine: they tell how far the next run may lie from this one [default: the state
    /// directory]
    #[arg(long, value_name = "DIR")]
    pub history: Option<PathBuf>,
}

impl HistoryFolder {
    /// The directory that was named.
    pub fn folder(&self) -> Option<&Path> {
        self.history.as_deref()
    }
}
