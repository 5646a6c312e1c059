//! The server: a daemon that accepts clients with the key, and a process for each session.
//!
//! The daemon is one loop over a listening socket and a bounded number of unauthenticated clients; it makes a process
//! only for a client that has proved itself. That process ([`session`]) has the session's own key and never the daemon's.

mod daemon;
mod data_listener;
mod log;
mod running_service;
mod session;
mod settings;
mod unauthenticated;

pub use daemon::Daemon;
pub use session::{Peer, session};
pub use settings::{Bounds, Settings};
