//! Whether what measures is bound to its CPU, as it is seen from outside: a sandbox may accept what a worker asks, tell it so,
//! and move all the same.

use super::executor::Outcome;
use record::{Purpose, Reply, Request, Trial};
use std::time::Duration;
use sys::descendants::{self, Descendants};

/// Share of the time of requests that must have been spent here as CPU time, or trials run elsewhere and nothing is seen.
const LEAST_SHARE: f64 = 0.25;

/// A process that was started for requests, and how long these took.
pub(super) struct Outside {
    pid: u32,
    asked: Duration,
}

impl Outside {
    pub(super) fn of(pid: u32) -> Self {
        Self {
            pid,
            asked: Duration::ZERO,
        }
    }

    /// Whether a thread is bound to the CPU that was asked for, while the worker is still there; `None` where there was
    /// none to be bound, or the trial cannot be seen from here.
    pub(super) fn is_bound(&mut self, request: &Request, took: Duration) -> Option<bool> {
        self.asked += took;
        let cpu = request.cpu.filter(|_| request.purpose == Purpose::Trial)?;
        judged(&descendants::of(self.pid), self.asked, cpu)
    }
}

fn judged(seen: &Descendants, asked: Duration, cpu: u32) -> Option<bool> {
    if seen.bound_to.contains(&cpu) {
        return Some(true);
    }
    (seen.cpu_ns as f64 >= LEAST_SHARE * asked.as_nanos() as f64).then_some(false)
}

/// Where it was seen from outside that nothing was bound to the CPU, that counts and not what the worker says.
pub(super) fn seen_from_outside(outcome: Outcome, is_bound: Option<bool>) -> Outcome {
    let seen = |trial: &mut Trial| trial.pinned &= is_bound.unwrap_or(true);
    match outcome {
        Outcome::Reply(Reply::Trial(mut trial)) => {
            seen(&mut trial);
            Outcome::Reply(Reply::Trial(trial))
        }
        Outcome::Reply(Reply::Together { mut trials, absent }) => {
            trials.iter_mut().for_each(seen);
            Outcome::Reply(Reply::Together { trials, absent })
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_bound_is_seen_where_it_used_the_time() {
        let seen = |cpu_ns, bound_to: &[u32]| Descendants {
            cpu_ns,
            bound_to: bound_to.iter().copied().collect(),
        };
        let asked = Duration::from_nanos(1000);
        assert_eq!(judged(&seen(500, &[1]), asked, 1), Some(true));
        assert_eq!(judged(&seen(500, &[0]), asked, 1), Some(false));
        // A client that only waits for another machine.
        assert_eq!(judged(&seen(100, &[]), asked, 1), None);
    }
}
