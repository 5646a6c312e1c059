//! Iterations timed individually: the whole of each, or a part that the operation times itself.

use crate::Failure;
use crate::batches::{FREE, Read, Timing, keep};
use crate::bench::Timed;
use crate::evidence::{Migrations, counted};
use crate::meter::{CpuTime, Meter};
use crate::trigger::{Enough, Progress};
use record::{Role, Sampling, Series};
use sys::clock::Clock;
use sys::kernel_time::raw_nanos;

/// Samples of a trial: more of one process would tell nothing new.
const EACH: Enough = Enough { quiet: 16, least: 5, most: 64, spend_ns: 0 };

/// Iterations that may not go as the point says, for each that is wanted.
const TRIES_PER_SAMPLE: usize = 8;

/// The error of timestamps that are not both of one iteration, or of clocks that differ between CPUs.
const IMPOSSIBLE_PART: &str = "a part of an iteration is negative or longer than the iteration: a timestamp is lost, or clocks of CPUs differ";

/// One iteration, or several that are timed together, and whether they went as the point says.
struct Iteration {
    read: Read,
    is_sample: bool,
}

/// What was counted over the iterations of a trial.
#[derive(Default)]
struct Counts {
    iterations: f64,
    answers: f64,
    samples: f64,
}

impl Timing {
    /// Iterations timed one by one until the time is spent.
    pub(crate) fn individual(
        &mut self,
        cpu: CpuTime,
        main: &mut dyn FnMut() -> Result<u64, Failure>,
        spend_ns: u64,
    ) -> Result<(), Failure> {
        let meter = Meter::Iteration(cpu);
        self.cpu_cost = self.cost_of(&meter)?;
        self.one_by_one(
            1,
            &meter,
            &mut |timing| {
                let read = timing.batch(&meter, 1, &mut |_| main())?;
                Ok(Iteration { read, is_sample: true })
            },
            EACH.within(spend_ns),
        )
    }

    /// Iterations of which the operation times a part, `n` of them together, until the time is spent.
    pub(crate) fn parts(
        &mut self,
        n: u64,
        cpu: CpuTime,
        main: &mut dyn FnMut(Clock) -> Result<Timed, Failure>,
        spend_ns: u64,
    ) -> Result<(), Failure> {
        let meter = Meter::Iteration(cpu);
        self.cpu_cost = self.cost_of(&meter)?;
        let cost = self.cpu_cost;
        let mut once = |timing: &Self| {
            let mut part = None;
            let whole = timing.batch(&meter, 1, &mut |_| {
                let timed = main(timing.clock)?;
                part = timed.ticks;
                Ok(timed.answers)
            })?;
            if part.is_some_and(|ticks| !(0..=whole.ticks).contains(&ticks)) {
                return Err(Failure::failed(IMPOSSIBLE_PART));
            }
            Ok(Iteration { is_sample: part.is_some(), read: whole.part(part.unwrap_or(0), cost) })
        };
        self.one_by_one(n, &meter, &mut once, EACH.within(spend_ns))
    }

    /// Keeps what `once` gives for `n` iterations, until there are enough samples on a quiet core, or the time or the timeout of the
    /// trigger is over.
    fn one_by_one(
        &mut self,
        n: u64,
        meter: &Meter<'_>,
        once: &mut dyn FnMut(&Self) -> Result<Iteration, Failure>,
        enough: Enough,
    ) -> Result<(), Failure> {
        self.settle_time.wait();
        let mut series = Series { free: FREE as u32, ..Series::new(Role::Main, Sampling::Individual, n) };
        once(self)?;
        let snapshot = self.snapshot(Migrations::Compared, meter);
        let mut counts = Counts::default();
        let mut progress = Progress::default();
        let mut before = self.trigger.look();
        for _ in 0..enough.most * TRIES_PER_SAMPLE {
            if enough.has(progress, &self.trigger) {
                break;
            }
            if progress.samples >= FREE && self.trigger.must_wait(before) {
                self.trigger.wait();
                counts.add(n, &once(self)?);
                before = self.trigger.look();
                if self.trigger.must_wait(before) {
                    continue;
                }
            }
            let began = raw_nanos();
            let iteration = once(self)?;
            let took = raw_nanos() - began;
            let after = self.trigger.look();
            counts.add(n, &iteration);
            if iteration.is_sample {
                keep(&mut series, &iteration.read);
                series.look.push(before);
                let is_quiet = self.trigger.is_quiet(before) && self.trigger.is_quiet(after);
                progress.add(is_quiet, took);
            } else {
                progress.spent_ns += took.max(0).unsigned_abs();
            }
            before = after;
        }
        self.evidence.extend(self.evidence_since(&snapshot, meter, counts.iterations));
        for (counter, count) in [("answers", counts.answers), ("samples", counts.samples)] {
            self.evidence.push(counted(counter, count, counts.iterations));
        }
        self.series.push(series);
        Ok(())
    }
}

impl Counts {
    fn add(&mut self, n: u64, iteration: &Iteration) {
        self.iterations += n as f64;
        self.answers += iteration.read.answers as f64;
        self.samples += if iteration.is_sample { n as f64 } else { 0.0 };
    }
}

impl Read {
    /// A part of a batch: it had the CPU for the share of its time that the whole batch had it, since nothing
    /// can be read around a part without lengthening it.
    fn part(self, ticks: i64, cpu_cost: f64) -> Self {
        let share = ticks as f64 / self.ticks.max(1) as f64;
        Self {
            ticks,
            cpu_ns: self.cpu_ns.map(|cpu_ns| ((cpu_ns as f64 - cpu_cost) * share + cpu_cost) as i64),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::settle_time::SettleTime;
    use record::{PointId, Purpose, Request};

    fn request() -> Request {
        Request { seed: 1, spend_ns: 1, ..crate::worker::request(Purpose::Trial, PointId::new("a.b", "")) }
    }

    fn timed(ticks: impl Fn(i64) -> Option<i64>) -> Result<Vec<i64>, Failure> {
        let mut timing = Timing::new(&request(), None, SettleTime::zero());
        timing.parts(
            1,
            CpuTime::Process,
            &mut |clock| {
                let before = clock.start();
                let ticks = ticks(clock.stop() - before);
                Ok(Timed { ticks, answers: 1 })
            },
            1,
        )?;
        Ok(timing.series.first().map(|series| series.ticks.clone()).unwrap())
    }

    #[test]
    fn part_longer_than_its_iteration_or_negative_is_an_error() {
        assert!(timed(Some).unwrap().len() >= 5);
        assert!(matches!(timed(|_| Some(i64::MAX / 2)), Err(Failure::Failed(_))));
        assert!(matches!(timed(|_| Some(-1)), Err(Failure::Failed(_))));
    }

    #[test]
    fn iterations_without_ticks_are_not_samples() {
        assert_eq!(timed(|_| None), Ok(Vec::new()));
    }
}
