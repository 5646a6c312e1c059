//! Internet sockets: listening, connecting, pairs of datagram sockets, and the options that decide what is measured.

mod option;

pub(crate) use option::{attach_filter, filter_step, get, set};
pub use option::{
    congestion_control, control_by_loss, drop_half_of_packets, dropped, no_delay, reset_when_closed,
    set_no_delay, set_quick_acknowledgements, set_received_together, set_segment_bytes, set_timeout, unread,
};

use crate::descriptor::Descriptor;
pub use crate::network::destination::Destination;
use crate::socket::SocketPair;
use crate::{Error, Result, arch};
use rustix::net::SocketAddrAny;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, UdpSocket};
use std::os::fd::OwnedFd;

/// Connections that may wait to be accepted: more than any operation leaves waiting, so that no SYN is dropped.
const BACKLOG: libc::c_int = 1024;

/// A TCP socket that listens.
#[derive(Debug)]
pub struct Listener {
    socket: Descriptor,
    address: SocketAddr,
}

/// The address of this machine's loopback interface, at a port of the kernel's choice.
pub fn loopback(is_version_six: bool) -> SocketAddr {
    if is_version_six { (Ipv6Addr::LOCALHOST, 0).into() } else { (Ipv4Addr::LOCALHOST, 0).into() }
}

/// The IPv4 address of this machine's loopback interface that is `number` after its first, at a port of the kernel's choice.
pub fn loopback_address(number: u8) -> SocketAddr {
    let [a, b, c, first] = Ipv4Addr::LOCALHOST.octets();
    (Ipv4Addr::from([a, b, c, first.saturating_add(number)]), 0).into()
}

impl Listener {
    /// Listens at this address; port 0 lets the kernel choose.
    ///
    /// # Errors
    /// When there is no such address or no port left, or a call is denied.
    pub fn new(at: SocketAddr) -> Result<Self> {
        Self::with_room(at, BACKLOG)
    }

    /// The same with a backlog of `connections`.
    ///
    /// # Errors
    /// As [`Listener::new`].
    pub fn with_room(at: SocketAddr, connections: i32) -> Result<Self> {
        let listener = TcpListener::bind(at).map_err(Error::in_call("bind"))?;
        let address = listener.local_addr().map_err(Error::in_call("getsockname"))?;
        let socket = Descriptor::from(OwnedFd::from(listener));
        // To listen again only changes how many may wait.
        rustix::net::listen(&socket, connections).map_err(Error::in_call("listen"))?;
        Ok(Self { socket, address })
    }

