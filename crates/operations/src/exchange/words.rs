//! Words in a page that both sides see: futexes, yields, and letters beside objects that carry none.

use super::{Alone, Mechanism, Setting, Side, Sides};
use measure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use sys::futex;
use sys::memory::Mapping;
use sys::sleep::yield_cpu;

/// Words of four bytes in a cache line of 64, so that each place has a line of its own.
const LINE: usize = 16;

/// A page of words, one for each cache line.
#[derive(Clone)]
struct Page(Arc<Mapping>);

impl Page {
    fn new() -> Result<Self, Failure> {
        Ok(Self(Arc::new(Mapping::shared(LINE * 4 * 4)?)))
    }

    /// The word of a line; every page has 64 lines.
    #[inline(always)]
    fn line(&self, at: usize) -> &AtomicU32 {
        static NOWHERE: AtomicU32 = AtomicU32::new(0);
        self.0.short_words().get(LINE * at).unwrap_or(&NOWHERE)
    }
}

/// Two places for words: one that this side fills, and one that the other does.
pub struct Letters {
    page: Page,
    to: usize,
}

impl Letters {
    /// Those of both sides.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn pair() -> Result<[Self; 2], Failure> {
        let page = Page::new()?;
        Ok([0, 1].map(|to| Self {
            page: page.clone(),
            to,
        }))
    }

    /// Leaves a word for the other side.
    #[inline(always)]
    pub fn leave(&self, word: u8) {
        self.page.line(self.to).store(u32::from(word), Ordering::Release);
    }

    /// The word that the other side left.
    #[inline(always)]
    pub fn find(&self) -> u8 {
        self.page.line(1 - self.to).load(Ordering::Acquire) as u8
    }
}

/// A side that stores a word and wakes who waits for it, and waits for another to change.
pub struct Waits {
    page: Page,
    to: usize,
    seen: u32,
    between_processes: bool,
}

impl Side for Waits {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        let place = self.page.line(self.to);
        place.store(u32::from(word), Ordering::Release);
        let woken = if self.between_processes {
            futex::wake_one_shared(place)
        } else {
            futex::wake_one(place)
        };
        sys::Error::check("futex", woken).map(|_| ())
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        let place = self.page.line(1 - self.to);
        loop {
            let now = place.load(Ordering::Acquire);
            if now != self.seen {
                self.seen = now;
                return Ok(now as u8);
            }
            let woken = if self.between_processes {
                futex::wait_shared(place, now)
            } else {
                futex::wait(place, now)
            };
            if woken != futex::CHANGED {
                sys::Error::check("futex", woken)?;
            }
        }
    }
}

/// A word for which nobody waits.
pub struct Idle {
    page: Page,
    between_processes: bool,
}

impl Alone for Idle {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        let place = self.page.line(0);
        place.store(u32::from(word), Ordering::Release);
        // No word is 0, so the wait finds that it need not.
        let (woken, waited) = if self.between_processes {
            (futex::wake_one_shared(place), futex::wait_shared(place, 0))
        } else {
            (futex::wake_one(place), futex::wait(place, 0))
        };
        sys::Error::check("futex", woken)?;
        if waited != futex::CHANGED {
            sys::Error::check("futex", waited)?;
        }
        Ok(place.load(Ordering::Acquire) as u8)
    }
}

/// Two futexes.
pub struct Futexes;

impl Mechanism for Futexes {
    type Side = Waits;
    type Alone = Idle;

    fn sides(setting: Setting) -> Result<Sides<Self>, Failure> {
        let between_processes = setting.between_processes;
        let page = Page::new()?;
        let [lead, answer] = [0, 1].map(|to| Waits {
            page: page.clone(),
            to,
            seen: 0,
            between_processes,
        });
        Ok(Sides {
            lead,
            answer,
            alone: Idle {
                page: Page::new()?,
                between_processes,
            },
        })
    }
}

/// Lines of the page of yields behind those of the two words: whether the answering side shall rest, and
/// whether it is about to.
const REST: usize = 2;
const RESTS: usize = 3;

/// Yields that the other side is given to take a word or to rest, at most: far more than any scheduler needs.
const MOST_YIELDS: u32 = 10_000_000;

/// A side that stores a word and gives the CPU away until the other one's has changed. Nobody sleeps while a
/// batch runs; between batches the answering side does, since it would yield beside the control.
pub struct Yielding {
    page: Page,
    to: usize,
    seen: u32,
}

