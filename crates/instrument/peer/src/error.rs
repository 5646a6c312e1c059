//! Errors between two peers, each as a sentence.

use crate::greeting::{Greeting, VERSIONS};
use crate::{Malformed, Transport};
use record::Skip;
use sys::remedies::{self, Context};

/// Why something could not be done with the peer. No text of it holds a key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The address is not one.
    #[error("{0:?} is not the address of a peer; write HOST:PORT, as `oscope serve` prints it")]
    InvalidAddress(String),
    /// The interface behind an address of one link is not there.
    #[error("no network interface is called {0:?} (`ip link` lists them); write [ADDRESS%INTERFACE]:PORT")]
    UnknownInterface(String),
    /// The key is not one.
    #[error("the key is not one that `oscope serve` prints: 64 hexadecimal digits")]
    InvalidKey,
    /// Nothing listens there.
    #[error("the peer at {address} cannot be reached: {why}")]
    Unreachable {
        /// Where.
        address: String,
        /// The error of the kernel, and what helps.
        why: String,
    },
    /// A port for data is not reached, though the control connection is open.
    #[error("{transport} port {port} of the peer: {why}", transport = .transport.name(), why = remedies::sentence(*.error, Context::PeerData))]
    DataPort {
        /// How the data are carried.
        transport: Transport,
        /// The port.
        port: u16,
        /// The error of the kernel.
        error: sys::Error,
    },
    /// The other end is gone.
    #[error("the peer closed the connection {0}")]
    Closed(&'static str),
    /// The other end does not answer.
    #[error("the peer did not answer in time {0}")]
    TimedOut(&'static str),
    /// It is not a peer, or it violates the protocol.
    #[error("not an oscope peer: {0}")]
    NotAPeer(Malformed),
    /// The two ends have no version of the protocol in common.
    #[error("the peer speaks protocol {0}, this oscope {VERSIONS}; use one version of oscope at both ends")]
    NoCommonVersion(Greeting),
    /// The keys differ.
    #[error("the key is not the peer's; give the one that it printed last")]
    WrongKey,
    /// The peer understood the request and refused it.
    #[error("the peer refuses: {0}")]
    Refused(String),
    /// The peer tried, and failed.
    #[error("the peer failed: {0}")]
    Failed(String),
    /// The response belongs to another request.
    #[error("the peer sent another response than was requested")]
    UnexpectedResponse,
    /// A system call failed on this end.
    #[error("{what}: {why}")]
    Local {
        /// What was tried.
        what: &'static str,
        /// The error of the kernel.
        why: String,
    },
}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Self::NotAPeer(malformed)
    }
}

impl From<sys::Error> for Error {
    fn from(error: sys::Error) -> Self {
        Self::local("the service", remedies::sentence(error, Context::Any))
    }
}

impl Error {
    /// The need that is not met, where that is the reason.
    pub fn skip(&self) -> Option<Skip> {
        let Self::DataPort { transport, port, error } = self else { return None };
        let known = remedies::explain(*error, Context::PeerData).filter(|known| !known.is_fault)?;
        let reason = format!("{} port {port} of the peer: {}", transport.name(), known.reason);
        Some(Skip { reason, remedy: known.remedy })
    }

    /// A system call on this end failed.
    pub(crate) fn local(what: &'static str, why: impl std::fmt::Display) -> Self {
        Self::Local { what, why: why.to_string() }
    }
}
