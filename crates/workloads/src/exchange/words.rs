//! Words in a shared page: futexes, yields, and mailboxes beside objects that carry no payload.

use super::mechanism::{Endpoint, Endpoints, Mechanism, Setting, SingleTask};
use measure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use sys::futex::{self, Scope};
use sys::memory::Mapping;
use sys::sleep::yield_cpu;

/// Words of four bytes in a cache line of 64, one word per cache line.
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
        static NO_LINE: AtomicU32 = AtomicU32::new(0);
        self.0.short_words().get(LINE * at).unwrap_or(&NO_LINE)
    }
}

/// Two mailboxes of one word: this endpoint writes one and reads the other.
pub struct Mailboxes {
    page: Page,
    to: usize,
}

impl Mailboxes {
    /// The mailboxes of both endpoints.
    ///
    /// # Errors
    /// When no memory is left.
    pub fn pair() -> Result<[Self; 2], Failure> {
        let page = Page::new()?;
        Ok([0, 1].map(|to| Self { page: page.clone(), to }))
    }

    /// Writes a word for the other endpoint.
    #[inline(always)]
    pub fn put(&self, word: u8) {
        self.page.line(self.to).store(u32::from(word), Ordering::Release);
    }

    /// The word of the other endpoint.
    #[inline(always)]
    pub fn get(&self) -> u8 {
        self.page.line(1 - self.to).load(Ordering::Acquire) as u8
    }
}

/// An endpoint that stores a word and wakes its waiter, then waits until the other word changes.
pub struct FutexEndpoint {
    page: Page,
    to: usize,
    seen: u32,
    scope: Scope,
}

impl Endpoint for FutexEndpoint {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        let place = self.page.line(self.to);
        place.store(u32::from(word), Ordering::Release);
        sys::Error::check("futex", futex::wake_one(place, self.scope)).map(|_| ())
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
            let woken = futex::wait(place, now, self.scope);
            if woken != futex::CHANGED {
                sys::Error::check("futex", woken)?;
            }
        }
    }
}

/// A word without waiters.
pub struct UncontendedFutex {
    page: Page,
    scope: Scope,
}

impl SingleTask for UncontendedFutex {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        let place = self.page.line(0);
        place.store(u32::from(word), Ordering::Release);
        // No word is 0, so the wait returns EAGAIN.
        sys::Error::check("futex", futex::wake_one(place, self.scope))?;
        let waited = futex::wait(place, 0, self.scope);
        if waited != futex::CHANGED {
            sys::Error::check("futex", waited)?;
        }
        Ok(place.load(Ordering::Acquire) as u8)
    }
}

/// Two futexes.
pub struct Futexes;

impl Mechanism for Futexes {
    type Endpoint = FutexEndpoint;
    type SingleTask = UncontendedFutex;

    fn endpoints(setting: Setting) -> Result<Endpoints<Self>, Failure> {
        let scope = if setting.between_processes { Scope::Shared } else { Scope::Private };
        let page = Page::new()?;
        let [initiator, answer] = [0, 1].map(|to| FutexEndpoint { page: page.clone(), to, seen: 0, scope });
        Ok(Endpoints { initiator, answer, control: UncontendedFutex { page: Page::new()?, scope } })
    }
}

/// Lines behind the two words: the responder is asked to sleep; the responder is about to sleep.
const SLEEP_REQUESTED: usize = 2;
const SLEEPING: usize = 3;

/// Most yields until the other endpoint has answered or sleeps: far more than any scheduler needs.
const MAX_YIELDS: u32 = 10_000_000;

/// An endpoint that stores a word and yields until the other word changes. Neither sleeps during a batch; between
/// batches the responder sleeps, else it would yield alongside the control.
pub struct YieldEndpoint {
    page: Page,
    to: usize,
    seen: u32,
}

/// The error of an endpoint that gets no answer.
const NO_ANSWER: sys::Error = sys::Error { call: "sched_yield", errno: 0 };

impl YieldEndpoint {
    #[inline(always)]
    fn yield_until(&self, done: impl Fn() -> bool) -> sys::Result<()> {
        for _ in 0..MAX_YIELDS {
            if done() {
                return Ok(());
            }
            yield_cpu()?;
        }
        Err(NO_ANSWER)
    }

