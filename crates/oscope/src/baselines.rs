//! Baselines: copies of records in the state directory, by name.

use crate::exit::{unwritable, usage};
use crate::records::{self, SUFFIX, folder, unreadable};
use record::{Machine, Record, Summarized};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folder of baselines, below that of records.
fn baselines() -> anyhow::Result<PathBuf> {
    match folder() {
        Some(folder) => Ok(folder.join("baselines")),
        None => Err(usage("no place for baselines: neither XDG_STATE_HOME nor HOME is set; set one of them")),
    }
}

/// The file of a baseline, where its name can be that of a file.
fn path(name: &str) -> anyhow::Result<PathBuf> {
    let is_plain = name.chars().all(|letter| letter.is_alphanumeric() || "-_.".contains(letter));
    if name.is_empty() || name.starts_with('.') || !is_plain {
        return Err(usage(format!(
            "'{name}' cannot be the name of a baseline: use letters, digits, '-', '_' and '.'"
        )));
    }
    Ok(baselines()?.join(format!("{name}{SUFFIX}")))
}

/// The record that was saved as this baseline.
pub fn saved(name: &str) -> anyhow::Result<PathBuf> {
    let path = path(name)?;
    if path.is_file() {
        return Ok(path);
    }
    let known = match names().join(", ") {
        none if none.is_empty() => "none is saved".to_owned(),
        some => format!("saved are {some}"),
    };
    Err(usage(format!("there is no baseline '{name}': {known}; 'oscope baseline {name} RECORD' saves one")))
}

/// A baseline that was saved, and what it replaced.
pub struct Saved {
    /// Its file.
    pub path: PathBuf,
    /// The run that the name stood for.
    pub replaced: Option<anyhow::Result<RunFacts>>,
}

/// Copies a record to the baselines, in one step: what is there is the old one or the new one.
pub fn save(name: &str, record: &Path) -> anyhow::Result<Saved> {
    records::read(record)?;
    let path = path(name)?;
    let replaced = path.exists().then(|| RunFacts::read(&path));
    let part = path.with_extension(format!("part-{}", std::process::id()));
    let saved = std::fs::create_dir_all(baselines()?)
        .and_then(|()| std::fs::copy(record, &part))
        .and_then(|_| std::fs::rename(&part, &path));
    saved.map_err(|error| {
        // What stands of the copy is of no use; the first error is the one to report.
        let _ = std::fs::remove_file(&part);
        unwritable(&path, &error)
    })?;
    Ok(Saved { path, replaced })
}

/// The names of the baselines.
pub fn names() -> Vec<String> {
    let entries = baselines().ok().and_then(|folder| std::fs::read_dir(folder).ok());
    let files = entries.into_iter().flatten().flatten();
    let names = files.filter_map(|entry| Some(entry.file_name().to_str()?.strip_suffix(SUFFIX)?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// By what a user knows a run again.
pub struct RunFacts {
    /// When it began.
    pub date: String,
    /// The release of the kernel.
    pub kernel: String,
    /// The model of the processor.
    pub processor: String,
    /// Points with a number, or with a trial where the run has not ended.
    pub points: usize,
}

impl RunFacts {
    /// Reads them from a record.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        if let Some(Summarized { header, machine, summary, .. }) =
            Summarized::read(path).map_err(unreadable)?
        {
            let points = summary.rows.iter().filter(|row| row.typical.is_some()).count();
            return Ok(Self::new(&header.started, &machine, points));
        }
        let Record { header, machine, trials, .. } = records::read(path)?;
        let points: BTreeSet<String> = trials.iter().map(|trial| trial.id.to_string()).collect();
        Ok(Self::new(&header.started, &machine, points.len()))
    }

    fn new(started: &str, machine: &Machine, points: usize) -> Self {
        let [kernel, processor] = ["kernel.release", "processor.model"]
            .map(|key| machine.text(key).unwrap_or("unknown").to_owned());
        Self { date: started.to_owned(), kernel, processor, points }
    }
}

impl std::fmt::Display for RunFacts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { date, kernel, processor, points } = self;
        write!(out, "{date}, Linux {kernel}, {processor}, {}", report::many(*points, "point"))
    }
}
