//! Network devices of the namespace that this process is in.

use crate::{Error, Result};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use std::os::fd::AsRawFd;

/// Brings a device up: loopback is down in a namespace that was just made.
///
/// # Errors
/// When there is none of this name, or only root of the namespace may do it.
pub fn bring_up(name: &str) -> Result<()> {
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
        .map_err(Error::of("socket"))?;
    // SAFETY: the structure is bytes and integers, for which zero is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    let letters = request.ifr_name.iter_mut().take(libc::IFNAMSIZ - 1);
    letters.zip(name.bytes()).for_each(|(to, from)| *to = from.cast_signed() as libc::c_char);
    let number = socket.as_raw_fd();
    let ask = |what: libc::Ioctl, request: &mut libc::ifreq| {
        // SAFETY: the request lives through the call and is the structure that both calls take.
        match unsafe { libc::ioctl(number, what, std::ptr::from_mut(request)) } {
            0 => Ok(()),
            _ => Err(Error::last("ioctl")),
        }
    };
    ask(libc::SIOCGIFFLAGS, &mut request)?;
    // SAFETY: the kernel has filled this member.
    let flags = unsafe { request.ifr_ifru.ifru_flags };
    request.ifr_ifru.ifru_flags = flags | libc::IFF_UP as libc::c_short;
    ask(libc::SIOCSIFFLAGS, &mut request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_up_stays_so_and_one_that_is_missing_is_an_error() {
        let loopback = bring_up("lo");
        assert!(loopback.is_ok() || loopback.is_err_and(|error| error.is_denied()));
        let missing = bring_up("oscope-none").map_err(|error| error.errno);
        assert_eq!(missing, Err(libc::ENODEV));
    }
}
