//! A moment by three clocks, and what lies between two moments.

use crate::thresholds::CLOCK_STEP_S;

/// A moment by the kernel's clocks, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moment {
    /// Since boot, the time asleep included: what a watch counts by.
    pub boot_ns: i64,
    /// Since boot, without the time asleep.
    pub monotonic_ns: i64,
    /// Since 1970, UTC.
    pub unix_ns: i64,
}

impl Moment {
    /// Seconds since an earlier moment.
    pub fn since_s(self, earlier: Self) -> f64 {
        (self.boot_ns - earlier.boot_ns) as f64 * 1e-9
    }

    /// Seconds for which the machine slept since an earlier moment.
    pub(crate) fn asleep_s(self, earlier: Self) -> f64 {
        let asleep = |moment: Self| moment.boot_ns - moment.monotonic_ns;
        (asleep(self) - asleep(earlier)) as f64 * 1e-9
    }

    /// By how many seconds the wall clock was set since an earlier moment, if it was.
    pub(crate) fn step_s(self, earlier: Self) -> Option<f64> {
        let offset = |moment: Self| moment.unix_ns - moment.boot_ns;
        let step = (offset(self) - offset(earlier)) as f64 * 1e-9;
        (step.abs() >= CLOCK_STEP_S).then_some(step)
    }

    /// The time of day, UTC, as `03:12:07`.
    pub fn time_of_day(self) -> String {
        let seconds = self.unix_ns.div_euclid(1_000_000_000).rem_euclid(86_400);
        format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
    }

    /// Seconds since 1970.
    pub fn unix_s(self) -> f64 {
        self.unix_ns as f64 * 1e-9
    }
}
