//! `oscope cleanup`: removes the work directory of a run when the run is over, however it ended.

use crate::exit::{Exit, usage};
use crate::leftovers;
use crate::work_directory::is_of_a_run;
use std::io::Read;
use std::path::Path;

pub fn run(folder: &Path) -> anyhow::Result<Exit> {
    if !is_of_a_run(folder) {
        return Err(usage(format!("{}: no directory of a run", folder.display())));
    }
    // The supervisor holds the other end: it ends when the supervisor does.
    let _ = std::io::copy(&mut std::io::stdin().lock().take(u64::MAX), &mut std::io::sink());
    leftovers::remove(folder);
    Ok(Exit::Success)
}
