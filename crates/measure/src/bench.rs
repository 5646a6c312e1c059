//! The bench: what an operation's `run` is given, and to which it gives the work.

use crate::batches::Timing;
use crate::evidence::{Moves, Totals};
use crate::meter::Family;
use crate::phases::{REHEARSED, REHEARSED_TURNS, rehearse};
use crate::work::{Batch, Work};
use crate::{Failure, Point};
use record::{Counted, Directory, Evidence, PeerLink, Request, Skip};
use sys::clock::Clock;
use sys::trace::Stage;
use sys::usage::CpuClock;

/// An iteration that timed a part of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timed {
    /// Ticks of the part, negative ones too; `None` when the iteration went otherwise than the point says.
    pub ticks: Option<i64>,
    /// How many right answers the iteration gave.
    pub answers: u64,
}

/// Whether the work is timed or traced.
pub(crate) enum Mode<'a> {
    Timed(Box<Timing>),
    Traced { stage: &'a Stage<'a>, instructions: bool },
}

/// What an operation's `run` is given.
pub struct Bench<'a> {
    point: &'a Point,
    request: &'a Request,
    pub(crate) mode: Mode<'a>,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(point: &'a Point, request: &'a Request, mode: Mode<'a>) -> Self {
        Self { point, request, mode }
    }

    /// The point to measure.
    pub fn point(&self) -> &'a Point {
        self.point
    }

    /// CPU of the main actor, on which the caller already is; `None` when it is not pinned.
    pub fn cpu(&self) -> Option<u32> {
        self.request.cpu
    }

    /// CPU for the second actor.
    pub fn peer_cpu(&self) -> Option<u32> {
        self.request.peer_cpu
    }

    /// Where the other end listens, for points that need one: `peer::PeerAddress::of` takes it.
    ///
    /// # Errors
    /// A need that is not met, when the run has no peer.
    pub fn peer(&self) -> Result<&'a PeerLink, Failure> {
        self.request.peer.as_ref().ok_or_else(|| {
            Failure::skipped(
                "it needs a peer, and none was named",
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
        let remedy = "name a directory in which files may be made with --dir";
        let named = self.request.directory.as_ref();
        named.ok_or_else(|| Failure::skipped("there is no directory to measure files in", remedy))
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
            Mode::Timed(timing) => timing.triples(&mut work, spend),
            Mode::Traced { stage, instructions } => {
                let least =
                    if work.others.is_some() || work.control.is_some() { REHEARSED_TURNS } else { REHEARSED };
                let mut nothing = |_| Ok(());
                let before = work.before.unwrap_or(&mut nothing);
                rehearse(stage, *instructions, (least, work.multiple_of), before, work.main)
            }
        }
    }

    /// Iterations that are long or need a set-up: each timed alone. The actors' CPU time is that of this
    /// process, and of the children it has waited for if `children` is set.
    ///
    /// # Errors
    /// When the work fails.
    pub fn each(
        &mut self,
        children: bool,
        main: &mut dyn FnMut() -> Result<u64, Failure>,
    ) -> Result<(), Failure> {
        self.each_of(Family::with_children(children), main)
    }

    /// The same where an actor beside this process does a part of each iteration: its CPU time counts, too, unless it
    /// is on another machine (`None`).
    ///
    /// # Errors
    /// When the work fails.
    pub fn each_beside(
        &mut self,
        actor: Option<CpuClock>,
        main: &mut dyn FnMut() -> Result<u64, Failure>,
    ) -> Result<(), Failure> {
        self.each_of(Family::beside(actor), main)
    }

    fn each_of(
        &mut self,
        actors: Family,
        main: &mut dyn FnMut() -> Result<u64, Failure>,
    ) -> Result<(), Failure> {
        let spend = self.request.spend_ns;
        match &mut self.mode {
            Mode::Timed(timing) => timing.individual(actors, main, spend),
            Mode::Traced { stage, .. } => {
                let mut repeated =
                    |n: u64| (0..n).try_fold(0, |done, _| main().map(|answers| done + answers));
                rehearse(stage, false, (REHEARSED, 1), &mut |_| Ok(()), &mut repeated)
            }
        }
    }

    /// Iterations of which the operation times a part by itself, with the clock that it is given; otherwise
    /// as [`Bench::each`]. An iteration without ticks went otherwise than the point says: it is no sample,
    /// and `samples` per iteration is counted as evidence of how often that was.
    ///
    /// # Errors
    /// When the work fails.
    pub fn each_part(
        &mut self,
        children: bool,
        main: &mut dyn FnMut(Clock) -> Result<Timed, Failure>,
    ) -> Result<(), Failure> {
        self.each_part_of(Family::with_children(children), main)
    }

    /// The same where an actor beside this process does a part of each iteration: its CPU time counts, too, unless it
    /// is on another machine (`None`).
    ///
    /// # Errors
    /// When the work fails.
    pub fn each_part_beside(
        &mut self,
        actor: Option<CpuClock>,
        main: &mut dyn FnMut(Clock) -> Result<Timed, Failure>,
    ) -> Result<(), Failure> {
        self.each_part_of(Family::beside(actor), main)
    }

    fn each_part_of(
        &mut self,
        actors: Family,
        main: &mut dyn FnMut(Clock) -> Result<Timed, Failure>,
    ) -> Result<(), Failure> {
        let spend = self.request.spend_ns;
        match &mut self.mode {
            Mode::Timed(timing) => timing.parts(actors, main, spend),
            Mode::Traced { stage, .. } => {
                let clock = Clock::select();
                let mut repeated =
                    |n: u64| (0..n).try_fold(0, |done, _| main(clock).map(|timed| done + timed.answers));
                rehearse(stage, false, (REHEARSED, 1), &mut |_| Ok(()), &mut repeated)
            }
        }
    }

    /// Samples that are no times, in the quantity's base unit.
    pub fn values(&mut self, samples: Vec<f64>) {
        if let Mode::Timed(timing) = &mut self.mode {
            timing.values(samples);
        }
    }

    /// The same for any point of an operation that measures several in one go: which one was asked for does
    /// not matter then, and all are kept.
    pub fn values_at(&mut self, point: Point, samples: Vec<f64>) {
        let is_asked_for = point == *self.point;
        if let Mode::Timed(timing) = &mut self.mode {
            if is_asked_for {
                timing.values(samples);
            } else {
                timing.values_elsewhere(point, samples);
            }
        }
    }

    /// Looks whether the core is shared now, as is done beside batches: a trial is set aside that found it so at many
    /// of its looks before the values were given.
    pub fn sample_core_state(&mut self) {
        if let Mode::Timed(timing) = &mut self.mode {
            timing.sample_core_state();
        }
    }

    /// Keeps the curve, pairs of place and value, from which values were computed: once in the record, so that
    /// it can be drawn and they can be computed again.
    pub fn curve(&mut self, pairs: impl Iterator<Item = (f64, f64)>) {
        if let Mode::Timed(timing) = &mut self.mode {
            timing.curve(pairs);
        }
    }

    /// Says that a point of an operation that measures several in one go is not there (a level that this
    /// machine does not have).
    pub fn absent(&mut self, point: Point, reason: &str, remedy: &str) {
        if let Mode::Timed(timing) = &mut self.mode {
            let (reason, remedy) = (reason.to_owned(), remedy.to_owned());
            timing.absent(point, Skip { reason, remedy });
        }
    }

    /// Evidence that the operation counted itself.
    pub fn count(&mut self, counter: &str, count: f64, iterations: f64) {
        if let Mode::Timed(timing) = &mut self.mode {
            let counted = Counted::Count { count, iterations };
            timing.evidence.push(Evidence { counter: counter.to_owned(), counted });
        }
    }

    /// Evidence that the operation would have counted, if it could.
    pub fn cannot_count(&mut self, counter: &str, reason: String) {
        if let Mode::Timed(timing) = &mut self.mode {
            let counted = Counted::Unavailable { reason };
            timing.evidence.push(Evidence { counter: counter.to_owned(), counted });
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
        let before = Totals::read(Moves::Compared);
        let result = work()?;
        if let Mode::Timed(timing) = &mut self.mode {
            timing.evidence.extend(Totals::read(Moves::Compared).since(&before, iterations));
        }
        Ok(result)
    }
}
