//! Message queues, of POSIX and of System V.

use super::{Alone, Mechanism, Setting, Side, Sides};
use measure::Failure;
use std::sync::Arc;
use sys::message_queue::{Posix, SystemV};

/// A queue of words.
pub trait Queue: Send + Sync {
    /// Sends a word.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn send(&self, word: u8) -> sys::Result<()>;
    /// Takes a word; sleeps while there is none.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn receive(&self) -> sys::Result<u8>;
}

impl Queue for Posix {
    #[inline(always)]
    fn send(&self, word: u8) -> sys::Result<()> {
        Posix::send(self, word)
    }

    #[inline(always)]
    fn receive(&self) -> sys::Result<u8> {
        Posix::receive(self)
    }
}

impl Queue for SystemV {
    #[inline(always)]
    fn send(&self, word: u8) -> sys::Result<()> {
        SystemV::send(self, word)
    }

    #[inline(always)]
    fn receive(&self) -> sys::Result<u8> {
        SystemV::receive(self)
    }
}

/// A side that sends to one queue and receives from another.
pub struct Between<Q: Queue> {
    to: Arc<Q>,
    from: Arc<Q>,
}

impl<Q: Queue> Side for Between<Q> {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.to.send(word)
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.from.receive()
    }
}

/// A queue of one task's own.
pub struct Own<Q: Queue>(Q);

impl<Q: Queue> Alone for Own<Q> {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.0.send(word)?;
        self.0.receive()
    }
}

fn sides<M, Q: Queue>(own: Q, [to, from]: [Q; 2]) -> Sides<M>
where
    M: Mechanism<Side = Between<Q>, Alone = Own<Q>>,
{
    let (to, from) = (Arc::new(to), Arc::new(from));
    Sides {
        lead: Between {
            to: Arc::clone(&to),
            from: Arc::clone(&from),
        },
        answer: Between { to: from, from: to },
        alone: Own(own),
    }
}

/// Two POSIX message queues.
pub struct PosixQueues;

impl Mechanism for PosixQueues {
    type Side = Between<Posix>;
    type Alone = Own<Posix>;

    fn sides(_: Setting) -> Result<Sides<Self>, Failure> {
        Ok(sides(Posix::new()?, [Posix::new()?, Posix::new()?]))
    }
}

/// Two System V message queues.
pub struct SystemVQueues;

impl Mechanism for SystemVQueues {
    type Side = Between<SystemV>;
    type Alone = Own<SystemV>;

    fn sides(_: Setting) -> Result<Sides<Self>, Failure> {
        let own = SystemV::private()?;
        let between = [own.another()?, own.another()?];
        Ok(sides(own, between))
    }
}
