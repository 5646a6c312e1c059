//! Earlier runs on a machine: the records of a directory, newest first, each by its beginning and end alone.

use crate::exit::{file_error, unusable};
use crate::notice::notice;
use crate::records::{self, SUFFIXES, own_file, ring_began};
use crate::same_machine::{OF_MACHINES, OF_WORKERS, differing};
use analysis::{EarlierRuns, is_same_moment};
use jiff::Timestamp;
use record::{Header, Machine, PeerEnd, Plan, Record, Settings, Summarized, SummaryRow};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files that are looked at, the newest first: a megabyte each at most, and a few milliseconds.
const MOST_FILES: usize = 60;

/// Earlier runs that count: older ones say less of what lasts for minutes, and more of what was changed since.
pub const MOST_RUNS: usize = 20;

/// Names of a directory that are sorted by time.
const MOST_NAMES: usize = 100_000;

/// Where, by what, and how a run measured.
#[derive(Debug, Clone, Copy)]
pub struct Conditions<'a> {
    pub header: &'a Header,
    pub machine: &'a Machine,
    pub peer: Option<&'a PeerEnd>,
    pub settings: Option<&'a Settings>,
}

/// Facts by which two kernels, or the microcode below them, differ.
const OF_SYSTEM: [&str; 5] =
    ["kernel.release", "kernel.version", "kernel.config.sum", "kernel.command_line", "processor.microcode"];

/// The fact by which machines of one type differ.
pub const MEMORY: &str = "memory.total";

