//! Packets of the loopback interface, or of all others, as they pass, with the kernel's stamps (AF_PACKET).

use crate::descriptor::Descriptor;
use crate::inet::{attach_filter, filter_step};
use crate::kernel_time::nanos_of;
use crate::{Error, Result, inet};
use rustix::net::netdevice::name_to_index;
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

/// A TCP segment that passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// When it was stamped, in nanoseconds of CLOCK_REALTIME.
    pub nanos: i64,
    /// The port that it came from.
    pub from: u16,
    /// The port that it went to.
    pub to: u16,
    /// The number of its first byte.
    pub sequence: u32,
    /// The number of the next byte that its sender expects.
    pub acknowledges: u32,
    /// Bytes of data in it.
    pub data: u32,
    /// Whether it opens a connection.
    pub syn: bool,
    /// Whether it ends one.
    pub fin: bool,
    /// Whether its acknowledgement counts.
    pub ack: bool,
}

/// Where segments are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interfaces {
    /// On loopback: each once, as it comes in.
    Loopback,
    /// On every interface, coming and going.
    All,
}

/// A socket that sees the segments of version 4 from or to one port.
#[derive(Debug)]
pub struct Capture {
    socket: Descriptor,
    interfaces: Interfaces,
}

/// The internet's protocol, in the order of the network.
const INTERNET: u16 = (libc::ETH_P_IP as u16).to_be();

/// Every protocol: only who asks for all sees what goes out.
const ANY: u16 = (libc::ETH_P_ALL as u16).to_be();

/// PACKET_OUTGOING of linux/if_packet.h: where packets of loopback are seen going, too, that copy is left out.
const OUTGOING: u8 = 4;

/// Bytes of a packet that are kept: both headers with their options.
const KEPT: usize = 120;

/// Bytes that may wait to be read.
const ROOM: libc::c_int = 4 << 20;

/// A program for the kernel's filter that keeps what comes from or goes to a port.
fn program(port: u16) -> [libc::sock_filter; 7] {
    use libc::{BPF_B, BPF_H, BPF_IND, BPF_JEQ, BPF_JMP, BPF_K, BPF_LD, BPF_LDX, BPF_MSH, BPF_RET};
    [
        filter_step(BPF_LDX | BPF_B | BPF_MSH, [0, 0], 0),
        filter_step(BPF_LD | BPF_H | BPF_IND, [0, 0], 0),
        filter_step(BPF_JMP | BPF_JEQ | BPF_K, [2, 0], u32::from(port)),
        filter_step(BPF_LD | BPF_H | BPF_IND, [0, 0], 2),
        filter_step(BPF_JMP | BPF_JEQ | BPF_K, [0, 1], u32::from(port)),
        filter_step(BPF_RET | BPF_K, [0, 0], KEPT as u32),
        filter_step(BPF_RET | BPF_K, [0, 0], 0),
    ]
}

impl Capture {
    /// Sees what comes from or goes to this port on these interfaces from now on. Stamps are switched on a
    /// moment later: what passes in the first milliseconds may be stamped when it is read.
    ///
    /// # Errors
    /// When the user may not (CAP_NET_RAW), or there is no loopback interface.
    pub fn new(port: u16, interfaces: Interfaces) -> Result<Self> {
        // Protocol 0 sees nothing yet.
        let (family, flags) = (AddressFamily::PACKET, SocketFlags::CLOEXEC);
        let made = socket_with(family, SocketType::DGRAM, flags, None).map_err(Error::in_call("socket"))?;
        let socket = Descriptor::from(made);
        attach_filter(&socket, &mut program(port))?;
        let level = libc::SOL_SOCKET;
        inet::set(&socket, (level, libc::SO_TIMESTAMPNS), &libc::c_int::from(1_u8))?;
        // Less than asked for is no error: the system has a limit.
        inet::set(&socket, (level, libc::SO_RCVBUF), &ROOM)?;
        let (protocol, index) = match interfaces {
            Interfaces::Loopback => {
                (INTERNET, name_to_index(&socket, "lo").map_err(Error::in_call("if_nametoindex"))?)
            }
            Interfaces::All => (ANY, 0),
        };
        // SAFETY: an address is integers, for which zero is a value.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = protocol;
        address.sll_ifindex = index.cast_signed();
        // SAFETY: the address is valid and of the length given.
        let bound = unsafe {
            libc::bind(socket.number(), (&raw const address).cast(), size_of_val(&address) as libc::socklen_t)
        };
        Error::check_errno("bind", bound)?;
        Ok(Self { socket, interfaces })
    }

    /// All segments that have come and were not read, in the order in which they passed.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn segments(&self) -> Result<Vec<Segment>> {
        let mut all = Vec::new();
        while let Some(read) = self.read()? {
            all.extend(read);
        }
        Ok(all)
    }

    /// The next packet; `None` when there is no more, and nothing in it when it is no segment that counts.
    fn read(&self) -> Result<Option<Option<Segment>>> {
        let mut bytes = [0_u8; KEPT];
        let mut control = [0_u64; 16];
        // SAFETY: both structures are integers and pointers, for which zero is a value.
        let (mut message, mut from): (libc::msghdr, libc::sockaddr_ll) = unsafe { std::mem::zeroed() };
        let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
        message.msg_name = (&raw mut from).cast();
        message.msg_namelen = size_of_val(&from) as libc::socklen_t;
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        // SAFETY: the message's parts are valid for writing and live through the call.
        let came = unsafe { libc::recvmsg(self.socket.number(), &raw mut message, libc::MSG_DONTWAIT) };
        let came = match Error::check_errno("recvmsg", came) {
            Err(Error { errno: libc::EAGAIN, .. }) => return Ok(None),
            came => usize::try_from(came?).unwrap_or(0),
        };
        if self.interfaces == Interfaces::Loopback && from.sll_pkttype == OUTGOING {
            return Ok(Some(None));
        }
        let packet = bytes.get(..came).unwrap_or_default();
        Ok(Some(stamp(&message).and_then(|nanos| segment(packet, nanos))))
    }
}

