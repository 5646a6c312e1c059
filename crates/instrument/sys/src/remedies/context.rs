//! What was being done when a call failed.

use std::net::IpAddr;

/// What was being done when a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Context {
    /// Anything that the name of the call says by itself.
    Any,
    /// A connection of this machine with itself over IPv4.
    Loopback,
    /// The same over IPv6.
    LoopbackSix,
    /// The control connection to a peer.
    PeerControl,
    /// A data connection to a peer whose control connection is open.
    PeerData,
    /// Echo requests (ping).
    EchoRequests,
    /// Captured packets.
    Packets,
    /// The test file and its directory.
    TestFile,
}

impl Context {
    /// The context of a connection to this address.
    pub fn of_connection_to(address: IpAddr) -> Self {
        match address {
            _ if !address.is_loopback() => Self::PeerData,
            IpAddr::V4(_) => Self::Loopback,
            IpAddr::V6(_) => Self::LoopbackSix,
        }
    }
}
