//! Whether what measures is bound to its CPU, as it is seen from outside: a sandbox may accept what a worker asks, tell it so,
//! and move all the same.

use super::executor::Outcome;
use measure::{Placement, Point};
use record::{Purpose, Reply, Request, Skip, Trial};
use std::time::Duration;
use sys::descendants::{self, Descendants};

/// Share of the time of requests that must have been spent here as CPU time, or trials run elsewhere and nothing is seen.
const LEAST_SHARE: f64 = 0.25;

/// Whether a thread of a process that was asked for this long is bound to the CPU of a request, while the worker is still
/// there; `None` where there was none to be bound, or the trial cannot be seen from here.
pub(super) fn is_bound(pid: u32, asked: Duration, request: &Request) -> Option<bool> {
    let cpu = request.cpu.filter(|_| request.purpose == Purpose::Trial)?;
    judged(&descendants::read(pid), asked, cpu)
}

fn judged(seen: &Descendants, asked: Duration, cpu: u32) -> Option<bool> {
    if seen.bound_to.contains(&cpu) {
        return Some(true);
    }
    (seen.cpu_ns as f64 >= LEAST_SHARE * asked.as_nanos() as f64).then_some(false)
}

/// Where it was seen from outside that nothing was bound to the CPU, that counts and not what the worker says: it is no cost
/// between two CPUs.
pub(super) fn seen_from_outside(mut outcome: Outcome, request: &Request, is_bound: Option<bool>) -> Outcome {
    let trials = match &mut outcome {
        Outcome::Reply(Reply::Trial(trial)) => std::slice::from_mut(&mut **trial),
        Outcome::Reply(Reply::Together { trials, .. }) => trials.as_mut_slice(),
        _ => return outcome,
    };
    if is_bound == Some(false) && is_between_cpus(request) {
        return Outcome::Reply(Reply::Skipped(Skip {
            reason: "the actors are not kept on their CPUs: sched_setaffinity succeeds and has no effect"
                .to_owned(),
            remedy: "measure it natively, or where sched_setaffinity is served by the machine's own kernel"
                .to_owned(),
        }));
    }
    trials.iter_mut().for_each(|trial: &mut Trial| trial.pinned &= is_bound.unwrap_or(true));
    outcome
}

/// Whether a point has actors on two CPUs.
fn is_between_cpus(request: &Request) -> bool {
    let placement = Point::parse(&request.id.point).and_then(|point| point.placement());
    placement.is_some_and(|placement| placement != Placement::Same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::PointId;

    #[test]
    fn what_is_not_bound_is_seen_where_it_used_the_time() {
        let seen =
            |cpu_ns, bound_to: &[u32]| Descendants { cpu_ns, bound_to: bound_to.iter().copied().collect() };
        let asked = Duration::from_nanos(1000);
        assert_eq!(judged(&seen(500, &[1]), asked, 1), Some(true));
        assert_eq!(judged(&seen(500, &[0]), asked, 1), Some(false));
        // A client that only waits for another machine.
        assert_eq!(judged(&seen(100, &[]), asked, 1), None);
    }

    #[test]
    fn costs_between_cpus_are_skipped_where_nothing_is_bound() {
        for (point, is_bound, is_skipped) in [
            ("cpu=other", Some(false), true),
            ("cpu=other", Some(true), false),
            ("cpu=other", None, false),
            ("cpu=same", Some(false), false),
            ("", Some(false), false),
        ] {
            let request =
                measure::worker::request(Purpose::Trial, PointId::new("ipc.pipe.round_trip", point));
            let together = Reply::Together { trials: Vec::new(), absent: Vec::new() };
            let outcome = seen_from_outside(Outcome::Reply(together), &request, is_bound);
            let skips = matches!(outcome, Outcome::Reply(Reply::Skipped(_)));
            assert_eq!(skips, is_skipped, "{point} {is_bound:?}");
        }
    }
}
