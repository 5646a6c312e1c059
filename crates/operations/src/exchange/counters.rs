//! Objects that count: event counters and semaphores.

use super::words::Letters;
use super::{Alone, Mechanism, Setting, Side, Sides};
use measure::Failure;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use sys::eventfd::EventCounter;
use sys::futex;
use sys::posix;
use sys::semaphore::SystemV;

/// What is posted and waited for.
pub trait Counter: Send + Sync {
    /// Adds one.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn post(&self) -> sys::Result<()>;
    /// Takes one; sleeps while there is none.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn wait(&self) -> sys::Result<()>;
}

impl Counter for SystemV {
    #[inline(always)]
    fn post(&self) -> sys::Result<()> {
        SystemV::post(self)
    }

    #[inline(always)]
    fn wait(&self) -> sys::Result<()> {
        SystemV::wait(self)
    }
}

impl Counter for posix::Semaphore {
    #[inline(always)]
    fn post(&self) -> sys::Result<()> {
        posix::Semaphore::post(self)
    }

    #[inline(always)]
    fn wait(&self) -> sys::Result<()> {
        posix::Semaphore::wait(self)
    }
}

/// A side that posts one counter and waits for another; the word lies beside.
pub struct Counted<C: Counter> {
    to: Arc<C>,
    from: Arc<C>,
    letters: Letters,
}

impl<C: Counter> Side for Counted<C> {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.letters.leave(word);
        self.to.post()
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.from.wait()?;
        Ok(self.letters.find())
    }
}

fn counted<M, C: Counter>([to, from]: [C; 2], alone: M::Alone) -> Result<Sides<M>, Failure>
where
    M: Mechanism<Side = Counted<C>>,
{
    let (to, from) = (Arc::new(to), Arc::new(from));
    let [lead, answer] = Letters::pair()?;
    Ok(Sides {
        lead: Counted {
            to: Arc::clone(&to),
            from: Arc::clone(&from),
            letters: lead,
        },
        answer: Counted {
            to: from,
            from: to,
            letters: answer,
        },
        alone,
    })
}

/// Two System V semaphores.
pub struct SystemVSemaphores;

impl Alone for SystemV {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.post()?;
        self.wait()?;
        Ok(word)
    }
}

impl Mechanism for SystemVSemaphores {
    type Side = Counted<SystemV>;
    type Alone = SystemV;

    fn sides(_: Setting) -> Result<Sides<Self>, Failure> {
        let own = SystemV::private()?;
        let between = [own.another()?, own.another()?];
        counted(between, own)
    }
}

/// Two POSIX semaphores of the C library.
pub struct PosixSemaphores;

/// A POSIX semaphore that is posted and taken in user space, and the two calls that a waiter would add.
pub struct Uncontended {
    semaphore: posix::Semaphore,
    idle: AtomicU32,
}

impl Alone for Uncontended {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.semaphore.post()?;
        self.semaphore.wait()?;
        calls_without_effect(&self.idle)?;
        Ok(word)
    }
}

/// A futex call that wakes nobody and one that need not wait: what the C library asks the kernel for in
/// addition when somebody waits.
#[inline(always)]
pub fn calls_without_effect(idle: &AtomicU32) -> sys::Result<()> {
    sys::Error::check("futex", futex::wake_one(idle))?;
    match futex::wait(idle, 1) {
        futex::CHANGED => Ok(()),
        other => sys::Error::check("futex", other).map(|_| ()),
    }
}

impl Mechanism for PosixSemaphores {
    type Side = Counted<posix::Semaphore>;
    type Alone = Uncontended;

    fn sides(setting: Setting) -> Result<Sides<Self>, Failure> {
        let make = || posix::Semaphore::new(setting.between_processes);
        let alone = Uncontended {
            semaphore: make()?,
            idle: AtomicU32::new(0),
        };
        counted([make()?, make()?], alone)
    }
}

/// A side that adds the word to one event counter and takes it from another.
pub struct Events {
    to: Arc<EventCounter>,
    from: Arc<EventCounter>,
}

impl Side for Events {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.to.add(u64::from(word))
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        // A sum of two words is no word: it is answered wrongly and counted as such.
        Ok(u8::try_from(self.from.take()?).unwrap_or(0))
    }
}

impl Alone for EventCounter {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.add(u64::from(word))?;
        Ok(u8::try_from(self.take()?).unwrap_or(0))
    }
}

/// Two event counters.
pub struct EventCounters;

impl Mechanism for EventCounters {
    type Side = Events;
    type Alone = EventCounter;

    fn sides(_: Setting) -> Result<Sides<Self>, Failure> {
        let (to, from) = (Arc::new(EventCounter::new()?), Arc::new(EventCounter::new()?));
        Ok(Sides {
            lead: Events {
                to: Arc::clone(&to),
                from: Arc::clone(&from),
            },
            answer: Events { to: from, from: to },
            alone: EventCounter::new()?,
        })
    }
}
