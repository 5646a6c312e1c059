//! The bench: what an operation's `run` is given, and to which it gives the work.

use crate::batches::Timing;
use crate::counting::Counting;
use crate::evidence::{Migrations, Totals, counted, per};
use crate::meter::CpuTime;
use crate::parameters::Parameters;
use crate::phases::{REHEARSED, REHEARSED_ALTERNATING, rehearse, rehearse_each};
use crate::tail::Iteration;
use crate::work::{Batch, Work};
use crate::{Failure, Point, Result};
use record::{Directory, PeerLink, Request, Role, Sampling, Series, Skip, TailRequest};
use sys::clock::Clock;
use sys::trace::Stage;

/// Looks at the core at a time while values are taken: some fifteen microseconds.
const LOOKS: usize = 8;

/// An iteration that timed a part of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timed {
    /// Ticks of the part, negative ones too; `None` when the iteration did not go as the point says.
    pub ticks: Option<i64>,
    /// How many right answers the iteration gave.
    pub answers: u64,
}

/// Whether the work is timed, traced or counted.
pub(crate) enum Mode<'a> {
    Timed(Box<Timing>),
    Traced { stage: &'a Stage<'a>, instructions: bool },
    Counted(Box<Counting>),
}

/// What an operation's `run` is given.
pub struct Bench<'a> {
    point: &'a Point,
    request: &'a Request,
    /// What is asked of a trial in which every iteration is timed.
    tail: Option<TailRequest>,
    pub(crate) mode: Mode<'a>,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(point: &'a Point, request: &'a Request, mode: Mode<'a>) -> Self {
        Self { point, request, tail: request.tail, mode }
    }

    /// The point to measure.
    pub fn point(&self) -> &'a Point {
        self.point
    }

    /// The parameters of the point.
    ///
    /// # Errors
    /// When one is missing, or has a value that it cannot have.
    pub fn parameters<P: Parameters>(&self) -> Result<P> {
        P::read(self.point)
    }

    /// CPU of the main actor, on which the caller already is; `None` when it is not pinned.
    pub fn cpu(&self) -> Option<u32> {
        self.request.cpu
    }

    /// CPU for the second actor.
    pub fn peer_cpu(&self) -> Option<u32> {
        self.request.peer_cpu
    }

    /// Where the other end listens, for points that need one: `peer::PeerAddress::from_link` takes it.
    ///
    /// # Errors
    /// A need that is not met, when the run has no peer.
    pub fn peer(&self) -> Result<&'a PeerLink, Failure> {
        self.request.peer.as_ref().ok_or_else(|| {
            Failure::skipped(
                "needs a peer; none was named",
                "start `oscope serve` on the other machine, and name it by --peer and --key",
            )
        })
    }

    /// Seed of everything random.
    pub fn seed(&self) -> u64 {
        self.request.seed
    }

    /// Time for timed batches, in nanoseconds.
    pub fn spend_ns(&self) -> u64 {
        self.request.spend_ns
    }

    /// Where files are measured.
    ///
    /// # Errors
    /// When the supervisor named no directory.
    pub fn directory(&self) -> Result<&'a Directory, Failure> {
        self.request.directory.as_ref().ok_or_else(|| {
            Failure::skipped(
                "there is no directory to measure files in",
                "name a directory in which files may be made with --dir",
            )
        })
    }

    /// Where files on a remote file system are measured.
    ///
    /// # Errors
    /// When the supervisor named no such directory.
    pub fn remote_directory(&self) -> Result<&'a Directory, Failure> {
        self.request.remote_directory.as_ref().ok_or_else(|| {
            Failure::skipped(
                "no directory on a remote file system was named",
                "mount one, and name a directory on it with --remote-dir",
            )
        })
    }

    /// Whether this is a rehearsal: an operation that watches time has nothing to do then.
    pub fn is_rehearsal(&self) -> bool {
        matches!(self.mode, Mode::Traced { .. })
    }

    /// Batches of work of the calling thread.
    ///
    /// # Errors
    /// When the work fails.
    pub fn slope(&mut self, main: Batch<'_>) -> Result<(), Failure> {
        self.batches(Work::new(main))
    }

    /// Batches of n, 2n and 4n iterations, with all that belongs to them.
    ///
    /// # Errors
    /// When the work fails.
    pub fn batches(&mut self, mut work: Work<'_>) -> Result<(), Failure> {
        let spend = self.request.spend_ns;
        match &mut self.mode {
            Mode::Timed(timing) => match self.tail {
                Some(tail) => timing.every_batch(tail, &mut work, spend),
                None => timing.triples(&mut work, spend),
            },
            Mode::Counted(counting) => counting.pairs(&mut work),
            Mode::Traced { stage, instructions } => {
                let least = if work.others.is_some() || work.control.is_some() {
                    REHEARSED_ALTERNATING
                } else {
                    REHEARSED
                };
                let multiple_of = work.length().multiple_of;
                let mut nothing = |_| Ok(());
                let before = work.before.unwrap_or(&mut nothing);
                rehearse(stage, *instructions, (least, multiple_of), before, work.main)
            }
        }
    }

    /// Iterations that are long or need a set-up: each timed alone.
    ///
    /// # Errors
    /// When the work fails.
    pub fn each(
        &mut self,
        cpu: CpuTime,
        main: &mut dyn FnMut() -> Result<u64, Failure>,
    ) -> Result<(), Failure> {
        match &mut self.mode {
            Mode::Timed(timing) => match self.tail {
                Some(tail) => {
                    timing.every_one(tail, cpu, self.request.spend_ns, &mut |timing, ns_per_tick| {
                        let start = timing.clock.start();
                        let answers = main();
                        let ticks = timing.clock.stop() - start;
                        Ok(Iteration { ns: Some((ticks as f64 * ns_per_tick) as i64), answers: answers? })
                    })
                }
                None => timing.individual(cpu, main, self.request.spend_ns),
            },
            Mode::Counted(counting) => counting.individual(main),
            Mode::Traced { stage, .. } => rehearse_each(stage, 1, main),
        }
    }

    /// Iterations of which the operation times a part by itself, with the clock that it is given; otherwise
    /// as [`Bench::each`]. An iteration without ticks did not go as the point says: it is not a sample,
    /// and `samples` per iteration counts those that are.
    ///
    /// # Errors
    /// When the work fails.
    pub fn each_part(
        &mut self,
        cpu: CpuTime,
        main: &mut dyn FnMut(Clock) -> Result<Timed, Failure>,
    ) -> Result<(), Failure> {
        self.parts_of(1, cpu, main)
    }

    /// The same where `main` does `n` iterations, of which it times a part together.
    ///
    /// # Errors
    /// When the work fails.
    pub fn parts_of(
        &mut self,
        n: u64,
        cpu: CpuTime,
        main: &mut dyn FnMut(Clock) -> Result<Timed, Failure>,
    ) -> Result<(), Failure> {
        match &mut self.mode {
            Mode::Timed(timing) => match self.tail {
                Some(tail) => {
                    timing.every_one(tail, cpu, self.request.spend_ns, &mut |timing, ns_per_tick| {
                        let Timed { ticks, answers } = main(timing.clock)?;
                        let ns = ticks.map(|ticks| (ticks as f64 * ns_per_tick / n as f64) as i64);
                        Ok(Iteration { ns, answers })
                    })
                }
                None => timing.parts(n, cpu, main, self.request.spend_ns),
            },
            Mode::Counted(counting) => counting.parts(n, &mut |clock| main(clock).map(|timed| timed.ticks)),
            Mode::Traced { stage, .. } => {
                let clock = Clock::select();
                rehearse_each(stage, n, &mut || main(clock).map(|timed| timed.answers))
            }
        }
    }

    /// Values in nanoseconds that the operation times itself, one after the other, as long as it `goes_on`; where every
    /// iteration is timed, for the time of the trial, and `goes_on` is not asked. Gives how many there are.
    ///
    /// # Errors
    /// When the work fails.
    pub fn each_value(
        &mut self,
        goes_on: &dyn Fn(usize) -> bool,
        once: &mut dyn FnMut() -> Result<f64>,
    ) -> Result<f64, Failure> {
        let spend_ns = self.request.spend_ns;
        if let (Mode::Timed(timing), Some(tail)) = (&mut self.mode, self.tail) {
            timing.every_one(tail, CpuTime::Process, spend_ns, &mut |_, _| {
                Ok(Iteration { ns: Some(once()? as i64), answers: 1 })
            })?;
            let tail = timing.series.last().and_then(|series| series.tail.as_ref());
            return Ok(tail.map_or(0.0, |tail| tail.iterations as f64));
        }
        let mut values = Vec::new();
        while goes_on(values.len()) {
            values.push(once()?);
        }
        let count = values.len() as f64;
        self.count("answers", count, count);
        self.values(values);
        Ok(count)
    }

    /// Whether every iteration is timed, for as long as the trial lasts.
    pub fn times_every_iteration(&self) -> bool {
        self.tail.is_some()
    }

    /// Says that the operation begins its iterations at times of its own, as a timer does, whatever rate is asked for.
    pub fn keep_own_schedule(&mut self) {
        self.tail = self.tail.map(|tail| TailRequest { rate: None, ..tail });
    }

    /// What is timed; `None` in a rehearsal and where instructions are counted, which keep no values and count nothing themselves.
    fn timing(&mut self) -> Option<&mut Timing> {
        match &mut self.mode {
            Mode::Timed(timing) => Some(timing),
            Mode::Traced { .. } | Mode::Counted(_) => None,
        }
    }

    /// Samples that are not times, in the quantity's base unit.
    pub fn values(&mut self, samples: Vec<f64>) {
        if let Some(timing) = self.timing() {
            let series = timing.series_of_values(samples);
            timing.series.push(series);
        }
    }

    /// The same for any point of an operation that measures several at once: all are kept, whichever was
    /// asked for.
    pub fn values_at(&mut self, point: Point, samples: Vec<f64>) {
        if point == *self.point {
            self.values(samples);
        } else if let Some(timing) = self.timing() {
            let series = timing.series_of_values(samples);
            timing.elsewhere.push((point, series));
        }
    }

    /// Probes whether the core is shared now, as is done beside batches: a trial is set aside that found it so at many
    /// of its looks before the values were given.
    pub fn sample_core_state(&mut self) {
        if let Some(timing) = self.timing() {
            (0..LOOKS).for_each(|_| {
                timing.trigger.look();
            });
        }
    }

    /// Keeps the curve, pairs of place and value, from which values were computed: once in the record, so that
    /// it can be drawn and they can be computed again.
    pub fn curve(&mut self, pairs: impl Iterator<Item = (f64, f64)>) {
        if let Some(timing) = self.timing() {
            let (places, values) = pairs.unzip();
            let series = Series { values, places, ..Series::new(Role::Control, Sampling::Values, 1) };
            timing.curve = Some(Box::new(series));
        }
    }

    /// Says that a point of an operation that measures several at once is absent (a level that this
    /// machine does not have).
    pub fn absent(&mut self, point: Point, reason: &str, remedy: &str) {
        if let Some(timing) = self.timing() {
            timing.absent.push((point, Skip { reason: reason.to_owned(), remedy: remedy.to_owned() }));
        }
    }

    /// The value of a point of this trial, or why there is none and what would help.
    pub fn value_or_absent(&mut self, point: Point, value: Option<f64>, reason: &str, remedy: &str) {
        match value {
            Some(value) => self.values_at(point, vec![value]),
            None => self.absent(point, reason, remedy),
        }
    }

    /// Evidence that the operation counted itself.
    pub fn count(&mut self, counter: &str, count: f64, iterations: f64) {
        if let Some(timing) = self.timing() {
            timing.evidence.push(counted(counter, count, iterations));
        }
    }

    /// Evidence that the operation would have counted, if it could.
    pub fn cannot_count(&mut self, counter: &str, reason: impl ToString) {
        self.try_count(counter, Err(reason), 1.0);
    }

    /// Evidence that the operation counted itself, or why it could not.
    pub fn try_count(&mut self, counter: &str, count: Result<f64, impl ToString>, iterations: f64) {
        if let Some(timing) = self.timing() {
            timing.evidence.push(per(counter, count, iterations));
        }
    }

    /// The kernel's counts around work that [`Bench::values`] describes.
    ///
    /// # Errors
    /// When the work fails.
    pub fn watched<T>(&mut self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        self.watched_for(1.0, work)
    }

    /// The same where the work is `iterations` iterations.
    ///
    /// # Errors
    /// When the work fails.
    pub fn watched_for<T>(
        &mut self,
        iterations: f64,
        work: impl FnOnce() -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let before = Totals::read(Migrations::Compared);
        let result = work()?;
        if let Some(timing) = self.timing() {
            timing.evidence.extend(Totals::read(Migrations::Compared).since(&before, iterations));
        }
        Ok(result)
    }
}
