//! The state of a hand-off between CPUs: how the CPU that is woken had waited.
//!
//! A wake-up costs least where the idle CPU polls, more where it sleeps, and more again where it has stopped its tick. A
//! median over trials of several such states is the value of none: the trials of the most frequent one count.

use crate::rows::idle_state::{IdleShare, IdleState};
use crate::samples::summary::Summary;
use stats::order::median;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Keeps the trials of the most frequent state. Gives all states, that one first; nothing where a trial has none.
pub(crate) fn keep_most_frequent(summaries: &mut Vec<Summary<'_>>) -> Vec<IdleShare> {
    let states: Option<Vec<IdleState>> = summaries.iter().map(|summary| summary.trial.idle).collect();
    let Some(states) = states else {
        return Vec::new();
    };
    let mut trials: BTreeMap<IdleState, usize> = BTreeMap::new();
    for state in &states {
        *trials.entry(*state).or_default() += 1;
    }
    let mut found: Vec<(IdleState, usize)> = trials.into_iter().collect();
    found.sort_by_key(|&(state, trials)| (Reverse(trials), state));
    let shares = found.iter().filter_map(|&(state, trials)| {
        let of_state = summaries.iter().filter(|summary| summary.trial.idle == Some(state));
        Some(IdleShare {
            state,
            at: median(of_state.map(|summary| summary.value.typical))?,
            share: trials as f64 / states.len() as f64,
        })
    });
    let shares: Vec<IdleShare> = shares.collect();
    let kept = found.first().map(|(state, _)| *state);
    summaries.retain(|summary| summary.trial.idle == kept);
    shares
}