/// The error of a side that nobody answers.
const UNANSWERED: sys::Error = sys::Error {
    call: "sched_yield",
    errno: 0,
};

impl Yielding {
    #[inline(always)]
    fn yield_until(&self, done: impl Fn() -> bool) -> sys::Result<()> {
        for _ in 0..MOST_YIELDS {
            if done() {
                return Ok(());
            }
            yield_cpu()?;
        }
        Err(UNANSWERED)
    }

    fn rest(&self) -> sys::Result<()> {
        let rest = self.page.line(REST);
        self.page.line(RESTS).store(1, Ordering::Release);
        while rest.load(Ordering::Acquire) == 1 {
            let woken = futex::wait_shared(rest, 1);
            if woken != futex::CHANGED {
                sys::Error::check("futex", woken)?;
            }
        }
        self.page.line(RESTS).store(0, Ordering::Release);
        Ok(())
    }
}

impl Side for Yielding {
    /// The call that hands the word over is the yield in `receive`.
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.page.line(self.to).store(u32::from(word), Ordering::Release);
        Ok(())
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        let place = self.page.line(1 - self.to);
        if self.to == 0 {
            self.yield_until(|| place.load(Ordering::Acquire) != self.seen)?;
        } else {
            while place.load(Ordering::Acquire) == self.seen {
                if self.page.line(REST).load(Ordering::Acquire) == 1 {
                    self.rest()?;
                } else {
                    yield_cpu()?;
                }
            }
        }
        self.seen = place.load(Ordering::Acquire);
        Ok(self.seen as u8)
    }

    fn begin(&mut self) -> sys::Result<()> {
        let rest = self.page.line(REST);
        rest.store(0, Ordering::Release);
        sys::Error::check("futex", futex::wake_one_shared(rest)).map(|_| ())
    }

    /// The answering side sleeps when this is over, so that the control is alone on the CPU.
    fn end(&mut self) -> sys::Result<()> {
        self.page.line(REST).store(1, Ordering::Release);
        self.yield_until(|| self.page.line(RESTS).load(Ordering::Acquire) == 1)
    }
}

/// One yield with nobody to yield to.
pub struct Nobody;

impl Alone for Nobody {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        yield_cpu()?;
        Ok(word)
    }
}

/// Two tasks that want the same CPU and give it to each other.
pub struct Yields;

impl Mechanism for Yields {
    type Side = Yielding;
    type Alone = Nobody;

    /// Waking the answering side and laying it to rest makes some three switches in a batch: below one in a
    /// hundred of 64 round trips, 128 and 256.
    const MULTIPLE_OF: u64 = 64;

    fn sides(_: Setting) -> Result<Sides<Self>, Failure> {
        let page = Page::new()?;
        let [lead, answer] = [0, 1].map(|to| Yielding {
            page: page.clone(),
            to,
            seen: 0,
        });
        lead.page.line(REST).store(1, Ordering::Release);
        Ok(Sides {
            lead,
            answer,
            alone: Nobody,
        })
    }
}

/// A mechanism whose sides wait for so many microseconds before they send, so that the other one surely sleeps.
pub struct Asleep<M, const MICROSECONDS: u32>(std::marker::PhantomData<M>);

/// A side or a control that waits before it sends.
pub struct Paused<S, const MICROSECONDS: u32>(S);

/// Passes the time without the kernel's help.
#[inline(always)]
fn pause(microseconds: u32) {
    let end = sys::kernel_time::raw_nanos() + i64::from(microseconds) * 1_000;
    while sys::kernel_time::raw_nanos() < end {
        std::hint::spin_loop();
    }
}

impl<S: Side, const MICROSECONDS: u32> Side for Paused<S, MICROSECONDS> {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        pause(MICROSECONDS);
        self.0.send(word)
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.0.receive()
    }
}

impl<A: Alone, const MICROSECONDS: u32> Alone for Paused<A, MICROSECONDS> {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        pause(MICROSECONDS);
        self.0.once(word)
    }
}

impl<M: Mechanism, const MICROSECONDS: u32> Mechanism for Asleep<M, MICROSECONDS> {
    type Side = Paused<M::Side, MICROSECONDS>;
    type Alone = Paused<M::Alone, MICROSECONDS>;

    fn sides(setting: Setting) -> Result<Sides<Self>, Failure> {
        let Sides { lead, answer, alone } = M::sides(setting)?;
        Ok(Sides {
            lead: Paused(lead),
            answer: Paused(answer),
            alone: Paused(alone),
        })
    }
}
