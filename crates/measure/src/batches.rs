//! Timed batches: what is read before and after each, and in which order they run.

use crate::bench::{Batch, Before, Work};
use crate::evidence::processes_of_actors;
use crate::evidence::{Moves, Totals, add_switches, cpus_of_actors, faults_within, hardware, per};
use crate::meter::Meter;
use crate::rest::Rest;
use crate::{Failure, Point, calibrate};
use record::{Evidence, Role, Sampling, Series, Skip};
use sys::arch;
use sys::clock::{Clock, Moment};
use sys::usage::{self, Usage, Whose};

/// Fewest and most triples of a trial: fewer give no median, more of one process tell nothing new.
const LEAST_TRIPLES: usize = 12;
const MOST_TRIPLES: usize = 64;

/// Triples whose times are not kept, so that caches, predictors and the core's clock are warm.
const WARM_UP: usize = 4;

/// Turns of 50 adds in the probe of the core clock: 4 000 cycles, about a microsecond; more where the
/// counter is slow.
const PROBE_TURNS: u64 = 80;

/// Ticks that a probe takes at least, so that one tick is half a per cent of it.
const LEAST_PROBE_TICKS: i64 = 200;

/// Probes are not made longer than by this factor.
const LONGEST_PROBE: i64 = 32;

/// Probes of the core at a time while values are taken: some ten microseconds.
const LOOKS: usize = 8;

/// Turns of 50 adds before anything is timed: some 50 µs, enough to know roughly how long a tick is.
const FIRST_TURNS: u64 = 4_000;

/// The clock of a trial and what it has timed so far.
pub(crate) struct Timing {
    pub(crate) clock: Clock,
    born: Moment,
    probe_turns: u64,
    /// What two reads of the clock in a row differ by, in ticks.
    pub(crate) clock_cost: f64,
    /// What reading the CPU time adds to a batch's CPU time, in nanoseconds.
    pub(crate) cpu_cost: f64,
    pub(crate) series: Vec<Series>,
    /// What was measured for other points of the operation in the same go.
    pub(crate) elsewhere: Vec<(Point, Series)>,
    /// The curve from which the values were computed.
    pub(crate) curve: Option<Box<Series>>,
    /// The core as it was seen now and then while values were taken.
    seen: Box<Series>,
    /// Points of the operation that turned out not to be there.
    pub(crate) absent: Vec<(Point, Skip)>,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) rest: Box<Rest>,
}

/// One kind of batch while it is timed.
struct Side<'w> {
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

/// Iterations asked for and right answers given.
#[derive(Default)]
struct Tally {
    asked: u64,
    answers: u64,
    main: u64,
    /// What was counted within the batches of the main side.
    usage: Usage,
}

impl Timing {
    pub(crate) fn new(rest: Rest) -> Self {
        let clock = Clock::select();
        let born = clock.moment();
        std::hint::black_box(arch::dependent_adds(FIRST_TURNS));
        let clock_cost = clock.cost_ticks();
        Self {
            clock,
            born,
            probe_turns: probe_turns(clock),
            clock_cost,
            cpu_cost: 0.0,
            series: Vec::new(),
            elsewhere: Vec::new(),
            curve: None,
            seen: Box::new(values(Vec::new())),
            absent: Vec::new(),
            evidence: Vec::new(),
            rest: Box::new(rest),
        }
    }

