//! This machine as a watch sees it: clocks, workers, counts of the kernel, keys.

use super::keys::Keys;
use super::observer::{Observer, used_ns, written_bytes};
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
    keys: Keys,
    seed: u64,
}

impl LiveScene {
    pub(super) fn new(workers: Workers, outline: Outline, observer: Observer, keys: Keys) -> Self {
        let seed = outline.plan.settings.seed;
        Self { workers, outline, observer, keys, seed }
    }
}

impl Scene for LiveScene {
    fn now(&mut self) -> Moment {
        let clocks = [KernelClock::Boottime, KernelClock::Monotonic];
        let [boot_ns, monotonic_ns] = clocks.map(|clock| kernel_time::read(clock).unwrap_or_default());
        let unix_ns = jiff::Timestamp::now().as_nanosecond();
        Moment { boot_ns, monotonic_ns, unix_ns: i64::try_from(unix_ns).unwrap_or(i64::MAX) }
    }

    fn used_ns(&mut self) -> f64 {
        used_ns()
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
            Outcome::Reply(reply) => Some(reading(point, reply)),
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

/// What a reply says of a point.
fn reading(point: &PlannedPoint, reply: Reply) -> Result<Reading, String> {
    let trial: Trial = match reply {
        Reply::Trial(trial) => *trial,
        Reply::Together { trials, .. } => {
            let own = trials.into_iter().find(|trial| trial.id == point.id);
            own.ok_or("the worker read other points only")?
        }
        Reply::Skipped(skip) => return Err(format!("{} ({})", skip.reason, skip.remedy)),
        Reply::Failed { reason } => return Err(reason),
        Reply::Rehearsal(_) | Reply::Attributes(_) => return Err("the worker measured nothing".to_owned()),
    };
    let read = single_trial(point, &trial).map_err(|failure| report::failure_words(&failure))?;
    Ok(Reading { samples: read.samples, shared: read.shared, core_hz: read.core_hz })
}
