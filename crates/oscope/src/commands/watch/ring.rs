//! What a watch keeps on disk: a ring of records of an hour each, within a number of bytes. Each is a record as a run writes it.

use crate::exit::usage;
use crate::notice::notice;
use crate::records::{RING_PREFIX, SUFFIX, now, ring_records};
use record::{End, EndReason, Header, Journal, JournalError, Line, Machine, Plan, PointId, SCHEMA, Trial};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use watch::Moment;

/// How long a record goes on, in seconds.
const LASTING_S: f64 = 3_600.0;

/// Records in the bytes of the ring, at least: so much is lost at once when the oldest goes.
const LEAST_RECORDS: u64 = 8;

/// Seconds between two trials of a point that are kept, and between two attempts after an error.
const BETWEEN_S: f64 = 60.0;

/// Seconds by which the wall clock may be slewed before a record has wrong times.
const STEP_S: f64 = 1.0;

/// Records of one second, at most.
const MOST_NAMES: usize = 100;

/// The ring.
pub(super) struct Ring {
    folder: PathBuf,
    most_bytes: u64,
    header: Header,
    machine: Machine,
    plan: Plan,
    current: Option<Current>,
    kept: BTreeMap<PointId, Moment>,
    failed: Option<Moment>,
}

/// The record that is being written.
struct Current {
    journal: Journal,
    began: Moment,
    round: u32,
}

impl Ring {
    /// A ring in this directory, which is made where it is not there.
    pub(super) fn new(
        folder: &Path,
        most_bytes: u64,
        (boot, machine, plan): (Option<String>, &Machine, &Plan),
    ) -> anyhow::Result<Self> {
        fs::create_dir_all(folder).map_err(|error| crate::exit::file_error(folder, error))?;
        let header = Header {
            format: "oscope".to_owned(),
            schema: SCHEMA,
            program: env!("CARGO_PKG_VERSION").to_owned(),
            commit: option_env!("OSCOPE_COMMIT").map(str::to_owned),
            started: String::new(),
            arguments: std::env::args().skip(1).collect(),
            boot,
        };
        let (machine, plan, kept) = (machine.clone(), plan.clone(), BTreeMap::new());
        let mut ring = Self {
            folder: folder.to_owned(),
            most_bytes,
            header,
            machine,
            plan,
            current: None,
            kept,
            failed: None,
        };
        ring.make_room().map_err(|error| usage(format!("{}: {error}", folder.display())))?;
        Ok(ring)
    }

    /// Keeps a trial, unless one of its point was kept less than a minute ago. What cannot be written is lost, and the watch
    /// goes on; what stands in the ring stays.
    pub(super) fn keep(&mut self, trial: &Trial, at: Moment) {
        let is_soon = |before: &Moment| (0.0..BETWEEN_S).contains(&at.since_s(*before));
        if self.kept.get(&trial.id).is_some_and(is_soon) || self.failed.as_ref().is_some_and(is_soon) {
            return;
        }
        match self.append(trial, at) {
            Ok(()) => {
                self.kept.insert(trial.id.clone(), at);
                self.failed = None;
            }
            Err(error) => {
                if self.failed.is_none() {
                    notice!("oscope: {error}; trials are not kept until it can be written");
                }
                (self.current, self.failed) = (None, Some(at));
            }
        }
    }

    fn append(&mut self, trial: &Trial, at: Moment) -> Result<(), JournalError> {
        let most = self.most_bytes / LEAST_RECORDS;
        let is_over = |current: &Current| {
            let offset = |moment: Moment| (moment.unix_ns - moment.boot_ns) as f64 * 1e-9;
            at.since_s(current.began) >= LASTING_S
                || (offset(at) - offset(current.began)).abs() >= STEP_S
                || current.journal.end().map_or(true, |bytes| bytes >= most)
        };
        if self.current.as_ref().is_none_or(is_over) {
            self.end(at);
            self.make_room().map_err(|source| JournalError::File { path: self.folder.clone(), source })?;
            self.current = Some(self.begin(at)?);
        }
        let Some(current) = &mut self.current else { return Ok(()) };
        current.round += 1;
        let started_ns = u64::try_from(at.boot_ns - current.began.boot_ns).unwrap_or_default();
        let trial = Trial { round: current.round, started_ns, ..trial.clone() };
        current.journal.append(&Line::Trial(Box::new(trial)))
    }

