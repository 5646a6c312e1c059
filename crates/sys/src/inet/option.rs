//! Options of sockets: those that decide what is measured, and a filter by which a test loses segments.

use super::done;
use crate::Result;
use crate::descriptor::Descriptor;
use std::os::fd::AsRawFd;

pub(crate) fn set<T>(
    socket: &Descriptor,
    (level, name): (libc::c_int, libc::c_int),
    value: &T,
) -> Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    // SAFETY: the value is valid and of the length given.
    done("setsockopt", unsafe {
        libc::setsockopt(
            socket.number(),
            level,
            name,
            std::ptr::from_ref(value).cast(),
            length,
        )
    })
}

fn number(socket: &Descriptor, (level, name): (libc::c_int, libc::c_int)) -> Result<libc::c_int> {
    let mut value: libc::c_int = 0;
    let mut length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: the value is valid for writing and of the length given.
    done("getsockopt", unsafe {
        libc::getsockopt(
            socket.number(),
            level,
            name,
            (&raw mut value).cast(),
            &raw mut length,
        )
    })?;
    Ok(value)
}

const NO_DELAY: (libc::c_int, libc::c_int) = (libc::IPPROTO_TCP, libc::TCP_NODELAY);

/// Sends small segments at once, or waits until earlier ones are acknowledged (Nagle).
///
/// # Errors
/// When the kernel refuses.
pub fn set_no_delay(socket: &Descriptor, no_delay: bool) -> Result<()> {
    set(socket, NO_DELAY, &libc::c_int::from(no_delay))
}

/// Whether small segments are sent at once.
///
/// # Errors
/// When the kernel refuses.
pub fn no_delay(socket: &Descriptor) -> Result<bool> {
    Ok(number(socket, NO_DELAY)? != 0)
}

/// How long calls on a socket may wait; longer ones fail with EAGAIN.
///
/// # Errors
/// When the kernel refuses.
pub fn set_patience(socket: &Descriptor, milliseconds: u32) -> Result<()> {
    let time = libc::timeval {
        tv_sec: i64::from(milliseconds / 1000),
        tv_usec: i64::from(milliseconds % 1000) * 1000,
    };
    set(socket, (libc::SOL_SOCKET, libc::SO_RCVTIMEO), &time)?;
    set(socket, (libc::SOL_SOCKET, libc::SO_SNDTIMEO), &time)
}

/// Lets the end of a connection be a reset, which keeps no port for a minute (TIME_WAIT).
///
/// # Errors
/// When the kernel refuses.
#[inline(always)]
pub fn reset_when_closed(socket: &Descriptor) -> Result<()> {
    let linger = libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    set(socket, (libc::SOL_SOCKET, libc::SO_LINGER), &linger)
}

/// Bytes in a name of a congestion control (TCP_CA_NAME_MAX of net/tcp.h).
const NAME: usize = 16;

/// Chooses how a connection controls its congestion.
///
/// # Errors
/// When the kernel has no such control (ENOENT) or does not allow it to this user (EPERM).
pub fn set_congestion_control(socket: &Descriptor, name: &str) -> Result<()> {
    set_control(socket.number(), name)
}

fn set_control(socket: i32, name: &str) -> Result<()> {
    let mut bytes = [0_u8; NAME];
    for (to, from) in bytes.iter_mut().zip(name.bytes().take(NAME - 1)) {
        *to = from;
    }
    // SAFETY: the name is valid and of the length given.
    done("setsockopt", unsafe {
        libc::setsockopt(
            socket,
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            bytes.as_ptr().cast(),
            NAME as libc::socklen_t,
        )
    })
}

/// Lets losses alone control the congestion of a connection: cubic, or reno where the user may not choose that. It must
/// be chosen before a socket connects or listens: where the system's own choice paces by a clock (bbr), the clock stays
/// for the life of a connection that began with it, whatever is chosen later.
///
/// # Errors
/// When the kernel allows neither.
pub fn control_by_loss(socket: &impl AsRawFd) -> Result<()> {
    set_control(socket.as_raw_fd(), "cubic").or_else(|_| set_control(socket.as_raw_fd(), "reno"))
}

/// How a connection controls its congestion.
///
/// # Errors
/// When the kernel refuses.
pub fn congestion_control(socket: &Descriptor) -> Result<String> {
    let mut bytes = [0_u8; NAME];
    let mut length = NAME as libc::socklen_t;
    // SAFETY: the bytes are valid for writing and of the length given.
    done("getsockopt", unsafe {
        libc::getsockopt(
            socket.number(),
            libc::IPPROTO_TCP,
            libc::TCP_CONGESTION,
            bytes.as_mut_ptr().cast(),
            &raw mut length,
        )
    })?;
    let name = bytes.iter().take_while(|byte| **byte != 0).copied().collect();
    Ok(String::from_utf8(name).unwrap_or_default())
}

/// Bytes that have come and were not read.
///
/// # Errors
/// When the kernel refuses.
pub fn unread(socket: &Descriptor) -> Result<u64> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the value is valid for writing.
    done("ioctl", unsafe {
        libc::ioctl(socket.number(), libc::FIONREAD, &raw mut bytes)
    })?;
    Ok(u64::try_from(bytes).unwrap_or(0))
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
    let mut length = size_of_val(&values) as libc::socklen_t;
    // SAFETY: the values are valid for writing and of the length given.
    done("getsockopt", unsafe {
        libc::getsockopt(
            socket.number(),
            MEMORY.0,
            MEMORY.1,
            values.as_mut_ptr().cast(),
            &raw mut length,
        )
    })?;
    Ok(values.get(DROPS).map_or(0, |&count| u64::from(count)))
}

/// Lets the kernel drop every segment that comes to a socket with even odds, or none any more: a loss that a test makes
/// in its own sockets.
///
/// # Errors
/// When the kernel refuses.
pub fn drop_half_of_what_comes(socket: &Descriptor, drop: bool) -> Result<()> {
    use libc::{BPF_ABS, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W};
    let step = |code: u32, jt: u8, jf: u8, k: u32| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    // SKF_AD_OFF + SKF_AD_RANDOM of linux/filter.h: a random word in the place of the packet's.
    let random = (-0x1000_i32 + 56).cast_unsigned();
    let mut program = [
        step(BPF_LD | BPF_W | BPF_ABS, 0, 0, random),
        step(BPF_JMP | BPF_JSET | BPF_K, 0, 1, u32::from(drop)),
        step(BPF_RET | BPF_K, 0, 0, 0),
        step(BPF_RET | BPF_K, 0, 0, u32::MAX),
    ];
    let filter = libc::sock_fprog {
        len: program.len() as u16,
        filter: program.as_mut_ptr(),
    };
    set(socket, (libc::SOL_SOCKET, libc::SO_ATTACH_FILTER), &filter)
}
