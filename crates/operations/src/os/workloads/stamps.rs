//! Moments that a new process or thread writes down for its maker, and where it was then.

use super::children::{reap, resident, status_of};
use measure::{Bench, Failure, Point, Timed};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::clock::Clock;
use sys::cpu;
use sys::memory::Mapping;
use sys::process::create::{Fork, fork_then};
use sys::thread::posix;

/// A page that maker and child share.
struct Page(Mapping);

impl Page {
    /// A new page without a stamp.
    fn new() -> Result<Self, Failure> {
        let page = Mapping::shared(64)?;
        page.words()
            .iter()
            .take(2)
            .for_each(|word| word.store(0, Ordering::Relaxed));
        Ok(Self(page))
    }

    fn words(&self) -> Option<[&AtomicU64; 2]> {
        match self.0.words() {
            [ticks, place, ..] => Some([ticks, place]),
            _ => None,
        }
    }

    /// Forgets the last stamp.
    fn clear(&self) {
        self.words()
            .into_iter()
            .flatten()
            .for_each(|word| word.store(0, Ordering::SeqCst));
    }

    /// Writes down this moment and this CPU.
    #[inline(always)]
    fn stamp(&self, clock: Clock) {
        let now = clock.stop();
        if let Some([ticks, place]) = self.words() {
            ticks.store(now.cast_unsigned(), Ordering::SeqCst);
            place.store(
                cpu::current().map_or(0, |cpu| u64::from(cpu) + 1),
                Ordering::SeqCst,
            );
        }
    }

    /// The moment that was written down; 0 when none was.
    fn ticks(&self) -> i64 {
        self.words()
            .map_or(0, |[ticks, _]| ticks.load(Ordering::SeqCst).cast_signed())
    }

    /// The CPU that was written down.
    fn cpu(&self) -> Option<u32> {
        let [_, place] = self.words()?;
        u32::try_from(place.load(Ordering::SeqCst)).ok()?.checked_sub(1)
    }
}

/// The moments of one iteration.
#[derive(Debug, Clone, Copy)]
pub struct Moments {
    /// Before the call.
    pub before: i64,
    /// When the call was back.
    pub back: i64,
    /// When the child ran.
    pub child: i64,
    /// When the child had been waited for.
    pub after: i64,
    /// Right answers besides the moments.
    pub answers: u64,
}

/// One iteration: makes a child that stamps the page, and waits for it. The child's moment is filled in after.
type Make<'m> = &'m mut dyn FnMut(Clock, &Page, &dyn Fn()) -> Result<Moments, Failure>;

/// Times a part of each fork by the raw system call, with `fence` at both ends of the call; the child stamps the page so
/// often first of all, and exits.
pub fn forks(
    bench: &mut Bench<'_>,
    stamps: u32,
    fence: impl Fn(),
    part: fn(&Moments) -> i64,
) -> Result<(), Failure> {
    let _memory = resident(bench.point(), bench.seed())?;
    let mut turn = 0;
    let mut make = |clock: Clock, page: &Page, close: &dyn Fn()| {
        let status = status_of(&mut turn);
        let before = clock.start();
        fence();
        let child = fork_then(Fork::Clone, || {
            (0..stamps).for_each(|_| page.stamp(clock));
            status
        })?;
        fence();
        let back = clock.stop();
        close();
        let answers = reap(child, status)?;
        Ok(Moments {
            before,
            back,
            child: 0,
            after: clock.stop(),
            answers,
        })
    };
    time(bench, true, &mut make, part)
}

/// Times a part of each pthread_create; the thread stamps the page first of all, and ends.
pub fn threads(bench: &mut Bench<'_>, part: fn(&Moments) -> i64) -> Result<(), Failure> {
    let mut make = |clock: Clock, page: &Page, close: &dyn Fn()| {
        let act = || page.stamp(clock);
        let before = clock.start();
        let back = posix::create_and_join(&act, || {
            let back = clock.stop();
            close();
            back
        })?;
        Ok(Moments {
            before,
            back,
            child: 0,
            after: clock.stop(),
            answers: 1,
        })
    };
    time(bench, false, &mut make, part)
}

/// Times a part of each iteration, where the child begins on the CPU that the point says.
///
/// For a child on another CPU the maker may use both CPUs until the call is back, and the scheduler chooses:
/// iterations in which it chose otherwise are no samples.
fn time(
    bench: &mut Bench<'_>,
    children: bool,
    make: Make<'_>,
    pick: fn(&Moments) -> i64,
) -> Result<(), Failure> {
    let page = Page::new()?;
    let places = Places::of(bench);
    let (mut first, mut all) = (0.0, 0.0);
    bench.each_part(children, &mut |clock| {
        page.clear();
        places.open()?;
        let closing = || places.close();
        let mut moments = make(clock, &page, &closing)?;
        moments.child = page.ticks();
        all += 1.0;
        first += f64::from(u8::from(moments.child < moments.back));
        let in_order = moments.before < moments.child && moments.child < moments.after;
        Ok(Timed {
            ticks: places.are_right(page.cpu()).then(|| pick(&moments)),
            answers: if in_order { moments.answers } else { 0 },
        })
    })?;
    // Whose turn it is after the call is the scheduler's choice: it is written down, and nothing is asked.
    bench.count("child.first", first, all);
    Ok(())
}

/// Where the maker may be during the call, and where the child must begin.
struct Places {
    /// The maker's CPU and the child's, where they differ.
    apart: Option<[u32; 2]>,
}

impl Places {
    fn of(bench: &Bench<'_>) -> Self {
        let apart = bench
            .cpu()
            .zip(bench.peer_cpu())
            .filter(|_| wants_other(bench.point()));
        Self {
            apart: apart.map(|(own, other)| [own, other]),
        }
    }

    fn open(&self) -> Result<(), Failure> {
        Ok(self.apart.map_or(Ok(()), |both| cpu::pin_to(&both))?)
    }

    fn close(&self) {
        if let Some([own, _]) = self.apart {
            // It was pinned there before; if that is refused now, the count of migrations shows it.
            let _ = cpu::pin(own);
        }
    }

    fn are_right(&self, child: Option<u32>) -> bool {
        self.apart.is_none_or(|[_, other]| child == Some(other))
    }
}

fn wants_other(point: &Point) -> bool {
    point.get("cpu").is_some_and(|place| place != "same")
}
