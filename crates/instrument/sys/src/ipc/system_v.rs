//! Semaphores and message queues of System V, in an IPC namespace of this process, by raw system calls.

use crate::{Error, Result, arch};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// An IPC namespace of this process and its children: what is made in it is gone when they are, however they end.
#[derive(Debug, Clone, Copy)]
pub struct IpcNamespace(());

const KEY: usize = libc::IPC_PRIVATE as usize;
const FLAGS: usize = (libc::IPC_CREAT | 0o600) as usize;
const REMOVE: usize = libc::IPC_RMID as usize;

impl IpcNamespace {
    /// Leaves the IPC namespace for a new one; what was made in the old one cannot be reached any more. An ordinary user gets
    /// one together with a user namespace, in which only this process is. Only for processes with one thread.
    ///
    /// # Errors
    /// When neither is allowed.
    pub fn enter() -> Result<Self> {
        let flags = [UnshareFlags::NEWIPC, UnshareFlags::NEWIPC | UnshareFlags::NEWUSER];
        // SAFETY: the table of descriptors stays as it is; this process shares nothing by System V that it could lose.
        let enter = |flags| unsafe { unshare_unsafe(flags) };
        enter(flags[0]).or_else(|_| enter(flags[1])).map(|()| Self(())).map_err(Error::in_call("unshare"))
    }

    /// A semaphore that holds nothing.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn semaphore(self) -> Result<Semaphore> {
        // SAFETY: the call takes integers.
        unsafe { arch::try_syscall::<{ libc::SYS_semget }, _>([KEY, 1, FLAGS]) }.map(Semaphore)
    }

    /// An empty message queue.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn message_queue(self) -> Result<MessageQueue> {
        // SAFETY: the call takes integers.
        unsafe { arch::try_syscall::<{ libc::SYS_msgget }, _>([KEY, FLAGS]) }.map(MessageQueue)
    }
}

/// A semaphore, by its number.
#[derive(Debug)]
pub struct Semaphore(usize);

impl Semaphore {
    #[inline(always)]
    fn change(&self, by: i16) -> Result<()> {
        let operation = libc::sembuf { sem_num: 0, sem_op: by, sem_flg: 0 };
        let arguments = [self.0, &raw const operation as usize, 1];
        // SAFETY: one operation is valid for reading through the call.
        unsafe { arch::try_syscall::<{ libc::SYS_semop }, _>(arguments) }.map(|_| ())
    }

    /// Adds one.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn post(&self) -> Result<()> {
        self.change(1)
    }

    /// Takes one; sleeps while there is none.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn wait(&self) -> Result<()> {
        self.change(-1)
    }

    /// How much it holds.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn value(&self) -> Result<usize> {
        // SAFETY: the command takes no fourth argument.
        unsafe { arch::try_syscall::<{ libc::SYS_semctl }, _>([self.0, 0, libc::GETVAL as usize]) }
    }
}

impl Drop for Semaphore {
    fn drop(&mut self) {
        // SAFETY: the command takes no fourth argument; the number is our own, and nobody else can reach it.
        unsafe { arch::syscall::<{ libc::SYS_semctl }, _>([self.0, 0, REMOVE]) };
    }
}

/// Tries to take a semaphore that does not exist; gives the kernel's answer, which is [`NO_SEMAPHORE`].
#[inline(always)]
pub fn wait_on_missing() -> isize {
    let operation = libc::sembuf { sem_num: 0, sem_op: -1, sem_flg: 0 };
    // SAFETY: one operation is valid for reading through the call; no semaphore has a negative number.
    unsafe { arch::syscall::<{ libc::SYS_semop }, _>([-1_isize as usize, &raw const operation as usize, 1]) }
}

/// What the kernel says of semaphores that do not exist.
pub const NO_SEMAPHORE: isize = -(libc::EINVAL as isize);

/// A message queue, by its number.
#[derive(Debug)]
pub struct MessageQueue(usize);

/// A message of one byte as the kernel takes it: its type, which is positive, and the byte.
#[repr(C)]
struct Message {
    kind: libc::c_long,
    byte: u8,
}

impl MessageQueue {
    /// Sends a message of one byte; sleeps while the queue is full.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn send(&self, byte: u8) -> Result<()> {
        let message = Message { kind: 1, byte };
        let arguments = [self.0, &raw const message as usize, 1];
        // SAFETY: the message is valid for reading through the call: its type and one byte.
        unsafe { arch::try_syscall::<{ libc::SYS_msgsnd }, _>(arguments) }.map(|_| ())
    }

    /// Takes a message of one byte; sleeps while there is none.
    ///
    /// # Errors
    /// When the kernel refuses, or the message is empty (errno 0).
    #[inline(always)]
    pub fn receive(&self) -> Result<u8> {
        let mut message = Message { kind: 0, byte: 0 };
        let arguments = [self.0, &raw mut message as usize, 1];
        // SAFETY: the message is valid for writing through the call: its type and one byte.
        match unsafe { arch::try_syscall::<{ libc::SYS_msgrcv }, _>(arguments) }? {
            1 => Ok(message.byte),
            _ => Err(Error { call: "msgrcv", errno: 0 }),
        }
    }
}

impl Drop for MessageQueue {
    fn drop(&mut self) {
        // SAFETY: the command takes no third argument; the number is our own, and nobody else can reach it.
        unsafe { arch::syscall::<{ libc::SYS_msgctl }, _>([self.0, REMOVE]) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Actor, Ended};

    fn posts_and_sends() -> Result<bool> {
        let namespace = IpcNamespace::enter()?;
        let semaphore = namespace.semaphore()?;
        semaphore.post()?;
        semaphore.post()?;
        semaphore.wait()?;
        let (queue, other) = (namespace.message_queue()?, namespace.message_queue()?);
        queue.send(7)?;
        other.send(9)?;
        queue.send(8)?;
        let received = [queue.receive()?, queue.receive()?, other.receive()?];
        Ok(semaphore.value()? == 1 && received == [7, 8, 9])
    }

    #[test]
    fn semaphores_count_and_queues_keep_the_order_where_a_namespace_is_allowed() {
        // In a process of its own: it leaves the namespace.
        let actor = Actor::spawn(None, || match posts_and_sends() {
            Ok(true) => 1,
            Ok(false) => 2,
            Err(error) if error.is_denied() || error.is_limit() => 3,
            Err(_) => 4,
        });
        let ended = actor.unwrap().join().unwrap();
        assert!([Ended::Exited(1), Ended::Exited(3)].contains(&ended), "{ended:?}");
    }
}
