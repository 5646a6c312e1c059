//! Waiting for any of many descriptors, by poll.

use crate::{Error, Result};
use std::time::Duration;

/// A descriptor and what is waited for.
#[derive(Debug, Clone, Copy)]
#[repr(transparent)]
pub struct Entry(libc::pollfd);

impl Entry {
    fn new(descriptor: i32, events: libc::c_short) -> Self {
        Self(libc::pollfd { fd: descriptor, events, revents: 0 })
    }

    /// Waits until it can be read, or its other end is closed. A negative descriptor is never ready.
    pub fn reading(descriptor: i32) -> Self {
        Self::new(descriptor, libc::POLLIN)
    }

    /// Waits until its other end is closed, whatever there is to read. A negative descriptor is never ready.
    pub(crate) fn closing(descriptor: i32) -> Self {
        Self::new(descriptor, 0)
    }

    /// Waits until it can be written, or its other end is closed.
    pub fn writing(descriptor: i32) -> Self {
        Self::new(descriptor, libc::POLLOUT)
    }

    /// Whether the last [`wait`] found it ready, closed or broken.
    pub fn is_ready(&self) -> bool {
        self.0.revents != 0
    }

    /// Whether the last [`wait`] found its other end closed.
    pub(crate) fn is_hung_up(&self) -> bool {
        self.0.revents & libc::POLLHUP != 0
    }

    /// Whether the last [`wait`] found something to read, or its other end closed. A queue of errors alone, in which
    /// the kernel tells of pages that it has sent, is neither.
    pub fn is_readable(&self) -> bool {
        self.0.revents & (libc::POLLIN | libc::POLLHUP) != 0
    }
}

/// Waits until one of these is ready, at most `milliseconds` (for ever, if negative); gives how many are.
/// A signal ends it with none.
///
/// # Errors
/// When the kernel refuses: too many descriptors, or no memory.
pub fn wait(entries: &mut [Entry], milliseconds: i32) -> Result<i32> {
    uninterrupted(poll(entries, milliseconds))
}

/// The same with a time as fine as the kernel's timers, for ever where there is none.
///
/// # Errors
/// As [`wait`].
pub fn wait_finely(entries: &mut [Entry], most: Option<Duration>) -> Result<i32> {
    entries.iter_mut().for_each(|entry| entry.0.revents = 0);
    let time = most.map(|most| libc::timespec {
        tv_sec: most.as_secs().cast_signed(),
        tv_nsec: most.subsec_nanos().into(),
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    let (start, count) = (entries.as_mut_ptr().cast(), entries.len() as libc::nfds_t);
    // SAFETY: entries are laid out as the kernel's, the slice is valid for as many as are passed, and the time lives
    // through the call.
    let ready = unsafe { libc::ppoll(start, count, time, std::ptr::null()) };
    uninterrupted(Error::check_errno("ppoll", ready))
}

/// As [`wait`], but a signal is an error (EINTR). The supervisor waits by it: `poll` itself, not the `ppoll` that an
/// operation measures and that tests deny.
pub(crate) fn poll(entries: &mut [Entry], milliseconds: i32) -> Result<i32> {
    entries.iter_mut().for_each(|entry| entry.0.revents = 0);
    let (start, count) = (entries.as_mut_ptr().cast(), entries.len() as libc::nfds_t);
    // SAFETY: entries are laid out as the kernel's, and the slice is valid for as many as are passed.
    let ready = unsafe { libc::poll(start, count, milliseconds) };
    Error::check_errno("poll", ready)
}

fn uninterrupted(ready: Result<i32>) -> Result<i32> {
    match ready {
        Err(error) if error.errno == libc::EINTR => Ok(0),
        ready => ready,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsRawFd;

    #[test]
    fn what_can_be_read_or_written_is_named() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let mut entries =
            [Entry::reading(reader.as_raw_fd()), Entry::writing(writer.as_raw_fd()), Entry::reading(-1)];
        assert_eq!(wait(&mut entries, 0).unwrap(), 1);
        assert!(entries.iter().map(Entry::is_ready).eq([false, true, false]));
        writer.write_all(b"x").unwrap();
        assert_eq!(wait(&mut entries, -1).unwrap(), 2);
        assert!(entries.iter().map(Entry::is_ready).eq([true, true, false]));
        assert_eq!(wait_finely(&mut entries[..1], None).unwrap(), 1);
        assert_eq!(wait_finely(&mut entries[2..], Some(Duration::from_micros(1))).unwrap(), 0);
        drop(writer);
        assert_eq!(wait(&mut entries[..1], -1).unwrap(), 1);
    }
}
