//! Semaphores: those of System V, which the kernel counts, and those of POSIX, which user space counts.

pub use crate::posix::Semaphore as Posix;
use crate::{Error, Result, arch, ipc_namespace};

/// A System V semaphore in an IPC namespace of this process: it is gone when the process is, however that ends.
#[derive(Debug)]
pub struct SystemV {
    id: usize,
}

impl SystemV {
    /// A semaphore that holds nothing. Only for processes with one thread: the process leaves its IPC namespace.
    ///
    /// # Errors
    /// When no private namespace is allowed, or the kernel refuses a semaphore.
    pub fn private() -> Result<Self> {
        ipc_namespace::enter_private()?;
        Self::beside()
    }

    /// A further semaphore in the namespace of an earlier one.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn another(&self) -> Result<Self> {
        Self::beside()
    }

    /// A semaphore in this process's namespace, whichever that is.
    fn beside() -> Result<Self> {
        let (key, count, flags) = (libc::IPC_PRIVATE as usize, 1, (libc::IPC_CREAT | 0o600) as usize);
        // SAFETY: the call takes integers.
        let result = unsafe { arch::syscall::<{ libc::SYS_semget }, _>([key, count, flags]) };
        Error::check("semget", result).map(|id| Self { id })
    }

    #[inline(always)]
    fn change(&self, by: i16) -> Result<()> {
        let operation = libc::sembuf { sem_num: 0, sem_op: by, sem_flg: 0 };
        let arguments = [self.id, &raw const operation as usize, 1];
        // SAFETY: one operation is valid for reading through the call.
        let result = unsafe { arch::syscall::<{ libc::SYS_semop }, _>(arguments) };
        Error::check("semop", result).map(|_| ())
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
        let result = unsafe { arch::syscall::<{ libc::SYS_semctl }, _>([self.id, 0, libc::GETVAL as usize]) };
        Error::check("semctl", result)
    }
}

impl Drop for SystemV {
    fn drop(&mut self) {
        // SAFETY: the command takes no fourth argument; the id is our own, and nobody else can reach it.
        unsafe { arch::syscall::<{ libc::SYS_semctl }, _>([self.id, 0, libc::IPC_RMID as usize]) };
    }
}

/// Tries to take a System V semaphore that does not exist; gives the kernel's answer, which is [`NO_SEMAPHORE`].
#[inline(always)]
pub fn wait_on_missing() -> isize {
    let operation = libc::sembuf { sem_num: 0, sem_op: -1, sem_flg: 0 };
    // SAFETY: one operation is valid for reading through the call; no semaphore has a negative number.
    unsafe { arch::syscall::<{ libc::SYS_semop }, _>([-1_isize as usize, &raw const operation as usize, 1]) }
}

/// What the kernel says of semaphores that do not exist.
pub const NO_SEMAPHORE: isize = -(libc::EINVAL as isize);

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::process::{Actor, Ended};

    #[test]
    fn posts_are_counted_and_waits_take_them() {
        let semaphore = Posix::new(false).unwrap();
        semaphore.post().unwrap();
        semaphore.post().unwrap();
        semaphore.wait().unwrap();
        assert_eq!(semaphore.value(), 1);
    }

    fn posts_and_waits() -> Result<bool> {
        let semaphore = SystemV::private()?;
        semaphore.post()?;
        semaphore.post()?;
        semaphore.wait()?;
        Ok(semaphore.value()? == 1)
    }

    #[test]
    fn a_private_semaphore_of_system_v_counts_where_it_is_allowed() {
        // In a process of its own: it leaves the namespace.
        let actor = Actor::spawn(None, || match posts_and_waits() {
            Ok(true) => 1,
            Ok(false) => 2,
            Err(error) if error.is_denied() || error.is_limit() => 3,
            Err(_) => 4,
        });
        let ended = actor.unwrap().join().unwrap();
        assert!([Ended::Exited(1), Ended::Exited(3)].contains(&ended), "{ended:?}");
    }
}
