//! What a mechanism says of itself: its endpoints, and the same calls by one task.

use measure::Failure;

/// One endpoint of an exchange.
pub trait Endpoint: Send {
    /// Sends a word to the other endpoint and wakes it.
    ///
    /// # Errors
    /// When a call fails.
    fn send(&mut self, word: u8) -> sys::Result<()>;

    /// Waits for a word of the other endpoint.
    ///
    /// # Errors
    /// When a call fails.
    fn receive(&mut self) -> sys::Result<u8>;

    /// What the responder does once, before its first word.
    ///
    /// # Errors
    /// When a call fails.
    fn enter(&mut self) -> sys::Result<()> {
        Ok(())
    }

    /// What the initiator does before a batch of round trips.
    ///
    /// # Errors
    /// When a call fails.
    fn begin(&mut self) -> sys::Result<()> {
        Ok(())
    }

    /// What the initiator does after a batch of round trips.
    ///
    /// # Errors
    /// When a call fails.
    fn end(&mut self) -> sys::Result<()> {
        Ok(())
    }
}

/// The single-task control: the system calls of send and receive by one task, without a waiter and a wake-up.
pub trait SingleTask {
    /// Sends and receives once; gives the word that came.
    ///
    /// # Errors
    /// When a call fails.
    fn once(&mut self, word: u8) -> sys::Result<u8>;
}

/// What an exchange is set up with.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Whether the actors are processes; threads otherwise.
    pub between_processes: bool,
    /// Length of a message in bytes.
    pub bytes: usize,
    /// Seed of the payload.
    pub seed: u64,
}

/// Both endpoints of an exchange, and the control.
pub struct Endpoints<M: Mechanism + ?Sized> {
    /// It starts each round trip and is timed.
    pub initiator: M::Endpoint,
    /// It answers.
    pub answer: M::Endpoint,
    /// The control.
    pub control: M::SingleTask,
}

/// A kind of object over which two actors exchange words.
pub trait Mechanism {
    /// One endpoint.
    type Endpoint: Endpoint;
    /// The control.
    type SingleTask: SingleTask;

    /// Batches hold a multiple of this many round trips: more than one where the endpoints do something once per batch
    /// that the kernel counts.
    const MULTIPLE_OF: u64 = 1;

    /// Makes both endpoints and the control. Nothing outlives the processes.
    ///
    /// # Errors
    /// When an object cannot be made.
    fn endpoints(setting: Setting) -> Result<Endpoints<Self>, Failure>;
}
