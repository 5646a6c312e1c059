//! The parts of an exchange: its endpoints, and the same calls by one task.

/// One endpoint of an exchange. Errors are those of the call that failed.
pub trait Endpoint: Send {
    /// Batches hold a multiple of this many round trips: more than one where the endpoints do something once per batch
    /// that the kernel counts.
    const MULTIPLE_OF: u64 = 1;

    /// Sends a word to the other endpoint and wakes it.
    fn send(&mut self, word: u8) -> sys::Result<()>;

    /// Waits for a word of the other endpoint.
    fn receive(&mut self) -> sys::Result<u8>;

    /// What the responder does once, before its first word.
    fn enter(&mut self) -> sys::Result<()> {
        Ok(())
    }

    /// What the initiator does before a batch of round trips.
    fn begin(&mut self) -> sys::Result<()> {
        Ok(())
    }

    /// What the initiator does after a batch of round trips.
    fn end(&mut self) -> sys::Result<()> {
        Ok(())
    }
}

/// The single-task control: the system calls of one send and one receive by one task, without a waiter and a wake-up. It is
/// given a word, and gives the word that came.
pub trait Control: FnMut(u8) -> sys::Result<u8> {}

impl<C: FnMut(u8) -> sys::Result<u8>> Control for C {}

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

/// What a mechanism, a kind of object over which two actors exchange words, is made into: the endpoints of initiator and
/// responder, and the control. Nothing outlives the processes.
pub type Exchange<E, C> = ([E; 2], C);
