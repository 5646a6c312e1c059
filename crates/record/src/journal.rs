//! The journal: one JSON line per fact of the run, appended as it happens, readable when torn.

use crate::line::{End, Header, Line, PeerEnd, RoundEnd, SCHEMA};
use crate::{
    Disturbance, Machine, MachineChange, Plan, PlannedPoint, PointId, Prediction, Rehearsal, Trial,
    TrialFailure,
};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
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
    /// When the file holds something, cannot be created, or is in use.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let wrap = file_error(path);
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
        let mut text = serde_json::to_vec(line)?;
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
        let foreign = |why: String| JournalError::Foreign { path: path.to_owned(), why };
        let mut text = Vec::new();
        let mut record: Option<Self> = None;
        let mut whole_bytes = 0;
        loop {
            text.clear();
            let length = reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut text);
            let length = length.map_err(file_error(path))? as u64;
            if length == 0 || text.last() != Some(&b'\n') {
                break;
            }
            match &mut record {
                None => record = Some(Self::new(first_line(&text, path)?)),
                Some(record) => record.add(
                    serde_json::from_slice(&text)
                        .map_err(|error| foreign(format!("at byte {whole_bytes}: {error}")))?,
                ),
            }
            whole_bytes += length;
        }
        let mut record = record.ok_or_else(|| foreign("it has no complete first line".to_owned()))?;
        record.whole_bytes = whole_bytes;
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

fn first_line(text: &[u8], path: &Path) -> Result<Header, JournalError> {
    let foreign = |why: &str| JournalError::Foreign { path: path.to_owned(), why: why.to_owned() };
    let value: serde_json::Value =
        serde_json::from_slice(text).map_err(|_| foreign("its first line is not JSON"))?;
    if value.get("format").and_then(|format| format.as_str()) != Some("oscope") {
        return Err(foreign("its first line does not say that it is one"));
    }
    let schema = value.get("schema").and_then(serde_json::Value::as_u64).unwrap_or(0);
    if schema > u64::from(SCHEMA) {
        let schema = u32::try_from(schema).unwrap_or(u32::MAX);
        return Err(JournalError::Newer { path: path.to_owned(), schema });
    }
    match serde_json::from_value(value) {
        Ok(Line::Header(header)) => Ok(header),
        _ => Err(foreign("its first line is not a header")),
    }
}