/// The stamp in the control data of a message.
fn stamp(message: &libc::msghdr) -> Option<i64> {
    // SAFETY: the kernel has filled the control data as far as `msg_controllen` says.
    let header = unsafe { libc::CMSG_FIRSTHDR(message) };
    if header.is_null() {
        return None;
    }
    // SAFETY: the header lies within the control data.
    let (level, kind) = unsafe { ((*header).cmsg_level, (*header).cmsg_type) };
    if level != libc::SOL_SOCKET || kind != libc::SCM_TIMESTAMPNS {
        return None;
    }
    // SAFETY: a message of this kind holds a time.
    let time: libc::timespec = unsafe { std::ptr::read_unaligned(libc::CMSG_DATA(header).cast()) };
    Some(nanos_of(time))
}

/// Reads the headers of a packet of version 4 (RFC 791) that holds a segment (RFC 9293).
fn segment(packet: &[u8], nanos: i64) -> Option<Segment> {
    let first = *packet.first()?;
    if first >> 4 != 4 || *packet.get(9)? != 6 {
        return None;
    }
    let header = usize::from(first & 15) * 4;
    let length = u32::from(u16::from_be_bytes(*packet.get(2..4)?.first_chunk()?));
    let tcp = packet.get(header..)?;
    let [from, to] = [0, 2].map(|at| Some(u16::from_be_bytes(*tcp.get(at..at + 2)?.first_chunk()?)));
    let [sequence, acknowledges] =
        [4, 8].map(|at| Some(u32::from_be_bytes(*tcp.get(at..at + 4)?.first_chunk()?)));
    let (own, flags) = (u32::from(tcp.get(12)? >> 4) * 4, *tcp.get(13)?);
    Some(Segment {
        nanos,
        from: from?,
        to: to?,
        sequence: sequence?,
        acknowledges: acknowledges?,
        data: length.saturating_sub(header as u32 + own),
        fin: flags & 1 != 0,
        syn: flags & 2 != 0,
        ack: flags & 16 != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_the_standards_say() {
        let mut packet = [0_u8; 60];
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&57_u16.to_be_bytes());
        packet[9] = 6;
        packet[20..22].copy_from_slice(&40_000_u16.to_be_bytes());
        packet[22..24].copy_from_slice(&80_u16.to_be_bytes());
        packet[24..28].copy_from_slice(&7_u32.to_be_bytes());
        packet[28..32].copy_from_slice(&9_u32.to_be_bytes());
        packet[32] = 8 << 4;
        packet[33] = 0x11;
        let found = segment(&packet, 5).unwrap();
        assert_eq!((found.from, found.to), (40_000, 80));
        assert_eq!((found.sequence, found.acknowledges, found.data), (7, 9, 5));
        assert!(found.fin && found.ack && !found.syn);
        packet[9] = 17;
        assert_eq!(segment(&packet, 5), None);
        assert_eq!(segment(&packet[..10], 5), None);
    }

    /// What is seen of a connection over loopback with ten bytes of data; `None` where the user may not.
    fn seen_on(interfaces: Interfaces) -> Option<Vec<Segment>> {
        let listener = inet::Listener::new(inet::loopback(false)).unwrap();
        let port = listener.address().port();
        let capture = Capture::new(port, interfaces);
        let is_allowed = !capture.as_ref().is_err_and(|error| error.is_denied());
        if !programs::can("packet sockets", is_allowed) {
            return None;
        }
        let capture = capture.unwrap();
        let other = inet::tcp_pair(false).unwrap();
        other.client.write_all(&[1; 3]).unwrap();
        let near = inet::connected(listener.address()).unwrap();
        let far = listener.accept().unwrap();
        near.write_all(&[1; 10]).unwrap();
        far.read_all(&mut [0; 10]).unwrap();
        let seen = capture.segments().unwrap();
        assert!(seen.iter().all(|segment| segment.from == port || segment.to == port));
        assert!(seen.is_sorted_by_key(|segment| segment.nanos));
        Some(seen)
    }

    #[test]
    fn only_the_segments_of_the_port_are_seen_and_each_once() {
        let Some(seen) = seen_on(Interfaces::Loopback) else {
            return;
        };
        assert_eq!(seen.iter().filter(|segment| segment.syn && !segment.ack).count(), 1);
        assert_eq!(seen.iter().filter(|segment| segment.data == 10).count(), 1);
    }

    #[test]
    fn on_all_interfaces_what_goes_out_is_seen_too() {
        // Over loopback the same segment goes and comes.
        if let Some(seen) = seen_on(Interfaces::All) {
            assert_eq!(seen.iter().filter(|segment| segment.data == 10).count(), 2);
        }
    }
}
