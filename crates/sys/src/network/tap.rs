//! A network device whose frames a program takes and gives: for tests that are the wire between two ends.

use crate::descriptor::Descriptor;
use crate::{Error, Result};
use std::os::fd::OwnedFd;

/// TUNSETIFF, IFF_TAP and IFF_NO_PI of linux/if_tun.h: whole frames of ethernet, with nothing before them.
const SET: u32 = 0x4004_54ca;
const FRAMES: libc::c_short = 0x0002 | 0x1000;

/// `struct ifreq` of linux/if.h with what is used of it.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    flags: libc::c_short,
    rest: [u8; 22],
}

/// Makes a device of this name in the network namespace of this process. It is gone when the descriptor is closed. No
/// call on the descriptor waits.
///
/// # Errors
/// When the machine has no such devices, or only root may make one.
pub fn tap(name: &str) -> Result<Descriptor> {
    let mut request = Request { name: [0; libc::IFNAMSIZ], flags: FRAMES, rest: [0; 22] };
    let letters = request.name.iter_mut().take(libc::IFNAMSIZ - 1);
    letters.zip(name.bytes()).for_each(|(to, from)| *to = from);
    use std::os::unix::fs::OpenOptionsExt;
    let opened = std::fs::File::options()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/net/tun")
        .map_err(Error::of("openat"))?;
    let device = Descriptor::from(OwnedFd::from(opened));
    // SAFETY: the request lives through the call and has the length that the kernel reads and writes.
    if unsafe { libc::ioctl(device.number(), SET as libc::Ioctl, &raw mut request) } != 0 {
        return Err(Error::last("ioctl"));
    }
    Ok(device)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_as_long_as_the_kernels() {
        assert_eq!(size_of::<Request>(), size_of::<libc::ifreq>());
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
