//! Which channel is read next, and when: within a share of a CPU's time, and not while others wait.

use crate::channel::Needs;
use crate::thresholds::{
    CPU_PRESSURE, HELD_BACK, LONGEST_SILENCE_S, OTHER_PRESSURE, TOUCHED_RATE, UNCOUNTED, URGENT_AFTER_S,
    WRITTEN_RATE,
};

/// Weight of the newest trial in the expected cost of a channel.
const NEWEST: f64 = 0.3;

/// What a trial is expected to cost before the first one, in nanoseconds of CPU time.
const FIRST_COST_NS: f64 = 30e6;

/// Seconds of the budget that may be saved up: a pause is not made up for.
const MOST_SAVED_S: f64 = 10.0;

/// The cost of one channel.
#[derive(Debug, Clone, Copy)]
struct Cost {
    cpu_ns: f64,
    written_bytes: f64,
    last_s: f64,
    is_urgent: bool,
    needs: Needs,
}

/// The budget of a watch.
#[derive(Debug, Clone)]
pub struct Budget {
    share: f64,
    costs: Vec<Cost>,
    /// CPU time that may be used now, in nanoseconds.
    saved_ns: f64,
    at_s: f64,
    used_ns: f64,
    pressure: [Option<f64>; 3],
    began_s: f64,
    /// When a trial of any channel ended last.
    newest_s: f64,
}

impl Budget {
    /// A budget of this share of one CPU.
    pub fn new(share: f64, needs: impl IntoIterator<Item = Needs>, now_s: f64) -> Self {
        let cost = |needs| Cost {
            cpu_ns: FIRST_COST_NS,
            written_bytes: 0.0,
            last_s: f64::NEG_INFINITY,
            is_urgent: false,
            needs,
        };
        let costs = needs.into_iter().map(cost).collect();
        Self {
            share,
            costs,
            saved_ns: 0.0,
            at_s: now_s,
            used_ns: 0.0,
            pressure: [None; 3],
            began_s: now_s,
            newest_s: now_s,
        }
    }

    /// The share that is used at most now: less while tasks wait for a CPU.
    pub(crate) fn current_share(&self) -> f64 {
        if self.is_held_back() { self.share / HELD_BACK } else { self.share }
    }

    /// Whether tasks wait for a CPU, so that less is read.
    pub fn is_held_back(&self) -> bool {
        self.pressure[0].is_some_and(|share| share >= CPU_PRESSURE)
    }

    /// The share of one CPU that was used since the watch began, everything of it included.
    pub fn used_share(&self) -> f64 {
        let seconds = self.at_s - self.began_s;
        if seconds > 0.0 { self.used_ns * 1e-9 / seconds } else { 0.0 }
    }

    /// Time has passed, and this much CPU time has been used in all so far.
    pub(crate) fn account(&mut self, now_s: f64, used_ns: f64) {
        let passed_s = (now_s - self.at_s).clamp(0.0, MOST_SAVED_S);
        let spent_ns = (used_ns - self.used_ns).max(0.0);
        let most_ns = MOST_SAVED_S * self.share * 1e9;
        self.saved_ns = (self.saved_ns + passed_s * self.current_share() * 1e9 - spent_ns).min(most_ns);
        (self.at_s, self.used_ns) = (now_s, self.used_ns.max(used_ns));
    }

    /// The pressure on CPU, memory and disk is this now.
    pub(crate) fn press(&mut self, pressure: [Option<f64>; 3]) {
        self.pressure = pressure;
    }

    /// A trial of a channel has taken place.
    pub(crate) fn took(&mut self, channel: usize, cpu_ns: f64, written_bytes: f64, is_urgent: bool) {
        let at_s = self.at_s;
        self.newest_s = at_s;
        if let Some(cost) = self.costs.get_mut(channel) {
            let is_first = cost.last_s == f64::NEG_INFINITY;
            let weight = if is_first { 1.0 } else { NEWEST };
            cost.cpu_ns += weight * (cpu_ns - cost.cpu_ns);
            // The first trial makes the test file, once.
            if !is_first {
                cost.written_bytes += weight * (written_bytes - cost.written_bytes);
            }
            (cost.last_s, cost.is_urgent) = (at_s, is_urgent);
        }
    }

    /// The channel to read next, and in how many seconds; `None` where all rest.
    ///
    /// Reading each channel at a rate that falls with the root of its cost makes the readings of all the freshest that the
    /// budget allows: it minimises the sum of the ages, those of channels that alone show a disturbance counted more than once. Where the counters alone use up the budget, one is read all the same, now
    /// and then: a watch that reads nothing shows nothing.
    pub(crate) fn next(&self) -> Option<(usize, f64)> {
        if let Some(urgent) = self.next_urgent() {
            return Some(urgent);
        }
        let mut best: Option<(usize, f64)> = None;
        for (channel, cost) in self.costs.iter().enumerate().filter(|(_, cost)| self.may_run(cost)) {
            let age_s = (self.at_s - cost.last_s).min(1e6);
            let weight = if cost.needs.uncounted { UNCOUNTED } else { 1.0 };
            let due = weight * age_s / cost.cpu_ns.max(1e5).sqrt();
            if best.is_none_or(|(_, most)| due > most) {
                best = Some((channel, due));
            }
        }
        let (channel, _) = best?;
        let cost_ns = self.costs.get(channel)?.cpu_ns;
        // What is saved need only cover a part of a trial that costs more than may be saved.
        let needed_ns = cost_ns.min(MOST_SAVED_S * self.share * 1e9 * 0.9);
        let missing_ns = needed_ns - self.saved_ns;
        let silent_s = self.at_s - self.newest_s;
        let wait_s = (missing_ns / (self.current_share() * 1e9)).min(LONGEST_SILENCE_S - silent_s);
        Some((channel, wait_s.max(0.0)))
    }

