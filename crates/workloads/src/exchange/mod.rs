//! Ping-pong between two actors, processes or threads, over one kind of object, and the same system calls by one task.
//!
//! A [`mechanism::Mechanism`] says how an endpoint sends and receives, and which calls the single-task control makes. Every message
//! is a word, also where the object carries no payload (a semaphore, a yield): then the word lies in a shared page, and
//! the answer is checked all the same.

mod actors;
mod counters;
mod locks;
mod mechanism;
mod queues;
mod streams;
mod words;

pub use actors::{processes, round_trips, threads};
pub use counters::{EventCounters, PosixSemaphores, SystemVSemaphores};
pub use locks::{Conditions, Mutexes};
pub use queues::{PosixQueues, SystemVQueues};
pub use streams::{Fifos, Pipes, UnixDatagrams, UnixStreams};
pub use words::{Delayed, Futexes, Yields};
