//! Timed batches: what is read before and after each, and in which order they run.

use crate::clock::{Clock, MachineClock, elapsed};
use crate::evidence::{Migrations, Totals, add_switches, counted, faults_within, hardware};
use crate::evidence::{cpus_of_actors, processes_of_actors};
use crate::meter::{Meter, Period};
use crate::settle_time::SettleTime;
use crate::trigger::{Enough, Progress, Trigger};
use crate::work::{Batch, Before, Length, Work};
use crate::{Failure, Point, calibrate};
use record::{Evidence, Request, Role, Sampling, Series, Skip};
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
pub(crate) struct Timing<C: Clock = MachineClock> {
    pub(crate) clock: C,
    born: C::Moment,
    pub(crate) trigger: Trigger<C>,
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
    /// Iterations before the clock starts, in each batch.
    lead_in: u64,
    series: Series,
}

/// What was read around one batch.
pub(crate) struct Read {
    pub(crate) ticks: i64,
    pub(crate) cpu_ns: Option<i64>,
    pub(crate) usage: Usage,
    /// Those of the lead-in, too.
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
        let clock = MachineClock::select();
        let born = clock.moment();
        let trigger = Trigger::new(clock, request.cpu, other_cpu, &request.trigger);
        Self::with(clock, born, trigger, settle_time)
    }

    pub(crate) fn clock_name(&self) -> &'static str {
        self.clock.name()
    }

    /// The core's clock in hertz.
    pub(crate) fn core_hz(&mut self, nanos_per_tick: f64) -> Option<f64> {
        Some(self.trigger.additions_per_tick()? / nanos_per_tick * 1e9)
    }
}

impl<C: Clock> Timing<C> {
    /// A trial on this clock, which began at that moment.
    pub(crate) fn with(clock: C, born: C::Moment, trigger: Trigger<C>, settle_time: SettleTime) -> Self {
        Self {
            clock,
            born,
            trigger,
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

    /// Nanoseconds in a tick, over the time since the trial began.
    pub(crate) fn nanos_per_tick(&self) -> f64 {
        self.clock.nanos_per_tick(self.born, self.clock.moment())
    }

    /// One batch with all that is read around it; the clock is read innermost.
    pub(crate) fn batch(&self, meter: &Meter<'_>, n: u64, work: Batch<'_>) -> Result<Read, Failure> {
        self.batch_after(meter, 0, n, work)
    }

    /// The same after a lead-in, whose time is not in the CPU time.
    fn batch_after(&self, meter: &Meter<'_>, lead_in: u64, n: u64, work: Batch<'_>) -> Result<Read, Failure> {
        let usage_before = usage::read(UsageScope::Thread).unwrap_or_default();
        let cpu_before = meter.read();
        let (led_in_ns, answers_before) = match lead_in {
            0 => (0, 0),
            _ => self.lead_in(lead_in, work)?,
        };
        let start = self.clock.start();
        let answers = work(n);
        let stop = self.clock.stop();
        let cpu_after = meter.read();
        let usage = usage::read(UsageScope::Thread).unwrap_or_default().since(&usage_before);
        let cpu_ns = cpu_after.zip(cpu_before).and_then(|(after, before)| after.since(&before));
        let cpu_ns = cpu_ns.map(|cpu_ns| cpu_ns - led_in_ns);
        Ok(Read { answers: answers_before + answers?, ticks: elapsed(start, stop)?, cpu_ns, usage })
    }

    /// Nanoseconds that a lead-in took, and its answers.
    fn lead_in(&self, iterations: u64, work: Batch<'_>) -> Result<(i64, u64), Failure> {
        let start = self.clock.nanos();
        let answers = work(iterations)?;
        Ok((self.clock.nanos() - start, answers))
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
        let length = work.timed_length();
        let before: Before<'_> = match &mut work.before {
            Some(before) => before,
            None => &mut nothing,
        };
        let mut variants = vec![self.variant(Role::Main, before, work.main, length)?];
        if let Some(control) = &mut work.control {
            variants.push(self.variant(Role::Control, &mut nothing_either, control, length)?);
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
            let began = self.clock.nanos();
            let mut is_quiet = self.trigger.is_quiet(before);
            for variant in variants.iter_mut() {
                self.triple(variant, meter, &mut counts)?;
                variant.series.look.push(before);
                before = self.trigger.look();
                is_quiet &= self.trigger.is_quiet(before);
            }
            progress.add(is_quiet, self.clock.nanos() - began);
        }
        Ok(counts)
    }

    /// Finds the length of the shortest batch of one kind.
    fn variant<'w>(
        &self,
        role: Role,
        before: Before<'w>,
        work: Batch<'w>,
        length: Length,
    ) -> Result<Variant<'w>, Failure> {
        let n = calibrate::iterations(self.clock, self.nanos_per_tick(), length, before, work)?;
        let lead_in = length.lead_in(n);
        Ok(Variant { before, work, lead_in, series: Series::new(role, Sampling::Triples, n) })
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
        let read = self.batch_after(meter, variant.lead_in, n, variant.work)?;
        counts.add(variant.series.role, variant.lead_in + n, &read);
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::simulated::{Core, Neighbour, Simulated, SimulatedTrial};
    use std::cell::{Cell, RefCell};

