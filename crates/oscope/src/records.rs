//! Where records are kept when the user names no file.

use crate::exit::usage;
use jiff::Timestamp;
use std::path::{Path, PathBuf};

/// The folder of records: `$XDG_STATE_HOME/oscope`, `~/.local/state/oscope`, or the current folder when
/// neither is set.
fn folder() -> PathBuf {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    state.map_or_else(|| PathBuf::from("."), |state| state.join("oscope"))
}

/// How a record's name ends.
const SUFFIX: &str = ".oscope.jsonl";

/// The file that names the newest record, wherever that was written.
const NEWEST: &str = "newest";

/// Files for a new record, the better first: in the state directory, and in that for temporary files.
pub fn new_paths(now: Timestamp) -> impl Iterator<Item = PathBuf> {
    let folder = folder();
    let state = std::fs::create_dir_all(&folder).is_ok().then_some(folder);
    let folders = state.into_iter().chain([std::env::temp_dir()]);
    folders.map(move |folder| new_path(&folder, now))
}

fn new_path(folder: &Path, now: Timestamp) -> PathBuf {
    let stem = now.strftime("%Y-%m-%dT%H-%M-%SZ").to_string();
    let mut path = folder.join(format!("{stem}{SUFFIX}"));
    for again in 2..100 {
        if !path.exists() {
            break;
        }
        path = folder.join(format!("{stem}-{again}{SUFFIX}"));
    }
    path
}

/// Remembers a record as the newest. Where the state directory cannot be written, it is found only by its name.
pub fn remember(path: &Path) {
    let folder = folder();
    if let Ok(path) = std::path::absolute(path)
        && std::fs::create_dir_all(&folder).is_ok()
    {
        let _ = std::fs::write(folder.join(NEWEST), path.as_os_str().as_encoded_bytes());
    }
}

/// The record that was remembered, if it is still there.
fn remembered(folder: &Path) -> Option<PathBuf> {
    let path = PathBuf::from(std::fs::read_to_string(folder.join(NEWEST)).ok()?);
    path.is_file().then_some(path)
}

/// The newest record.
///
/// # Errors
/// When there is none.
pub fn newest() -> anyhow::Result<PathBuf> {
    let folder = folder();
    let found = remembered(&folder).or_else(|| newest_in(&folder));
    found.ok_or_else(|| {
        usage(format!(
            "there is no record in {}; name one, or make one with 'oscope run'",
            folder.display()
        ))
    })
}

fn newest_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let records = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let is_record = path.to_string_lossy().ends_with(SUFFIX);
        let changed = path.metadata().ok()?.modified().ok()?;
        is_record.then_some((changed, path))
    });
    records.max().map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_record_is_remembered_as_long_as_it_is_there() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(remembered(folder.path()), None);
        let record = folder.path().join("elsewhere.jsonl");
        std::fs::write(folder.path().join(NEWEST), record.to_string_lossy().as_bytes()).unwrap();
        assert_eq!(remembered(folder.path()), None);
        std::fs::write(&record, "x").unwrap();
        assert_eq!(remembered(folder.path()), Some(record));
    }

    #[test]
    fn the_newest_record_is_found_among_other_files() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(newest_in(folder.path()), None);
        std::fs::write(folder.path().join(format!("a{SUFFIX}")), "x").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "x").unwrap();
        assert_eq!(
            newest_in(folder.path()),
            Some(folder.path().join(format!("a{SUFFIX}")))
        );
    }
}
