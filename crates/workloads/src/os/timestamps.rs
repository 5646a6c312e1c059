//! Timestamps of a new process or thread, and the CPU on which it started.

use super::children::{reap, resident, status_of};
use measure::{Bench, Failure, Point, Timed};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::clock::Clock;
use sys::cpu;
use sys::memory::Mapping;
use sys::process::create::{Fork, fork_then};
use sys::thread::posix;

/// A page that creator and child share.
struct Page(Mapping);

impl Page {
    /// A new page without a timestamp.
    fn new() -> Result<Self, Failure> {
        let page = Mapping::shared(64)?;
        page.words().iter().take(2).for_each(|word| word.store(0, Ordering::Relaxed));
        Ok(Self(page))
    }

    fn words(&self) -> Option<[&AtomicU64; 2]> {
        match self.0.words() {
            [ticks, place, ..] => Some([ticks, place]),
            _ => None,
        }
    }

    /// Clears the last timestamp.
    fn clear(&self) {
        self.words().into_iter().flatten().for_each(|word| word.store(0, Ordering::SeqCst));
    }

    /// Writes the time and the CPU.
    #[inline(always)]
    fn write_timestamp(&self, clock: Clock) {
        let now = clock.stop();
        if let Some([ticks, place]) = self.words() {
            ticks.store(now.cast_unsigned(), Ordering::SeqCst);
            place.store(cpu::current().map_or(0, |cpu| u64::from(cpu) + 1), Ordering::SeqCst);
        }
    }

    /// The time that was written; 0 for none.
    fn ticks(&self) -> i64 {
        self.words().map_or(0, |[ticks, _]| ticks.load(Ordering::SeqCst).cast_signed())
    }

    /// The CPU that was written.
    fn cpu(&self) -> Option<u32> {
        let [_, place] = self.words()?;
        u32::try_from(place.load(Ordering::SeqCst)).ok()?.checked_sub(1)
    }
}

/// The timestamps of one iteration.
#[derive(Debug, Clone, Copy)]
pub struct Timestamps {
    /// Before the call.
    pub before: i64,
    /// When the call returned.
    pub returned: i64,
    /// When the child ran.
    pub child: i64,
    /// When the child had been waited for.
    pub after: i64,
    /// Right answers besides the timestamps.
    pub answers: u64,
}

/// One iteration: creates a child that writes its timestamp, and waits for it. The child's timestamp is filled in after.
type Create<'m> = &'m mut dyn FnMut(Clock, &Page, &dyn Fn()) -> Result<Timestamps, Failure>;

/// Times a phase of each fork by the system-call instruction, with `fence` at both ends; the child first writes
/// `timestamps` timestamps, and exits.
pub fn forks(
    bench: &mut Bench<'_>,
    timestamps: u32,
    fence: impl Fn(),
    phase: fn(&Timestamps) -> i64,
) -> Result<(), Failure> {
    let _memory = resident(bench.point(), bench.seed())?;
    let mut turn = 0;
    let mut create = |clock: Clock, page: &Page, close: &dyn Fn()| {
        let status = status_of(&mut turn);
        let before = clock.start();
        fence();
        let child = fork_then(Fork::Clone, || {
            (0..timestamps).for_each(|_| page.write_timestamp(clock));
            status
        })?;
        fence();
        let returned = clock.stop();
        close();
        let answers = reap(child, status)?;
        Ok(Timestamps { before, returned, child: 0, after: clock.stop(), answers })
    };
    time(bench, true, &mut create, phase)
}

/// Times a phase of each pthread_create; the thread first writes its timestamp, and exits.
pub fn threads(bench: &mut Bench<'_>, phase: fn(&Timestamps) -> i64) -> Result<(), Failure> {
    let mut create = |clock: Clock, page: &Page, close: &dyn Fn()| {
        let act = || page.write_timestamp(clock);
        let before = clock.start();
        let returned = posix::create_and_join(&act, || {
            let returned = clock.stop();
            close();
            returned
        })?;
        Ok(Timestamps { before, returned, child: 0, after: clock.stop(), answers: 1 })
    };
    time(bench, false, &mut create, phase)
}

/// Times a new thread that waits for a mutex: from just before its creator unlocks the mutex until the thread has it.
pub fn newborn_threads(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let poisoned = || Failure::Failed("a thread ended while it held the mutex".to_owned());
    let mut create = |clock: Clock, page: &Page, close: &dyn Fn()| {
        let mutex = Mutex::new(());
        let held = mutex.lock().map_err(|_| poisoned())?;
        let act = || {
            let _held = mutex.lock();
            page.write_timestamp(clock);
        };
        let before = posix::create_and_join(&act, || {
            close();
            let before = clock.start();
            drop(held);
            before
        })?;
        Ok(Timestamps { before, returned: before, child: 0, after: clock.stop(), answers: 1 })
    };
    time(bench, false, &mut create, |timestamps| timestamps.child - timestamps.before)
}

/// Times a phase of each iteration with a child that starts on the point's CPU.
///
/// For a child on another CPU the creator may use both CPUs during the call, and the scheduler chooses: iterations with
/// another choice are not samples.
fn time(
    bench: &mut Bench<'_>,
    children: bool,
    create: Create<'_>,
    pick: fn(&Timestamps) -> i64,
) -> Result<(), Failure> {
    let page = Page::new()?;
    let placements = Placements::of(bench);
    let (mut first, mut all) = (0.0, 0.0);
    bench.each_part(children, &mut |clock| {
        page.clear();
        placements.open()?;
        let closing = || placements.close();
        let mut timestamps = create(clock, &page, &closing)?;
        timestamps.child = page.ticks();
        all += 1.0;
        first += f64::from(u8::from(timestamps.child < timestamps.returned));
        let in_order = timestamps.before < timestamps.child && timestamps.child < timestamps.after;
        Ok(Timed {
            ticks: placements.are_right(page.cpu()).then(|| pick(&timestamps)),
            answers: if in_order { timestamps.answers } else { 0 },
        })
    })?;
    // Whether the child runs first is the scheduler's choice: counted, without an expectation.
    bench.count("child.first", first, all);
    Ok(())
}

/// The CPUs of the creator during the call, and the CPU on which the child must start.
struct Placements {
    /// The creator's CPU and the child's, where they differ.
    differing: Option<[u32; 2]>,
}

impl Placements {
    fn of(bench: &Bench<'_>) -> Self {
        let differing = bench.cpu().zip(bench.peer_cpu()).filter(|_| wants_other(bench.point()));
        Self { differing: differing.map(|(own, other)| [own, other]) }
    }

    fn open(&self) -> Result<(), Failure> {
        Ok(self.differing.map_or(Ok(()), |both| cpu::pin_to(&both))?)
    }

    fn close(&self) {
        if let Some([own, _]) = self.differing {
            // It was pinned there before; if that is denied now, the count of migrations shows it.
            let _ = cpu::pin(own);
        }
    }

    fn are_right(&self, child: Option<u32>) -> bool {
        self.differing.is_none_or(|[_, other]| child == Some(other))
    }
}

fn wants_other(point: &Point) -> bool {
    point.get("cpu").is_some_and(|place| place != "same")
}
