//! The journal: one JSON line per fact of the run, appended as it happens, readable when torn.

use crate::checksum::{Checksum, check, with_checksum};
use crate::line::{End, Header, Line, PeerEnd, RoundEnd, SCHEMA};
use crate::{
    Disturbance, Machine, MachineChange, Plan, PlannedPoint, PointId, Prediction, Rehearsal, Trial,
    TrialFailure,
};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// No line is longer: a journal with such a line is not one of ours.
const LONGEST_LINE: u64 = 64 << 20;

/// Why a journal cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be opened, read or written.
    #[error("{path}: {source}")]
    File {
        /// Its path.
        path: PathBuf,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// There is something in it already.
    #[error("{path}: the file is not empty; name a new one, or continue it with --resume")]
    Occupied {
        /// Its path.
        path: PathBuf,
    },
    /// Another run writes to it.
    #[error("{path}: another run is writing to this record; wait for it or name another file")]
    Busy {
        /// Its path.
        path: PathBuf,
    },
    /// It is something else.
    #[error("{path}: not a record of oscope ({why})")]
    Foreign {
        /// Its path.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It is no regular file: a record is appended to, and read again.
    #[error("{path}: {what}, and a record needs a regular file; name another one")]
    Irregular {
        /// Its path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// It was changed after it was written.
    #[error(
        "{path}: damaged at line {line} (byte {at}): {why}; use another copy of the record, or the lines before the damage: \
         head -n {} {path}", .line - 1
    )]
    Damaged {
        /// Its path.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The byte at which that begins, from 0.
        at: u64,
        /// What is wrong with it.
        why: String,
    },
    /// Another record begins in it.
    #[error(
        "{path}: a second record begins at line {line} (byte {at}): runs in one file would be taken for one run; \
         give each a file of its own (the first: head -n {} {path}) and compare them with 'oscope compare A B'", .line - 1
    )]
    SecondHeader {
        /// Its path.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The byte at which that begins, from 0.
        at: u64,
    },
    /// It was written by a newer program.
    #[error("{path}: written in schema {schema}, this program reads up to {SCHEMA}; use a newer oscope")]
    Newer {
        /// Its path.
        path: PathBuf,
        /// Its schema.
        schema: u32,
    },
}

/// The error of a file.
pub(crate) fn file_error(path: &Path) -> impl Fn(std::io::Error) -> JournalError {
    move |source| JournalError::File { path: path.to_owned(), source }
}

/// What stands at a path that cannot hold a record; `None` for a file, a path where nothing is, and for devices of letters: the null
/// device keeps nothing, and the full one is what a full disk is tested with.
fn irregular(path: &Path) -> Option<&'static str> {
    let kind = std::fs::metadata(path).ok()?.file_type();
    let kinds = [
        (kind.is_dir(), "a directory"),
        (kind.is_fifo(), "a pipe"),
        (kind.is_socket(), "a socket"),
        (kind.is_block_device(), "a block device"),
    ];
    kinds.into_iter().find_map(|(is_so, what)| is_so.then_some(what))
}

