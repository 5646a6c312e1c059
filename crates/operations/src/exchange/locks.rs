//! Objects of the C library between threads: a mutex with condition variables, and mutexes alone.

use super::counters::calls_without_effect;
use super::words::Letters;
use super::{Alone, Mechanism, Setting, Side, Sides};
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

/// A side that signals one word and waits for the other; no word is 0.
pub struct Signals {
    guarded: Arc<Guarded>,
    to: usize,
}

/// The condition and the word of one direction.
fn direction(guarded: &Guarded, at: usize) -> (&Condition, &AtomicU8) {
    let ([first, second], [there, back]) = (&guarded.conditions, &guarded.words);
    if at == 0 { (first, there) } else { (second, back) }
}

impl Side for Signals {
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

/// A mutex and a condition that nobody else uses, and the two calls that a waiter would add.
pub struct Unwatched {
    mutex: Mutex,
    condition: Condition,
    idle: AtomicU32,
}

impl Alone for Unwatched {
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
    type Side = Signals;
    type Alone = Unwatched;

    fn sides(_: Setting) -> Result<Sides<Self>, Failure> {
        let guarded = Arc::new(Guarded {
            mutex: Mutex::new()?,
            conditions: [Condition::new()?, Condition::new()?],
            words: [AtomicU8::new(0), AtomicU8::new(0)],
        });
        Ok(Sides {
            lead: Signals {
                guarded: Arc::clone(&guarded),
                to: 0,
            },
            answer: Signals { guarded, to: 1 },
            alone: Unwatched {
                mutex: Mutex::new()?,
                condition: Condition::new()?,
                idle: AtomicU32::new(0),
            },
        })
    }
}

/// Mutexes in a ring: to send is to give one back, to receive is to take the one that the other side holds.
///
/// Who sends holds two of the three and gives the older one back; the other side, which waits for it, holds
/// the third. Nobody takes a mutex twice in a row, so neither side can be faster than the other.
pub struct Ring {
    mutexes: Arc<[Mutex; 3]>,
    gives: usize,
    letters: Letters,
    /// Whether the answering side holds its first mutex.
    entered: Arc<AtomicU32>,
    leads: bool,
}

impl Ring {
    fn mutex(&self, at: usize) -> &Mutex {
        let [first, second, third] = &*self.mutexes;
        match at % 3 {
            0 => first,
            1 => second,
            _ => third,
        }
    }
}

/// How often the leading side looks whether the other one is there, at most: some seconds.
const MOST_LOOKS: u32 = 10_000_000;

impl Side for Ring {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.letters.leave(word);
        self.mutex(self.gives).unlock()
    }

    /// The mutex that the other side gives back is two further than the own one in the ring.
    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.mutex(self.gives + 2).lock()?;
        self.gives = (self.gives + 1) % 3;
        Ok(self.letters.find())
    }

    /// The answering side takes the third mutex; then it waits for the first as if it had just sent.
    fn enter(&mut self) -> sys::Result<()> {
        self.mutex(2).lock()?;
        self.entered.store(1, Ordering::Release);
        Ok(())
    }

    fn begin(&mut self) -> sys::Result<()> {
        for _ in 0..MOST_LOOKS {
            if !self.leads || self.entered.load(Ordering::Acquire) == 1 {
                return Ok(());
            }
            sys::sleep::yield_cpu()?;
        }
        Err(sys::Error {
            call: "pthread_mutex_lock",
            errno: 0,
        })
    }
}

/// A mutex that nobody else takes, and the two calls that a waiter would add.
pub struct Unshared {
    mutex: Mutex,
    idle: AtomicU32,
}

impl Alone for Unshared {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.mutex.lock()?;
        self.mutex.unlock()?;
        calls_without_effect(&self.idle)?;
        Ok(word)
    }
}

/// Three mutexes that are handed round.
pub struct Mutexes;

impl Mechanism for Mutexes {
    type Side = Ring;
    type Alone = Unshared;

    fn sides(_: Setting) -> Result<Sides<Self>, Failure> {
        // While the leading side waits for the other to enter it gives way: refused, it would leave it alone.
        sys::sleep::yield_cpu()?;
        let mutexes = Arc::new([Mutex::new()?, Mutex::new()?, Mutex::new()?]);
        let entered = Arc::new(AtomicU32::new(0));
        let [lead, answer] = Letters::pair()?;
        let lead = Ring {
            mutexes: Arc::clone(&mutexes),
            gives: 0,
            letters: lead,
            entered: Arc::clone(&entered),
            leads: true,
        };
        // The leading side, which is made on its own thread, begins with the first two.
        lead.mutex(0).lock()?;
        lead.mutex(1).lock()?;
        Ok(Sides {
            lead,
            answer: Ring {
                mutexes,
                gives: 1,
                letters: answer,
                entered,
                leads: false,
            },
            alone: Unshared {
                mutex: Mutex::new()?,
                idle: AtomicU32::new(0),
            },
        })
    }
}