    fn begin(&self, at: Moment) -> Result<Current, JournalError> {
        let started = now();
        let stem = format!("{RING_PREFIX}{}", started.replace(':', "-"));
        let mut created = Journal::create(&self.folder.join(format!("{stem}{SUFFIX}")));
        // A clock that was set back gives a name again.
        for again in 2..MOST_NAMES {
            if !matches!(created, Err(JournalError::Occupied { .. } | JournalError::Busy { .. })) {
                break;
            }
            created = Journal::create(&self.folder.join(format!("{stem}-{again}{SUFFIX}")));
        }
        let mut journal = created?;
        journal.append(&Line::Header(Header { started, ..self.header.clone() }))?;
        journal.append(&Line::Machine(self.machine.clone()))?;
        journal.append(&Line::Plan(self.plan.clone()))?;
        Ok(Current { journal, began: at, round: 0 })
    }

    /// Ends the record that is being written.
    pub(super) fn end(&mut self, at: Moment) {
        if let Some(mut current) = self.current.take() {
            let at_ns = u64::try_from(at.boot_ns - current.began.boot_ns).unwrap_or_default();
            // A record without an end is one that was killed, and as good.
            let _ = current.journal.append(&Line::End(End {
                reason: EndReason::Budget,
                at_ns,
                clock_drift: None,
            }));
        }
    }

    /// Removes the oldest records until one more fits.
    fn make_room(&mut self) -> std::io::Result<()> {
        let mut sizes = Vec::new();
        for path in ring_records(&self.folder)? {
            sizes.push((fs::metadata(&path)?.len(), path));
        }
        let mut bytes: u64 = sizes.iter().map(|(bytes, _)| bytes).sum();
        let most = self.most_bytes - self.most_bytes / LEAST_RECORDS;
        for (own, path) in sizes {
            if bytes <= most {
                break;
            }
            fs::remove_file(path)?;
            bytes -= own;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Record;

    fn ring(folder: &Path, most_bytes: u64) -> Ring {
        Ring::new(folder, most_bytes, (None, &Machine::default(), &Plan::default())).unwrap()
    }

    fn at(seconds: i64) -> Moment {
        let ns = seconds * 1_000_000_000;
        Moment { boot_ns: ns, monotonic_ns: ns, unix_ns: ns }
    }

    fn trial(point: &str) -> Trial {
        let json = r#"{"id":{"operation":"a.b","point":""},"clock":"tsc","ns_per_tick":1,"core_hz":null,"clock_cost_ticks":0,
            "cpu_cost_ns":0,"cpu":null,"pinned":false,"series":[],"evidence":[]}"#;
        Trial { id: PointId::new("a.b", point), ..serde_json::from_str(json).unwrap() }
    }

    #[test]
    fn one_trial_of_a_point_is_kept_in_a_minute_and_an_hour_makes_a_record() {
        let folder = tempfile::tempdir().unwrap();
        let mut ring = ring(folder.path(), 1 << 30);
        for seconds in (0..7_000).step_by(20) {
            ring.keep(&trial("x=1"), at(seconds));
            ring.keep(&trial("x=2"), at(seconds));
        }
        ring.end(at(7_000));
        let records: Vec<Record> =
            ring_records(folder.path()).unwrap().iter().map(|path| Record::read(path).unwrap()).collect();
        let trials: Vec<usize> = records.iter().map(|record| record.trials.len()).collect();
        assert_eq!(trials, [120, 114]);
        assert!(records.iter().all(|record| record.end.is_some() && record.plan.is_some()));
    }

    #[test]
    fn ring_keeps_to_its_bytes_and_leaves_other_files_alone() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("mine.oscope.jsonl");
        fs::write(&other, "x").unwrap();
        let mut ring = ring(folder.path(), 64 << 10);
        for minute in 0..2_000 {
            ring.keep(&trial("x=1"), at(60 * minute));
        }
        let bytes: u64 =
            ring_records(folder.path()).unwrap().iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        assert!(bytes <= 66 << 10 && bytes > 40 << 10, "{bytes}");
        assert!(other.exists());
    }

    #[test]
    fn a_lost_directory_ends_nothing_and_is_tried_again() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("ring");
        let mut ring = ring(&inner, 1 << 20);
        fs::remove_dir(&inner).unwrap();
        ring.keep(&trial("x=1"), at(0));
        ring.keep(&trial("x=1"), at(10));
        assert!(!inner.exists() && ring.failed == Some(at(0)));
        fs::create_dir(&inner).unwrap();
        ring.keep(&trial("x=1"), at(100));
        assert_eq!(ring_records(&inner).unwrap().len(), 1);
    }
}