/// A journal open for appending.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Begins a journal in a new or empty file; never overwrites anything.
    ///
    /// # Errors
    /// When the file holds something, is not a regular one, cannot be created, or is in use.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let wrap = file_error(path);
        // Opening a pipe would wait for a reader.
        if let Some(what) = irregular(path) {
            return Err(JournalError::Irregular { path: path.to_owned(), what });
        }
        let file = File::options().append(true).create(true).open(path).map_err(&wrap)?;
        if file.metadata().map_err(&wrap)?.len() > 0 {
            return Err(JournalError::Occupied { path: path.to_owned() });
        }
        Self { path: path.to_owned(), file }.locked()
    }

    /// Opens a journal to go on with it: cuts off a torn last line, and gives back what it holds.
    ///
    /// # Errors
    /// When it cannot be read or written, is no record, or is in use.
    pub fn resume(path: &Path) -> Result<(Self, Record), JournalError> {
        let wrap = file_error(path);
        let file = File::options().read(true).append(true).open(path).map_err(&wrap)?;
        let journal = Self { path: path.to_owned(), file }.locked()?;
        let record = Record::read(path)?;
        journal.file.set_len(record.whole_bytes).map_err(&wrap)?;
        Ok((journal, record))
    }

    fn locked(self) -> Result<Self, JournalError> {
        match self.file.try_lock() {
            Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(self),
            Err(std::fs::TryLockError::WouldBlock) => Err(JournalError::Busy { path: self.path }),
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The byte at which the next line will begin.
    ///
    /// # Errors
    /// When the file cannot be asked.
    pub fn end(&self) -> Result<u64, JournalError> {
        self.file.metadata().map(|about| about.len()).map_err(file_error(&self.path))
    }

    /// Appends one line with one write; after an error no half line is left behind where that can be helped.
    ///
    /// # Errors
    /// When the file cannot be written, for example on a full disk.
    pub fn append(&mut self, line: &Line) -> Result<(), JournalError> {
        self.write_whole(line).map_err(file_error(&self.path))
    }

    fn write_whole(&mut self, line: &Line) -> std::io::Result<()> {
        let mut text = with_checksum(serde_json::to_vec(line)?);
        text.push(b'\n');
        let end = self.file.seek(SeekFrom::End(0))?;
        self.file.write_all(&text).inspect_err(|_| {
            // The disk is full or gone: what stands of this line would be torn. The first error is
            // what the user needs to hear, so a failure to cut it off is not reported.
            let _ = self.file.set_len(end);
        })
    }
}

/// A journal that was read: everything in it, sorted by kind, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    /// The first line.
    pub header: Header,
    /// The machine, if the run came so far.
    pub machine: Machine,
    /// The other end, where there was one.
    pub peer: Option<PeerEnd>,
    /// The plan, if the run came so far.
    pub plan: Option<Plan>,
    /// What was predicted, before the first trial.
    pub predictions: Vec<(PointId, Prediction)>,
    /// What the tracer saw.
    pub rehearsals: Vec<Rehearsal>,
    /// The trials.
    pub trials: Vec<Trial>,
    /// The trials that gave nothing.
    pub failures: Vec<TrialFailure>,
    /// The complete rounds.
    pub rounds: Vec<RoundEnd>,
    /// What changed of the machine meanwhile.
    pub changes: Vec<MachineChange>,
    /// What disturbed the run.
    pub disturbances: Vec<Disturbance>,
    /// How it ended; `None` when it was killed or still runs.
    pub end: Option<End>,
    /// Bytes up to the end of the last whole line.
    pub whole_bytes: u64,
}

impl Record {
    /// A record that begins with this line and holds nothing else yet.
    pub fn new(header: Header) -> Self {
        Self { header, ..Self::default() }
    }

    /// Reads a journal. A torn last line is left out.
    ///
    /// # Errors
    /// When the file cannot be read, is no record, or was written by a newer program.
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        Self::read_from(BufReader::new(File::open(path).map_err(file_error(path))?), path)
    }

    /// Reads a journal from any reader; `path` is for messages.
    ///
    /// # Errors
    /// As [`Record::read`].
    pub fn read_from(mut reader: impl BufRead, path: &Path) -> Result<Self, JournalError> {
        let mut text = Vec::new();
        let mut lines = Lines::new(path);
        let mut record: Option<Self> = None;
        loop {
            text.clear();
            let length = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text);
            let length = length.map_err(file_error(path))? as u64;
            if length == 0 || text.last() != Some(&b'\n') {
                break;
            }
            match &mut record {
                None => record = Some(Self::new(lines.first(&text)?)),
                Some(record) => record.add(lines.next(&text)?),
            }
            lines.advance(length);
        }
        let mut record = record.ok_or_else(|| lines.foreign("it has no complete first line"))?;
        record.whole_bytes = lines.at;
        Ok(record)
    }

    /// Takes in one more line.
    pub fn add(&mut self, line: Line) {
        match line {
            Line::Header(header) => self.header = header,
            Line::Machine(machine) => self.machine = machine,
            Line::Peer(peer) => self.peer = Some(peer),
            Line::Plan(mut plan) => {
                plan.points.iter_mut().for_each(PlannedPoint::use_current_names);
                self.plan = Some(plan);
            }
            Line::Prediction { id, prediction } => self.predictions.push((id, prediction)),
            Line::Rehearsal(rehearsal) => self.rehearsals.push(rehearsal),
            Line::Trial(trial) => self.trials.push(*trial),
            Line::Failure(failure) => self.failures.push(failure),
            Line::Round(round) => self.rounds.push(round),
            Line::Change(change) => self.changes.push(change),
            Line::Disturbance(disturbance) => self.disturbances.push(disturbance),
            Line::Resumed { .. } => self.end = None,
            Line::End(end) => self.end = Some(end),
            // Whoever has the whole record analyses it.
            Line::Summary(_) => {}
        }
    }
}