    /// A channel that may have changed, and in how many seconds it is read: before there is room for it in the budget, which
    /// others then wait for, but not while tasks wait for a CPU.
    fn next_urgent(&self) -> Option<(usize, f64)> {
        let is_in_debt = self.saved_ns < -MOST_SAVED_S * self.share * 1e9;
        let urgent = self.costs.iter().enumerate().filter(|(_, cost)| cost.is_urgent && self.may_run(cost));
        let waits = urgent
            .map(|(channel, cost)| (channel, (cost.last_s + URGENT_AFTER_S - self.at_s).max(0.0)))
            .min_by(|(_, one), (_, other)| one.total_cmp(other));
        waits.filter(|_| !is_in_debt && !self.is_held_back())
    }

    fn may_run(&self, cost: &Cost) -> bool {
        let [_, memory, disk] = self.pressure.map(|share| share.is_some_and(|share| share >= OTHER_PRESSURE));
        let age_s = self.at_s - cost.last_s;
        let is_rested = |rests: bool| !rests || age_s >= 60.0;
        let touched = cost.needs.touched_bytes;
        age_s >= touched / TOUCHED_RATE
            && age_s >= cost.written_bytes / WRITTEN_RATE
            && is_rested(memory && touched >= 1_048_576.0)
            && is_rested(disk && cost.needs.disk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads channels of these costs for an hour; trials of each, and the share used.
    fn hour(budget: &mut Budget, costs_ms: &[f64], written: f64) -> (Vec<u32>, f64) {
        let (mut now_s, mut used_ns) = (0.0, 0.0);
        let mut trials = vec![0; costs_ms.len()];
        while now_s < 3600.0 {
            budget.account(now_s, used_ns);
            match budget.next() {
                Some((channel, wait_s)) if wait_s <= 0.0 => {
                    used_ns += costs_ms[channel] * 1e6;
                    now_s += costs_ms[channel] * 1e-3;
                    budget.account(now_s, used_ns);
                    budget.took(channel, costs_ms[channel] * 1e6, written, false);
                    trials[channel] += 1;
                }
                Some((_, wait_s)) => now_s += wait_s.clamp(0.01, 1.0),
                None => now_s += 1.0,
            }
        }
        (trials, used_ns * 1e-9 / now_s)
    }

    #[test]
    fn share_is_kept_and_cheap_channels_are_read_more_often_by_the_root_of_their_cost() {
        let mut budget = Budget::new(0.01, [Needs::default(); 2], 0.0);
        let (trials, used) = hour(&mut budget, &[4.0, 64.0], 0.0);
        assert!((0.009..=0.0101).contains(&used), "{used}");
        let ratio = f64::from(trials[0]) / f64::from(trials[1]);
        assert!((3.0..8.0).contains(&ratio), "{trials:?}");
    }

    #[test]
    fn pressure_divides_the_budget_and_lets_memory_and_disk_rest() {
        let large = Needs { touched_bytes: 16_777_216.0, ..Needs::default() };
        let mut budget = Budget::new(0.01, [Needs::default(), large], 0.0);
        budget.press([Some(0.9), Some(0.9), None]);
        let (trials, used) = hour(&mut budget, &[4.0, 4.0], 0.0);
        assert!((0.0015..0.0027).contains(&used) && trials[1] <= 61, "{used} {trials:?}");
    }

    #[test]
    fn a_suspected_change_is_read_again_after_a_second_within_a_debt_that_is_paid_back() {
        let mut budget = Budget::new(0.01, [Needs::default(); 2], 0.0);
        budget.account(1.0, 50e6);
        budget.took(0, 50e6, 0.0, true);
        let (channel, wait_s) = budget.next().unwrap_or((9, 0.0));
        assert_eq!((channel, wait_s), (0, 1.0));
        budget.account(2.0, 150e6);
        budget.took(0, 100e6, 0.0, true);
        assert!(budget.next().is_some_and(|(_, wait_s)| wait_s > 10.0), "{budget:?}");
        budget.account(8.0, 150e6);
        assert_eq!(budget.next(), Some((0, 0.0)));
        budget.press([Some(0.9), None, None]);
        assert!(budget.next().is_some_and(|next| next != (0, 0.0)), "{budget:?}");
    }

    #[test]
    fn counters_that_use_up_the_budget_leave_a_reading_now_and_then() {
        let mut budget = Budget::new(0.01, [Needs::default(); 3], 0.0);
        let mut trials = [0; 3];
        for second in 1..=600 {
            // The counters alone use twice what is left of the budget while tasks wait.
            budget.press([Some(0.9), None, None]);
            budget.account(f64::from(second), f64::from(second) * 0.005e9);
            if let Some((channel, 0.0)) = budget.next() {
                budget.took(channel, 30e6, 0.0, false);
                trials[channel] += 1;
            }
        }
        assert!(
            trials.iter().sum::<u32>() == 600 / LONGEST_SILENCE_S as u32 && trials.iter().all(|&one| one > 4),
            "{trials:?}"
        );
    }

    #[test]
    fn touching_and_writing_have_a_rate() {
        let large = Needs { touched_bytes: 67_108_864.0, ..Needs::default() };
        let mut budget = Budget::new(0.5, [large], 0.0);
        let (trials, _) = hour(&mut budget, &[1.0], 0.0);
        assert!((200..=226).contains(&trials[0]), "{trials:?}");
        let mut budget = Budget::new(0.5, [Needs::default()], 0.0);
        let (trials, _) = hour(&mut budget, &[1.0], 655_360.0);
        assert!((300..=370).contains(&trials[0]), "{trials:?}");
    }
}
