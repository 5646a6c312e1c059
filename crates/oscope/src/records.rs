//! Records that the user names, and where they are kept when he names no file.

use crate::exit::{CliError, Exit, file_error, unusable, usage};
use analysis::Analysis;
use jiff::Timestamp;
use record::{Header, JournalError, Record};
use report::View;
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::os::unix::ffi::OsStringExt;
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
        JournalError::File { path, source } if source.kind() == ErrorKind::IsADirectory => {
            let is_ring = ring_records(&path).is_ok_and(|records| !records.is_empty());
            let path = path.display();
            let remedy = match is_ring {
                true => format!(
                    "it holds what a watch kept: oscope history {path}, or oscope compare {path} --at 03:12"
                ),
                false => "name a record in it".to_owned(),
            };
            CliError(Exit::File, format!("{path}: is a directory: {remedy}")).into()
        }
        JournalError::File { path, source } => file_error(&path, source),
        JournalError::Foreign { path, .. } if has_counts(&path) => {
            let why = format!("counts of kernels: 'oscope count {} OTHER' compares them", path.display());
            CliError(Exit::File, format!("{}: {why}", path.display())).into()
        }
        damaged @ (JournalError::Damaged { .. } | JournalError::Foreign { .. }) => {
            CliError(Exit::File, damaged.to_string()).into()
        }
        other => usage(other.to_string()),
    }
}

/// Whether a file has counts of kernels, whose format stands in its first line or its second.
fn has_counts(path: &Path) -> bool {
    const BEGINNING: u64 = 256;
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(BEGINNING).read_to_end(&mut bytes));
    read.is_ok() && String::from_utf8_lossy(&bytes).contains(&format!("\"{}\"", count::FORMAT))
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
        has_cycles: false,
    })
}

/// The time, RFC 3339, UTC.
pub fn now() -> String {
    Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// The folder of records: `$XDG_STATE_HOME/oscope`, or `~/.local/state/oscope`; `None` where neither is set.
pub fn folder() -> Option<PathBuf> {
    let state =
        absolute_path("XDG_STATE_HOME").or_else(|| Some(absolute_path("HOME")?.join(".local/state")))?;
    Some(state.join("oscope"))
}

/// The value of an environment variable, where it is an absolute path.
fn absolute_path(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

/// How a record's name ends.
pub const SUFFIX: &str = ".oscope.jsonl";

/// How names of records end that others gave them, too.
pub const SUFFIXES: [&str; 3] = [SUFFIX, ".jsonl", ".oscope"];

/// How the names of records begin that a watch keeps in its ring.
pub const RING_PREFIX: &str = "watch-";

/// The records of a ring, the oldest first.
pub fn ring_records(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(RING_PREFIX) && name.ends_with(SUFFIX))
        })
        .collect();
    // The second one of a second follows the first.
    paths.sort_by_cached_key(|path| path.to_string_lossy().trim_end_matches(SUFFIX).to_owned());
    Ok(paths)
}

/// When a record of a ring began, by its name: `watch-2026-11-27T03-00-00Z.oscope.jsonl`.
pub fn ring_began(path: &Path) -> Option<Timestamp> {
    let name = path.file_name()?.to_str()?.strip_suffix(SUFFIX)?;
    let (date, time) = name.strip_prefix(RING_PREFIX)?.split_once('T')?;
    let time = time.split_once('Z')?.0.replace('-', ":");
    format!("{date}T{time}Z").parse().ok()
}

/// The file that names the newest record, wherever that was written.
const NEWEST: &str = "newest";

/// Files for a new record, the better first: in the state directory, and in that for temporary files.
pub fn new_paths(now: Timestamp) -> impl Iterator<Item = PathBuf> {
    let state = folder().filter(|folder| std::fs::create_dir_all(folder).is_ok());
    let folders = state.into_iter().chain([std::env::temp_dir()]);
    folders.map(move |folder| new_path(&folder, now))
}

fn new_path(folder: &Path, now: Timestamp) -> PathBuf {
    let stem = now.strftime("%Y-%m-%dT%H-%M-%SZ").to_string();
    let mut path = folder.join(format!("{stem}{SUFFIX}"));
    for again in 2..100 {
        // A link that leads nowhere is there as well: another user may have made it.
        if path.symlink_metadata().is_err() {
            break;
        }
        path = folder.join(format!("{stem}-{again}{SUFFIX}"));
    }
    path
}

/// Remembers a record as the newest. Where the state directory cannot be written, it is found only by its name.
pub fn remember(path: &Path) {
    if let (Ok(path), Some(folder)) = (std::path::absolute(path), folder())
        && std::fs::create_dir_all(&folder).is_ok()
    {
        let _ = std::fs::write(folder.join(NEWEST), path.as_os_str().as_encoded_bytes());
    }
}

/// The record that was remembered, if it is still there. In a directory that others write to, both files may be theirs.
fn remembered(folder: &Path) -> Option<PathBuf> {
    let newest = own_file(&folder.join(NEWEST))?;
    let path = PathBuf::from(OsString::from_vec(std::fs::read(newest).ok()?));
    own_file(&path)
}

/// This path, where it leads to a file of the user of this process, and by no link of another.
pub fn own_file(path: &Path) -> Option<PathBuf> {
    let (user, _) = sys::process::effective_user_and_group();
    let (link, file) = (path.symlink_metadata().ok()?, path.metadata().ok()?);
    (link.uid() == user && file.uid() == user && file.is_file()).then(|| path.to_owned())
}