    fn sleep_until_woken(&self) -> sys::Result<()> {
        let request = self.page.line(SLEEP_REQUESTED);
        self.page.line(SLEEPING).store(1, Ordering::Release);
        while request.load(Ordering::Acquire) == 1 {
            let woken = futex::wait(request, 1, Scope::Shared);
            if woken != futex::CHANGED {
                sys::Error::check("futex", woken)?;
            }
        }
        self.page.line(SLEEPING).store(0, Ordering::Release);
        Ok(())
    }
}

impl Endpoint for YieldEndpoint {
    /// The yield in `receive` hands the CPU over.
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
                if self.page.line(SLEEP_REQUESTED).load(Ordering::Acquire) == 1 {
                    self.sleep_until_woken()?;
                } else {
                    yield_cpu()?;
                }
            }
        }
        self.seen = place.load(Ordering::Acquire);
        Ok(self.seen as u8)
    }

    fn begin(&mut self) -> sys::Result<()> {
        let request = self.page.line(SLEEP_REQUESTED);
        request.store(0, Ordering::Release);
        sys::Error::check("futex", futex::wake_one(request, Scope::Shared)).map(|_| ())
    }

    /// Afterwards the responder sleeps, so that the control has the CPU to itself.
    fn end(&mut self) -> sys::Result<()> {
        self.page.line(SLEEP_REQUESTED).store(1, Ordering::Release);
        self.yield_until(|| self.page.line(SLEEPING).load(Ordering::Acquire) == 1)
    }
}

/// A yield with an empty run queue.
pub struct EmptyRunQueue;

impl SingleTask for EmptyRunQueue {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        yield_cpu()?;
        Ok(word)
    }
}

/// Two tasks on one CPU that yield to each other.
pub struct Yields;

impl Mechanism for Yields {
    type Endpoint = YieldEndpoint;
    type SingleTask = EmptyRunQueue;

    /// Waking the responder and putting it to sleep makes some three switches per batch: below 1 % of those of 64,
    /// 128 and 256 round trips.
    const MULTIPLE_OF: u64 = 64;

    fn endpoints(_: Setting) -> Result<Endpoints<Self>, Failure> {
        let page = Page::new()?;
        let [initiator, answer] = [0, 1].map(|to| YieldEndpoint { page: page.clone(), to, seen: 0 });
        initiator.page.line(SLEEP_REQUESTED).store(1, Ordering::Release);
        Ok(Endpoints { initiator, answer, control: EmptyRunQueue })
    }
}

/// A mechanism whose endpoints wait for some microseconds before they send, so that the other one is asleep.
pub struct Delayed<M, const MICROSECONDS: u32>(std::marker::PhantomData<M>);

/// An endpoint or a control that waits before it sends.
pub struct DelayedPart<S, const MICROSECONDS: u32>(S);

/// Spins without a system call.
#[inline(always)]
fn pause(microseconds: u32) {
    let end = sys::kernel_time::raw_nanos() + i64::from(microseconds) * 1_000;
    while sys::kernel_time::raw_nanos() < end {
        std::hint::spin_loop();
    }
}

impl<S: Endpoint, const MICROSECONDS: u32> Endpoint for DelayedPart<S, MICROSECONDS> {
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

impl<A: SingleTask, const MICROSECONDS: u32> SingleTask for DelayedPart<A, MICROSECONDS> {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        pause(MICROSECONDS);
        self.0.once(word)
    }
}

impl<M: Mechanism, const MICROSECONDS: u32> Mechanism for Delayed<M, MICROSECONDS> {
    type Endpoint = DelayedPart<M::Endpoint, MICROSECONDS>;
    type SingleTask = DelayedPart<M::SingleTask, MICROSECONDS>;

    fn endpoints(setting: Setting) -> Result<Endpoints<Self>, Failure> {
        let Endpoints { initiator, answer, control } = M::endpoints(setting)?;
        Ok(Endpoints {
            initiator: DelayedPart(initiator),
            answer: DelayedPart(answer),
            control: DelayedPart(control),
        })
    }
}