/// The lines of a journal that is read, each checked.
struct Lines<'p> {
    path: &'p Path,
    /// The number of the line that comes next, from 1.
    line: u64,
    /// The byte at which it begins.
    at: u64,
    /// The byte at which the line before it begins.
    before: u64,
    /// Whether the line before it has a checksum.
    has_checksum: bool,
    /// When the run began, by the first line.
    started: String,
}

impl<'p> Lines<'p> {
    fn new(path: &'p Path) -> Self {
        Self { path, line: 1, at: 0, before: 0, has_checksum: false, started: String::new() }
    }

    fn advance(&mut self, length: u64) {
        self.line += 1;
        self.before = self.at;
        self.at += length;
    }

    fn foreign(&self, why: impl Into<String>) -> JournalError {
        JournalError::Foreign { path: self.path.to_owned(), why: why.into() }
    }

    fn damaged(&self, why: impl Into<String>) -> JournalError {
        let (path, line, at) = (self.path.to_owned(), self.line, self.at);
        JournalError::Damaged { path, line, at, why: why.into() }
    }

    /// The header.
    fn first(&mut self, text: &[u8]) -> Result<Header, JournalError> {
        let value: serde_json::Value =
            serde_json::from_slice(text).map_err(|_| self.foreign("its first line is not JSON"))?;
        if value.get("format").and_then(|format| format.as_str()) != Some("oscope") {
            return Err(self.foreign("its first line does not say that it is one"));
        }
        let checksum = self.checksum(text)?;
        let schema = value.get("schema").and_then(serde_json::Value::as_u64).unwrap_or(0);
        if schema > u64::from(SCHEMA) {
            let schema = u32::try_from(schema).unwrap_or(u32::MAX);
            return Err(JournalError::Newer { path: self.path.to_owned(), schema });
        }
        let Ok(Line::Header(header)) = serde_json::from_value(value) else {
            return Err(self.foreign("its first line is not a header"));
        };
        self.has_checksum = checksum == Checksum::Right;
        self.started.clone_from(&header.started);
        Ok(header)
    }

    /// A further line.
    fn next(&mut self, text: &[u8]) -> Result<Line, JournalError> {
        let checksum = self.checksum(text)?;
        let line: Line = serde_json::from_slice(text).map_err(|error| match checksum {
            Checksum::Right => {
                let (line, at) = (self.line, self.at);
                self.foreign(format!("line {line} (byte {at}): {error}; a newer oscope may have written it"))
            }
            Checksum::Absent | Checksum::Wrong => self.damaged(error.to_string()),
        })?;
        self.check(&line, checksum)?;
        self.has_checksum = checksum == Checksum::Right;
        Ok(line)
    }

    fn checksum(&self, text: &[u8]) -> Result<Checksum, JournalError> {
        match check(text) {
            Checksum::Wrong => Err(self.damaged("its checksum is that of another content")),
            other => Ok(other),
        }
    }

    /// Checks a line against those before it.
    fn check(&self, line: &Line, checksum: Checksum) -> Result<(), JournalError> {
        match (line, checksum) {
            (Line::Header(_), _) => {
                let (path, line, at) = (self.path.to_owned(), self.line, self.at);
                Err(JournalError::SecondHeader { path, line, at })
            }
            // Programs without and with checksums may have written to one record, one after the other.
            (Line::Resumed { .. } | Line::Plan(_), _) => Ok(()),
            (_, Checksum::Right) if !self.has_checksum => {
                let (path, line, at) = (self.path.to_owned(), self.line - 1, self.before);
                let why = "it has no checksum, and the next line has one".to_owned();
                Err(JournalError::Damaged { path, line, at, why })
            }
            (_, Checksum::Absent) if self.has_checksum => {
                Err(self.damaged("it has no checksum, and the line before it has one"))
            }
            (Line::Summary(summary), Checksum::Right) if summary.at != self.at => Err(self.damaged(format!(
                "this summary was written at byte {}: lines before it were taken out or added",
                summary.at
            ))),
            (Line::Summary(summary), Checksum::Right) if !summary.is_of(&self.started) => {
                Err(self.damaged("this summary is that of another run"))
            }
            _ => Ok(()),
        }
    }
}
