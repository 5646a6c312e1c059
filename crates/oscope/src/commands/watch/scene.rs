//! This machine as a watch sees it: clocks, workers, counts of the kernel, keys.

use super::keys::Keys;
use super::observer::{Observer, used_ns, written_bytes};
use super::ring::Ring;
use crate::commands::run::Outline;
use crate::supervisor::{Executor, Orders, Outcome, Workers};
use crate::work_directory::WorkDirectory;
use analysis::single_trial;
use record::{PlannedPoint, Reply, Trial, TriggerRequest};
use sys::kernel_time::{self, KernelClock};
use watch::{Action, Conditions, Moment, Reading, Sampled, Scene};

/// Time for the batches of a trial, in nanoseconds: the fewest batches that a trial has take longer for most points.
const SPEND_NS: u64 = 1_000_000;

/// This machine.
pub(super) struct LiveScene {
    workers: Workers,
    outline: Outline,
    observer: Observer,
    /// CPU time that was used before the watch began.
    unbudgeted_ns: f64,
    keys: Keys,
    /// Where trials are kept, if they are.
    ring: Option<Ring>,
    seed: u64,
}

impl LiveScene {
    pub(super) fn new(
        workers: Workers,
        outline: Outline,
        (observer, unbudgeted_ns): (Observer, f64),
        keys: Keys,
        ring: Option<Ring>,
    ) -> Self {
        let seed = outline.plan.settings.seed;
        Self { workers, outline, observer, unbudgeted_ns, keys, ring, seed }
    }
}

impl Scene for LiveScene {
    fn now(&mut self) -> Moment {
        now()
    }

    fn used_ns(&mut self) -> f64 {
        used_ns() - self.unbudgeted_ns
    }

    fn sample(&mut self, channel: usize) -> Sampled {
        let Some(point) = self.outline.plan.points.get(channel) else { return Sampled::default() };
        self.seed = sys::random::mix(self.seed.wrapping_add(sys::random::STEP));
        let orders = Orders {
            plan: &self.outline.plan,
            cpus: &self.outline.cpus,
            spend_ns: &|_| SPEND_NS,
            peer: None,
            directory: self.outline.work_directory.as_ref().map(WorkDirectory::directory),
            remote_directory: None,
        };
        let request = orders.request(point, false, self.seed, TriggerRequest::default());
        let written_before = written_bytes();
        let reading = match self.workers.perform(None, &request) {
            Outcome::Abandoned => None,
            Outcome::Broken(reason) => Some(Err(reason)),
            Outcome::Reply(reply) => {
                let (read, trial) = reading(point, reply);
                let at = now();
                if let (Some(ring), Some(trial)) = (&mut self.ring, trial) {
                    ring.keep(&trial, at);
                }
                Some(read)
            }
        };
        Sampled { reading, written_bytes: written_bytes() - written_before }
    }

    fn conditions(&mut self) -> Conditions {
        self.observer.conditions()
    }

    fn wait(&mut self, seconds: f64) -> Option<Action> {
        if self.workers.interrupted() {
            return Some(Action::Stop);
        }
        let action = self.keys.wait(self.workers.interrupt().descriptor(), seconds);
        if self.workers.interrupted() { Some(Action::Stop) } else { action }
    }
}

/// The moment by the kernel's clocks.
fn now() -> Moment {
    let clocks = [KernelClock::Boottime, KernelClock::Monotonic];
    let [boot_ns, monotonic_ns] = clocks.map(|clock| kernel_time::read(clock).unwrap_or_default());
    let unix_ns = jiff::Timestamp::now().as_nanosecond();
    Moment { boot_ns, monotonic_ns, unix_ns: i64::try_from(unix_ns).unwrap_or(i64::MAX) }
}

impl Drop for LiveScene {
    fn drop(&mut self) {
        if let Some(ring) = &mut self.ring {
            ring.end(now());
        }
    }
}

/// What a reply says of a point, and its trial.
fn reading(point: &PlannedPoint, reply: Reply) -> (Result<Reading, String>, Option<Trial>) {
    match trial(point, reply) {
        Ok(trial) => {
            let read = single_trial(point, &trial).map_err(|failure| report::failure_words(&failure));
            let read = read.map(|read| Reading {
                samples: read.samples,
                shared: read.shared,
                core_hz: read.core_hz,
                ..Reading::default()
            });
            (read, Some(trial))
        }
        Err(why) => (Err(why), None),
    }
}

/// The trial of a point in a reply, or why there is none.
fn trial(point: &PlannedPoint, reply: Reply) -> Result<Trial, String> {
    match reply {
        Reply::Trial(trial) => Ok(*trial),
        Reply::Together { trials, .. } => {
            let own = trials.into_iter().find(|trial| trial.id == point.id);
            own.ok_or_else(|| "the worker read other points only".to_owned())
        }
        Reply::Skipped(skip) => Err(format!("{} ({})", skip.reason, skip.remedy)),
        Reply::Failed { reason } => Err(reason),
        Reply::Rehearsal(_) | Reply::Attributes(_) => Err("the worker measured nothing".to_owned()),
    }
}
