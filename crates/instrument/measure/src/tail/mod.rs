//! Trials in which every iteration is timed and none merged: closed loop, or open loop by a schedule that is fixed beforehand.

mod counters;
mod histogram;
mod looking;

use crate::Failure;
use crate::batches::Timing;
use crate::evidence::{
    Migrations, add_switches, counted, cpus_of_actors, faults_within, processes_of_actors,
};
use crate::meter::{CpuTime, Meter};
use crate::work::Work;
use histogram::Histogram;
use looking::Looking;
use record::{Role, Sampling, Series, Tail, TailRequest};
use sys::kernel_time::{KernelClock, read};
use sys::usage::{self, Usage, UsageScope};

/// Iterations before those that count, so that caches, predictors and the core's clock are warm.
const WARM_UP: u64 = 16;

/// Iterations of a trial at most.
const MAX_ITERATIONS: u64 = 1 << 26;

/// Time over which the clock's rate is found, in nanoseconds: an error of 50 ns is a share of 10⁻⁵ of it.
const RATE_NS: i64 = 5_000_000;

/// A wait that is longer than this sleeps first, in nanoseconds; the rest is spent on the CPU, so that it ends on time.
const SPIN_NS: i64 = 150_000;

/// What was counted within iterations, those of the warm-up included.
#[derive(Default)]
struct Within {
    usage: Usage,
    iterations: f64,
}

impl Within {
    fn add(&mut self, usage: &Usage) {
        self.usage = self.usage.plus(usage);
        self.iterations += 1.0;
    }
}

/// What an iteration gave.
pub(crate) struct Iteration {
    /// What it took in nanoseconds; `None` when it did not go as the point says.
    pub(crate) ns: Option<i64>,
    /// Right answers.
    pub(crate) answers: u64,
}

/// Does one iteration; is given the nanoseconds in a tick.
pub(crate) type Once<'w> = &'w mut dyn FnMut(&Timing, f64) -> Result<Iteration, Failure>;

impl Timing {
    /// Every iteration of work that is otherwise done in batches.
    pub(crate) fn every_batch(
        &mut self,
        request: TailRequest,
        work: &mut Work<'_>,
        spend_ns: u64,
    ) -> Result<(), Failure> {
        if work.multiple_of != 1 {
            return Err(Failure::failed(format!("a batch has at least {} iterations", work.multiple_of)));
        }
        let (before, main) = (&mut work.before, &mut work.main);
        // As with batches: faults of what is made ready for an iteration are not its own.
        let (counts_within, mut within) = (before.is_some(), Within::default());
        let mut once = |timing: &Self, ns_per_tick: f64| {
            before.as_mut().map_or(Ok(()), |before| before(1))?;
            let usage = counts_within.then(|| usage::read(UsageScope::Thread).unwrap_or_default());
            let start = timing.clock.start();
            let answers = main(1);
            let ticks = timing.clock.stop() - start;
            if let Some(usage) = usage {
                within.add(&usage::read(UsageScope::Thread).unwrap_or_default().since(&usage));
            }
            Ok(Iteration { ns: Some((ticks as f64 * ns_per_tick) as i64), answers: answers? })
        };
        // As with batches: what actors in other processes were switched counts, too.
        let mut others = work.others.take();
        let others_before = others.as_mut().map(|others| others()).transpose()?;
        self.every(request, spend_ns, &Meter::Alternating(&work.cpu), &mut once)?;
        if counts_within {
            faults_within(&mut self.evidence, &within.usage, within.iterations);
        }
        if let (Some(others), Some(before)) = (&mut others, others_before) {
            add_switches(&mut self.evidence, &others()?.since(&before));
        }
        self.evidence.extend([cpus_of_actors(), processes_of_actors()]);
        Ok(())
    }

    /// Every iteration of work that is timed one by one anyway.
    pub(crate) fn every_one(
        &mut self,
        request: TailRequest,
        cpu: CpuTime,
        spend_ns: u64,
        once: Once<'_>,
    ) -> Result<(), Failure> {
        self.every(request, spend_ns, &Meter::Iteration(cpu), once)
    }

    /// Nanoseconds in a tick, now: over some milliseconds since the trial began.
    fn rate(&self) -> f64 {
        let began = sys::kernel_time::raw_nanos();
        while sys::kernel_time::raw_nanos() - began < RATE_NS {
            std::hint::spin_loop();
        }
        self.nanos_per_tick()
    }

