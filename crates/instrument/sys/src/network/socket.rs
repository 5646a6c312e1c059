//! Connected sockets on this machine, both ends in this process.

use crate::descriptor::Descriptor;
use crate::{Error, Result};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

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
    let made = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None);
    let (client, server) = made.map_err(Error::of("socketpair"))?;
    Ok(SocketPair { client: client.into(), server: server.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_connected_with_each_other() {
        for pair in [unix_stream_pair().unwrap(), unix_datagram_pair().unwrap()] {
            let mut byte = [0];
            for (from, to) in [(&pair.client, &pair.server), (&pair.server, &pair.client)] {
                from.write_all(&[7]).unwrap();
                to.read_all(&mut byte).unwrap();
                assert_eq!(byte, [7]);
            }
        }
    }
}
