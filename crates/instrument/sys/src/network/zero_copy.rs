//! Sending a program's own pages (MSG_ZEROCOPY), and the kernel's notification that it has released them.

use crate::descriptor::Descriptor;
use crate::poll::{self, Entry};
use crate::{Error, Result, arch, inet};

/// A socket that sends without a copy where the kernel can, and counts the pages that it has released.
#[derive(Debug)]
pub struct ZeroCopy {
    asked: u32,
    done: u32,
    copied: u64,
}

/// SO_EE_ORIGIN_ZEROCOPY and SO_EE_CODE_ZEROCOPY_COPIED of linux/errqueue.h.
const ORIGIN: u8 = 5;
const COPIED: u8 = 1;

/// Calls whose pages may be in use at once. The kernel charges each to the socket's memory for options.
const MAX_IN_FLIGHT: u32 = 32;

/// Milliseconds that pages may be in use before that is an error: a second for the other end to read.
const LONGEST_MS: libc::c_int = 1_000;

impl ZeroCopy {
    /// Switches it on.
    ///
    /// # Errors
    /// When the kernel has no such thing.
    pub fn new(socket: &Descriptor) -> Result<Self> {
        inet::set(socket, (libc::SOL_SOCKET, libc::SO_ZEROCOPY), &libc::c_int::from(1_u8))?;
        Ok(Self { asked: 0, done: 0, copied: 0 })
    }

    /// Sends all of these bytes. They must not change while the kernel has them: the content of blocks is constant.
    ///
    /// # Errors
    /// When the other end is gone, or nobody reads for a second.
    #[inline(always)]
    pub fn send(&mut self, socket: &Descriptor, bytes: &[u8]) -> Result<()> {
        let mut left = bytes;
        while !left.is_empty() {
            while self.asked.wrapping_sub(self.done) >= MAX_IN_FLIGHT {
                self.wait(socket)?;
            }
            let arguments = [
                socket.number() as usize,
                left.as_ptr() as usize,
                left.len(),
                (libc::MSG_ZEROCOPY | libc::MSG_NOSIGNAL) as usize,
            ];
            // SAFETY: the bytes live through the call; pages that the kernel keeps longer are its own references.
            match unsafe { arch::try_syscall::<{ libc::SYS_sendto }, _>(arguments) } {
                Ok(taken) => {
                    self.asked = self.asked.wrapping_add(1);
                    left = left.get(taken..).unwrap_or_default();
                }
                Err(error) if error.errno == libc::ENOBUFS => self.wait(socket)?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until the kernel has released everything; gives how many calls it copied after all.
    ///
    /// # Errors
    /// When nobody reads for a second.
    pub fn finish(&mut self, socket: &Descriptor) -> Result<u64> {
        while self.asked != self.done && self.wait(socket).is_ok() {}
        Ok(self.copied)
    }

    /// Takes what the kernel has to tell, and waits for it if there is nothing.
    fn wait(&mut self, socket: &Descriptor) -> Result<()> {
        if self.take(socket)? {
            return Ok(());
        }
        poll::poll(&mut [Entry::closing(socket.number())], LONGEST_MS)?;
        if self.take(socket)? { Ok(()) } else { Err(Error { call: "sendto", errno: libc::ECONNRESET }) }
    }

    /// Takes one message of the queue of errors; whether there was one.
    fn take(&mut self, socket: &Descriptor) -> Result<bool> {
        let mut control = [0_u64; 16];
        // SAFETY: the structure is pointers and integers, for which zero is a value.
        let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of_val(&control) as _;
        // SAFETY: the message and its room for control data are valid for writing.
        let came = unsafe {
            libc::recvmsg(socket.number(), &raw mut message, libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT)
        };
        match Error::check_errno("recvmsg", came) {
            Err(Error { errno: libc::EAGAIN, .. }) => return Ok(false),
            came => came?,
        };
        // SAFETY: the kernel has filled the control data as far as `msg_controllen` says.
        let header = unsafe { libc::CMSG_FIRSTHDR(&raw const message) };
        if header.is_null() {
            return Ok(false);
        }
        // SAFETY: the header was found within the control data, and 16 bytes follow it there.
        let report: libc::sock_extended_err =
            unsafe { std::ptr::read_unaligned(libc::CMSG_DATA(header).cast()) };
        // The numbers of the first and the last call whose pages are free.
        if report.ee_origin == ORIGIN {
            let count = report.ee_data.wrapping_sub(report.ee_info).wrapping_add(1);
            self.done = self.done.wrapping_add(count);
            if report.ee_code & COPIED != 0 {
                self.copied += u64::from(count);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inet::tcp_pair;

    #[test]
    fn sent_pages_arrive_and_are_released() {
        let pair = tcp_pair(false).unwrap();
        let mut sender = ZeroCopy::new(&pair.client).unwrap();
        let (sent, mut came) = (vec![5; 20_000], vec![0; 20_000]);
        sender.send(&pair.client, &sent).unwrap();
        let mut filled = 0;
        while filled < came.len() {
            filled += usize::try_from(pair.server.read(&mut came[filled..])).unwrap();
        }
        assert_eq!(came, sent);
        // Over loopback everything is copied after all.
        assert!(sender.finish(&pair.client).unwrap() >= 1);
        assert_eq!(sender.asked, sender.done);
    }
}
