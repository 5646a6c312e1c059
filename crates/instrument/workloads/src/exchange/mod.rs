//! Ping-pong between two actors, processes or threads, over one kind of object, and the same system calls by one task.
//!
//! A mechanism is a function that makes an [`Exchange`]: what an endpoint sends and receives by, and which calls the
//! single-task control makes. Every message is a word, also where the object carries no payload (a semaphore, a yield): then
//! the word lies in a shared page, and the answer is checked all the same. A mechanism fails where its objects cannot be made.

mod actors;
mod channels;
mod locks;
mod mechanism;
mod streams;
mod words;

pub use actors::{Messages, processes, round_trips, round_trips_by, threads};
pub use channels::{event_counters, posix_queues, posix_semaphores, system_v_queues, system_v_semaphores};
pub use locks::{conditions, mutexes, record_locks};
pub use mechanism::Exchange;
pub use streams::{fifos, full_pipes, pipes, unix_datagrams, unix_streams};
pub use words::{delayed, futexes, yields};
