//! Connected sockets on this machine, both ends in this process.

use crate::descriptor::Descriptor;
use crate::{Error, Result};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::os::fd::OwnedFd;

/// Two ends of a connection, closed on exec.
#[derive(Debug)]
pub struct Connected {
    /// One end.
    pub near: Descriptor,
    /// The other end.
    pub far: Descriptor,
}

/// Two Unix stream sockets, connected with each other.
///
/// # Errors
/// When no descriptor is left or the call is denied.
pub fn unix_stream_pair() -> Result<Connected> {
    pair(SocketType::STREAM)
}

/// Two Unix datagram sockets, connected with each other.
///
/// # Errors
/// When no descriptor is left or the call is denied.
pub fn unix_datagram_pair() -> Result<Connected> {
    pair(SocketType::DGRAM)
}

fn pair(kind: SocketType) -> Result<Connected> {
    let (near, far) = unix_pair(kind)?;
    Ok(Connected {
        near: near.into(),
        far: far.into(),
    })
}

pub(crate) fn unix_pair(kind: SocketType) -> Result<(OwnedFd, OwnedFd)> {
    socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None).map_err(Error::of("socketpair"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn carries_both_ways(pair: &Connected) {
        let mut byte = [0];
        for (from, to) in [(&pair.near, &pair.far), (&pair.far, &pair.near)] {
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
