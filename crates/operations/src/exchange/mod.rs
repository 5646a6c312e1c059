//! Messages that two actors hand each other in turns: by which object, between processes or threads, and the same
//! calls by one task.
//!
//! A mechanism is an implementation of [`Mechanism`]: how one side sends and receives, and what is the same
//! without a partner. Every message is a word, also where the object itself carries none (a semaphore, a yield):
//! then it lies in a page that both sides see, and the answer is checked all the same.

mod actors;
mod counters;
mod locks;
mod queues;
mod streams;
mod words;

pub use actors::{processes, round_trips, threads};
pub use counters::{EventCounters, PosixSemaphores, SystemVSemaphores};
pub use locks::{Conditions, Mutexes};
pub use queues::{PosixQueues, SystemVQueues};
pub use streams::{Fifos, Pipes, UnixDatagrams, UnixStreams};
pub use words::{Asleep, Futexes, Yields};

use measure::Failure;

/// One side of an exchange.
pub trait Side: Send {
    /// Hands a word to the other side and lets it go on.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn send(&mut self, word: u8) -> sys::Result<()>;

    /// Waits for a word of the other side.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn receive(&mut self) -> sys::Result<u8>;

    /// What the answering side does once, before its first word.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn enter(&mut self) -> sys::Result<()> {
        Ok(())
    }

    /// What the leading side does before a batch of round trips.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn begin(&mut self) -> sys::Result<()> {
        Ok(())
    }

    /// What the leading side does after a batch of round trips.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn end(&mut self) -> sys::Result<()> {
        Ok(())
    }
}

/// The calls of both halves of a message by one task, on an object of its own: nobody waits or is woken.
pub trait Alone {
    /// Sends and receives once; gives the word that came.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn once(&mut self, word: u8) -> sys::Result<u8>;
}

/// What an exchange is set up with.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Whether the sides are processes; threads otherwise.
    pub between_processes: bool,
    /// Length of a message in bytes.
    pub bytes: usize,
    /// Seed of what a message holds.
    pub seed: u64,
}

/// Both sides of an exchange, and one task's own.
pub struct Sides<M: Mechanism + ?Sized> {
    /// The side that leads and is timed.
    pub lead: M::Side,
    /// The side that answers.
    pub answer: M::Side,
    /// The control.
    pub alone: M::Alone,
}

/// A kind of object over which two actors meet.
pub trait Mechanism {
    /// One side.
    type Side: Side;
    /// The control.
    type Alone: Alone;

    /// Batches hold a multiple of so many round trips: more than one where the sides do something once in a
    /// batch, so that what the kernel counts of that is little beside the round trips.
    const MULTIPLE_OF: u64 = 1;

    /// Makes both sides and the control. What must not be left behind is gone with the processes that have it.
    ///
    /// # Errors
    /// When an object cannot be had.
    fn sides(setting: Setting) -> Result<Sides<Self>, Failure>;
}
