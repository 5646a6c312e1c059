//! Connected sockets on this machine, both ends in one hand.

use crate::descriptor::Descriptor;
use crate::{Error, Result};

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
    unix_pair(libc::SOCK_STREAM)
}

/// Two Unix datagram sockets, connected with each other.
///
/// # Errors
/// When no descriptor is left or the call is denied.
pub fn unix_datagram_pair() -> Result<Connected> {
    unix_pair(libc::SOCK_DGRAM)
}

fn unix_pair(kind: libc::c_int) -> Result<Connected> {
    let mut ends = [0; 2];
    // SAFETY: `ends` is valid for two descriptors.
    if unsafe { libc::socketpair(libc::AF_UNIX, kind | libc::SOCK_CLOEXEC, 0, ends.as_mut_ptr()) } != 0 {
        return Err(Error::last("socketpair"));
    }
    let [near, far] = ends.map(|end| Descriptor::from_result("socketpair", end as isize));
    Ok(Connected {
        near: near?,
        far: far?,
    })
}

/// A TCP socket that listens on 127.0.0.1, at a port of the kernel's choice.
#[derive(Debug)]
pub struct LoopbackListener {
    socket: Descriptor,
    address: libc::sockaddr_in,
}

const ADDRESS_LENGTH: libc::socklen_t = size_of::<libc::sockaddr_in>() as libc::socklen_t;

/// Connections that may wait to be accepted; they are accepted one by one.
const BACKLOG: libc::c_int = 8;

fn tcp_socket() -> Result<Descriptor> {
    // SAFETY: the call takes integers and makes a new descriptor.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0) };
    if socket < 0 {
        return Err(Error::last("socket"));
    }
    Descriptor::from_result("socket", socket as isize)
}

fn done(call: &'static str, result: libc::c_int) -> Result<()> {
    if result < 0 {
        Err(Error::last(call))
    } else {
        Ok(())
    }
}

impl LoopbackListener {
    /// Listens.
    ///
    /// # Errors
    /// When there is no loopback interface, no descriptor or port left, or a call is denied.
    pub fn new() -> Result<Self> {
        let socket = tcp_socket()?;
        // SAFETY: an address is integers, for which zero is a value.
        let mut address: libc::sockaddr_in = unsafe { std::mem::zeroed() };
        address.sin_family = libc::AF_INET as libc::sa_family_t;
        address.sin_addr.s_addr = u32::from(std::net::Ipv4Addr::LOCALHOST).to_be();
        let mut length = ADDRESS_LENGTH;
        // SAFETY: the address is valid for reading and writing and of the length given.
        unsafe {
            done(
                "bind",
                libc::bind(socket.number(), (&raw const address).cast(), length),
            )?;
            done("listen", libc::listen(socket.number(), BACKLOG))?;
            let at = &raw mut address;
            done(
                "getsockname",
                libc::getsockname(socket.number(), at.cast(), &raw mut length),
            )?;
        }
        Ok(Self { socket, address })
    }

    /// A new connection; `near` is the end that connected. When it is closed it leaves no port waiting: both
    /// ends reset instead of taking leave.
    ///
    /// # Errors
    /// When no descriptor or port is left, or a call is denied.
    pub fn connect(&self) -> Result<Connected> {
        let near = tcp_socket()?;
        // SAFETY: the address is valid and of the length given.
        done("connect", unsafe {
            libc::connect(near.number(), (&raw const self.address).cast(), ADDRESS_LENGTH)
        })?;
        let nobody = std::ptr::null_mut();
        // SAFETY: no address is asked for; the call makes a new descriptor.
        let accepted = unsafe {
            libc::accept4(
                self.socket.number(),
                nobody,
                std::ptr::null_mut(),
                libc::SOCK_CLOEXEC,
            )
        };
        done("accept4", accepted)?;
        let far = Descriptor::from_result("accept4", accepted as isize)?;
        reset_when_closed(&near)?;
        reset_when_closed(&far)?;
        Ok(Connected { near, far })
    }
}

/// Without this, hundreds of connections of each worker would keep their ports for a minute (TIME_WAIT).
fn reset_when_closed(socket: &Descriptor) -> Result<()> {
    let linger = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    // SAFETY: the option is valid and of the length given.
    done("setsockopt", unsafe {
        libc::setsockopt(
            socket.number(),
            libc::SOL_SOCKET,
            libc::SO_LINGER,
            (&raw const linger).cast(),
            size_of_val(&linger) as libc::socklen_t,
        )
    })
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
        let listener = LoopbackListener::new().unwrap();
        let (first, second) = (listener.connect().unwrap(), listener.connect().unwrap());
        carries_both_ways(&first);
        carries_both_ways(&second);
    }
}
