//! Connected sockets on this machine, both ends in this process.

use crate::descriptor::Descriptor;
use crate::network::destination::Destination;
use crate::{Error, Result};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, socketpair};

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

/// A Unix stream socket that is not connected yet, by one raw call, closed on exec.
///
/// # Errors
/// When no descriptor is left or the call is denied.
#[inline(always)]
pub fn unix_stream() -> Result<Descriptor> {
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: the call takes integers and makes a new descriptor.
    unsafe { Descriptor::from_syscall::<{ libc::SYS_socket }, _>([libc::AF_UNIX as usize, kind as usize]) }
}

/// A Unix stream socket that listens at an abstract name of the kernel's choice, which is gone with it; and where it listens.
///
/// # Errors
/// When no descriptor is left or the call is denied.
pub fn unix_listener() -> Result<(Descriptor, Destination)> {
    let socket = unix_stream()?;
    // To bind without a name lets the kernel choose one (unix(7), autobind).
    rustix::net::bind(&socket, &SocketAddrUnix::new_unnamed()).map_err(Error::in_call("bind"))?;
    rustix::net::listen(&socket, BACKLOG).map_err(Error::in_call("listen"))?;
    let name = rustix::net::getsockname(&socket).map_err(Error::in_call("getsockname"))?;
    let name = SocketAddrUnix::try_from(name).map_err(Error::in_call("getsockname"))?;
    Ok((socket, Destination::from(name)))
}

/// Connections that may wait to be accepted: more than any operation leaves waiting.
const BACKLOG: libc::c_int = 64;

fn pair(kind: SocketType) -> Result<SocketPair> {
    let made = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None);
    let (client, server) = made.map_err(Error::in_call("socketpair"))?;
    Ok(SocketPair { client: client.into(), server: server.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listener_accepts_at_the_name_that_the_kernel_chose() {
        let (listener, to) = unix_listener().unwrap();
        assert_eq!(to.address(), None);
        let client = unix_stream().unwrap();
        crate::inet::connect(&client, &to).unwrap();
        let server = crate::inet::accept(&listener).unwrap();
        client.write_all(&[9]).unwrap();
        let mut byte = [0];
        server.read_all(&mut byte).unwrap();
        assert_eq!(byte, [9]);
    }

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
