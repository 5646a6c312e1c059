//! Trials are pooled only with those under the same facts of the machine: a change splits a run, and values are those of
//! the state with most trials.

use crate::evidence::history::History;
use crate::run::machine_history::{MachineHistory, StateFact};
use record::{FactValue, MachineChange, TrialFailure};
use std::collections::BTreeMap;

/// Failures that are remembered in case the machine changed before they came, at most.
const MOST_RECENT: usize = 1024;

/// The histories of all points in one state of the machine.
#[derive(Debug, Clone, Default)]
struct MachineState {
    /// The facts that differ from those at the begin of the run.
    differs: BTreeMap<String, FactValue>,
    histories: Vec<History>,
}

impl MachineState {
    fn trials(&self) -> usize {
        self.histories.iter().map(|history| history.trials.len()).sum()
    }
}

/// The states of the machine that a run saw.
#[derive(Debug, Clone, Default)]
pub(super) struct MachineStates {
    states: Vec<MachineState>,
    current: usize,
    /// The facts that changed, as they were at the begin.
    original: BTreeMap<String, FactValue>,
    changes: Vec<MachineChange>,
    recent: Vec<(usize, TrialFailure)>,
}

impl MachineStates {
    /// One state, with these histories.
    pub(super) fn new(histories: Vec<History>) -> Self {
        Self { states: vec![MachineState { histories, ..MachineState::default() }], ..Self::default() }
    }

    /// The histories whose values count: those of the state with most trials, the earliest of several.
    pub(super) fn chosen(&self) -> &[History] {
        self.states.get(self.chosen_state()).map_or(&[], |state| &state.histories)
    }

    fn chosen_state(&self) -> usize {
        let most = self.states.iter().map(MachineState::trials).max();
        self.states.iter().position(|state| Some(state.trials()) == most).unwrap_or(0)
    }

    /// The history of a point in the current state.
    pub(super) fn current(&mut self, place: usize) -> Option<&mut History> {
        self.states.get_mut(self.current)?.histories.get_mut(place)
    }

    /// The histories of a point in all states.
    pub(super) fn all(&mut self, place: usize) -> impl Iterator<Item = &mut History> {
        self.states.iter_mut().filter_map(move |state| state.histories.get_mut(place))
    }

    /// A trial of a point gave nothing.
    pub(super) fn add_failure(&mut self, place: usize, failure: &TrialFailure) {
        if let Some(history) = self.current(place) {
            history.add_failure(failure);
            self.recent.push((place, failure.clone()));
        }
        if self.recent.len() > MOST_RECENT {
            self.recent.drain(..MOST_RECENT / 2);
        }
    }

    /// Facts changed: what was tried since the reading before belongs to no state.
    pub(super) fn change(&mut self, change: &MachineChange) {
        self.forget_since(change.after_ns);
        let mut differs =
            self.states.get(self.current).map(|state| state.differs.clone()).unwrap_or_default();
        for fact in &change.changes {
            let original = self.original.entry(fact.key.clone()).or_insert_with(|| fact.before.clone());
            if *original == fact.after {
                differs.remove(&fact.key);
            } else {
                differs.insert(fact.key.clone(), fact.after.clone());
            }
        }
        self.changes.push(change.clone());
        self.current = self.states.iter().position(|state| state.differs == differs).unwrap_or_else(|| {
            let histories =
                self.states.first().map(|state| state.histories.iter().map(History::untried).collect());
            self.states.push(MachineState { differs, histories: histories.unwrap_or_default() });
            self.states.len() - 1
        });
    }

    fn forget_since(&mut self, after_ns: u64) {
        let Some(state) = self.states.get_mut(self.current) else { return };
        state.histories.iter_mut().for_each(|history| history.forget_since(after_ns));
        for (place, failure) in self.recent.drain(..).filter(|(_, failure)| failure.started_ns >= after_ns) {
            if let Some(history) = state.histories.get_mut(place) {
                history.forget_failure(&failure);
            }
        }
    }

    /// What changed, and of which state the values are.
    pub(super) fn machine_history(&self) -> MachineHistory {
        let chosen = self.states.get(self.chosen_state());
        let facts = self.original.iter().map(|(key, original)| {
            let value = chosen.and_then(|state| state.differs.get(key)).unwrap_or(original);
            StateFact { key: key.clone(), value: value.clone() }
        });
        MachineHistory {
            changes: self.changes.clone(),
            facts: facts.collect(),
            trials: chosen.map_or(0, MachineState::trials),
            all: self.states.iter().map(MachineState::trials).sum(),
        }
    }
}
