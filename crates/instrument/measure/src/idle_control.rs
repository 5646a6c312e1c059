//! Controls what the actors' CPUs do while they are idle, for as long as a trial lasts, and shows that they did so.

use crate::evidence::per;
use crate::value::IdleState;
use crate::{Failure, Point, Result};
use record::{Evidence, Request};
use sys::idle_state::{IdleTime, PollingIdle, Spinners, has_states};

/// What is held for the trial.
enum Control {
    Busy(Spinners),
    Polling(PollingIdle),
}

/// The controlled CPUs, and their idle time when the control began.
pub(crate) struct IdleControl {
    cpus: Vec<u32>,
    control: Control,
    before: IdleTime,
    spun_before: Vec<Option<i64>>,
}

impl IdleControl {
    /// Takes control where the point says so; before the process makes a thread.
    ///
    /// # Errors
    /// Skipped where the state cannot be had.
    pub(crate) fn start(point: &Point, request: &Request) -> Result<Option<Self>> {
        let Some(state) = point.idle_state() else { return Ok(None) };
        let peer = request.peer_cpu.filter(|_| point.has_two_cpus());
        let cpus: Vec<u32> = request.cpu.into_iter().chain(peer).collect();
        let control = match state {
            IdleState::Busy => Control::Busy(
                Spinners::start(&cpus)
                    .map_err(|error| Failure::from(error).because("no CPU can be kept busy"))?,
            ),
            IdleState::Polling => {
                if !cpus.iter().all(|&cpu| has_states(cpu)) {
                    return Err(Failure::skipped(
                        "the kernel has no driver for idle states: its idle loop follows no latency limit",
                        "load one (cpuidle_haltpoll on a KVM guest, intel_idle or acpi_idle on bare metal)",
                    ));
                }
                Control::Polling(PollingIdle::start()?)
            }
        };
        let mut this = Self { before: IdleTime::read(&cpus), control, cpus, spun_before: Vec::new() };
        this.spun_before = this.spun_ns();
        Ok(Some(this))
    }

    fn spun_ns(&self) -> Vec<Option<i64>> {
        match &self.control {
            Control::Busy(spinners) => spinners.cpu_ns(),
            Control::Polling(_) => Vec::new(),
        }
    }

    /// Of the time since the control began, the share in which the CPUs halted, and that in which they spun or polled.
    pub(crate) fn evidence(&self) -> Vec<Evidence> {
        let now = IdleTime::read(&self.cpus);
        let elapsed = (now.at_ns - self.before.at_ns) as f64;
        let of_all = elapsed * self.cpus.len() as f64;
        let halted = difference(now.halted_ns, self.before.halted_ns);
        let halted = per("idle.halted", halted.ok_or("the kernel shows no idle time of CPUs"), of_all);
        match self.control {
            Control::Busy(_) => {
                let spun: Option<Vec<f64>> = self
                    .spun_ns()
                    .iter()
                    .zip(&self.spun_before)
                    .map(|(now, before)| difference(*now, *before))
                    .collect();
                let least = spun.and_then(|spun| spun.into_iter().min_by(f64::total_cmp));
                vec![
                    halted,
                    per("idle.spun", least.ok_or("the CPU time of a spinner cannot be read"), elapsed),
                ]
            }
            Control::Polling(_) => {
                let polled = difference(now.polling_ns, self.before.polling_ns);
                vec![
                    halted,
                    per("idle.polled", polled.ok_or("the kernel shows no polling idle state"), of_all),
                ]
            }
        }
    }
}

fn difference(now: Option<i64>, before: Option<i64>) -> Option<f64> {
    Some((now? - before?) as f64)
}
