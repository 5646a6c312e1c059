//! Message queues, of POSIX and of System V.

use super::mechanism::{Endpoint, Endpoints, Mechanism, Setting, SingleTask};
use measure::Failure;
use std::sync::Arc;
use sys::message_queue::MessageQueue;
use sys::system_v::{self, IpcNamespace};

/// A queue of words.
pub trait Queue: Send + Sync {
    /// Sends a word.
    ///
    /// # Errors
    /// When a call fails.
    fn send(&self, word: u8) -> sys::Result<()>;
    /// Takes a word; sleeps while there is none.
    ///
    /// # Errors
    /// When a call fails.
    fn receive(&self) -> sys::Result<u8>;
}

impl Queue for MessageQueue {
    #[inline(always)]
    fn send(&self, word: u8) -> sys::Result<()> {
        MessageQueue::send(self, word)
    }

    #[inline(always)]
    fn receive(&self) -> sys::Result<u8> {
        MessageQueue::receive(self)
    }
}

impl Queue for system_v::MessageQueue {
    #[inline(always)]
    fn send(&self, word: u8) -> sys::Result<()> {
        system_v::MessageQueue::send(self, word)
    }

    #[inline(always)]
    fn receive(&self) -> sys::Result<u8> {
        system_v::MessageQueue::receive(self)
    }
}

/// An endpoint that sends to one queue and receives from another.
pub struct QueueEndpoint<Q: Queue> {
    to: Arc<Q>,
    from: Arc<Q>,
}

impl<Q: Queue> Endpoint for QueueEndpoint<Q> {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.to.send(word)
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.from.receive()
    }
}

/// The queue of the single-task control.
pub struct SingleQueue<Q: Queue>(Q);

impl<Q: Queue> SingleTask for SingleQueue<Q> {
    #[inline(always)]
    fn once(&mut self, word: u8) -> sys::Result<u8> {
        self.0.send(word)?;
        self.0.receive()
    }
}

fn endpoints<M, Q: Queue>(own: Q, [to, from]: [Q; 2]) -> Endpoints<M>
where
    M: Mechanism<Endpoint = QueueEndpoint<Q>, SingleTask = SingleQueue<Q>>,
{
    let (to, from) = (Arc::new(to), Arc::new(from));
    Endpoints {
        initiator: QueueEndpoint { to: Arc::clone(&to), from: Arc::clone(&from) },
        answer: QueueEndpoint { to: from, from: to },
        control: SingleQueue(own),
    }
}

/// Two POSIX message queues.
pub struct PosixQueues;

impl Mechanism for PosixQueues {
    type Endpoint = QueueEndpoint<MessageQueue>;
    type SingleTask = SingleQueue<MessageQueue>;

    fn endpoints(_: Setting) -> Result<Endpoints<Self>, Failure> {
        Ok(endpoints(MessageQueue::new()?, [MessageQueue::new()?, MessageQueue::new()?]))
    }
}

/// Two System V message queues.
pub struct SystemVQueues;

impl Mechanism for SystemVQueues {
    type Endpoint = QueueEndpoint<system_v::MessageQueue>;
    type SingleTask = SingleQueue<system_v::MessageQueue>;

    fn endpoints(_: Setting) -> Result<Endpoints<Self>, Failure> {
        let namespace = IpcNamespace::enter()?;
        let own = namespace.message_queue()?;
        Ok(endpoints(own, [namespace.message_queue()?, namespace.message_queue()?]))
    }
}