    /// Listens at this address together with other sockets (SO_REUSEPORT): by a hash of addresses and ports the kernel gives each
    /// connection to one of them.
    ///
    /// # Errors
    /// As [`Listener::new`].
    pub fn sharing(at: SocketAddr) -> Result<Self> {
        let socket = tcp_socket(at.is_ipv6())?;
        rustix::net::sockopt::set_socket_reuseport(&socket, true).map_err(Error::in_call("setsockopt"))?;
        rustix::net::bind(&socket, &at).map_err(Error::in_call("bind"))?;
        rustix::net::listen(&socket, BACKLOG).map_err(Error::in_call("listen"))?;
        let own = rustix::net::getsockname(&socket).map_err(Error::in_call("getsockname"))?;
        let address = SocketAddr::try_from(own).map_err(Error::in_call("getsockname"))?;
        Ok(Self { socket, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its descriptor.
    pub fn descriptor(&self) -> &Descriptor {
        &self.socket
    }

    /// Waits for a connection and takes it.
    ///
    /// # Errors
    /// When no descriptor is left, or it listens no more.
    pub fn accept(&self) -> Result<Descriptor> {
        accept(&self.socket)
    }
}

/// The ports of a connected socket: its own and the other end's.
///
/// # Errors
/// When it is not connected over the internet.
pub fn ports(socket: &Descriptor) -> Result<[u16; 2]> {
    let own = rustix::net::getsockname(socket).map_err(Error::in_call("getsockname"))?;
    let other = rustix::net::getpeername(socket).map_err(Error::in_call("getpeername"))?;
    match (port(own), other.map(port)) {
        (Ok(own), Some(Ok(other))) => Ok([own, other]),
        _ => Err(Error { call: "getsockname", errno: libc::EAFNOSUPPORT }),
    }
}

fn port(address: SocketAddrAny) -> std::result::Result<u16, rustix::io::Errno> {
    SocketAddr::try_from(address).map(|address| address.port())
}

/// Waits for a connection to a socket that listens, and takes it.
///
/// # Errors
/// When no descriptor is left, or the socket listens no more.
#[inline(always)]
pub fn accept(listening: &Descriptor) -> Result<Descriptor> {
    let flags = libc::SOCK_CLOEXEC as usize;
    let arguments = [listening.number() as usize, 0, 0, flags];
    // SAFETY: no address is asked for; the call makes a new descriptor.
    unsafe { Descriptor::from_syscall::<{ libc::SYS_accept4 }, _>(arguments) }
}

/// Sockets in TIME_WAIT in this network namespace; `None` where /proc does not report it.
pub fn time_wait_ports() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/net/sockstat").ok()?;
    let line = text.lines().find(|line| line.starts_with("TCP:"))?;
    let mut words = line.split_whitespace().skip_while(|word| *word != "tw");
    words.nth(1)?.parse().ok()
}

/// A TCP socket that is not connected yet, closed on exec.
///
/// # Errors
/// When no descriptor is left or the call is denied.
#[inline(always)]
pub fn tcp_socket(is_version_six: bool) -> Result<Descriptor> {
    let family = if is_version_six { libc::AF_INET6 } else { libc::AF_INET };
    let kind = libc::SOCK_STREAM | libc::SOCK_CLOEXEC;
    // SAFETY: the call takes integers and makes a new descriptor.
    unsafe { Descriptor::from_syscall::<{ libc::SYS_socket }, _>([family as usize, kind as usize]) }
}

/// Connects a socket by one call.
///
/// # Errors
/// When nobody listens there, no port is left, or the call is denied.
#[inline(always)]
pub fn connect(socket: &Descriptor, to: &Destination) -> Result<()> {
    let arguments = [socket.number() as usize, to.pointer() as usize, to.length() as usize];
    // SAFETY: the address lives through the call and is of the length given.
    unsafe { arch::try_syscall::<{ libc::SYS_connect }, _>(arguments) }.map(|_| ())
}

/// A TCP connection to this address.
///
/// # Errors
/// As [`tcp_socket`] and [`connect`].
pub fn connected(to: SocketAddr) -> Result<Descriptor> {
    let socket = tcp_socket(to.is_ipv6())?;
    connect(&socket, &Destination::from(to))?;
    Ok(socket)
}

/// A TCP connection of this machine with itself, both ends in this process; `client` is the end that connected.
///
/// # Errors
/// When there is no loopback interface, no descriptor or port left, or a call is denied.
pub fn tcp_pair(is_version_six: bool) -> Result<SocketPair> {
    let listener = Listener::new(loopback(is_version_six))?;
    let client = connected(listener.address())?;
    let server = listener.accept()?;
    Ok(SocketPair { client, server })
}

/// Two UDP sockets of this machine that are connected with each other.
///
/// # Errors
/// As [`tcp_pair`].
pub fn udp_pair(is_version_six: bool) -> Result<SocketPair> {
    let (client, server) = (udp_socket(is_version_six)?, udp_socket(is_version_six)?);
    for (from, to) in [(&client, &server), (&server, &client)] {
        let address = to.local_addr().map_err(Error::in_call("getsockname"))?;
        from.connect(address).map_err(Error::in_call("connect"))?;
    }
    Ok(SocketPair {
        client: Descriptor::from(OwnedFd::from(client)),
        server: Descriptor::from(OwnedFd::from(server)),
    })
}

fn udp_socket(is_version_six: bool) -> Result<UdpSocket> {
    UdpSocket::bind(loopback(is_version_six)).map_err(Error::in_call("bind"))
}

/// No more is sent; the other end sees the end of the stream.
///
/// # Errors
/// When the connection is gone.
pub fn shutdown_write(socket: &Descriptor) -> Result<()> {
    rustix::net::shutdown(socket, rustix::net::Shutdown::Write).map_err(Error::in_call("shutdown"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::close;
    use rustix::net::sockopt::set_tcp_congestion;

    #[test]
    fn sockets_share_a_port_or_have_addresses_of_their_own() {
        let first = Listener::sharing(loopback(false)).unwrap();
        let second = Listener::sharing(first.address()).unwrap();
        assert_eq!(first.address(), second.address());
        assert!(Listener::new(first.address()).is_err());
        let other = Listener::new(loopback_address(1)).unwrap();
        assert_eq!(other.address().ip(), Ipv4Addr::new(127, 0, 0, 2));
        let client = connected(other.address()).unwrap();
        carries(&SocketPair { client, server: other.accept().unwrap() });
    }

    fn carries(pair: &SocketPair) {
        let mut bytes = [0; 3];
        for (from, to) in [(&pair.client, &pair.server), (&pair.server, &pair.client)] {
            from.write_all(&[7, 8, 9]).unwrap();
            to.read_all(&mut bytes).unwrap();
            assert_eq!(bytes, [7, 8, 9]);
        }
    }

    /// The versions of the protocol that the test's machine has.
    fn versions() -> impl Iterator<Item = bool> {
        [false, true].into_iter().filter(|&six| TcpListener::bind(loopback(six)).is_ok())
    }

    #[test]
    fn pairs_are_connected_with_each_other() {
        for six in versions() {
            carries(&tcp_pair(six).unwrap());
            carries(&udp_pair(six).unwrap());
            let listener = Listener::new(loopback(six)).unwrap();
            let pairs = [(); 2].map(|()| {
                let client = connected(listener.address()).unwrap();
                SocketPair { client, server: listener.accept().unwrap() }
            });
            pairs.iter().for_each(carries);
        }
    }

    #[test]
    fn options_are_what_they_were_set_to() {
        let pair = tcp_pair(false).unwrap();
        for wanted in [true, false] {
            set_no_delay(&pair.client, wanted).unwrap();
            assert_eq!(no_delay(&pair.client).unwrap(), wanted);
        }
        set_tcp_congestion(&pair.client, "reno").unwrap();
        assert_eq!(congestion_control(&pair.client).unwrap(), "reno");
    }

    #[test]
    fn options_of_a_listener_hold_for_its_connections() {
        let listener = Listener::new(loopback(false)).unwrap();
        set_tcp_congestion(&listener.socket, "reno").unwrap();
        let client = connected(listener.address()).unwrap();
        assert_eq!(congestion_control(&listener.accept().unwrap()).unwrap(), "reno");
        control_by_loss(&client).unwrap();
        assert!(["cubic", "reno"].contains(&congestion_control(&client).unwrap().as_str()));
    }

    #[test]
    fn connections_that_find_no_room_are_counted() {
        let listener = Listener::with_room(loopback(false), 0).unwrap();
        let soon = std::time::Duration::from_millis(5);
        let first = std::net::TcpStream::connect_timeout(&listener.address(), soon);
        assert!(first.is_ok());
        assert_eq!(dropped(&listener.socket).unwrap(), 0);
        assert!(std::net::TcpStream::connect_timeout(&listener.address(), soon).is_err());
        assert!(dropped(&listener.socket).unwrap() >= 1);
    }

    #[test]
    fn calls_time_out() {
        let pair = udp_pair(false).unwrap();
        set_timeout(&pair.client, 1).unwrap();
        assert_eq!(pair.client.read(&mut [0]), -(libc::EAGAIN as isize));
    }

    #[test]
    fn what_is_not_read_is_counted_and_the_end_is_seen() {
        let pair = tcp_pair(false).unwrap();
        pair.client.write_all(&[1; 10]).unwrap();
        assert_eq!(unread(&pair.server).unwrap(), 10);
        shutdown_write(&pair.client).unwrap();
        pair.server.read_all(&mut [0; 10]).unwrap();
        assert_eq!(pair.server.read(&mut [0]), 0);
    }

    #[test]
    fn an_orderly_end_leaves_a_port_at_rest() {
        let pair = tcp_pair(false).unwrap();
        close(pair.client).unwrap();
        assert_eq!(pair.server.read(&mut [0]), 0);
        close(pair.server).unwrap();
        assert!(time_wait_ports().is_none_or(|resting| resting >= 1));
    }

    #[test]
    fn a_reset_is_seen_as_one() {
        let pair = tcp_pair(false).unwrap();
        reset_when_closed(&pair.client).unwrap();
        close(pair.client).unwrap();
        assert_eq!(pair.server.read(&mut [0]), -(libc::ECONNRESET as isize));
    }
}
