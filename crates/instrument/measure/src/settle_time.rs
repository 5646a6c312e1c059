//! The settle time before the first batch of actors that wake each other on different CPUs.
//!
//! A CPU that has nothing to do stops its tick when nothing is due within one, and sets it up again when it is woken:
//! to a virtual machine that is a write that leaves the guest, and makes a wake-up cost half as much again. For some 45 ms
//! after a process was made the kernel has work due on the CPUs where that was, and leaves the tick alone. Workers and
//! actors are always that young, services that answer each other are not: a trial waits until they could be old.

use crate::Point;
use crate::evidence::per;
use record::{Evidence, Request};
use std::time::Duration;
use sys::idle::{self, Idle};

/// Longer than the kernel keeps the tick, by a third.
pub(crate) const SETTLE_TIME: Duration = Duration::from_millis(60);

/// A settle time that is waited for once, and the idle counts of CPUs after it.
pub(crate) struct SettleTime {
    length: Duration,
    cpus: Vec<u32>,
    before: Option<sys::Result<Idle>>,
}

impl SettleTime {
    /// No settle time.
    #[cfg(test)]
    pub(crate) fn zero() -> Self {
        Self { length: Duration::ZERO, cpus: Vec::new(), before: None }
    }

    /// A settle time of this length on the CPUs of the actors.
    pub(crate) fn before(length: Duration, point: &Point, request: &Request) -> Self {
        let peer = request.peer_cpu.filter(|_| point.placement().is_some());
        Self { length, cpus: request.cpu.into_iter().chain(peer).collect(), before: None }
    }

    /// Waits for it, the first time that it is called. Where sleep is denied there is no wait.
    pub(crate) fn wait(&mut self) {
        if self.length.is_zero() || self.before.is_some() {
            return;
        }
        if let Some(now) = sys::kernel_time::read(sys::kernel_time::KernelClock::Monotonic) {
            let _ = sys::sleep::until(now + i64::try_from(self.length.as_nanos()).unwrap_or(0));
        }
        self.before = Some(idle::read(&self.cpus));
    }

    /// Of the times since then that the actors' CPUs had nothing to do, in how many they stopped their tick; nothing
    /// where there was no settle time.
    pub(crate) fn evidence(&self) -> Option<Evidence> {
        let before = self.before.as_ref()?;
        let counted = before.and_then(|before| Ok(idle::read(&self.cpus)?.since(&before)));
        let entered = counted.as_ref().map_or(1, |idle| idle.entered.max(1));
        let stopped = counted.map(|idle| idle.stopped as f64);
        Some(per("idle.tick_stopped", stopped, entered as f64))
    }
}