    const NO_WAIT: u64 = 0;

    /// Batches in their order: whose, and of how many iterations.
    type Order = Vec<(Role, u64)>;

    /// The triples of an operation and its control, and the batches in their order.
    fn timed(
        clock: &Simulated,
        timeout_ns: u64,
        [main_ns, control_ns]: [f64; 2],
    ) -> Result<(Timing<Simulated>, Order), Failure> {
        let order = RefCell::new(Vec::new());
        let batch = |role, nanos: f64| {
            let order = &order;
            move |n: u64| {
                order.borrow_mut().push((role, n));
                clock.work(n as f64 * nanos);
                Ok(n)
            }
        };
        let (mut main, mut control) = (batch(Role::Main, main_ns), batch(Role::Control, control_ns));
        let mut timing = clock.timing(timeout_ns);
        let work = &mut Work { control: Some(&mut control), ..Work::new(&mut main) };
        timing.triples(work, 2_000_000)?;
        Ok((timing, order.into_inner()))
    }

    /// Nanoseconds of an iteration by the slope of each triple.
    fn slopes(series: &Series, nanos_per_tick: f64) -> Vec<f64> {
        series
            .ticks
            .chunks(3)
            .map(|triple| (triple[2] - triple[0]) as f64 * nanos_per_tick / (3 * series.n) as f64)
            .collect()
    }

    #[test]
    fn triples_of_main_and_control_are_symmetric() {
        let clock = Simulated::new(Core::plain());
        let (timing, order) = timed(&clock, NO_WAIT, [37.0, 37.0]).unwrap();
        let [main, control] = timing.series.as_slice() else { panic!("{:?}", timing.series) };
        assert_eq!((main.n, main.ticks.len()), (control.n, control.ticks.len()));
        assert!(main.ticks.len() >= 3 * MIN_TRIPLES && main.ticks.len() == 3 * main.look.len());
        // Each batch of one is as long as that of the other.
        let differ = main.ticks.iter().zip(&control.ticks).filter(|(main, control)| **main - **control != 0);
        assert!(differ.count() <= main.ticks.len() / 10);
        // n, 2n and 4n of each, one after the other, to the end.
        let n = main.n;
        let lead_in = Length::default().lead_in(n);
        let batches = |role| [1, 2, 4].map(|factor| [(role, lead_in), (role, factor * n)]).concat();
        let expected = [Role::Main, Role::Control].map(batches).concat();
        let kept = order.len() - 4 * main.ticks.len();
        assert!(order[kept..].chunks(12).all(|batches| batches == expected), "{:?}", &order[kept..kept + 24]);
    }

    #[test]
    fn batch_leads_in_untimed_unless_each_iteration_uses_something_up() {
        for (is_used_up, cost) in [(false, 37.0), (true, 52.0)] {
            let clock = Simulated::new(Core::plain());
            // What ran before decides how a loop is predicted: here a shorter run of the same loop.
            let before = Cell::new(0);
            let mut main = |n: u64| {
                let previous = before.replace(n);
                let is_learned = previous > 0 && 8 * previous < n;
                clock.work(n as f64 * if is_learned { 37.0 } else { 52.0 });
                Ok(n)
            };
            let mut nothing = |_| {
                before.set(0);
                Ok(())
            };
            let mut timing = clock.timing(NO_WAIT);
            let mut work = Work::new(&mut main);
            if is_used_up {
                work.before = Some(&mut nothing);
            }
            timing.triples(&mut work, 2_000_000).unwrap();
            let slopes = slopes(&timing.series[0], timing.nanos_per_tick());
            assert!(slopes.iter().all(|slope| (slope / cost - 1.0).abs() < 0.01), "{is_used_up}: {slopes:?}");
        }
    }

