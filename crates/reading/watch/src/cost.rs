//! What a watch costs the machine besides CPU time: what it wrote and how often it woke up.

use std::collections::VecDeque;

/// Seconds over which rates are taken.
const OVER_S: f64 = 60.0;

/// Shortest time between two readings that are kept.
const BETWEEN_S: f64 = 1.0;

/// What a watch and its workers have used so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Used {
    /// Nanoseconds of CPU time.
    pub cpu_ns: f64,
    /// Bytes written to file systems.
    pub written_bytes: f64,
    /// Times that a task of it waited, and was woken up.
    pub wakeups: f64,
}

/// What was used in the last minute.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recent {
    /// With the second; the first one is a minute old.
    readings: VecDeque<(f64, Used)>,
    newest: (f64, Used),
}

impl Recent {
    pub(crate) fn account(&mut self, at_s: f64, used: Used) {
        if self.readings.back().is_none_or(|(last_s, _)| at_s - last_s >= BETWEEN_S) {
            self.readings.push_back((at_s, used));
        }
        while self.readings.get(1).is_some_and(|(second_s, _)| at_s - second_s >= OVER_S) {
            self.readings.pop_front();
        }
        self.newest = (at_s, used);
    }

    /// All since the watch began.
    pub(crate) fn total(&self) -> Used {
        self.newest.1
    }

    /// Bytes written and wake-ups, both per second.
    pub(crate) fn rates(&self) -> Option<(f64, f64)> {
        let (from_s, from) = self.readings.front()?;
        let (to_s, to) = self.newest;
        let seconds = to_s - from_s;
        let rate = |count: fn(&Used) -> f64| (count(&to) - count(from)).max(0.0) / seconds;
        (seconds > 0.0).then(|| (rate(|used| used.written_bytes), rate(|used| used.wakeups)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_of_the_last_minute_and_memory_is_bounded() {
        let mut recent = Recent::default();
        assert_eq!(recent.rates(), None);
        let used = |written_bytes, wakeups| Used { written_bytes, wakeups, ..Used::default() };
        // A test file at the beginning, then 100 bytes and two wake-ups a second, read ten times a second.
        for tenth in 0..36_000 {
            let second = f64::from(tenth) / 10.0;
            recent.account(second, used(1e6 + 100.0 * second, 2.0 * second));
        }
        let (written, wakeups) = recent.rates().unwrap_or_default();
        assert!((written - 100.0).abs() < 1.0 && (wakeups - 2.0).abs() < 0.1, "{written} {wakeups}");
        assert!(recent.readings.len() < 65 && recent.total().written_bytes > 1.35e6);
    }
}
