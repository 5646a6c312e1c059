//! Triggers and trials on a simulated clock and core.

use crate::batches::Timing;
use crate::settle_time::SettleTime;
use crate::trigger::Trigger;
pub(crate) use oscope_trigger::simulated::{Core, Neighbour, Simulated};
use oscope_trigger::{Clock, Probe};
use record::TriggerRequest;

/// Ratio of the probes on a core of its own.
const QUIET_RATIO: f64 = 1.0;

/// What a trial has, on a simulated clock.
pub(crate) trait SimulatedTrial {
    /// A trigger that waits for CPU 7 to be quiet, for this long.
    fn trigger(&self, timeout_ns: u64) -> Trigger<Simulated>;
    /// A trial on this clock.
    fn timing(&self, timeout_ns: u64) -> Timing<Simulated>;
}

impl SimulatedTrial for Simulated {
    fn trigger(&self, timeout_ns: u64) -> Trigger<Simulated> {
        let quiet = vec![(7, QUIET_RATIO)];
        let request = TriggerRequest { timeout_ns: Some(timeout_ns), quiet };
        Trigger::with(Probe::new(*self), None, Some(7), &request)
    }

    fn timing(&self, timeout_ns: u64) -> Timing<Simulated> {
        Timing::with(*self, self.moment(), self.trigger(timeout_ns), SettleTime::zero())
    }
}
