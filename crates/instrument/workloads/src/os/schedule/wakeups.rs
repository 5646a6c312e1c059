//! Wake-ups of a thread by another one, from the waker's call until the woken thread runs.

use super::now;
use super::queue::{Queue, Request};
use measure::{Bench, CpuTime, Failure, Placement, Result};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use sys::process::{child_error, cpus_of_actors, processes_of_actors, report_child_error};
use sys::usage::{self, UsageScope};

/// Between two wake-ups: after the one before both threads sleep for most of it.
const PERIOD_NS: i64 = 300_000;

/// Fewest and most wake-ups of a trial.
const WAKE_UPS: (u64, u64) = (16, 256);

/// Discarded wake-ups, which warm up the path.
const WARM_UP: usize = 3;

/// Nanoseconds after which the waker ends by itself, beyond the time of a trial.
const TIMEOUT_NS: i64 = 20_000_000_000;

/// The thread that is woken, and its waker.
struct WakeUps {
    queue: Queue,
    is_over: AtomicBool,
    posted: AtomicU64,
    polls: bool,
}

impl WakeUps {
    /// What the waker does until the end: it sleeps for a period, and posts.
    fn post(&self, limit_ns: i64) -> sys::Result<()> {
        sys::sleep::set_slack(1)?;
        let mut due = now()?;
        let limit = due + limit_ns;
        while !self.is_over.load(Ordering::Acquire) && now()? < limit {
            due = (due + PERIOD_NS).max(now()? + PERIOD_NS / 2);
            sys::sleep::until(due)?;
            let request = Request { due, posted: now()?, cpu: None };
            self.posted.fetch_add(u64::from(self.queue.post(request)?), Ordering::AcqRel);
        }
        self.quit();
        self.queue.wake()
    }

    /// The time until the calling thread runs; `None` where it had not slept yet.
    fn next(&self) -> Result<Option<f64>> {
        let taken = self.queue.take(&self.is_over, self.polls)?;
        let ran = now()?;
        match taken {
            Some(taken) => Ok(taken.has_slept.then_some((ran - taken.request.posted) as f64)),
            None => Err(child_error().map_or_else(|| Failure::failed("the waker has ended"), Failure::from)),
        }
    }

    /// The wake-ups of the main thread.
    fn lead(&self, bench: &mut Bench<'_>) -> Result<()> {
        if bench.is_rehearsal() {
            return bench.each(CpuTime::Process, &mut || self.next().map(|_| 1));
        }
        for _ in 0..WARM_UP {
            self.next()?;
        }
        let voluntary = || usage::read(UsageScope::Thread).ok().map(|usage| usage.voluntary);
        let (before, woken) = (voluntary(), Cell::new(0.0));
        let mut once = || loop {
            if let Some(value) = self.next()? {
                woken.set(woken.get() + 1.0);
                return Ok(value);
            }
        };
        if bench.times_every_iteration() {
            bench.keep_own_schedule();
            bench.each_value(&|_| false, &mut once)?;
        } else {
            let wanted = (bench.spend_ns() / PERIOD_NS.unsigned_abs()).clamp(WAKE_UPS.0, WAKE_UPS.1) as usize;
            bench.each_value(&|taken| taken < wanted, &mut once)?;
        }
        let slept = voluntary().zip(before).map(|(after, before)| (after - before) as f64);
        bench.try_count("sleeps", slept.ok_or("the switches of the thread cannot be read"), woken.get());
        let no_proc = "/proc does not report the tasks of a process";
        bench.try_count("actors.cpus", cpus_of_actors().map(|cpus| cpus.len() as f64).ok_or(no_proc), 1.0);
        let processes = processes_of_actors().map(|count| count as f64).ok_or(no_proc);
        bench.try_count("actors.processes", processes, 1.0);
        Ok(())
    }

    fn quit(&self) {
        self.is_over.store(true, Ordering::Release);
    }
}

/// Times wake-ups at the placement of the point.
///
/// # Errors
/// When a thread cannot be made, or its call fails.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    wake(bench, false)
}

/// The same where the woken thread `polls` and does not sleep.
///
/// # Errors
/// When a thread cannot be made, or its call fails.
pub fn wake(bench: &mut Bench<'_>, polls: bool) -> Result<()> {
    let cpu = if bench.point().placement() == Some(Placement::Same) { bench.cpu() } else { bench.peer_cpu() };
    let limit_ns = TIMEOUT_NS.saturating_add(i64::try_from(2 * bench.spend_ns()).unwrap_or(i64::MAX / 2));
    let wake_ups =
        WakeUps { queue: Queue::new(), is_over: AtomicBool::new(false), posted: AtomicU64::new(0), polls };
    sys::thread::beside(
        cpu,
        || {
            wake_ups.post(limit_ns).unwrap_or_else(report_child_error);
            wake_ups.quit();
        },
        || {
            let result = wake_ups.lead(bench);
            wake_ups.quit();
            result
        },
    )?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_sleeps_is_woken_after_the_call() {
        let wake_ups = WakeUps {
            queue: Queue::new(),
            is_over: AtomicBool::new(false),
            posted: AtomicU64::new(0),
            polls: false,
        };
        let values = sys::thread::beside(
            None,
            || wake_ups.post(TIMEOUT_NS).unwrap(),
            || {
                let values: Vec<Option<f64>> = (0..30).map(|_| wake_ups.next().unwrap()).collect();
                wake_ups.quit();
                values
            },
        );
        let values = values.unwrap();
        assert!(values.iter().flatten().count() > 0 && values.iter().flatten().all(|value| *value > 0.0));
        // The last posts may not have been taken.
        assert!(wake_ups.posted.load(Ordering::Acquire) >= 30);
    }

    #[test]
    fn a_waker_that_has_ended_is_an_error() {
        let wake_ups = WakeUps {
            queue: Queue::new(),
            is_over: AtomicBool::new(true),
            posted: AtomicU64::new(0),
            polls: false,
        };
        assert!(wake_ups.next().is_err());
    }
}
