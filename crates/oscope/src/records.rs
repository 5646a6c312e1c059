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

/// A file for a new record, in a folder that exists.
///
/// # Errors
/// When the folder cannot be made.
pub fn new_path(now: Timestamp) -> anyhow::Result<PathBuf> {
    let folder = folder();
    std::fs::create_dir_all(&folder).map_err(|error| {
        usage(format!(
            "{}: {error}; name a file for the record with --output",
            folder.display()
        ))
    })?;
    let stem = now.strftime("%Y-%m-%dT%H-%M-%SZ").to_string();
    let mut path = folder.join(format!("{stem}{SUFFIX}"));
    for again in 2..100 {
        if !path.exists() {
            break;
        }
        path = folder.join(format!("{stem}-{again}{SUFFIX}"));
    }
    Ok(path)
}

/// The newest record in the folder.
///
/// # Errors
/// When there is none.
pub fn newest() -> anyhow::Result<PathBuf> {
    let folder = folder();
    newest_in(&folder).ok_or_else(|| {
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
