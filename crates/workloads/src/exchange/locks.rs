//! Locks of the C library between threads: a mutex with condition variables, and mutexes.

use super::counters::calls_without_effect;
use super::mechanism::{Endpoint, Endpoints, Mechanism, Setting, SingleTask};
use super::words::Mailboxes;
use measure::Failure;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use sys::posix::{Condition, Mutex};

/// A mutex, the two words that it guards, and a condition for each.
struct Guarded {
    mutex: Mutex,
    conditions: [Condition; 2],
    words: [AtomicU8; 2],
}

/// An endpoint that signals one word and waits for the other; no word is 0.
pub struct ConditionEndpoint {
    guarded: Arc<Guarded>,
    to: usize,
}

/// The condition and the word of one direction.
fn direction(guarded: &Guarded, at: usize) -> (&Condition, &AtomicU8) {
    let ([first, second], [there, back]) = (&guarded.conditions, &guarded.words);
    if at == 0 { (first, there) } else { (second, back) }
}

impl Endpoint for ConditionEndpoint {
    /// Signals with the mutex held, as R3 and most programs do.
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        let (condition, place) = direction(&self.guarded, self.to);
        self.guarded.mutex.lock()?;
        place.store(word, Ordering::Relaxed);
        condition.signal()?;
        self.guarded.mutex.unlock()
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        let (condition, place) = direction(&self.guarded, 1 - self.to);
        self.guarded.mutex.lock()?;
        while place.load(Ordering::Relaxed) == 0 {
            condition.wait(&self.guarded.mutex)?;
        }
        let word = place.swap(0, Ordering::Relaxed);
        self.guarded.mutex.unlock()?;
        Ok(word)
    }
}

/// An uncontended mutex and condition variable, and the two futex calls that a waiter would add.
pub struct UncontendedCondition {
    mutex: Mutex,
    condition: Condition,
    idle: AtomicU32,
}

impl SingleTask for UncontendedCondition {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.mutex.lock()?;
        self.condition.signal()?;
        self.mutex.unlock()?;
        self.mutex.lock()?;
        self.mutex.unlock()?;
        calls_without_effect(&self.idle)?;
        Ok(word)
    }
}

/// One mutex and two condition variables.
pub struct Conditions;

impl Mechanism for Conditions {
    type Endpoint = ConditionEndpoint;
    type SingleTask = UncontendedCondition;

    fn endpoints(_: Setting) -> Result<Endpoints<Self>, Failure> {
        let guarded = Arc::new(Guarded {
            mutex: Mutex::new()?,
            conditions: [Condition::new()?, Condition::new()?],
            words: [AtomicU8::new(0), AtomicU8::new(0)],
        });
        Ok(Endpoints {
            initiator: ConditionEndpoint { guarded: Arc::clone(&guarded), to: 0 },
            answer: ConditionEndpoint { guarded, to: 1 },
            control: UncontendedCondition {
                mutex: Mutex::new()?,
                condition: Condition::new()?,
                idle: AtomicU32::new(0),
            },
        })
    }
}

/// Three mutexes in a ring: to send is to unlock one, to receive is to lock the one that the other endpoint holds.
///
/// The sender holds two and unlocks the older one, for which the other endpoint, which holds the third, waits. Neither
/// locks a mutex twice in a row, so neither can run ahead.
pub struct MutexRing {
    mutexes: Arc<[Mutex; 3]>,
    gives: usize,
    mailboxes: Mailboxes,
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
        self.mailboxes.put(word);
        self.mutex(self.gives).unlock()
    }

    /// The mutex that the other endpoint unlocks is two further in the ring.
    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.mutex(self.gives + 2).lock()?;
        self.gives = (self.gives + 1) % 3;
        Ok(self.mailboxes.get())
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

/// An uncontended mutex, and the two futex calls that a waiter would add.
pub struct UncontendedMutex {
    mutex: Mutex,
    idle: AtomicU32,
}

impl SingleTask for UncontendedMutex {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.mutex.lock()?;
        self.mutex.unlock()?;
        calls_without_effect(&self.idle)?;
        Ok(word)
    }
}

/// Three mutexes in a ring.
pub struct Mutexes;

impl Mechanism for Mutexes {
    type Endpoint = MutexRing;
    type SingleTask = UncontendedMutex;

    fn endpoints(_: Setting) -> Result<Endpoints<Self>, Failure> {
        // The initiator yields while it waits for the responder: if sched_yield is denied, the exchange fails here.
        sys::sleep::yield_cpu()?;
        let mutexes = Arc::new([Mutex::new()?, Mutex::new()?, Mutex::new()?]);
        let entered = Arc::new(AtomicU32::new(0));
        let [initiator, answer] = Mailboxes::pair()?;
        let initiator = MutexRing {
            mutexes: Arc::clone(&mutexes),
            gives: 0,
            mailboxes: initiator,
            entered: Arc::clone(&entered),
            is_initiator: true,
        };
        // The initiator, which is made on its own thread, begins with the first two.
        initiator.mutex(0).lock()?;
        initiator.mutex(1).lock()?;
        Ok(Endpoints {
            initiator,
            answer: MutexRing { mutexes, gives: 1, mailboxes: answer, entered, is_initiator: false },
            control: UncontendedMutex { mutex: Mutex::new()?, idle: AtomicU32::new(0) },
        })
    }
}
