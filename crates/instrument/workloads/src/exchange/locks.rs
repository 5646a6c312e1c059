//! Locks of the C library between threads: a mutex with condition variables, and mutexes.

use super::mechanism::{Control, Endpoint, Exchange, Setting};
use super::words::{SharedWord, calls_without_effect};
use measure::{Failure, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
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

/// Three mutexes in a ring: to send is to unlock one, to receive is to lock the one that the other endpoint holds.
///
/// The sender holds two and unlocks the older one, for which the other endpoint, which holds the third, waits. Neither
/// locks a mutex twice in a row, so neither can run ahead.
pub struct MutexRing {
    mutexes: Arc<[Mutex; 3]>,
    gives: usize,
    to: SharedWord,
    from: SharedWord,
    /// Whether the responder holds its first mutex.
    entered: Arc<AtomicU32>,
    is_initiator: bool,
}

impl MutexRing {
    fn mutex(&self, at: usize) -> &Mutex {
        let [first, second, third] = &*self.mutexes;
        match at % 3 {
            0 => first,
            1 => second,
            _ => third,
        }
    }
}

/// Most polls of the initiator until the responder is ready: some seconds.
const MAX_POLLS: u32 = 10_000_000;

impl Endpoint for MutexRing {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.to.put(word);
        self.mutex(self.gives).unlock()
    }

    /// The mutex that the other endpoint unlocks is two further in the ring.
    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.mutex(self.gives + 2).lock()?;
        self.gives = (self.gives + 1) % 3;
        Ok(self.from.get())
    }

    /// The responder locks the third mutex; then it waits for the first as if it had just sent.
    fn enter(&mut self) -> sys::Result<()> {
        self.mutex(2).lock()?;
        self.entered.store(1, Ordering::Release);
        Ok(())
    }

    fn begin(&mut self) -> sys::Result<()> {
        for _ in 0..MAX_POLLS {
            if !self.is_initiator || self.entered.load(Ordering::Acquire) == 1 {
                return Ok(());
            }
            sys::sleep::yield_cpu()?;
        }
        Err(sys::Error { call: "pthread_mutex_lock", errno: 0 })
    }
}

/// Three mutexes in a ring.
///
/// The control is uncontended, and adds the two futex calls that a waiter would add.
pub fn mutexes(_: Setting) -> Result<Exchange<MutexRing, impl Control>> {
    // The initiator yields while it waits for the responder: if sched_yield is denied, the exchange fails here.
    sys::sleep::yield_cpu()?;
    let mutexes = Arc::new([Mutex::new()?, Mutex::new()?, Mutex::new()?]);
    let entered = Arc::new(AtomicU32::new(0));
    let [own, their] = SharedWord::crossed(SharedWord::of_one_page()?);
    let endpoints = [(0, own), (1, their)].map(|(gives, [to, from])| {
        let (mutexes, entered) = (Arc::clone(&mutexes), Arc::clone(&entered));
        MutexRing { mutexes, gives, to, from, entered, is_initiator: gives == 0 }
    });
    // The initiator, which is made on its own thread, begins with the first two.
    for mutex in mutexes.iter().take(2) {
        mutex.lock()?;
    }
    let (mutex, idle) = (Mutex::new()?, AtomicU32::new(0));
    let control = move |word| {
        mutex.lock()?;
        mutex.unlock()?;
        calls_without_effect(&idle)?;
        Ok(word)
    };
    Ok((endpoints, control))
}
