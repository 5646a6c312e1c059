//! Objects that carry words in one direction: event counters, semaphores, message queues.

use super::mechanism::{Control, Endpoint, Exchange, Setting};
use super::words::{SharedWord, calls_without_effect};
use measure::Result;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use sys::eventfd::EventCounter;
use sys::message_queue::MessageQueue;
use sys::posix::Semaphore;
use sys::system_v::{self, IpcNamespace};

/// An object that carries words in one direction. Errors are those of the call that failed.
pub trait Channel: Send + Sync {
    /// Sends a word.
    fn send(&self, word: u8) -> sys::Result<()>;
    /// Takes a word; sleeps while there is none.
    fn receive(&self) -> sys::Result<u8>;
}

/// An endpoint that sends to one channel and receives from another.
pub struct Duplex<C> {
    to: Arc<C>,
    from: Arc<C>,
}

impl<C: Channel> Duplex<C> {
    /// Both endpoints over two channels.
    fn pair(channels: [C; 2]) -> [Self; 2] {
        let [to, from] = channels.map(Arc::new);
        [Self { to: Arc::clone(&to), from: Arc::clone(&from) }, Self { to: from, from: to }]
    }
}

impl<C: Channel> Endpoint for Duplex<C> {
    #[inline(always)]
    fn send(&mut self, word: u8) -> sys::Result<()> {
        self.to.send(word)
    }

    #[inline(always)]
    fn receive(&mut self) -> sys::Result<u8> {
        self.from.receive()
    }
}

/// One task that receives what it sent.
fn loopback(channel: impl Channel) -> impl Control {
    move |word| {
        channel.send(word)?;
        channel.receive()
    }
}

impl Channel for EventCounter {
    #[inline(always)]
    fn send(&self, word: u8) -> sys::Result<()> {
        self.add(u64::from(word))
    }

    #[inline(always)]
    fn receive(&self) -> sys::Result<u8> {
        // A sum of two words is not a word: the answer counts as wrong.
        Ok(u8::try_from(self.take()?).unwrap_or(0))
    }
}

/// Two event counters, to which the word is added.
pub fn event_counters(_: Setting) -> Result<Exchange<Duplex<EventCounter>, impl Control>> {
    let pair = Duplex::pair([EventCounter::new()?, EventCounter::new()?]);
    Ok((pair, loopback(EventCounter::new()?)))
}

impl Channel for MessageQueue {
    #[inline(always)]
    fn send(&self, word: u8) -> sys::Result<()> {
        Self::send(self, word)
    }

    #[inline(always)]
    fn receive(&self) -> sys::Result<u8> {
        Self::receive(self)
    }
}

/// Two POSIX message queues.
pub fn posix_queues(_: Setting) -> Result<Exchange<Duplex<MessageQueue>, impl Control>> {
    let make = MessageQueue::new;
    Ok((Duplex::pair([make()?, make()?]), loopback(make()?)))
}

impl Channel for system_v::MessageQueue {
    #[inline(always)]
    fn send(&self, word: u8) -> sys::Result<()> {
        Self::send(self, word)
    }

    #[inline(always)]
    fn receive(&self) -> sys::Result<u8> {
        Self::receive(self)
    }
}

/// Two System V message queues.
pub fn system_v_queues(_: Setting) -> Result<Exchange<Duplex<system_v::MessageQueue>, impl Control>> {
    let namespace = IpcNamespace::enter()?;
    let between = [namespace.message_queue()?, namespace.message_queue()?];
    Ok((Duplex::pair(between), loopback(namespace.message_queue()?)))
}

/// A semaphore, and the word beside it, since a post carries none.
pub struct Posted<S> {
    semaphore: S,
    word: SharedWord,
}

impl<S> Posted<S> {
    fn pair(semaphores: [S; 2]) -> Result<[Self; 2]> {
        let ([first, second], [there, back]) = (semaphores, SharedWord::of_one_page()?);
        Ok([Self { semaphore: first, word: there }, Self { semaphore: second, word: back }])
    }
}

impl Channel for Posted<system_v::Semaphore> {
    #[inline(always)]
    fn send(&self, word: u8) -> sys::Result<()> {
        self.word.put(word);
        self.semaphore.post()
    }

    #[inline(always)]
    fn receive(&self) -> sys::Result<u8> {
        self.semaphore.wait()?;
        Ok(self.word.get())
    }
}

/// Two System V semaphores.
pub fn system_v_semaphores(
    _: Setting,
) -> Result<Exchange<Duplex<Posted<system_v::Semaphore>>, impl Control>> {
    let namespace = IpcNamespace::enter()?;
    let own = namespace.semaphore()?;
    let between = Posted::pair([namespace.semaphore()?, namespace.semaphore()?])?;
    let control = move |word| {
        own.post()?;
        own.wait()?;
        Ok(word)
    };
    Ok((Duplex::pair(between), control))
}

impl Channel for Posted<Semaphore> {
    #[inline(always)]
    fn send(&self, word: u8) -> sys::Result<()> {
        self.word.put(word);
        self.semaphore.post()
    }

    #[inline(always)]
    fn receive(&self) -> sys::Result<u8> {
        self.semaphore.wait()?;
        Ok(self.word.get())
    }
}

/// Two POSIX semaphores of the C library.
///
/// The control adds the two futex calls that a waiter would add.
pub fn posix_semaphores(setting: Setting) -> Result<Exchange<Duplex<Posted<Semaphore>>, impl Control>> {
    let make = || Semaphore::new(setting.between_processes);
    let between = Posted::pair([make()?, make()?])?;
    let (semaphore, idle) = (make()?, AtomicU32::new(0));
    let control = move |word| {
        semaphore.post()?;
        semaphore.wait()?;
        calls_without_effect(&idle)?;
        Ok(word)
    };
    Ok((Duplex::pair(between), control))
}
