//! What can go wrong between two peers, each as a sentence.

use crate::hello::{Hello, VERSIONS};

/// Input that no honest peer sends; a sentence without its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

impl std::fmt::Display for Malformed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(self.0)
    }
}

impl std::error::Error for Malformed {}

/// Why something could not be done with the peer. No text of it holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address is none.
    #[error("{0:?} is no address of a peer; write HOST:PORT, as `oscope serve` prints it")]
    Address(String),
    /// The key is none.
    #[error("the key is not one that `oscope serve` prints: 64 hexadecimal digits")]
    KeyText,
    /// Nobody listens there.
    #[error("the peer at {address} cannot be reached: {why}; is `oscope serve --listen` running there?")]
    Unreachable {
        /// Where.
        address: String,
        /// What the kernel said.
        why: String,
    },
    /// The other end is gone.
    #[error("the peer closed the connection {0}")]
    Closed(&'static str),
    /// The other end does not answer.
    #[error("the peer did not answer in time {0}")]
    Late(&'static str),
    /// It is no peer, or not an honest one.
    #[error("what answers there is no peer of oscope: {0}")]
    Foreign(Malformed),
    /// Its versions are other versions.
    #[error("the peer speaks protocol {0}, this oscope {VERSIONS}; use one version of oscope at both ends")]
    Versions(Hello),
    /// The keys differ.
    #[error("the key is not the peer's; give the one that it printed last")]
    WrongKey,
    /// The peer understood, and does not do it.
    #[error("the peer refuses: {0}")]
    Refused(String),
    /// The peer tried, and failed.
    #[error("the peer failed: {0}")]
    Failed(String),
    /// The answer belongs to another question.
    #[error("the peer gave another answer than was asked for")]
    Crossed,
    /// A system call said no on this side.
    #[error("{what}: {why}")]
    Here {
        /// What was tried.
        what: &'static str,
        /// What the kernel said.
        why: String,
    },
}

impl Error {
    /// A system call on this side said no.
    pub(crate) fn here(what: &'static str, why: impl std::fmt::Display) -> Self {
        Self::Here {
            what,
            why: why.to_string(),
        }
    }
}
