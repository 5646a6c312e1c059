//! This machine as a watch sees it: clocks, workers, counts of the kernel, keys.

use super::keys::Keys;
use super::observer::{Observer, used};
use super::ring::Ring;
use crate::commands::run::Outline;
use crate::supervisor::{Executor, Orders, Outcome, Workers};
use crate::work_directory::WorkDirectory;
use analysis::{Failure, single_trial};
use record::{PlannedPoint, Reply, Trial, TriggerRequest};
use sys::kernel_time::{self, KernelClock};
use watch::{Action, Conditions, Moment, NoReading, Reading, Scene, TrialVerdict, Used};

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

    fn used(&mut self) -> Used {
        let used = used();
        Used { cpu_ns: used.cpu_ns - self.unbudgeted_ns, ..used }
    }

    fn sample(&mut self, channel: usize) -> Option<Result<Reading, NoReading>> {
        let point = self.outline.plan.points.get(channel)?;
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
        match self.workers.perform(None, &request) {
            Outcome::Abandoned => None,
            Outcome::Broken(why) => Some(Err(NoReading { verdict: TrialVerdict::Failed, why })),
            Outcome::Reply(reply) => {
                let (read, trial) = reading(point, reply);
                let at = now();
                if let (Some(ring), Some(trial)) = (&mut self.ring, trial) {
                    ring.keep(&trial, at);
                }
                Some(read)
            }
        }
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
fn reading(point: &PlannedPoint, reply: Reply) -> (Result<Reading, NoReading>, Option<Trial>) {
    let trial = match trial(point, reply) {
        Ok(trial) => trial,
        Err(none) => return (Err(none), None),
    };
    let read = match single_trial(point, &trial) {
        Ok(read) => Ok(Reading {
            samples: read.samples,
            shared: read.shared,
            core_hz: read.core_hz,
            ..Reading::default()
        }),
        Err(failure) => {
            let is_short = matches!(failure, Failure::TooFewSamples(..) | Failure::Uncounted(_));
            let verdict = if is_short { TrialVerdict::Failed } else { TrialVerdict::Contradicted };
            Err(NoReading { verdict, why: report::failure_words(&failure) })
        }
    };
    (read, Some(trial))
}

/// The trial of a point in a reply, or why there is none.
fn trial(point: &PlannedPoint, reply: Reply) -> Result<Trial, NoReading> {
    let failed = |why: String| NoReading { verdict: TrialVerdict::Failed, why };
    match reply {
        Reply::Trial(trial) => Ok(*trial),
        Reply::Together { trials, .. } => {
            let own = trials.into_iter().find(|trial| trial.id == point.id);
            own.ok_or_else(|| failed("the worker read other points only".to_owned()))
        }
        Reply::Skipped(skip) => {
            let why = format!("{} ({})", skip.reason, skip.remedy);
            Err(NoReading { verdict: TrialVerdict::Skipped, why })
        }
        Reply::Failed { reason } => Err(failed(reason)),
        Reply::Rehearsal(_) | Reply::Attributes(_) => Err(failed("the worker measured nothing".to_owned())),
    }
}
