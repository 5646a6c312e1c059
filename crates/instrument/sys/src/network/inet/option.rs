//! Options of sockets: those that decide what is measured, and a filter by which a test loses segments.

use crate::descriptor::Descriptor;
use crate::{Error, Result};
use rustix::net::sockopt::{self, Timeout};
use std::os::fd::AsFd;
use std::time::Duration;

pub(crate) fn set<T>(
    socket: &Descriptor,
    (level, name): (libc::c_int, libc::c_int),
    value: &T,
) -> Result<()> {
    let (value, length) = (std::ptr::from_ref(value).cast(), size_of::<T>() as libc::socklen_t);
    // SAFETY: the value is valid and of the length given.
    let result = unsafe { libc::setsockopt(socket.number(), level, name, value, length) };
    Error::check_errno("setsockopt", result).map(|_| ())
}

/// The value of an option that is made of integers; what an older kernel does not fill stays zero.
pub(crate) fn get<T: Copy>(socket: &Descriptor, (level, name): (libc::c_int, libc::c_int)) -> Result<T> {
    // SAFETY: callers ask for integers, for which zero is a value.
    let mut value: T = unsafe { std::mem::zeroed() };
    let (place, mut length) = ((&raw mut value).cast(), size_of::<T>() as libc::socklen_t);
    // SAFETY: the value is valid for writing and of the length given.
    let result = unsafe { libc::getsockopt(socket.number(), level, name, place, &raw mut length) };
    Error::check_errno("getsockopt", result).map(|_| value)
}

/// Sends small segments at once, or waits until earlier ones are acknowledged (Nagle).
///
/// # Errors
/// When the kernel refuses.
pub fn set_no_delay(socket: &Descriptor, no_delay: bool) -> Result<()> {
    sockopt::set_tcp_nodelay(socket, no_delay).map_err(Error::in_call("setsockopt"))
}

/// Acknowledges segments at once from now on, until the kernel goes back to delaying: to be repeated after each read.
///
/// # Errors
/// When the kernel refuses.
pub fn set_quick_acknowledgements(socket: &Descriptor) -> Result<()> {
    sockopt::set_tcp_quickack(socket, true).map_err(Error::in_call("setsockopt"))
}

/// Whether small segments are sent at once.
///
/// # Errors
/// When the kernel refuses.
pub fn no_delay(socket: &Descriptor) -> Result<bool> {
    sockopt::tcp_nodelay(socket).map_err(Error::in_call("getsockopt"))
}

/// How long calls on a socket may wait; longer ones fail with EAGAIN. Zero is no limit.
///
/// # Errors
/// When the kernel refuses.
pub fn set_timeout(socket: &Descriptor, milliseconds: u32) -> Result<()> {
    let longest = (milliseconds > 0).then(|| Duration::from_millis(milliseconds.into()));
    for which in [Timeout::Recv, Timeout::Send] {
        sockopt::set_socket_timeout(socket, which, longest).map_err(Error::in_call("setsockopt"))?;
    }
    Ok(())
}

/// Lets the kernel make datagrams of this length of each write, as late as it can (UDP_SEGMENT, Linux 4.18).
///
/// # Errors
/// When the kernel refuses.
pub fn set_segment_bytes(socket: &Descriptor, bytes: u32) -> Result<()> {
    set(socket, (libc::SOL_UDP, libc::UDP_SEGMENT), &bytes.cast_signed())
}

/// Lets a read give several datagrams of one length that came together (UDP_GRO, Linux 5.0).
///
/// # Errors
/// When the kernel refuses.
pub fn set_received_together(socket: &Descriptor) -> Result<()> {
    set(socket, (libc::SOL_UDP, libc::UDP_GRO), &1_i32)
}

/// Lets the end of a connection be a reset, which keeps no port for a minute (TIME_WAIT).
///
/// # Errors
/// When the kernel refuses.
#[inline(always)]
pub fn reset_when_closed(socket: &Descriptor) -> Result<()> {
    let linger = libc::linger { l_onoff: 1, l_linger: 0 };
    set(socket, (libc::SOL_SOCKET, libc::SO_LINGER), &linger)
}

/// Lets losses alone control the congestion of a connection: cubic, or reno where the user may not choose that. It must
/// be chosen before a socket connects or listens: where the system's own choice paces by a clock (bbr), the clock stays
/// for the life of a connection that began with it, whatever is chosen later.
///
/// # Errors
/// When the kernel allows neither.
pub fn control_by_loss(socket: &impl AsFd) -> Result<()> {
    sockopt::set_tcp_congestion(socket, "cubic")
        .or_else(|_| sockopt::set_tcp_congestion(socket, "reno"))
        .map_err(Error::in_call("setsockopt"))
}

/// How a connection controls its congestion.
///
/// # Errors
/// When the kernel refuses.
pub fn congestion_control(socket: &Descriptor) -> Result<String> {
    sockopt::tcp_congestion(socket).map_err(Error::in_call("getsockopt"))
}

/// Bytes that have come and were not read.
///
/// # Errors
/// When the kernel refuses.
pub fn unread(socket: &Descriptor) -> Result<u64> {
    rustix::io::ioctl_fionread(socket).map_err(Error::in_call("ioctl"))
}

/// SO_MEMINFO of asm-generic/socket.h, and the number of values that it gives (linux/sock_diag.h), of which the drops are
/// the last.
const MEMORY: (libc::c_int, libc::c_int) = (libc::SOL_SOCKET, 55);
const MEMORY_VALUES: usize = libc::SK_MEMINFO_DROPS as usize + 1;

/// How often this socket has dropped what came: on one that listens, connections that found no room or no memory.
///
/// # Errors
/// When the kernel is older than 4.12 or refuses.
pub fn dropped(socket: &Descriptor) -> Result<u64> {
    let [.., drops]: [u32; MEMORY_VALUES] = get(socket, MEMORY)?;
    Ok(drops.into())
}

/// Lets the kernel drop every segment that comes to a socket with even odds, or none any more: a loss that a test makes
/// in its own sockets.
///
/// # Errors
/// When the kernel refuses.
pub fn drop_half_of_packets(socket: &Descriptor, drop: bool) -> Result<()> {
    use libc::{BPF_ABS, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W};
    // A random word in the place of the packet's.
    let random = (libc::SKF_AD_OFF + libc::SKF_AD_RANDOM).cast_unsigned();
    attach_filter(
        socket,
        &mut [
            filter_step(BPF_LD | BPF_W | BPF_ABS, [0, 0], random),
            filter_step(BPF_JMP | BPF_JSET | BPF_K, [0, 1], u32::from(drop)),
            filter_step(BPF_RET | BPF_K, [0, 0], 0),
            filter_step(BPF_RET | BPF_K, [0, 0], u32::MAX),
        ],
    )
}

/// An instruction of a filter: its code, how many instructions to skip if it holds and if it does not, its operand.
pub(crate) fn filter_step(code: u32, [jt, jf]: [u8; 2], k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt, jf, k }
}

/// Lets the kernel pass to a socket only what this program keeps.
pub(crate) fn attach_filter(socket: &Descriptor, program: &mut [libc::sock_filter]) -> Result<()> {
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    set(socket, (libc::SOL_SOCKET, libc::SO_ATTACH_FILTER), &filter)
}
