//! The work of a run that is resumed, as its record holds it.

use record::{EndReason, PointId, Record, Settings};
use std::collections::BTreeSet;
use std::time::Duration;

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
    /// Complete rounds.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }

    /// How long the run took so far.
    pub fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.elapsed_ns)
    }

    /// Why no round can follow by these settings, if none can, and what to ask for instead. A new run has its first round
    /// whatever its budget; one that `ended` with the same settings for this reason would end for it again.
    pub fn exhausted(&self, settings: &Settings, ended: Option<EndReason>) -> Option<String> {
        if ended == Some(EndReason::Narrow) {
            return Some("every point is narrow enough: try a smaller --precision".to_owned());
        }
        if self.rounds >= settings.most_rounds {
            let rounds = report::many(self.rounds as usize, "round");
            let more = self.rounds + settings.least_rounds.max(1);
            return Some(format!(
                "the record has {rounds}, and --rounds counts these too: try --rounds {more}"
            ));
        }
        let elapsed_s = self.elapsed().as_secs_f64();
        let is_spent = elapsed_s >= settings.budget_s || ended == Some(EndReason::Budget);
        (self.rounds > 0 && is_spent).then(|| {
            let elapsed = quantity::duration_words(self.elapsed());
            let more = (2.0 * elapsed_s).ceil();
            format!("the run took {elapsed} so far, and its budget counts these too: try --budget {more}s")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(budget_s: f64, rounds: u32) -> Settings {
        Settings { budget_s, least_rounds: rounds, most_rounds: rounds, ..Settings::default() }
    }

    #[test]
    fn work_is_exhausted_by_rounds_or_by_time() {
        let done = CompletedWork { rounds: 8, elapsed_ns: 7_300_000_000, ..CompletedWork::default() };
        assert_eq!(done.exhausted(&settings(60.0, 9), None), None);
        let by_rounds = done.exhausted(&settings(60.0, 8), None).unwrap_or_default();
        assert!(by_rounds.contains("8 rounds") && by_rounds.ends_with("--rounds 16"), "{by_rounds}");
        // The last round of a run that spent its budget ended a little before that.
        for (budget_s, ended) in [(7.0, None), (7.5, Some(EndReason::Budget))] {
            let by_time = done.exhausted(&settings(budget_s, 9), ended).unwrap_or_default();
            assert!(by_time.contains("7.3 s") && by_time.ends_with("--budget 15s"), "{by_time}");
        }
        assert_eq!(CompletedWork::default().exhausted(&settings(0.0, 9), None), None);
        let narrow = done.exhausted(&settings(60.0, 9), Some(EndReason::Narrow)).unwrap_or_default();
        assert!(narrow.ends_with("a smaller --precision"), "{narrow}");
        assert_eq!(done.exhausted(&settings(60.0, 9), Some(EndReason::Interrupted)), None);
    }
}