/// How names of files end that oscope writes, too, and that may be taken for records.
const SUFFIXES_OF_FILES: [&str; 2] = [".json", ".csv"];

/// Whether a word of a command line names a file or a directory, be it there or not.
pub fn is_named(word: &str) -> bool {
    let ends_as_a_file = SUFFIXES.iter().chain(&SUFFIXES_OF_FILES).any(|suffix| word.ends_with(suffix));
    let is_directory = [".", ".."].contains(&word);
    Path::new(word).is_file() || word.contains('/') || ends_as_a_file || is_directory
}

/// What a record is called: its file without what all records end with.
pub fn name_of(path: &Path) -> String {
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let stem = SUFFIXES.iter().find_map(|end| file.strip_suffix(end));
    stem.unwrap_or(&file).to_owned()
}

/// Refuses a record that is named twice among several runs: it would make them look more alike than they are.
pub fn are_distinct(paths: &[PathBuf]) -> anyhow::Result<()> {
    let mut before = paths.iter().enumerate();
    match before.find(|(at, path)| paths.iter().take(*at).any(|earlier| is_same_file(earlier, path))) {
        Some((_, path)) => {
            Err(unusable(path, "it is named twice: each record of a side is a run of its own"))
        }
        None => Ok(()),
    }
}

/// Whether two paths lead to one file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    let [one, other] =
        [one, other].map(|path| std::fs::metadata(path).map(|about| (about.dev(), about.ino())).ok());
    one.is_some() && one == other
}

/// The newest record of a run.
pub fn newest() -> anyhow::Result<PathBuf> {
    let state = folder();
    let found = state.as_deref().and_then(|folder| remembered(folder).or_else(|| newest_in(folder)));
    found.or_else(|| newest_in(&std::env::temp_dir())).ok_or_else(|| {
        let folder = state.unwrap_or_else(std::env::temp_dir);
        usage(format!("there is no record in {}; name one, or make one with 'oscope run'", folder.display()))
    })
}

/// The record that is named, or else the newest.
pub fn or_newest(named: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    named.map_or_else(newest, Ok)
}

/// The newest of the user's own records in a folder: that for temporary files has those of others, too. Records of the
/// museum, which hold wrong methods, have to be named.
fn newest_in(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let records = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let path = path.to_string_lossy().ends_with(SUFFIX).then(|| own_file(&path))??;
        Some((path.metadata().ok()?.modified().ok()?, path))
    });
    let mut records: Vec<_> = records.collect();
    records.sort();
    records
        .into_iter()
        .rev()
        .map(|(_, path)| path)
        .find(|path| header(path).is_none_or(|header| !is_of_the_museum(&header)))
}

/// Whether a record was made by `oscope museum`.
pub fn is_of_the_museum(header: &Header) -> bool {
    header.arguments.first().is_some_and(|word| word == "museum")
}

/// The longest header that is read alone.
const LONGEST_HEADER: u64 = 1 << 20;

/// The header of a record.
fn header(path: &Path) -> Option<Header> {
    let mut line = Vec::new();
    let mut file = BufReader::new(File::open(path).ok()?.take(LONGEST_HEADER));
    file.read_until(b'\n', &mut line).ok()?;
    Record::read_from(line.as_slice(), path).ok().map(|record| record.header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{chown, lchown, symlink};

    #[test]
    fn names_hold_the_begin() {
        let moment = "2026-11-27T03:00:09Z".parse().ok();
        for name in ["watch-2026-11-27T03-00-09Z.oscope.jsonl", "watch-2026-11-27T03-00-09Z-2.oscope.jsonl"] {
            assert_eq!(ring_began(Path::new(name)), moment);
        }
        assert_eq!(ring_began(Path::new("watch-x.oscope.jsonl")), None);
    }

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
    fn a_file_of_another_user_is_not_the_newest_record() {
        // Only root can give files away, and only to root do these belong.
        let is_root = sys::process::effective_user_and_group().0 == 0;
        let folder = tempfile::tempdir().unwrap();
        let record = folder.path().join(format!("a{SUFFIX}"));
        std::fs::write(&record, "x").unwrap();
        std::fs::write(folder.path().join(NEWEST), record.to_string_lossy().as_bytes()).unwrap();
        assert_eq!(remembered(folder.path()), Some(record.clone()));
        if is_root {
            chown(&record, Some(65534), None).unwrap();
            assert_eq!((remembered(folder.path()), newest_in(folder.path())), (None, None));
            chown(&record, Some(0), None).unwrap();
            chown(folder.path().join(NEWEST), Some(65534), None).unwrap();
            assert_eq!(remembered(folder.path()), None);
            let link = folder.path().join(format!("b{SUFFIX}"));
            symlink(&record, &link).unwrap();
            assert_eq!(own_file(&link), Some(link.clone()));
            lchown(&link, Some(65534), None).unwrap();
            assert_eq!(own_file(&link), None, "a link of another user to the record");
        }
    }

    #[test]
    fn a_record_of_the_museum_has_to_be_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("a{SUFFIX}"));
        for (command, is_found) in [("run", true), ("museum", false)] {
            let header = Header {
                format: "oscope".to_owned(),
                arguments: vec![command.to_owned()],
                ..Header::default()
            };
            let line = serde_json::to_string(&record::Line::Header(header)).unwrap();
            std::fs::write(&path, line + "\n").unwrap();
            assert_eq!(newest_in(folder.path()).is_some(), is_found, "{command}");
        }
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
