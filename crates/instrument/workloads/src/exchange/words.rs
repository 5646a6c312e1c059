//! Words in a shared page: futexes, yields, and mailboxes beside objects that carry no payload.

use super::mechanism::{Control, Endpoint, Exchange, Setting};
use measure::Result;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use sys::futex::{self, Scope};
use sys::memory::Mapping;
use sys::sleep::yield_cpu;

/// Words of four bytes in a cache line.
const LINE: usize = 16;

/// A word in a page that both actors share.
#[derive(Clone)]
pub struct SharedWord {
    page: Arc<Mapping>,
    at: usize,
}

impl SharedWord {
    /// Words of one page, each in a cache line of its own.
    ///
    /// # Errors
    /// When no memory is left.
    pub fn of_one_page<const COUNT: usize>() -> Result<[Self; COUNT]> {
        let page = Arc::new(Mapping::shared(LINE * 4 * COUNT)?);
        Ok(std::array::from_fn(|line| Self { page: Arc::clone(&page), at: LINE * line }))
    }

    /// Two words as each endpoint has them: the one that it writes, and the one that it reads.
    pub fn crossed([there, back]: [Self; 2]) -> [[Self; 2]; 2] {
        [[there.clone(), back.clone()], [back, there]]
    }

    #[inline(always)]
    fn word(&self) -> &AtomicU32 {
        static NO_LINE: AtomicU32 = AtomicU32::new(0);
        self.page.short_words().get(self.at).unwrap_or(&NO_LINE)
    }

    /// Writes it for the other endpoint.
    #[inline(always)]
    pub fn put(&self, word: u8) {
        self.word().store(u32::from(word), Ordering::Release);
    }

    #[inline(always)]
    fn load(&self) -> u32 {
        self.word().load(Ordering::Acquire)
    }

    /// What the other endpoint wrote.
    #[inline(always)]
    pub fn get(&self) -> u8 {
        self.load() as u8
    }
}

/// The error of a futex call, if it gave one.
#[inline(always)]
fn check(result: isize) -> sys::Result<()> {
    sys::Error::check("futex", result).map(|_| ())
}

/// The same of a wait, which returns EAGAIN where the word differs.
#[inline(always)]
fn check_wait(result: isize) -> sys::Result<()> {
    if result == futex::CHANGED { Ok(()) } else { check(result) }
}

/// An uncontended futex wake, and a futex wait that returns EAGAIN: the calls that the C library adds for a waiter.
#[inline(always)]
pub fn calls_without_effect(idle: &AtomicU32) -> sys::Result<()> {
    check(futex::wake_one(idle, Scope::Private))?;
    check_wait(futex::wait(idle, 1, Scope::Private))
}

/// An endpoint that stores a word and wakes its waiter, then waits until the other word changes.
pub struct FutexEndpoint {
    to: SharedWord,
    from: SharedWord,
    seen: u32,
    scope: Scope,
}

impl Endpoint for FutexEndpoint {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.to.put(word);
        check(futex::wake_one(self.to.word(), self.scope))
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        let place = self.from.word();
        loop {
            let now = place.load(Ordering::Acquire);
            if now != self.seen {
                self.seen = now;
                return Ok(now as u8);
            }
            check_wait(futex::wait(place, now, self.scope))?;
        }
    }
}

/// Two futexes.
pub fn futexes(setting: Setting) -> Result<Exchange<FutexEndpoint, impl Control>> {
    let scope = if setting.between_processes { Scope::Shared } else { Scope::Private };
    let endpoints = SharedWord::crossed(SharedWord::of_one_page()?).map(|[to, from]| FutexEndpoint {
        to,
        from,
        seen: 0,
        scope,
    });
    let [own] = SharedWord::of_one_page()?;
    let control = move |word| {
        own.put(word);
        let place = own.word();
        check(futex::wake_one(place, scope))?;
        // No word is 0, so the wait returns EAGAIN.
        check_wait(futex::wait(place, 0, scope))?;
        Ok(own.get())
    };
    Ok((endpoints, control))
}

