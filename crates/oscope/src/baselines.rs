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

/// The records of a baseline, in their order; none where there is no such baseline. Development versions saved a single file.
fn records_in(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    (1..).map(|at| numbered(path, at)).take_while(|record| record.is_file()).collect()
}

/// The nth record in the folder of a baseline.
fn numbered(folder: &Path, at: usize) -> PathBuf {
    folder.join(format!("{at}{SUFFIX}"))
}

/// The records that were saved as this baseline.
pub fn saved(name: &str) -> anyhow::Result<Vec<PathBuf>> {
    let records = records_in(&path(name)?);
    if !records.is_empty() {
        return Ok(records);
    }
    let known = match names().join(", ") {
        none if none.is_empty() => "none is saved".to_owned(),
        some => format!("saved are {some}"),
    };
    Err(usage(format!("there is no baseline '{name}': {known}; 'oscope baseline {name} RECORD' saves one")))
}

/// A baseline that was saved, and what it replaced.
pub struct Saved {
    /// Its folder.
    pub path: PathBuf,
    /// The runs that the name stands for.
    pub runs: RunFacts,
    /// The runs that it stood for.
    pub replaced: Option<anyhow::Result<RunFacts>>,
}

/// Copies records to the baselines. What is there is replaced when the copies are whole.
pub fn save(name: &str, records: &[PathBuf]) -> anyhow::Result<Saved> {
    records::are_distinct(records)?;
    records.iter().try_for_each(|record| records::read(record).map(drop))?;
    let path = path(name)?;
    let replaced = path.exists().then(|| RunFacts::read(&records_in(&path)));
    // No baseline has a name that begins with a dot.
    let [new, old] =
        ["new", "old"].map(|word| path.with_file_name(format!(".{word}-{}", std::process::id())));
    copy(records, &new).and_then(|()| replace(&path, &new, &old)).map_err(|error| {
        // What stands of the copies is of no use; the first error is the one to report.
        let _ = std::fs::remove_dir_all(&new);
        unwritable(&path, &error)
    })?;
    let _ = std::fs::remove_dir_all(&old).or_else(|_| std::fs::remove_file(&old));
    let runs = RunFacts::read(&records_in(&path))?;
    Ok(Saved { path, runs, replaced })
}

/// Copies records into a new folder.
fn copy(records: &[PathBuf], folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for (at, record) in records.iter().enumerate() {
        std::fs::copy(record, numbered(folder, at + 1))?;
    }
    Ok(())
}

/// Moves what is there aside, and what is new to its place; what is there returns where that fails.
fn replace(path: &Path, new: &Path, old: &Path) -> std::io::Result<()> {
    if path.exists() {
        std::fs::rename(path, old)?;
    }
    std::fs::rename(new, path).inspect_err(|_| {
        let _ = std::fs::rename(old, path);
    })
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

/// By what a user recognises runs: the facts of the first, and how many there are.
pub struct RunFacts {
    /// When it began.
    pub date: String,
    /// The release of the kernel.
    pub kernel: String,
    /// The model of the processor.
    pub processor: String,
    /// Points with a number, or with a trial where the run has not ended.
    pub points: usize,
    /// Records of the baseline.
    pub records: usize,
}

impl RunFacts {
    /// Reads them from the records of a baseline.
    pub fn read(records: &[PathBuf]) -> anyhow::Result<Self> {
        let Some(first) = records.first() else { return Err(usage("the baseline has no record")) };
        if let Some(Summarized { header, machine, summary, .. }) =
            Summarized::read(first).map_err(unreadable)?
        {
            let points = summary.rows.iter().filter(|row| row.typical.is_some()).count();
            return Ok(Self::new(&header.started, &machine, points, records.len()));
        }
        let Record { header, machine, trials, .. } = records::read(first)?;
        let points: BTreeSet<String> = trials.iter().map(|trial| trial.id.to_string()).collect();
        Ok(Self::new(&header.started, &machine, points.len(), records.len()))
    }

    fn new(started: &str, machine: &Machine, points: usize, records: usize) -> Self {
        let [kernel, processor] = ["kernel.release", "processor.model"]
            .map(|key| machine.text(key).unwrap_or("unknown").to_owned());
        Self { date: started.to_owned(), kernel, processor, points, records }
    }
}

impl std::fmt::Display for RunFacts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { date, kernel, processor, points, records } = self;
        let runs = match records {
            1 => "the run of".to_owned(),
            _ => format!("{records} runs, the first of"),
        };
        write!(out, "{runs} {date}, Linux {kernel}, {processor}, {}", report::many(*points, "point"))
    }
}
