//! The state of a hand-off between CPUs: how the CPU that is woken had waited.
//!
//! A wake-up costs least where the idle CPU polls, more where it sleeps, and more again where it has stopped its tick. A
//! median over trials of several such states is the value of none: the trials of the most frequent one count.

use crate::rows::idle_state::{IdleShare, IdleState};
use crate::samples::summary::Summary;
use stats::order::median;
use std::cmp::Reverse;

/// Keeps the trials of the most frequent state. Gives all states, that one first; nothing where a trial has none.
pub(crate) fn keep_most_frequent(summaries: &mut Vec<Summary<'_>>) -> Vec<IdleShare> {
    let states: Option<Vec<IdleState>> = summaries.iter().map(|summary| summary.trial.idle).collect();
    let Some(states) = states else {
        return Vec::new();
    };
    let trials = |state: IdleState| states.iter().filter(|&&other| other == state).count();
    let mut found = states.clone();
    found.sort_by_key(|&state| (Reverse(trials(state)), state));
    found.dedup();
    let share_of = |&state: &IdleState| {
        let of_state = summaries.iter().filter(|summary| summary.trial.idle == Some(state));
        Some(IdleShare {
            state,
            at: median(of_state.map(|summary| summary.value.typical))?,
            share: trials(state) as f64 / states.len() as f64,
        })
    };
    let shares: Vec<IdleShare> = found.iter().filter_map(share_of).collect();
    let kept = found.first().copied();
    summaries.retain(|summary| summary.trial.idle == kept);
    shares
}