    fn every(
        &mut self,
        request: TailRequest,
        spend_ns: u64,
        meter: &Meter<'_>,
        once: Once<'_>,
    ) -> Result<(), Failure> {
        self.settle_time.wait();
        let ns_per_tick = self.rate();
        for _ in 0..WARM_UP {
            once(self, ns_per_tick)?;
        }
        let mut looking = request.looks.then(Looking::start);
        let mut kept = Kept::new(request, spend_ns);
        let snapshot = self.snapshot(Migrations::Compared, meter);
        let began = self.clock.start();
        let now = |timing: &Self| ((timing.clock.stop() - began) as f64 * ns_per_tick) as i64;
        while kept.iterations < MAX_ITERATIONS {
            let Some(due) = kept.next_due(now(self)) else { break };
            wait_until(due, &|| now(self));
            if let Some(looking) = &mut looking {
                looking.before(due > 0, &|| now(self));
            }
            let start = now(self);
            let iteration = once(self, ns_per_tick)?;
            kept.add(&iteration, start, due);
            if let Some(looking) = &mut looking {
                let is_slow = looking.after(start, iteration.ns.unwrap_or(0), &|| now(self));
                if is_slow {
                    let look = self.trigger.look();
                    let core = self.trigger.looks().cores.first();
                    looking.probed(core.and_then(|core| core.ratio(look as usize)));
                }
            }
        }
        let iterations = kept.iterations as f64;
        let evidence = self.evidence_since(&snapshot, meter, iterations);
        self.evidence.extend(evidence);
        let timed = kept.service.len() as f64;
        for (counter, count) in [("answers", kept.answers as f64), ("samples", timed)] {
            self.evidence.push(counted(counter, count, iterations));
        }
        let median = kept.service.median();
        let look = vec![u32::try_from(self.trigger.looks().at.len()).unwrap_or(u32::MAX)];
        let tail = kept.tail(looking.map(Looking::finish));
        self.series.push(Series {
            values: median.map(|ns| ns as f64).into_iter().collect(),
            look,
            tail: Some(Box::new(tail)),
            ..Series::new(Role::Main, Sampling::Values, 1)
        });
        Ok(())
    }
}

/// Waits until a time on the clock of the trial.
fn wait_until(due: i64, now: &dyn Fn() -> i64) {
    let left = due - now();
    if left > SPIN_NS
        && let Some(monotonic) = read(KernelClock::Monotonic)
    {
        // Where sleep is denied or ends early, the rest is waited for on the CPU.
        let _ = sys::sleep::until(monotonic + left - SPIN_NS);
    }
    while now() < due {
        std::hint::spin_loop();
    }
}

/// What is kept of the iterations.
struct Kept {
    request: TailRequest,
    spend_ns: f64,
    service: Histogram,
    response: Option<Histogram>,
    iterations: u64,
    answers: u64,
    behind_ns: i64,
}

impl Kept {
    fn new(request: TailRequest, spend_ns: u64) -> Self {
        Self {
            request,
            spend_ns: spend_ns as f64,
            service: Histogram::new(),
            response: request.rate.map(|_| Histogram::new()),
            iterations: 0,
            answers: 0,
            behind_ns: 0,
        }
    }

    /// When the next iteration is due, in nanoseconds since the first; 0 in a closed loop. `None` when the trial is over: in
    /// an open loop after the last one that is due, or when the schedule cannot be kept.
    fn next_due(&self, now_ns: i64) -> Option<i64> {
        let Some(rate) = self.request.rate else {
            return (self.iterations == 0 || (now_ns as f64) < self.spend_ns).then_some(0);
        };
        let due = self.iterations as f64 * 1e9 / rate;
        (due < self.spend_ns && (now_ns as f64) < 2.0 * self.spend_ns).then_some(due as i64)
    }

    /// Iterations that were due and never began.
    fn unserved(&self) -> u64 {
        let due = self.request.rate.map_or(0, |rate| (self.spend_ns * rate / 1e9).ceil() as u64);
        due.saturating_sub(self.iterations)
    }

    fn add(&mut self, iteration: &Iteration, start: i64, due: i64) {
        self.iterations += 1;
        self.answers += iteration.answers;
        let Some(ns) = iteration.ns else { return };
        self.service.add(ns);
        if let Some(response) = &mut self.response {
            self.behind_ns = (start - due).max(0);
            response.add(self.behind_ns + ns);
        }
    }

    fn tail(self, looks: Option<record::TailLooks>) -> Tail {
        let unserved = self.unserved();
        Tail {
            iterations: self.iterations,
            service: self.service.durations(),
            rate: self.request.rate,
            response: self.response.map(|response| response.durations()),
            unserved,
            behind_ns: self.behind_ns.unsigned_abs(),
            looks,
        }
    }
}

#[cfg(test)]
mod tests;
