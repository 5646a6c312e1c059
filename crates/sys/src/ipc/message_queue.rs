//! Message queues: those of System V, and those of POSIX, by raw system calls.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch, ipc_namespace};
use std::ffi::CString;
use std::sync::atomic::{AtomicU32, Ordering};

/// A System V message queue in an IPC namespace of this process: it is gone when the process and its children
/// are, however they end.
#[derive(Debug)]
pub struct SystemV {
    id: usize,
}

/// A message of one byte as the kernel takes it: its type, which is positive, and the byte.
#[repr(C)]
struct Message {
    kind: libc::c_long,
    byte: u8,
}

impl SystemV {
    /// An empty queue. Only for processes with one thread: the process leaves its IPC namespace.
    ///
    /// # Errors
    /// When no private namespace is allowed, or the kernel refuses a queue.
    pub fn private() -> Result<Self> {
        ipc_namespace::enter_private()?;
        Self::beside()
    }

    /// A further queue in the namespace of an earlier one.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn another(&self) -> Result<Self> {
        Self::beside()
    }

    fn beside() -> Result<Self> {
        let (key, flags) = (libc::IPC_PRIVATE as usize, (libc::IPC_CREAT | 0o600) as usize);
        // SAFETY: the call takes integers.
        let result = unsafe { arch::syscall::<{ libc::SYS_msgget }, _>([key, flags]) };
        Error::check("msgget", result).map(|id| Self { id })
    }

    /// Sends a message of one byte; sleeps while the queue is full.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn send(&self, byte: u8) -> Result<()> {
        let message = Message { kind: 1, byte };
        let arguments = [self.id, &raw const message as usize, 1];
        // SAFETY: the message is valid for reading through the call: its type and one byte.
        let result = unsafe { arch::syscall::<{ libc::SYS_msgsnd }, _>(arguments) };
        Error::check("msgsnd", result).map(|_| ())
    }

    /// Takes a message of one byte; sleeps while there is none.
    ///
    /// # Errors
    /// When the kernel refuses, or the message is empty (errno 0).
    #[inline(always)]
    pub fn receive(&self) -> Result<u8> {
        let mut message = Message { kind: 0, byte: 0 };
        let arguments = [self.id, &raw mut message as usize, 1];
        // SAFETY: the message is valid for writing through the call: its type and one byte.
        let result = unsafe { arch::syscall::<{ libc::SYS_msgrcv }, _>(arguments) };
        match Error::check("msgrcv", result)? {
            1 => Ok(message.byte),
            _ => Err(Error { call: "msgrcv", errno: 0 }),
        }
    }
}

impl Drop for SystemV {
    fn drop(&mut self) {
        // SAFETY: the command takes no third argument; the id is our own, and nobody else can reach it.
        unsafe { arch::syscall::<{ libc::SYS_msgctl }, _>([self.id, libc::IPC_RMID as usize]) };
    }
}

/// A POSIX message queue without a name, for messages of one byte: gone with its last descriptor.
#[derive(Debug)]
pub struct Posix(Descriptor);

/// Queues made by this process, so that each has a name of its own for the moment that it has one.
static MADE: AtomicU32 = AtomicU32::new(0);

/// What the kernel asks of a new queue: `struct mq_attr`.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    flags: libc::c_long,
    most_messages: libc::c_long,
    most_bytes: libc::c_long,
    messages: libc::c_long,
    reserved: [libc::c_long; 4],
}

impl Posix {
    /// An empty queue for one message. Its name is removed at once; children made by fork have it.
    ///
    /// # Errors
    /// When the kernel has no such queues, or a limit on them is reached.
    pub fn new() -> Result<Self> {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        // The kernel's own names have no slash in front; that one is the C library's.
        let name = CString::new(format!("oscope-{}-{number}", std::process::id())).unwrap_or_default();
        let attributes = Attributes { most_messages: 1, most_bytes: 1, ..Attributes::default() };
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
        let arguments = [name.as_ptr() as usize, flags as usize, 0o600, &raw const attributes as usize];
        // SAFETY: the name ends with zero and the attributes are valid for reading through the call.
        let opened = unsafe { arch::syscall::<{ libc::SYS_mq_open }, _>(arguments) };
        let queue = Descriptor::from_result("mq_open", opened)?;
        // SAFETY: as above.
        let unlinked = unsafe { arch::syscall::<{ libc::SYS_mq_unlink }, _>([name.as_ptr() as usize]) };
        Error::check("mq_unlink", unlinked)?;
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
        let result = unsafe { arch::syscall::<{ libc::SYS_mq_timedsend }, _>(arguments) };
        Error::check("mq_timedsend", result).map(|_| ())
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
        let result = unsafe { arch::syscall::<{ libc::SYS_mq_timedreceive }, _>(arguments) };
        match Error::check("mq_timedreceive", result)? {
            1 => Ok(byte),
            _ => Err(Error { call: "mq_timedreceive", errno: 0 }),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::process::{Actor, Ended};

    #[test]
    fn a_posix_queue_carries_bytes_in_order_where_there_are_queues() {
        match Posix::new() {
            Ok(queue) => {
                for byte in [7, 8] {
                    queue.send(byte).unwrap();
                    assert_eq!(queue.receive().unwrap(), byte);
                }
            }
            Err(error) => assert!(error.is_denied() || error.is_limit(), "{error}"),
        }
    }

    fn sends_and_receives() -> Result<bool> {
        let queue = SystemV::private()?;
        let other = queue.another()?;
        queue.send(7)?;
        other.send(9)?;
        queue.send(8)?;
        Ok([queue.receive()?, queue.receive()?, other.receive()?] == [7, 8, 9])
    }

    #[test]
    fn a_system_v_queue_carries_bytes_in_order_where_it_is_allowed() {
        // In a process of its own: it leaves the namespace.
        let actor = Actor::spawn(None, || match sends_and_receives() {
            Ok(true) => 1,
            Ok(false) => 2,
            Err(error) if error.is_denied() || error.is_limit() => 3,
            Err(_) => 4,
        });
        let ended = actor.unwrap().join().unwrap();
        assert!([Ended::Exited(1), Ended::Exited(3)].contains(&ended), "{ended:?}");
    }
}
