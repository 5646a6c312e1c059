//! Reads the records of a directory: of each the summary at its end, or all of it where that does not fit.

use super::launch::is_number;
use crate::records::{SUFFIXES, name_of, read, unreadable};
use analysis::{Analysis, Analyst};
use fleet::{Fleet, Import, Intake, Problem, Text};
use jiff::{SignedDuration, Timestamp};
use record::{Machine, Record, Summarized, Summary};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Records that are read before they are taken in: more would fill the memory of a small machine.
const AT_ONCE: usize = 256;

/// No record is older: there was no such program.
const OLDEST: &str = "2025-01-01T00:00:00Z";

/// The machines of the records in a directory and in those below it, and what is wrong with them.
pub fn fleet(folder: &Path) -> std::io::Result<(Fleet, Vec<Problem>)> {
    let files = records(folder)?;
    let mut intake = Intake::default();
    for files in files.chunks(AT_ONCE) {
        for (file, import) in files.iter().zip(in_parallel(files, import)) {
            match import {
                Ok(import) => intake.add(import),
                Err(why) => intake.unreadable(&file.name, why),
            }
        }
    }
    Ok(intake.finish())
}

/// A record and what its machine is called.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordFile {
    /// The file.
    pub path: PathBuf,
    /// As it is called in results: without the directory of the fleet.
    pub name: String,
    /// What its machine is called, by the name of the file or of its directory.
    pub machine: String,
}

/// The records in a directory and in those below it, in the order of their names.
pub fn records(folder: &Path) -> std::io::Result<Vec<RecordFile>> {
    let mut files = found_in(folder, folder, None)?;
    files.sort();
    Ok(files)
}

/// The records in a directory, those of a machine if it is one of a machine, and in the directories of machines.
fn found_in(fleet: &Path, folder: &Path, machine: Option<&str>) -> std::io::Result<Vec<RecordFile>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_record = SUFFIXES.iter().any(|suffix| name.ends_with(suffix));
        if path.is_dir() && machine.is_none() && !name.starts_with('.') && !is_of_no_machine(&name) {
            found.extend(found_in(fleet, &path, Some(&name))?);
        } else if is_record && !name.starts_with('.') && path.is_file() {
            let machine = machine.map_or_else(|| machine_of(&path), str::to_owned);
            let name = path.strip_prefix(fleet).unwrap_or(&path).display().to_string();
            found.push(RecordFile { path, name, machine });
        }
    }
    Ok(found)
}

/// Whether a directory holds something else than the records of one machine: those of pairs have a report of their own.
fn is_of_no_machine(name: &str) -> bool {
    [super::slurm::PAIRS_FOLDER, "logs"].contains(&name)
}

/// What the machine of a record is called by the name of its file: without a number of a repetition.
fn machine_of(path: &Path) -> String {
    let name = name_of(path);
    match name.rsplit_once('.') {
        Some((machine, number)) if is_number(number) && !machine.is_empty() => machine.to_owned(),
        _ => name,
    }
}

/// What a function gives for each of these, computed by all CPUs.
pub fn in_parallel<T: Send>(
    files: &[RecordFile],
    of: impl Fn(&RecordFile) -> Result<T, String> + Sync,
) -> Vec<Result<T, String>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let each = files.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            files.chunks(each).map(|part| scope.spawn(|| part.iter().map(&of).collect::<Vec<_>>())).collect();
        let read = parts.into_iter().zip(files.chunks(each));
        let read = read.flat_map(|(thread, part)| {
            thread
                .join()
                .unwrap_or_else(|_| part.iter().map(|_| Err("it could not be read".to_owned())).collect())
        });
        read.collect()
    })
}

fn import(file: &RecordFile) -> Result<Import, String> {
    let read = match Summarized::read(&file.path) {
        Ok(Some(read)) => return Ok(of(file, read, true)),
        Ok(None) => whole(file),
        Err(error) => Err(unreadable(error)),
    };
    read.map_err(|error| {
        let error = format!("{error:#}");
        // The path stands before what is said of it already.
        let path = format!("{}: ", file.path.display());
        error.strip_prefix(&path).map(str::to_owned).unwrap_or(error)
    })
}

/// A record without a summary that fits it.
fn whole(file: &RecordFile) -> anyhow::Result<Import> {
    let record = read(&file.path)?;
    let analysis = record.plan.as_ref().map(|plan| Analyst::from_record(&record, plan).analysis());
    let quiet_share = analysis.as_ref().and_then(Analysis::least_quiet_share);
    let rows = analysis.map(|analysis| analysis.summary_rows()).unwrap_or_default();
    let summary = Summary::new(&record.header.started, 0, quiet_share, rows);
    let has_ended = record.end.is_some();
    let Record { header, machine, peer, plan, end, .. } = record;
    let read = Summarized { header, machine, peer, settings: plan.map(|plan| plan.settings), summary, end };
    Ok(of(file, read, has_ended))
}

fn of(file: &RecordFile, read: Summarized, has_ended: bool) -> Import {
    let Summarized { header, machine, summary, end, .. } = read;
    let started = right_clock(&header.started);
    // A record of a pair of machines is not of one boot.
    let is_remote = header.arguments.iter().any(|word| word.starts_with("--peer"));
    Import {
        file: file.name.clone(),
        machine: file.machine.clone(),
        is_clock_right: started.is_some(),
        span: started.map(|started| {
            let began = started.as_second() as f64;
            (began, began + end.map_or(0.0, |end| end.at_ns as f64 * 1e-9))
        }),
        boot: header.boot.filter(|_| !is_remote).map(Text::from),
        started: header.started,
        has_ended,
        program: header.program,
        facts: facts(&machine),
        memory_bytes: machine.number("memory.total"),
        rows: summary.rows,
        quiet_share: summary.quiet_share,
    }
}

/// When a run began; `None` where that cannot be right.
fn right_clock(started: &str) -> Option<Timestamp> {
    let started = started.parse::<Timestamp>().ok()?;
    let oldest = OLDEST.parse::<Timestamp>().unwrap_or_default();
    let newest = Timestamp::now().checked_add(SignedDuration::from_hours(24)).ok()?;
    (oldest <= started && started <= newest).then_some(started)
}

fn facts(machine: &Machine) -> BTreeMap<Text, Text> {
    machine
        .facts
        .iter()
        .filter_map(|fact| Some((fact.key.as_str().into(), report::fact_value(fact)?.into())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_are_of_one_machine() {
        for (path, machine) in [
            ("a/node7.oscope.jsonl", "node7"),
            ("a/node7.2.oscope.jsonl", "node7"),
            ("node7.example.org.jsonl", "node7.example.org"),
            ("3.oscope", "3"),
        ] {
            assert_eq!(machine_of(Path::new(path)), machine);
        }
    }

    #[test]
    fn clocks_are_right_within_a_day() {
        let now = Timestamp::now();
        assert_eq!(right_clock(&now.to_string()), Some(now));
        assert_eq!(right_clock("1970-01-01T00:00:07Z"), None);
        assert_eq!(right_clock("2999-01-01T00:00:00Z"), None);
        assert_eq!(right_clock("yesterday"), None);
    }
}
