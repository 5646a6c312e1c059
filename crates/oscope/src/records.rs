//! Records that the user names, and where they are kept when he names no file.

use crate::exit::{file_error, unwritable, usage};
use analysis::Analysis;
use jiff::Timestamp;
use record::{JournalError, Record};
use report::View;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Reads a record that the user named, without what is hidden in it.
pub fn read(path: &Path) -> anyhow::Result<Record> {
    Ok(read_all(path)?.0)
}

/// The same, with the number of points that are hidden because the run was blind and they are not predicted.
pub fn read_all(path: &Path) -> anyhow::Result<(Record, usize)> {
    let mut record = Record::read(path).map_err(unreadable)?;
    let hidden = record.hide_unpredicted();
    Ok((record, hidden))
}

/// The error of a record that cannot be read, or is none.
pub fn unreadable(error: JournalError) -> anyhow::Error {
    match error {
        JournalError::File { path, source } => file_error(&path, source),
        other => usage(other.to_string()),
    }
}

/// What views show of a record, if it has a plan.
pub fn view<'a>(record: &'a Record, analysis: &'a Analysis) -> Option<View<'a>> {
    Some(View {
        header: &record.header,
        machine: &record.machine,
        peer: record.peer.as_ref(),
        plan: record.plan.as_ref()?,
        analysis,
        end: record.end.as_ref(),
    })
}

/// The time, RFC 3339, UTC.
pub fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The folder of records: `$XDG_STATE_HOME/oscope`, `~/.local/state/oscope`, or the current folder when
/// neither is set.
fn folder() -> PathBuf {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")));
    state.map_or_else(|| PathBuf::from("."), |state| state.join("oscope"))
}

/// How a record's name ends.
const SUFFIX: &str = ".oscope.jsonl";

/// How names of records end that others gave them, too.
pub const SUFFIXES: [&str; 3] = [SUFFIX, ".jsonl", ".oscope"];

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

/// The folder of baselines, below that of records.
const BASELINES: &str = "baselines";

/// The file of a baseline, where its name can be that of a file.
fn baseline_path(name: &str) -> anyhow::Result<PathBuf> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        return Err(usage(format!(
            "'{name}' cannot be the name of a baseline: use letters, digits, '-', '_' and '.'"
        )));
    }
    Ok(folder().join(BASELINES).join(format!("{name}{SUFFIX}")))
}

/// The record that was saved as this baseline.
pub fn baseline(name: &str) -> anyhow::Result<PathBuf> {
    let path = baseline_path(name)?;
    if path.is_file() {
        return Ok(path);
    }
    let known = match baselines().join(", ") {
        none if none.is_empty() => "none is saved".to_owned(),
        some => format!("saved are {some}"),
    };
    Err(usage(format!("there is no baseline '{name}': {known}; 'oscope baseline {name} RECORD' saves one")))
}

/// Copies a record to the baselines, in one step: what is there is the old one or the new one.
pub fn save_baseline(name: &str, record: &Path) -> anyhow::Result<PathBuf> {
    let path = baseline_path(name)?;
    let part = path.with_extension(format!("part-{}", std::process::id()));
    let saved = std::fs::create_dir_all(folder().join(BASELINES))
        .and_then(|()| std::fs::copy(record, &part))
        .and_then(|_| std::fs::rename(&part, &path));
    saved.map_err(|error| unwritable(&path, &error))?;
    Ok(path)
}

/// The names of the baselines.
pub fn baselines() -> Vec<String> {
    let entries = std::fs::read_dir(folder().join(BASELINES));
    let files = entries.into_iter().flatten().flatten();
    let names = files.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(SUFFIX)?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// What a record is called: its file without what all records end with.
pub fn name_of(path: &Path) -> String {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let stem = SUFFIXES.iter().find_map(|end| file.strip_suffix(end));
    stem.unwrap_or(&file).to_owned()
}

/// The newest record.
pub fn newest() -> anyhow::Result<PathBuf> {
    let folder = folder();
    let found = remembered(&folder).or_else(|| newest_in(&folder));
    found.or_else(|| newest_in(&std::env::temp_dir())).ok_or_else(|| {
        usage(format!("there is no record in {}; name one, or make one with 'oscope run'", folder.display()))
    })
}

/// The record that is named, or else the newest.
pub fn or_newest(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    named.map_or_else(newest, Ok)
}

/// The newest of the user's own records in a folder: that for temporary files has those of others, too.
fn newest_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let user = std::fs::metadata("/proc/self").ok().map(|own| own.uid());
    let records = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let is_record = path.to_string_lossy().ends_with(SUFFIX);
        let about = path.metadata().ok()?;
        let is_own = user.is_none_or(|user| user == about.uid());
        (is_record && is_own).then_some((about.modified().ok()?, path))
    });
    records.max().map(|(_, path)| path)
}

#[cfg(test)]
mod tests {
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
        assert_eq!(newest_in(folder.path()), Some(folder.path().join(format!("a{SUFFIX}"))));
    }
}
