//! Message queues of POSIX, by raw system calls.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch};
use std::ffi::CString;
use std::sync::atomic::{AtomicU32, Ordering};

/// A POSIX message queue without a name, for messages of one byte: gone with its last descriptor.
#[derive(Debug)]
pub struct MessageQueue(Descriptor);

/// Queues made by this process, so that each has a name of its own for the moment that it has one.
static MADE: AtomicU32 = AtomicU32::new(0);

/// `struct mq_attr` of a new queue: flags, messages at most, bytes of one at most, messages in it; the rest is reserved.
const ATTRIBUTES: [libc::c_long; 8] = [0, 1, 1, 0, 0, 0, 0, 0];

impl MessageQueue {
    /// An empty queue for one message. Its name is removed at once; children made by fork have it.
    ///
    /// # Errors
    /// When the kernel has no such queues, or a limit on them is reached.
    pub fn new() -> Result<Self> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        // The kernel's own names have no slash in front; that one is the C library's.
        let name = CString::new(format!("oscope-{}-{number}", std::process::id())).unwrap_or_default();
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
        let arguments = [name.as_ptr() as usize, flags as usize, 0o600, ATTRIBUTES.as_ptr() as usize];
        // SAFETY: the name ends with zero and the attributes are valid for reading through the call.
        let queue = unsafe { Descriptor::from_syscall::<{ libc::SYS_mq_open }, _>(arguments) }?;
        // SAFETY: as above.
        unsafe { arch::try_syscall::<{ libc::SYS_mq_unlink }, _>([name.as_ptr() as usize]) }?;
        Ok(Self(queue))
    }

    /// Sends a message of one byte; sleeps while the queue is full.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn send(&self, byte: u8) -> Result<()> {
        let arguments = [self.0.number() as usize, &raw const byte as usize, 1];
        // SAFETY: the byte is valid for reading through the call; no time-out is given.
        unsafe { arch::try_syscall::<{ libc::SYS_mq_timedsend }, _>(arguments) }.map(|_| ())
    }

    /// Takes a message of one byte; sleeps while there is none.
    ///
    /// # Errors
    /// When the kernel refuses, or the message is empty (errno 0).
    #[inline(always)]
    pub fn receive(&self) -> Result<u8> {
        let mut byte = 0_u8;
        let arguments = [self.0.number() as usize, &raw mut byte as usize, 1];
        // SAFETY: the byte is valid for writing through the call; priority and time-out are not asked for.
        match unsafe { arch::try_syscall::<{ libc::SYS_mq_timedreceive }, _>(arguments) }? {
            1 => Ok(byte),
            _ => Err(Error { call: "mq_timedreceive", errno: 0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_posix_queue_carries_bytes_in_order_where_there_are_queues() {
        match MessageQueue::new() {
            Ok(queue) => {
                for byte in [7, 8] {
                    queue.send(byte).unwrap();
                    assert_eq!(queue.receive().unwrap(), byte);
                }
            }
            Err(error) => assert!(error.is_denied() || error.is_limit(), "{error}"),
        }
    }
}