/// Most yields until the other endpoint has answered or sleeps: far more than any scheduler needs.
const MAX_YIELDS: u32 = 10_000_000;

/// An endpoint that stores a word and yields until the other word changes. Neither sleeps during a batch; between
/// batches the responder sleeps, else it would yield alongside the control.
pub struct YieldEndpoint {
    to: SharedWord,
    from: SharedWord,
    /// 1 while the responder is asked to sleep.
    sleep_requested: SharedWord,
    /// 1 while it is about to sleep.
    sleeping: SharedWord,
    seen: u32,
    is_initiator: bool,
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
        self.sleeping.put(1);
        while self.sleep_requested.load() == 1 {
            check_wait(futex::wait(self.sleep_requested.word(), 1, Scope::Shared))?;
        }
        self.sleeping.put(0);
        Ok(())
    }
}

impl Endpoint for YieldEndpoint {
    /// Waking the responder and putting it to sleep makes some three switches per batch: below 1 % of those of 64,
    /// 128 and 256 round trips.
    const MULTIPLE_OF: u64 = 64;

    /// The yield in `receive` hands the CPU over.
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.to.put(word);
        Ok(())
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        if self.is_initiator {
            self.yield_until(|| self.from.load() != self.seen)?;
        } else {
            while self.from.load() == self.seen {
                if self.sleep_requested.load() == 1 {
                    self.sleep_until_woken()?;
                } else {
                    yield_cpu()?;
                }
            }
        }
        self.seen = self.from.load();
        Ok(self.seen as u8)
    }

    fn begin(&mut self) -> sys::Result<()> {
        self.sleep_requested.put(0);
        check(futex::wake_one(self.sleep_requested.word(), Scope::Shared))
    }

    /// Afterwards the responder sleeps, so that the control has the CPU to itself.
    fn end(&mut self) -> sys::Result<()> {
        self.sleep_requested.put(1);
        self.yield_until(|| self.sleeping.load() == 1)
    }
}

/// Two tasks on one CPU that yield to each other.
///
/// The control yields with an empty run queue.
pub fn yields(_: Setting) -> Result<Exchange<YieldEndpoint, impl Control>> {
    let [there, back, sleep_requested, sleeping] = SharedWord::of_one_page()?;
    sleep_requested.put(1);
    let [own, their] = SharedWord::crossed([there, back]);
    let endpoints = [(own, true), (their, false)].map(|([to, from], is_initiator)| {
        let (sleep_requested, sleeping) = (sleep_requested.clone(), sleeping.clone());
        YieldEndpoint { to, from, sleep_requested, sleeping, seen: 0, is_initiator }
    });
    let control = |word| {
        yield_cpu()?;
        Ok(word)
    };
    Ok((endpoints, control))
}

/// An endpoint that waits before it sends.
pub struct DelayedEndpoint<E> {
    endpoint: E,
    microseconds: u32,
}

/// Spins without a system call.
#[inline(always)]
fn pause(microseconds: u32) {
    let end = sys::kernel_time::raw_nanos() + i64::from(microseconds) * 1_000;
    while sys::kernel_time::raw_nanos() < end {
        std::hint::spin_loop();
    }
}

impl<E: Endpoint> Endpoint for DelayedEndpoint<E> {
    const MULTIPLE_OF: u64 = E::MULTIPLE_OF;

    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        pause(self.microseconds);
        self.endpoint.send(word)
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.endpoint.receive()
    }
}

/// An exchange whose endpoints wait for some microseconds before they send, so that the other one is asleep; so does the
/// control.
pub fn delayed<E: Endpoint>(
    (endpoints, mut control): Exchange<E, impl Control>,
    microseconds: u32,
) -> Exchange<DelayedEndpoint<E>, impl Control> {
    let control = move |word| {
        pause(microseconds);
        control(word)
    };
    (endpoints.map(|endpoint| DelayedEndpoint { endpoint, microseconds }), control)
}
