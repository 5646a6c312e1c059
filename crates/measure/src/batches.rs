//! Timed batches: what is read before and after each, and in which order they run.

use crate::evidence::{Migrations, Totals, add_switches, counted, faults_within, hardware};
use crate::evidence::{cpus_of_actors, processes_of_actors};
use crate::meter::{Meter, Period};
use crate::settle_time::SettleTime;
use crate::trigger::{Enough, Progress, Trigger};
use crate::work::{Batch, Before, Work};
use crate::{Failure, Point, calibrate};
use record::{Evidence, Request, Role, Sampling, Series, Skip};
use sys::clock::{Clock, Moment};
use sys::kernel_time::raw_nanos;
use sys::usage::{self, Usage, UsageScope};

/// Triples of a trial: fewer give no median, more of one process tell nothing new.
const QUIET_TRIPLES: usize = 16;
const MIN_TRIPLES: usize = 12;
const MAX_TRIPLES: usize = 64;

/// Triples whose times are not kept, so that caches, predictors and the core's clock are warm.
const WARM_UP: usize = 4;

/// Samples that are taken first, in any state of the core: they show what the operation costs without a trigger.
pub(crate) const FREE: usize = 4;

/// The clock of a trial and what it has timed so far.
pub(crate) struct Timing {
    pub(crate) clock: Clock,
    born: Moment,
    pub(crate) trigger: Trigger,
    /// Ticks between two consecutive reads of the clock.
    pub(crate) clock_cost: f64,
    /// What reading the CPU time adds to a batch's CPU time, in nanoseconds.
    pub(crate) cpu_cost: f64,
    pub(crate) series: Vec<Series>,
    /// What was measured for other points of the operation at once.
    pub(crate) elsewhere: Vec<(Point, Series)>,
    /// The curve from which the values were computed.
    pub(crate) curve: Option<Box<Series>>,
    /// Points of the operation that are absent here.
    pub(crate) absent: Vec<(Point, Skip)>,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) settle_time: Box<SettleTime>,
}

/// One kind of batch while it is timed.
struct Variant<'w> {
    before: Before<'w>,
    work: Batch<'w>,
    series: Series,
}

/// What was read around one batch.
pub(crate) struct Read {
    pub(crate) ticks: i64,
    pub(crate) cpu_ns: Option<i64>,
    pub(crate) usage: Usage,
    pub(crate) answers: u64,
}

/// What was counted before the first sample that counts.
pub(crate) struct Snapshot {
    counting: Migrations,
    totals: Totals,
    own: Usage,
    period: Period,
}

/// Iterations asked for and right answers given.
#[derive(Default)]
struct Counts {
    asked: u64,
    answers: u64,
    main: u64,
    /// What was counted within the batches of the main variant.
    usage: Usage,
}

impl Timing {
    pub(crate) fn new(request: &Request, other_cpu: Option<u32>, settle_time: SettleTime) -> Self {
        let clock = Clock::select();
        let born = clock.moment();
        Self {
            clock,
            born,
            trigger: Trigger::new(clock, request.cpu, other_cpu, &request.trigger),
            clock_cost: clock.cost_ticks(),
            cpu_cost: 0.0,
            series: Vec::new(),
            elsewhere: Vec::new(),
            curve: None,
            absent: Vec::new(),
            evidence: Vec::new(),
            settle_time: Box::new(settle_time),
        }
    }

