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
    match unsafe { libc::setsockopt(socket.number(), level, name, value, length) } {
        0 => Ok(()),
        _ => Err(Error::last("setsockopt")),
    }
}

/// Fills a value that is made of integers.
pub(crate) fn fill<T: Copy>(
    socket: &Descriptor,
    (level, name): (libc::c_int, libc::c_int),
    value: &mut T,
) -> Result<()> {
    let (value, mut length) = (std::ptr::from_mut(value).cast(), size_of::<T>() as libc::socklen_t);
    // SAFETY: the value is valid for writing and of the length given, and callers give integers.
    match unsafe { libc::getsockopt(socket.number(), level, name, value, &raw mut length) } {
        0 => Ok(()),
        _ => Err(Error::last("getsockopt")),
    }
}

/// Sends small segments at once, or waits until earlier ones are acknowledged (Nagle).
///
/// # Errors
/// When the kernel refuses.
pub fn set_no_delay(socket: &Descriptor, no_delay: bool) -> Result<()> {
    sockopt::set_tcp_nodelay(socket, no_delay).map_err(Error::of("setsockopt"))
}

/// Acknowledges segments at once from now on, until the kernel goes back to delaying: to be repeated after each read.
///
/// # Errors
/// When the kernel refuses.
pub fn set_quick_acknowledgements(socket: &Descriptor) -> Result<()> {
    sockopt::set_tcp_quickack(socket, true).map_err(Error::of("setsockopt"))
}

/// Whether small segments are sent at once.
///
/// # Errors
/// When the kernel refuses.
pub fn no_delay(socket: &Descriptor) -> Result<bool> {
    sockopt::tcp_nodelay(socket).map_err(Error::of("getsockopt"))
}

/// How long calls on a socket may wait; longer ones fail with EAGAIN.
///
/// # Errors
/// When the kernel refuses.
pub fn set_timeout(socket: &Descriptor, milliseconds: u32) -> Result<()> {
    let longest = Some(Duration::from_millis(milliseconds.into()));
    for which in [Timeout::Recv, Timeout::Send] {
        sockopt::set_socket_timeout(socket, which, longest).map_err(Error::of("setsockopt"))?;
    }
    Ok(())
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

/// Chooses how a connection controls its congestion.
///
/// # Errors
/// When the kernel has no such control (ENOENT) or does not allow it to this user (EPERM).
pub fn set_congestion_control(socket: &Descriptor, name: &str) -> Result<()> {
    sockopt::set_tcp_congestion(socket, name).map_err(Error::of("setsockopt"))
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
        .map_err(Error::of("setsockopt"))
}

/// How a connection controls its congestion.
///
/// # Errors
/// When the kernel refuses.
pub fn congestion_control(socket: &Descriptor) -> Result<String> {
    sockopt::tcp_congestion(socket).map_err(Error::of("getsockopt"))
}

/// Bytes that have come and were not read.
///
/// # Errors
/// When the kernel refuses.
pub fn unread(socket: &Descriptor) -> Result<u64> {
    rustix::io::ioctl_fionread(socket).map_err(Error::of("ioctl"))
}

/// SO_MEMINFO of asm-generic/socket.h, and the place and number of what it gives (linux/sock_diag.h).
const MEMORY: (libc::c_int, libc::c_int) = (libc::SOL_SOCKET, 55);
const DROPS: usize = 8;
const MEMORY_VALUES: usize = 9;

/// How often this socket has dropped what came: on one that listens, connections that found no room or no memory.
///
/// # Errors
/// When the kernel is older than 4.12 or refuses.
pub fn dropped(socket: &Descriptor) -> Result<u64> {
    let mut values = [0_u32; MEMORY_VALUES];
    fill(socket, MEMORY, &mut values)?;
    Ok(values.get(DROPS).map_or(0, |&count| u64::from(count)))
}

/// Lets the kernel drop every segment that comes to a socket with even odds, or none any more: a loss that a test makes
/// in its own sockets.
///
/// # Errors
/// When the kernel refuses.
pub fn drop_half_of_packets(socket: &Descriptor, drop: bool) -> Result<()> {
    use libc::{BPF_ABS, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W};
    let step = |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter { code: code as u16, jt, jf, k };
    // SKF_AD_OFF + SKF_AD_RANDOM of linux/filter.h: a random word in the place of the packet's.
    let random = (-0x1000_i32 + 56).cast_unsigned();
    let mut program = [
        step(BPF_LD | BPF_W | BPF_ABS, 0, 0, random),
        step(BPF_JMP | BPF_JSET | BPF_K, 0, 1, u32::from(drop)),
        step(BPF_RET | BPF_K, 0, 0, 0),
        step(BPF_RET | BPF_K, 0, 0, u32::MAX),
    ];
    let filter = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    set(socket, (libc::SOL_SOCKET, libc::SO_ATTACH_FILTER), &filter)
}
