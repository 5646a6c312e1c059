//! `oscope keeper`: removes the directory of a run when the run is over, however it ended.

use crate::exit::{Exit, usage};
use crate::workplace::is_of_a_run;
use std::io::Read;
use std::path::Path;

pub fn run(folder: &Path) -> anyhow::Result<Exit> {
    if !is_of_a_run(folder) {
        return Err(usage(format!("{}: no directory of a run", folder.display())));
    }
    // The supervisor holds the other end: it ends when the supervisor does.
    let _ = std::io::copy(&mut std::io::stdin().lock().take(u64::MAX), &mut std::io::sink());
    remove_groups(folder);
    // A worker that is ending may still make a file.
    for _ in 0..50 {
        if std::fs::remove_dir_all(folder).is_ok() || !folder.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    Ok(Exit::Success)
}

/// The file in which workers note the control groups that they make, and how the names of these begin.
const NOTES: &str = "groups";
const GROUPS: &str = "oscope-";

/// Removes the control groups that workers noted and did not remove because they were killed.
fn remove_groups(folder: &Path) {
    let notes = std::fs::read_to_string(folder.join(NOTES)).unwrap_or_default();
    for group in notes.lines().map(Path::new) {
        let name = group
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        if group.starts_with("/sys/fs/cgroup") && name.starts_with(GROUPS) {
            remove_group(group);
        }
    }
}

/// Removes a group, as soon as those in it are gone; one that holds others stays.
fn remove_group(group: &Path) {
    for _ in 0..50 {
        if std::fs::remove_dir(group).is_ok() || !group.exists() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}
