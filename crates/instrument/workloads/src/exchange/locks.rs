//! Locks: of the C library between threads (a mutex with condition variables, and mutexes), and of a file between processes.

use super::mechanism::{Control, Endpoint, Exchange, Setting};
use super::words::{SharedWord, calls_without_effect};
use measure::{Failure, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use sys::lock::RecordLocks;
use sys::posix::{Condition, Mutex};

/// A mutex, the two words that it guards, and a condition for each.
struct Guarded {
    mutex: Mutex,
    directions: [(Condition, AtomicU8); 2],
}

impl Guarded {
    /// The condition and the word of one direction.
    fn direction(&self, at: usize) -> &(Condition, AtomicU8) {
        let [first, second] = &self.directions;
        if at == 0 { first } else { second }
    }
}

/// An endpoint that signals one word and waits for the other; no word is 0.
pub struct ConditionEndpoint {
    guarded: Arc<Guarded>,
    to: usize,
}

impl Endpoint for ConditionEndpoint {
    /// Signals with the mutex held, as most programs do.
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        let (condition, place) = self.guarded.direction(self.to);
        self.guarded.mutex.lock()?;
        place.store(word, Ordering::Relaxed);
        condition.signal()?;
        self.guarded.mutex.unlock()
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        let (condition, place) = self.guarded.direction(1 - self.to);
        self.guarded.mutex.lock()?;
        while place.load(Ordering::Relaxed) == 0 {
            condition.wait(&self.guarded.mutex)?;
        }
        let word = place.swap(0, Ordering::Relaxed);
        self.guarded.mutex.unlock()?;
        Ok(word)
    }
}

/// One mutex and two condition variables.
///
/// The control is uncontended, and adds the two futex calls that a waiter would add.
pub fn conditions(_: Setting) -> Result<Exchange<ConditionEndpoint, impl Control>> {
    let direction = || Ok::<_, Failure>((Condition::new()?, AtomicU8::new(0)));
    let guarded = Arc::new(Guarded { mutex: Mutex::new()?, directions: [direction()?, direction()?] });
    let (mutex, condition, idle) = (Mutex::new()?, Condition::new()?, AtomicU32::new(0));
    let control = move |word| {
        mutex.lock()?;
        condition.signal()?;
        mutex.unlock()?;
        mutex.lock()?;
        mutex.unlock()?;
        calls_without_effect(&idle)?;
        Ok(word)
    };
    Ok(([0, 1].map(|to| ConditionEndpoint { guarded: Arc::clone(&guarded), to }), control))
}

/// Three locks, each held by one task at a time.
pub trait ThreeLocks: Send + Sync {
    /// Waits for one of them and takes it.
    fn lock(&self, at: usize) -> sys::Result<()>;
    /// Gives it back.
    fn unlock(&self, at: usize) -> sys::Result<()>;
}

impl ThreeLocks for [Mutex; 3] {
    #[inline(always)]
    fn lock(&self, at: usize) -> sys::Result<()> {
        self.get(at).map_or(Ok(()), Mutex::lock)
    }

    #[inline(always)]
    fn unlock(&self, at: usize) -> sys::Result<()> {
        self.get(at).map_or(Ok(()), Mutex::unlock)
    }
}

impl ThreeLocks for RecordLocks {
    #[inline(always)]
    fn lock(&self, at: usize) -> sys::Result<()> {
        Self::lock(self, at)
    }

    #[inline(always)]
    fn unlock(&self, at: usize) -> sys::Result<()> {
        Self::unlock(self, at)
    }
}

/// Three locks in a ring: to send is to unlock one, to receive is to lock the one that the other endpoint holds.
///
/// The sender holds two and unlocks the older one, for which the other endpoint, which holds the third, waits. Neither
/// takes a lock twice in a row, so neither can run ahead.
pub struct LockRing<L> {
    locks: Arc<L>,
    gives: usize,
    to: SharedWord,
    from: SharedWord,
    /// Whether the responder holds its first lock.
    entered: SharedWord,
    is_initiator: bool,
}

/// Most polls of the initiator until the responder is ready: some seconds.
const MAX_POLLS: u32 = 10_000_000;

impl<L: ThreeLocks> LockRing<L> {
    /// Both endpoints; the initiator, which makes them, takes the first two locks.
    fn pair(locks: L) -> Result<[Self; 2]> {
        // The initiator yields while it waits for the responder: if sched_yield is denied, the exchange fails here.
        sys::sleep::yield_cpu()?;
        let (locks, [there, back, entered]) = (Arc::new(locks), SharedWord::of_one_page()?);
        locks.lock(0)?;
        locks.lock(1)?;
        let [own, their] = SharedWord::crossed([there, back]);
        Ok([(0, own), (1, their)].map(|(gives, [to, from])| {
            let (locks, entered) = (Arc::clone(&locks), entered.clone());
            Self { locks, gives, to, from, entered, is_initiator: gives == 0 }
        }))
    }
}

impl<L: ThreeLocks> Endpoint for LockRing<L> {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.to.put(word);
        self.locks.unlock(self.gives)
    }

    /// The lock that the other endpoint gives back is two further in the ring.
    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.locks.lock((self.gives + 2) % 3)?;
        self.gives = (self.gives + 1) % 3;
        Ok(self.from.get())
    }

    /// The responder takes the third lock; then it waits for the first as if it had just sent.
    fn enter(&mut self) -> sys::Result<()> {
        self.locks.lock(2)?;
        self.entered.put(1);
        Ok(())
    }

    fn begin(&mut self) -> sys::Result<()> {
        for _ in 0..MAX_POLLS {
            if !self.is_initiator || self.entered.get() == 1 {
                return Ok(());
            }
            sys::sleep::yield_cpu()?;
        }
        Err(sys::Error { call: "sched_yield", errno: 0 })
    }
}

/// Three mutexes in a ring.
///
/// The control is uncontended, and adds the two futex calls that a waiter would add.
pub fn mutexes(_: Setting) -> Result<Exchange<LockRing<[Mutex; 3]>, impl Control>> {
    let (mutex, idle) = (Mutex::new()?, AtomicU32::new(0));
    let control = move |word| {
        mutex.lock()?;
        mutex.unlock()?;
        calls_without_effect(&idle)?;
        Ok(word)
    };
    Ok((LockRing::pair([Mutex::new()?, Mutex::new()?, Mutex::new()?])?, control))
}

/// Record locks on three bytes of a file in memory, in a ring. The control is uncontended.
pub fn record_locks(_: Setting) -> Result<Exchange<LockRing<RecordLocks>, impl Control>> {
    let own = RecordLocks::new()?;
    let control = move |word| {
        own.lock(0)?;
        own.unlock(0)?;
        Ok(word)
    };
    Ok((LockRing::pair(RecordLocks::new()?)?, control))
}
