//! How a daemon serves, what a session may use up, and what its process is given.

use crate::Key;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::time::Duration;

/// What one session may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Seconds from its beginning to its end.
    pub seconds: u32,
    /// Bytes that one actor of a service may count.
    pub bytes: u64,
    /// Bytes of memory that each of its processes may map.
    pub memory: u64,
}

impl Default for Bounds {
    /// Ten minutes, as no trial takes; 16 TiB, more than 200 Gbit/s carry in that time; 2 GiB, more than buffers of
    /// a service need.
    fn default() -> Self {
        Self { seconds: 600, bytes: 16 << 40, memory: 2 << 30 }
    }
}

/// How a daemon serves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where it listens; port 0 lets the kernel choose.
    pub listen: SocketAddr,
    /// What clients must know.
    pub key: Key,
    /// Most sessions at a time.
    pub max_sessions: usize,
    /// Most connections at a time that have not proved themselves; when one more comes, the oldest is closed.
    pub max_unauthenticated: usize,
    /// Time in which a client must prove itself.
    pub handshake_timeout: Duration,
    /// How long it serves; `None` until it is stopped.
    pub lasting: Option<Duration>,
    /// What a session may use up.
    pub bounds: Bounds,
    /// Whether clients may have the page cache dropped.
    pub allow_drop_caches: bool,
}

impl Settings {
    /// Listens on loopback at a port of the kernel's choice.
    pub fn new(key: Key) -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            key,
            max_sessions: 8,
            max_unauthenticated: 64,
            handshake_timeout: Duration::from_secs(5),
            lasting: None,
            bounds: Bounds::default(),
            allow_drop_caches: false,
        }
    }
}

/// What the daemon writes to the standard input of a session's process: one line of JSON.
#[derive(Serialize, Deserialize)]
pub(super) struct Handover {
    pub(super) session: String,
    pub(super) key: String,
    pub(super) client: SocketAddr,
    pub(super) protocol: u16,
    pub(super) bounds: Bounds,
    pub(super) allow_drop_caches: bool,
}