    pub(crate) fn clock_name(&self) -> &'static str {
        self.clock.name()
    }

    /// Nanoseconds in a tick, over the time since the trial began.
    pub(crate) fn nanos_per_tick(&self) -> f64 {
        self.clock.nanos_per_tick(self.born, self.clock.moment())
    }

    /// The core's clock in hertz: the median probe.
    pub(crate) fn core_hz(&self, nanos_per_tick: f64) -> Option<f64> {
        let mut probes: Vec<i64> = self
            .series
            .iter()
            .flat_map(|series| series.probe.iter().copied())
            .collect();
        if probes.is_empty() {
            probes = (0..31).map(|_| self.probe()).collect();
        }
        probes.sort_unstable();
        let ticks = *probes.get(probes.len() / 2)? as f64;
        (ticks > 0.0).then(|| (self.probe_turns * arch::CHAIN) as f64 / (ticks * nanos_per_tick) * 1e9)
    }

    /// Ticks of a chain of known length in core cycles.
    fn probe(&self) -> i64 {
        let start = self.clock.start();
        std::hint::black_box(arch::dependent_adds(self.probe_turns));
        self.clock.stop() - start - self.clock_cost as i64
    }

    /// Ticks of as many independent additions: about a quarter as many, unless the core is shared.
    fn width(&self) -> i64 {
        let start = self.clock.start();
        std::hint::black_box(arch::independent_adds(self.probe_turns));
        self.clock.stop() - start - self.clock_cost as i64
    }

    /// The state of the core beside a batch or triple.
    pub(crate) fn probe_core(&self, series: &mut Series) {
        series.probe.push(self.probe());
        series.width.push(self.width());
    }

    /// One batch with all that is read around it; the clock is read innermost.
    pub(crate) fn batch(&self, meter: &Meter<'_>, n: u64, work: Batch<'_>) -> Result<Read, Failure> {
        let usage_before = usage::read(Whose::Thread).unwrap_or_default();
        let cpu_before = meter.read();
        let start = self.clock.start();
        let answers = work(n);
        let stop = self.clock.stop();
        let cpu_after = meter.read();
        let usage = usage::read(Whose::Thread)
            .unwrap_or_default()
            .since(&usage_before);
        let cpu_ns = cpu_after
            .zip(cpu_before)
            .and_then(|(after, before)| after.since(&before));
        Ok(Read {
            ticks: stop - start,
            cpu_ns,
            usage,
            answers: answers?,
        })
    }

    /// Batches of n, 2n, 4n, main and control in turns, until the time is spent.
    pub(crate) fn triples(&mut self, work: &mut Work<'_>, spend_ns: u64) -> Result<(), Failure> {
        self.rest.take();
        let moves = if work.is_alone() {
            Moves::Counted
        } else {
            Moves::Compared
        };
        let meter = match work.side_by_side {
            true => Meter::SideBySide(&work.cpu),
            false => Meter::Together(&work.cpu),
        };
        self.cpu_cost = self.cost_of(&meter)?;
        let (mut nothing, mut nothing_either) = (|_| Ok(()), |_| Ok(()));
        let prepares = work.before.is_some();
        let before: Before<'_> = match &mut work.before {
            Some(before) => before,
            None => &mut nothing,
        };
        let mut sides = vec![self.side(Role::Main, before, work.main, work.multiple_of)?];
        if let Some(control) = &mut work.control {
            sides.push(self.side(Role::Control, &mut nothing_either, control, work.multiple_of)?);
        }
        for _ in 0..WARM_UP {
            for side in &mut sides {
                self.triple(side, &meter)?;
            }
        }
        sides.iter_mut().for_each(|side| {
            side.series = Series::new(side.series.role, side.series.sampling, side.series.n)
        });
        let others_before = work.others.as_mut().map(|others| others()).transpose()?;
        let totals = Totals::read(moves);
        let tally = self.until_spent(&mut sides, &meter, spend_ns)?;
        let mut evidence = Totals::read(moves).since(&totals, tally.main as f64);
        if prepares {
            faults_within(&mut evidence, &tally.usage, tally.main as f64);
        }
        if let (Some(others), Some(before)) = (&mut work.others, others_before) {
            add_switches(&mut evidence, &others()?.since(&before));
        }
        evidence.push(per::<Failure>(
            "answers",
            Ok(tally.answers as f64),
            tally.asked as f64,
        ));
        evidence.extend([cpus_of_actors(), processes_of_actors()]);
        evidence.extend(self.rest.evidence());
        let n = sides.first().map_or(1, |side| side.series.n);
        self.series.extend(sides.into_iter().map(|side| side.series));
        self.evidence.extend(evidence);
        if work.control.is_none() {
            self.evidence.extend(hardware(n, before, work.main)?);
        }
        Ok(())
    }

    fn until_spent(
        &self,
        sides: &mut [Side<'_>],
        meter: &Meter<'_>,
        spend_ns: u64,
    ) -> Result<Tally, Failure> {
        let began = self.clock.moment();
        let mut tally = Tally::default();
        for done in 0..MOST_TRIPLES {
            let spent = self.clock.moment().nanos_since(began);
            if done >= LEAST_TRIPLES && spent >= i64::try_from(spend_ns).unwrap_or(i64::MAX) {
                break;
            }
            for side in sides.iter_mut() {
                let (answers, usage) = self.triple(side, meter)?;
                tally.asked += 7 * side.series.n;
                tally.answers += answers;
                if side.series.role == Role::Main {
                    tally.main += 7 * side.series.n;
                    tally.usage = tally.usage.plus(&usage);
                }
            }
        }
        Ok(tally)
    }

    /// Finds the length of the shortest batch of one kind.
    fn side<'w>(
        &self,
        role: Role,
        before: Before<'w>,
        work: Batch<'w>,
        multiple_of: u64,
    ) -> Result<Side<'w>, Failure> {
        let n = calibrate::iterations(self.clock, self.nanos_per_tick(), multiple_of, before, work)?;
        Ok(Side {
            before,
            work,
            series: Series::new(role, Sampling::Triples, n),
        })
    }

    /// Times one triple and the probe beside it; gives the right answers and what was counted.
    fn triple(&self, side: &mut Side<'_>, meter: &Meter<'_>) -> Result<(u64, Usage), Failure> {
        let (mut answers, mut usage) = (0, Usage::default());
        for factor in [1, 2, 4] {
            (side.before)(factor * side.series.n)?;
            let read = self.batch(meter, factor * side.series.n, side.work)?;
            answers += read.answers;
            usage = usage.plus(&read.usage);
            keep(&mut side.series, &read);
        }
        self.probe_core(&mut side.series);
        Ok((answers, usage))
    }

    pub(crate) fn values(&mut self, samples: Vec<f64>) {
        self.series.push(self.beside(samples));
    }

    pub(crate) fn values_elsewhere(&mut self, point: Point, samples: Vec<f64>) {
        let series = self.beside(samples);
        self.elsewhere.push((point, series));
    }

    /// Values with what was seen of the core until now.
    fn beside(&self, samples: Vec<f64>) -> Series {
        Series {
            probe: self.seen.probe.clone(),
            width: self.seen.width.clone(),
            ..values(samples)
        }
    }

    /// Looks at the core a few times, for the values that will be kept.
    pub(crate) fn look_at_core(&mut self) {
        let mut seen = std::mem::replace(&mut self.seen, Box::new(values(Vec::new())));
        (0..LOOKS).for_each(|_| self.probe_core(&mut seen));
        self.seen = seen;
    }

    pub(crate) fn curve(&mut self, pairs: impl Iterator<Item = (f64, f64)>) {
        let (places, values) = pairs.unzip();
        self.curve = Some(Box::new(Series {
            values,
            places,
            ..Series::new(Role::Control, Sampling::Values, 1)
        }));
    }

    pub(crate) fn absent(&mut self, point: Point, skip: Skip) {
        self.absent.push((point, skip));
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

fn values(samples: Vec<f64>) -> Series {
    Series {
        values: samples,
        ..Series::new(Role::Main, Sampling::Values, 1)
    }
}

/// As many turns as make the probe long against the clock's tick.
fn probe_turns(clock: Clock) -> u64 {
    let start = clock.start();
    std::hint::black_box(arch::dependent_adds(PROBE_TURNS));
    let ticks = (clock.stop() - start).max(1);
    let longer = (LEAST_PROBE_TICKS / ticks + 1).clamp(1, LONGEST_PROBE);
    PROBE_TURNS * longer.unsigned_abs()
}

pub(crate) fn keep(series: &mut Series, read: &Read) {
    series.ticks.push(read.ticks);
    series.cpu_ns.extend(read.cpu_ns);
    series
        .voluntary
        .push(u32::try_from(read.usage.voluntary).unwrap_or(u32::MAX));
    series
        .involuntary
        .push(u32::try_from(read.usage.involuntary).unwrap_or(u32::MAX));
}
