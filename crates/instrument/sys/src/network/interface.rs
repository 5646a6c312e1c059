//! Network devices of the namespace that this process is in.

use crate::descriptor::Descriptor;
use crate::{Error, Result};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

/// A request about the device of this name.
fn request(name: &str) -> libc::ifreq {
    // SAFETY: the structure is bytes and integers, for which zero is a value.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    let letters = request.ifr_name.iter_mut().take(libc::IFNAMSIZ - 1);
    letters.zip(name.bytes()).for_each(|(to, from)| *to = from.cast_signed() as libc::c_char);
    request
}

fn ask(descriptor: &impl AsRawFd, what: libc::Ioctl, request: &mut libc::ifreq) -> Result<()> {
    // SAFETY: the request lives through the call and is the structure that the calls of this file take.
    let result = unsafe { libc::ioctl(descriptor.as_raw_fd(), what, std::ptr::from_mut(request)) };
    Error::check_errno("ioctl", result).map(|_| ())
}

/// Makes a device of this name in the network namespace of this process, whose frames of ethernet a program takes and gives:
/// for tests that are the wire between two ends. It is gone when the descriptor is closed. No call on the descriptor waits.
///
/// # Errors
/// When the machine has no such devices, or only root may make one.
pub fn tap(name: &str) -> Result<Descriptor> {
    let mut request = request(name);
    // Whole frames, with nothing before them.
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
    let mut how = std::fs::File::options();
    how.read(true).write(true).custom_flags(libc::O_NONBLOCK);
    let device = how.open("/dev/net/tun").map_err(Error::in_call("openat"))?;
    ask(&device, libc::TUNSETIFF, &mut request)?;
    Ok(OwnedFd::from(device).into())
}

/// A socket by which devices are asked about, and a request about one, with its flags.
fn with_flags(name: &str) -> Result<(OwnedFd, libc::ifreq)> {
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
        .map_err(Error::in_call("socket"))?;
    let mut request = request(name);
    ask(&socket, libc::SIOCGIFFLAGS, &mut request)?;
    Ok((socket, request))
}

/// Whether a device is up.
///
/// # Errors
/// When there is none of this name, or the call is denied.
pub fn is_up(name: &str) -> Result<bool> {
    let (_, request) = with_flags(name)?;
    // SAFETY: the kernel has filled this member.
    let flags = unsafe { request.ifr_ifru.ifru_flags };
    Ok(flags & libc::IFF_UP as libc::c_short != 0)
}

/// The largest packet of a device (MTU) in bytes.
///
/// # Errors
/// When there is none of this name, or the call is denied.
pub fn mtu(name: &str) -> Result<u32> {
    let (socket, mut request) = with_flags(name)?;
    ask(&socket, libc::SIOCGIFMTU, &mut request)?;
    // SAFETY: the kernel has filled this member.
    let mtu = unsafe { request.ifr_ifru.ifru_mtu };
    Ok(mtu.cast_unsigned())
}

/// The number of a device, which the scope of a link-local address names.
///
/// # Errors
/// When there is none of this name, or the call is denied.
pub fn index(name: &str) -> Result<u32> {
    let (socket, _) = with_flags(name)?;
    rustix::net::netdevice::name_to_index(&socket, name).map_err(Error::in_call("ioctl"))
}

/// Brings a device up: loopback is down in a namespace that was just made.
///
/// # Errors
/// When there is none of this name, or only root of the namespace may do it.
pub fn bring_up(name: &str) -> Result<()> {
    let (socket, mut request) = with_flags(name)?;
    // SAFETY: the kernel has filled this member.
    let flags = unsafe { request.ifr_ifru.ifru_flags };
    request.ifr_ifru.ifru_flags = flags | libc::IFF_UP as libc::c_short;
    ask(&socket, libc::SIOCSIFFLAGS, &mut request)
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

    #[test]
    fn the_loopback_interface_has_an_mtu_and_a_number() {
        assert!(mtu("lo").unwrap() > 0 && index("lo").unwrap() > 0);
        assert_eq!(index("oscope-none").map_err(|error| error.errno), Err(libc::ENODEV));
        assert!(is_up("oscope-none").is_err());
    }

    #[test]
    fn a_device_lives_as_long_as_its_descriptor() {
        let name = format!("oscope{}", std::process::id() % 100_000);
        let is_there =
            || std::fs::read_to_string("/proc/self/net/dev").is_ok_and(|text| text.contains(&name));
        match tap(&name) {
            Ok(device) => {
                assert!(is_there());
                // Nothing was sent, and no call waits.
                assert_eq!(device.read(&mut [0; 64]), -(libc::EAGAIN as isize));
                drop(device);
                assert!(!is_there());
            }
            Err(error) => assert!(error.is_denied() || error.is_missing(), "{error}"),
        }
    }
}
