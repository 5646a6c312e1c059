//! Objects that count: event counters and semaphores.

use super::mechanism::{Endpoint, Endpoints, Mechanism, Setting, SingleTask};
use super::words::Mailboxes;
use measure::Failure;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use sys::eventfd::EventCounter;
use sys::futex::{self, Scope};
use sys::posix;
use sys::system_v::{self, IpcNamespace};

/// An object that counts posts.
pub trait Counter: Send + Sync {
    /// Adds one.
    ///
    /// # Errors
    /// When a call fails.
    fn post(&self) -> sys::Result<()>;
    /// Takes one; sleeps while there is none.
    ///
    /// # Errors
    /// When a call fails.
    fn wait(&self) -> sys::Result<()>;
}

impl Counter for system_v::Semaphore {
    #[inline(always)]
    fn post(&self) -> sys::Result<()> {
        system_v::Semaphore::post(self)
    }

    #[inline(always)]
    fn wait(&self) -> sys::Result<()> {
        system_v::Semaphore::wait(self)
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

/// An endpoint that posts one counter and waits for another; the word goes by mailbox.
pub struct CounterEndpoint<C: Counter> {
    to: Arc<C>,
    from: Arc<C>,
    mailboxes: Mailboxes,
}

impl<C: Counter> Endpoint for CounterEndpoint<C> {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.mailboxes.put(word);
        self.to.post()
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.from.wait()?;
        Ok(self.mailboxes.get())
    }
}

fn counter_endpoints<M, C: Counter>(
    [to, from]: [C; 2],
    control: M::SingleTask,
) -> Result<Endpoints<M>, Failure>
where
    M: Mechanism<Endpoint = CounterEndpoint<C>>,
{
    let (to, from) = (Arc::new(to), Arc::new(from));
    let [initiator, answer] = Mailboxes::pair()?;
    Ok(Endpoints {
        initiator: CounterEndpoint { to: Arc::clone(&to), from: Arc::clone(&from), mailboxes: initiator },
        answer: CounterEndpoint { to: from, from: to, mailboxes: answer },
        control,
    })
}

/// Two System V semaphores.
pub struct SystemVSemaphores;

impl SingleTask for system_v::Semaphore {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.post()?;
        self.wait()?;
        Ok(word)
    }
}

impl Mechanism for SystemVSemaphores {
    type Endpoint = CounterEndpoint<system_v::Semaphore>;
    type SingleTask = system_v::Semaphore;

    fn endpoints(_: Setting) -> Result<Endpoints<Self>, Failure> {
        let namespace = IpcNamespace::enter()?;
        let own = namespace.semaphore()?;
        counter_endpoints([namespace.semaphore()?, namespace.semaphore()?], own)
    }
}

/// Two POSIX semaphores of the C library.
pub struct PosixSemaphores;

/// An uncontended POSIX semaphore, and the two futex calls that a waiter would add.
pub struct UncontendedSemaphore {
    semaphore: posix::Semaphore,
    idle: AtomicU32,
}

impl SingleTask for UncontendedSemaphore {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.semaphore.post()?;
        self.semaphore.wait()?;
        calls_without_effect(&self.idle)?;
        Ok(word)
    }
}

/// An uncontended futex wake, and a futex wait that returns EAGAIN: the calls that the C library adds for a waiter.
#[inline(always)]
pub fn calls_without_effect(idle: &AtomicU32) -> sys::Result<()> {
    sys::Error::check("futex", futex::wake_one(idle, Scope::Private))?;
    match futex::wait(idle, 1, Scope::Private) {
        futex::CHANGED => Ok(()),
        other => sys::Error::check("futex", other).map(|_| ()),
    }
}

impl Mechanism for PosixSemaphores {
    type Endpoint = CounterEndpoint<posix::Semaphore>;
    type SingleTask = UncontendedSemaphore;

    fn endpoints(setting: Setting) -> Result<Endpoints<Self>, Failure> {
        let make = || posix::Semaphore::new(setting.between_processes);
        let control = UncontendedSemaphore { semaphore: make()?, idle: AtomicU32::new(0) };
        counter_endpoints([make()?, make()?], control)
    }
}

/// An endpoint that adds the word to one event counter and takes it from another.
pub struct EventfdEndpoint {
    to: Arc<EventCounter>,
    from: Arc<EventCounter>,
}

impl Endpoint for EventfdEndpoint {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.to.add(u64::from(word))
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        // A sum of two words is not a word: the answer counts as wrong.
        Ok(u8::try_from(self.from.take()?).unwrap_or(0))
    }
}

impl SingleTask for EventCounter {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.add(u64::from(word))?;
        Ok(u8::try_from(self.take()?).unwrap_or(0))
    }
}

/// Two event counters.
pub struct EventCounters;

impl Mechanism for EventCounters {
    type Endpoint = EventfdEndpoint;
    type SingleTask = EventCounter;

    fn endpoints(_: Setting) -> Result<Endpoints<Self>, Failure> {
        let (to, from) = (Arc::new(EventCounter::new()?), Arc::new(EventCounter::new()?));
        Ok(Endpoints {
            initiator: EventfdEndpoint { to: Arc::clone(&to), from: Arc::clone(&from) },
            answer: EventfdEndpoint { to: from, from: to },
            control: EventCounter::new()?,
        })
    }
}
