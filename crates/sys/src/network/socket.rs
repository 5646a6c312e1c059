//! Connected sockets on this machine, both ends in this process.

use crate::descriptor::Descriptor;
use crate::{Error, Result};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::os::fd::OwnedFd;

/// Two ends of a connection, closed on exec.
#[derive(Debug)]
pub struct SocketPair {
    /// The end that connected, where one did.
    pub client: Descriptor,
    /// The other end.
    pub server: Descriptor,
}

/// Two Unix stream sockets, connected with each other.
///
/// # Errors
/// When no descriptor is left or the call is denied.
pub fn unix_stream_pair() -> Result<SocketPair> {
    pair(SocketType::STREAM)
}

/// Two Unix datagram sockets, connected with each other.
///
/// # Errors
/// When no descriptor is left or the call is denied.
pub fn unix_datagram_pair() -> Result<SocketPair> {
    pair(SocketType::DGRAM)
}

fn pair(kind: SocketType) -> Result<SocketPair> {
    let (client, server) = unix_pair(kind)?;
    Ok(SocketPair { client: client.into(), server: server.into() })
}

pub(crate) fn unix_pair(kind: SocketType) -> Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).map_err(Error::of("socketpair"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn carries_both_ways(pair: &SocketPair) {
        let mut byte = [0];
        for (from, to) in [(&pair.client, &pair.server), (&pair.server, &pair.client)] {
            from.write_all(&[7]).unwrap();
            to.read_all(&mut byte).unwrap();
            assert_eq!(byte, [7]);
        }
    }

    #[test]
    fn pairs_are_connected_with_each_other() {
        carries_both_ways(&unix_stream_pair().unwrap());
        carries_both_ways(&unix_datagram_pair().unwrap());
    }
}