    #[test]
    fn batches_of_whole_periods_have_the_cost_of_what_is_done_once_in_a_period() {
        // A fault, and what the kernel does at each 31st one, as on Linux 6.18.
        let (each, period, once) = (2_500.0, 31_u64, 8_000.0);
        let truth = each + once / period as f64;
        let median = |declared: u64| {
            let clock = Simulated::new(Core::plain());
            let done = Cell::new(0);
            let mut main = |n: u64| {
                let before = done.replace(done.get() + n);
                let periods = done.get() / period - before / period;
                clock.work(n as f64 * each + periods as f64 * once);
                Ok(n)
            };
            let mut timing = clock.timing(NO_WAIT);
            timing.triples(&mut Work { period: declared, ..Work::new(&mut main) }, 2_000_000).unwrap();
            let mut slopes = slopes(&timing.series[0], timing.nanos_per_tick());
            slopes.sort_by(f64::total_cmp);
            slopes[slopes.len() / 2]
        };
        let [whole, part] = [period, 1].map(|declared| (median(declared) / truth - 1.0).abs());
        assert!(whole < 0.001 && part > 0.05, "{whole} {part}");
        // Two periods of the kernel are a whole number of them, too.
        assert!((median(62) / truth - 1.0).abs() < 0.001);
    }

    #[test]
    fn cost_is_right_on_a_clock_that_drifts_in_coarse_ticks() {
        for (tick_ns, drift) in [(0.3, 0.0), (10.0, 0.01), (41.7, -0.01), (100.0, 0.005)] {
            let clock = Simulated::new(Core { tick_ns, drift, ..Core::plain() });
            let (timing, _) = timed(&clock, NO_WAIT, [37.0, 11.0]).unwrap();
            for (series, truth) in timing.series.iter().zip([37.0, 11.0]) {
                let mut slopes = slopes(series, timing.nanos_per_tick());
                slopes.sort_by(f64::total_cmp);
                let median = slopes[slopes.len() / 2];
                assert!((median / truth - 1.0).abs() < 0.01, "{tick_ns} {drift}: {median} for {truth}");
            }
        }
    }

    #[test]
    fn samples_with_quiet_looks_have_the_quiet_cost() {
        for seed in 0..20 {
            let neighbour = Some(Neighbour::new(1.6, [3e6, 3e6], seed));
            let clock = Simulated::new(Core { neighbour, ..Core::plain() });
            let (timing, _) = timed(&clock, 1_000_000_000, [37.0, 37.0]).unwrap();
            let main = &timing.series[0];
            let looks: Vec<u32> = main.look.iter().copied().skip(FREE).collect();
            let quiet = looks.iter().filter(|look| timing.trigger.is_quiet(**look)).count();
            assert!(
                quiet + FREE >= MIN_TRIPLES && 10 * quiet >= 9 * looks.len(),
                "{seed}: {quiet} of {}",
                looks.len()
            );
            let mut slopes: Vec<f64> = slopes(main, 1.0).into_iter().skip(FREE).collect();
            slopes.sort_by(f64::total_cmp);
            let median = slopes[slopes.len() / 2];
            assert!((median / 37.0 - 1.0).abs() < 0.01, "{seed}: {median}");
        }
    }

    #[test]
    fn clock_that_goes_back_gives_a_failure_and_no_number() {
        let mut failed = 0;
        for at in 0..100 {
            let jumps = vec![(f64::from(at) * 10_000.0, -100_000_000)];
            let clock = Simulated::new(Core { jumps, ..Core::plain() });
            match timed(&clock, NO_WAIT, [37.0, 37.0]) {
                Ok((timing, _)) => {
                    let ticks = timing.series.iter().flat_map(|series| &series.ticks);
                    assert!(ticks.into_iter().all(|ticks| *ticks > 0), "{at}");
                }
                Err(failure) => {
                    assert!(failure.to_string().contains("the clock went back"), "{failure}");
                    failed += 1;
                }
            }
        }
        assert!(failed > 80, "{failed}");
    }

    #[test]
    fn work_of_no_cost_is_a_failure_and_no_number() {
        let clock = Simulated::new(Core::plain());
        let failure = timed(&clock, NO_WAIT, [0.0, 37.0]).err().unwrap();
        assert!(failure.to_string().contains("not done"), "{failure}");
    }
}