    pub(crate) fn clock_name(&self) -> &'static str {
        self.clock.name()
    }

    /// Nanoseconds in a tick, over the time since the trial began.
    pub(crate) fn nanos_per_tick(&self) -> f64 {
        self.clock.nanos_per_tick(self.born, self.clock.moment())
    }

    /// The core's clock in hertz.
    pub(crate) fn core_hz(&mut self, nanos_per_tick: f64) -> Option<f64> {
        Some(self.trigger.additions_per_tick()? / nanos_per_tick * 1e9)
    }

    /// One batch with all that is read around it; the clock is read innermost.
    pub(crate) fn batch(&self, meter: &Meter<'_>, n: u64, work: Batch<'_>) -> Result<Read, Failure> {
        let usage_before = usage::read(UsageScope::Thread).unwrap_or_default();
        let cpu_before = meter.read();
        let start = self.clock.start();
        let answers = work(n);
        let stop = self.clock.stop();
        let cpu_after = meter.read();
        let usage = usage::read(UsageScope::Thread).unwrap_or_default().since(&usage_before);
        let cpu_ns = cpu_after.zip(cpu_before).and_then(|(after, before)| after.since(&before));
        Ok(Read { ticks: stop - start, cpu_ns, usage, answers: answers? })
    }

    /// Batches of n, 2n, 4n, main and control alternating, until the time is spent.
    pub(crate) fn triples(&mut self, work: &mut Work<'_>, spend_ns: u64) -> Result<(), Failure> {
        self.settle_time.wait();
        let counting = if work.is_single_task() { Migrations::Counted } else { Migrations::Compared };
        let meter = match work.in_parallel {
            true => Meter::Parallel(&work.cpu),
            false => Meter::Alternating(&work.cpu),
        };
        self.cpu_cost = self.cost_of(&meter)?;
        let (mut nothing, mut nothing_either) = (|_| Ok(()), |_| Ok(()));
        // Between the batches the bench itself may touch a page: what it keeps grows.
        let within_batches = work.before.is_some() || work.is_single_task();
        let before: Before<'_> = match &mut work.before {
            Some(before) => before,
            None => &mut nothing,
        };
        let mut variants = vec![self.variant(Role::Main, before, work.main, work.multiple_of)?];
        if let Some(control) = &mut work.control {
            variants.push(self.variant(Role::Control, &mut nothing_either, control, work.multiple_of)?);
        }
        for _ in 0..WARM_UP {
            for variant in &mut variants {
                self.triple(variant, &meter, &mut Counts::default())?;
            }
        }
        variants.iter_mut().for_each(|variant| {
            variant.series = Series {
                free: FREE as u32,
                ..Series::new(variant.series.role, variant.series.sampling, variant.series.n)
            };
        });
        let others_before = work.others.as_mut().map(|others| others()).transpose()?;
        let snapshot = self.snapshot(counting, &meter);
        let counts = self.until_spent(&mut variants, &meter, spend_ns)?;
        let mut evidence = self.evidence_since(&snapshot, &meter, counts.main as f64);
        if within_batches {
            faults_within(&mut evidence, &counts.usage, counts.main as f64);
        }
        if let (Some(others), Some(before)) = (&mut work.others, others_before) {
            add_switches(&mut evidence, &others()?.since(&before));
        }
        evidence.push(counted("answers", counts.answers as f64, counts.asked as f64));
        evidence.extend([cpus_of_actors(), processes_of_actors()]);
        let n = variants.first().map_or(1, |variant| variant.series.n);
        self.series.extend(variants.into_iter().map(|variant| variant.series));
        self.evidence.extend(evidence);
        if work.control.is_none() {
            self.evidence.extend(hardware(n, before, work.main)?);
        }
        Ok(())
    }

    /// What is read before the first sample that counts.
    pub(crate) fn snapshot(&self, counting: Migrations, meter: &Meter<'_>) -> Snapshot {
        let (totals, own) = (Totals::read(counting), self.trigger.usage());
        // Within the totals, because to read them is no work of the actors.
        Snapshot { counting, totals, own, period: Period::begin(meter) }
    }

    /// The evidence of the iterations since then, without what the trigger did.
    pub(crate) fn evidence_since(
        &self,
        snapshot: &Snapshot,
        meter: &Meter<'_>,
        iterations: f64,
    ) -> Vec<Evidence> {
        let lost = snapshot.period.end(meter);
        let mut evidence = Totals::read(snapshot.counting).since(&snapshot.totals, iterations);
        add_switches(&mut evidence, &snapshot.own.since(&self.trigger.usage()));
        evidence.push(lost);
        evidence.extend(self.settle_time.evidence());
        evidence
    }

    /// Samples until there are enough on a quiet core, or the time or the timeout of the trigger is over.
    fn until_spent(
        &mut self,
        variants: &mut [Variant<'_>],
        meter: &Meter<'_>,
        spend_ns: u64,
    ) -> Result<Counts, Failure> {
        let enough = Enough { quiet: QUIET_TRIPLES, least: MIN_TRIPLES, most: MAX_TRIPLES, spend_ns };
        let mut counts = Counts::default();
        let mut progress = Progress::default();
        let mut before = self.trigger.look();
        while !enough.has(progress, &self.trigger) {
            if progress.samples >= FREE && self.trigger.must_wait(before) {
                self.trigger.wait();
                // The core was idle for a while: one batch of each kind warms it up, and is not kept.
                for variant in variants.iter_mut() {
                    self.one(variant, variant.series.n, meter, &mut counts)?;
                }
                before = self.trigger.look();
                if self.trigger.must_wait(before) {
                    continue;
                }
            }
            let began = raw_nanos();
            let mut is_quiet = self.trigger.is_quiet(before);
            for variant in variants.iter_mut() {
                self.triple(variant, meter, &mut counts)?;
                variant.series.look.push(before);
                before = self.trigger.look();
                is_quiet &= self.trigger.is_quiet(before);
            }
            progress.add(is_quiet, raw_nanos() - began);
        }
        Ok(counts)
    }

    /// Finds the length of the shortest batch of one kind.
    fn variant<'w>(
        &self,
        role: Role,
        before: Before<'w>,
        work: Batch<'w>,
        multiple_of: u64,
    ) -> Result<Variant<'w>, Failure> {
        let n = calibrate::iterations(self.clock, self.nanos_per_tick(), multiple_of, before, work)?;
        Ok(Variant { before, work, series: Series::new(role, Sampling::Triples, n) })
    }

    /// Times one triple.
    fn triple(
        &self,
        variant: &mut Variant<'_>,
        meter: &Meter<'_>,
        counts: &mut Counts,
    ) -> Result<(), Failure> {
        for factor in [1, 2, 4] {
            let read = self.one(variant, factor * variant.series.n, meter, counts)?;
            keep(&mut variant.series, &read);
        }
        Ok(())
    }

    /// Times one batch of `n` iterations.
    fn one(
        &self,
        variant: &mut Variant<'_>,
        n: u64,
        meter: &Meter<'_>,
        counts: &mut Counts,
    ) -> Result<Read, Failure> {
        (variant.before)(n)?;
        let read = self.batch(meter, n, variant.work)?;
        counts.add(variant.series.role, n, &read);
        Ok(read)
    }

    /// Values with the number of looks until now.
    pub(crate) fn series_of_values(&self, values: Vec<f64>) -> Series {
        let looks = u32::try_from(self.trigger.looks().at.len()).unwrap_or(u32::MAX);
        Series { values, look: vec![looks], ..Series::new(Role::Main, Sampling::Values, 1) }
    }

    /// What reading the CPU time adds to the CPU time of a batch: the median of empty batches.
    pub(crate) fn cost_of(&self, meter: &Meter<'_>) -> Result<f64, Failure> {
        let mut costs = Vec::with_capacity(15);
        for _ in 0..15 {
            let read = self.batch(meter, 0, &mut |_| Ok(0))?;
            costs.push(read.cpu_ns.unwrap_or(0));
        }
        costs.sort_unstable();
        Ok(costs.get(7).copied().unwrap_or(0) as f64)
    }
}

impl Counts {
    fn add(&mut self, role: Role, iterations: u64, read: &Read) {
        self.asked += iterations;
        self.answers += read.answers;
        if role == Role::Main {
            self.main += iterations;
            self.usage = self.usage.plus(&read.usage);
        }
    }
}

pub(crate) fn keep(series: &mut Series, read: &Read) {
    series.ticks.push(read.ticks);
    series.cpu_ns.extend(read.cpu_ns);
    series.voluntary.push(u32::try_from(read.usage.voluntary).unwrap_or(u32::MAX));
    series.involuntary.push(u32::try_from(read.usage.involuntary).unwrap_or(u32::MAX));
}
