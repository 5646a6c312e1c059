//! The work of a run that is resumed, as its record holds it.

use record::{PointId, Record};
use std::collections::BTreeSet;

/// What was done before the run was resumed.
#[derive(Debug, Default)]
pub struct CompletedWork {
    /// Complete rounds.
    pub(super) rounds: u32,
    /// Nanoseconds that they took.
    pub(super) elapsed_ns: u64,
    /// Points tried in the round that was not finished.
    pub(super) in_flight: BTreeSet<PointId>,
    /// Points that were rehearsed.
    pub(super) rehearsed: BTreeSet<PointId>,
}

impl CompletedWork {
    /// What stands in a record.
    pub fn in_record(record: &Record) -> Self {
        let rounds = record.rounds.iter().map(|end| end.round).max().unwrap_or(0);
        let trials = record.trials.iter().map(|trial| (trial.round, &trial.id, trial.started_ns));
        let failures = record.failures.iter().map(|failure| (failure.round, &failure.id, 0));
        let later: Vec<_> = trials.chain(failures).filter(|(round, ..)| *round > rounds).collect();
        let ends = record.rounds.iter().map(|end| end.at_ns);
        Self {
            rounds,
            elapsed_ns: ends.chain(later.iter().map(|(.., at)| *at)).max().unwrap_or(0),
            in_flight: later.iter().map(|(_, id, _)| (*id).clone()).collect(),
            rehearsed: record.rehearsals.iter().map(|rehearsal| rehearsal.id.clone()).collect(),
        }
    }
}
