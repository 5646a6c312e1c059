//! Where a socket connects to.

use rustix::net::addr::SocketAddrStorage;
use rustix::net::{AddressFamily, SocketAddrAny, SocketAddrUnix};
use std::net::SocketAddr;

/// A destination in the kernel's form, made before the clock starts.
#[derive(Debug, Clone)]
pub struct Destination(SocketAddrAny);

impl From<SocketAddr> for Destination {
    fn from(address: SocketAddr) -> Self {
        Self(address.into())
    }
}

impl From<SocketAddrUnix> for Destination {
    fn from(address: SocketAddrUnix) -> Self {
        Self(address.into())
    }
}

impl Destination {
    /// The internet address; `None` of a Unix socket.
    pub fn address(&self) -> Option<SocketAddr> {
        SocketAddr::try_from(self.0.clone()).ok()
    }

    /// Whether it is an address of version 6.
    pub fn is_version_six(&self) -> bool {
        self.0.address_family() == AddressFamily::INET6
    }

    /// Where the kernel reads it.
    pub(crate) fn pointer(&self) -> *const SocketAddrStorage {
        self.0.as_ptr()
    }

    /// Its length in bytes.
    pub(crate) fn length(&self) -> u32 {
        self.0.addr_len()
    }
}