/// In what the conditions of two runs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Differs {
    Machine(&'static str),
    Kernel(&'static str),
    Program,
    Libraries(&'static str),
    Settings(&'static str),
}

impl<'a> Conditions<'a> {
    pub fn from_parts(
        header: &'a Header,
        machine: &'a Machine,
        peer: Option<&'a PeerEnd>,
        plan: Option<&'a Plan>,
    ) -> Self {
        Self { header, machine, peer, settings: plan.map(|plan| &plan.settings) }
    }

    pub fn of_record(record: &'a Record) -> Self {
        Self::from_parts(&record.header, &record.machine, record.peer.as_ref(), record.plan.as_ref())
    }

    /// Whether both were measured on one machine: in one boot, or by facts that machines of one type often differ in.
    fn other_machine(self, other: Self) -> Option<&'static str> {
        if self.header.boot.is_some() && self.header.boot == other.header.boot {
            return None;
        }
        differing(self.machine, other.machine, &OF_MACHINES)
            .or_else(|| differing(self.machine, other.machine, &[MEMORY]))
    }

    /// All in which they differ that may move a value.
    pub fn differences(self, other: Self) -> Vec<Differs> {
        let [one, two] = [self, other];
        let machine = one.other_machine(two).map(Differs::Machine);
        let kernel = differing(one.machine, two.machine, &OF_SYSTEM);
        let program = |header: &Header| (header.program.clone(), header.commit.clone());
        let program = (program(one.header) != program(two.header)).then_some(Differs::Program);
        let libraries = differing(one.machine, two.machine, &OF_WORKERS).map(Differs::Libraries);
        let settings = one.settings.zip(two.settings).and_then(|(one, two)| other_settings(one, two));
        let peer = one.peer.zip(two.peer).filter(|(one, two)| is_other_peer(one, two)).map(|_| "peer");
        [machine, kernel.map(Differs::Kernel), program, libraries, settings.or(peer).map(Differs::Settings)]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// The setting that may move a value, if one differs. What only one of them needed is no difference.
fn other_settings(one: &Settings, two: &Settings) -> Option<&'static str> {
    let both = |one: &Option<String>, two: &Option<String>| one.is_some() && two.is_some() && one != two;
    [
        (one.cpu != two.cpu, "cpu"),
        (one.peer_cpu.zip(two.peer_cpu).is_some_and(|(one, two)| one != two), "peer-cpu"),
        (one.trigger != two.trigger, "trigger"),
        (one.worker_settings != two.worker_settings, "nice or sched"),
        (both(&one.directory, &two.directory), "dir"),
        (both(&one.remote_directory, &two.remote_directory), "remote-dir"),
    ]
    .into_iter()
    .find_map(|(differs, name)| differs.then_some(name))
}

fn is_other_peer(one: &PeerEnd, two: &PeerEnd) -> bool {
    let host = |peer: &PeerEnd| peer.address.rsplit_once(':').map(|(host, _)| host.to_owned());
    host(one) != host(two) || differing(&one.machine, &two.machine, &OF_MACHINES).is_some()
}

/// A run in a directory of records.
#[derive(Debug, Clone, PartialEq)]
pub struct PastRun {
    pub path: PathBuf,
    pub header: Header,
    pub machine: Machine,
    pub peer: Option<PeerEnd>,
    pub settings: Option<Settings>,
    pub rows: Vec<SummaryRow>,
}

impl PastRun {
    pub fn conditions(&self) -> Conditions<'_> {
        let Self { header, machine, peer, settings, .. } = self;
        Conditions { header, machine, peer: peer.as_ref(), settings: settings.as_ref() }
    }

    /// Gives its rows away, and forgets the facts that no comparison of runs asks for.
    pub fn take_rows(&mut self) -> Vec<SummaryRow> {
        let asked = |key: &str| {
            key == MEMORY
                || OF_MACHINES.contains(&key)
                || OF_SYSTEM.contains(&key)
                || OF_WORKERS.contains(&key)
        };
        self.machine.facts.retain(|fact| asked(&fact.key));
        self.machine.facts.shrink_to_fit();
        std::mem::take(&mut self.rows)
    }

    /// The rows of its record, read again.
    pub fn rows_again(&self) -> anyhow::Result<Vec<SummaryRow>> {
        let run = Self::read(&self.path).map_err(|why| unusable(&self.path, why))?;
        Ok(run.map(|run| run.rows).unwrap_or_default())
    }

    /// The run of a record; `None` where that has no estimates at its end: the run was killed, is blind, or still going on.
    /// Fails when the file is no record, or is damaged.
    fn read(path: &Path) -> Result<Option<Self>, String> {
        let read = Summarized::read(path).map_err(|error| error.to_string())?;
        Ok(read.map(|Summarized { header, machine, peer, settings, summary, .. }| Self {
            path: path.to_owned(),
            header,
            machine,
            peer,
            settings,
            rows: summary.rows,
        }))
    }
}

/// Why a record says nothing of its run.
const NO_ESTIMATES: &str = "it has no estimates at its end, or they do not fit it";

/// The runs of a directory of records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// Those that could be read, the newest first.
    pub runs: Vec<PastRun>,
    /// Files that are not among them, each with the reason.
    pub unread: Vec<String>,
    /// Further files that were not looked at.
    pub left_out: usize,
}

impl History {
    /// Reads the newest records of this directory, or of the state directory.
    /// Fails when the directory that was named cannot be read.
    pub fn read(named: Option<&Path>) -> anyhow::Result<Self> {
        Self::read_each(named, MOST_FILES, |_, _| ())
    }

    /// The same for this number of records. Each is given to `each` with its place among the runs.
    pub fn read_each(
        named: Option<&Path>,
        most: usize,
        mut each: impl FnMut(usize, &mut PastRun),
    ) -> anyhow::Result<Self> {
        let Some(folder) = named.map(Path::to_owned).or_else(records::folder) else {
            return Ok(Self::default());
        };
        let files = match files(&folder, named.is_none()) {
            Ok(files) => files,
            // A state directory that is not there yet has no records.
            Err(_) if named.is_none() => Vec::new(),
            Err(error) => return Err(file_error(&folder, error)),
        };
        let mut history = Self { left_out: files.len().saturating_sub(most), ..Self::default() };
        for path in files.iter().take(most) {
            match PastRun::read(path) {
                Ok(Some(run)) => history.add(run, &mut each),
                // In the state directory there are often runs that were killed.
                Ok(None) if named.is_none() => {}
                Ok(None) => history.unread.push(format!("{}: {NO_ESTIMATES}", records::name_of(path))),
                Err(why) => history.unread.push(format!("{}: {why}", records::name_of(path))),
            }
        }
        Ok(history)
    }

    /// Adds a run, which is given to `each` before with its place among the runs.
    pub fn add(&mut self, mut run: PastRun, each: &mut impl FnMut(usize, &mut PastRun)) {
        each(self.runs.len(), &mut run);
        self.runs.push(run);
    }

    /// The place of the run that began last.
    pub fn newest(&self) -> Option<usize> {
        let runs = self.runs.iter().enumerate();
        let newest = runs.max_by(|(_, one), (_, other)| one.header.started.cmp(&other.header.started));
        newest.map(|(place, _)| place)
    }

    /// The place of the run of this record, which is added, and given to `each`, if it is not among the runs.
    /// Fails when it cannot be read.
    pub fn take(&mut self, path: &Path, mut each: impl FnMut(usize, &mut PastRun)) -> anyhow::Result<usize> {
        let run = PastRun::read(path).map_err(|why| unusable(path, why))?;
        let run = run.ok_or_else(|| unusable(path, NO_ESTIMATES))?;
        if let Some(place) = self.runs.iter().position(|known| known.header == run.header) {
            return Ok(place);
        }
        self.add(run, &mut each);
        Ok(self.runs.len() - 1)
    }

    /// What the runs before this time say that were measured as this one.
    pub fn earlier_runs(&self, than: Conditions<'_>, before: &str) -> EarlierRuns {
        let alike = self.runs.iter().filter(|run| {
            run.header.started.as_str() < before && run.conditions().differences(than).is_empty()
        });
        let mut alike: Vec<&PastRun> = alike.collect();
        alike.sort_by(|one, other| other.header.started.cmp(&one.header.started));
        // Of runs within a moment the newest counts: they share what lasts for longer.
        alike.dedup_by(|older, newer| {
            let seconds = [&older, &newer].map(|run| run.header.started.parse::<Timestamp>().ok());
            let [older_s, newer_s] = seconds.map(|at| at.map(|at| at.as_millisecond() as f64 / 1e3));
            older_s.zip(newer_s).is_some_and(|(older_s, newer_s)| is_same_moment(older_s, newer_s))
        });
        let mut earlier = EarlierRuns::default();
        alike.iter().take(MOST_RUNS).for_each(|run| earlier.add(&run.rows));
        earlier
    }
}

/// What the runs before a run say that were measured as this one; none where its directory cannot be read.
pub fn earlier_runs(named: Option<&Path>, than: Conditions<'_>) -> anyhow::Result<EarlierRuns> {
    let history = History::read(named)?;
    history.warn();
    Ok(history.earlier_runs(than, &than.header.started))
}

impl History {
    /// Says on standard error which files could not be read.
    pub fn warn(&self) {
        /// Files that are named.
        const MOST_NAMED: usize = 3;
        if !self.unread.is_empty() {
            let more = self.unread.len().saturating_sub(MOST_NAMED);
            let more = if more > 0 { format!(", and {more} more") } else { String::new() };
            let named: Vec<&str> = self.unread.iter().take(MOST_NAMED).map(String::as_str).collect();
            notice!("oscope: not among the earlier runs: {}{more}", named.join("; "));
        }
    }
}

/// The records of runs in a directory, the newest first, without those of a watch; of the state directory only those of the
/// user.
fn files(folder: &Path, is_own: bool) -> std::io::Result<Vec<PathBuf>> {
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(folder)?.take(MOST_NAMES) {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_record = SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) && !name.starts_with('.');
        let is_record = is_record && ring_began(&path).is_none();
        let is_own = !is_own || own_file(&path).is_some();
        if let (true, true, Ok(about)) = (is_record, is_own, path.metadata())
            && about.is_file()
        {
            found.push((about.modified().unwrap_or(SystemTime::UNIX_EPOCH), path));
        }
    }
    found.sort();
    Ok(found.into_iter().rev().map(|(_, path)| path).collect())
}
