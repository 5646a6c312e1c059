//! Locks on a byte of a file that is in memory only.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch};
use rustix::fs::{MemfdFlags, memfd_create};

/// The owner of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The process's: POSIX record locks.
    Process,
    /// The open file's (F_OFD_SETLK, Linux 3.15).
    OpenFile,
}

/// A file in memory, without a name, whose bytes can be locked.
#[derive(Debug)]
pub struct LockedFile {
    file: Descriptor,
    command: libc::c_int,
}

impl LockedFile {
    /// A new file of one byte.
    ///
    /// # Errors
    /// When the call is denied or no descriptor is left.
    pub fn new(owner: Owner) -> Result<Self> {
        let made = memfd_create(c"locked", MemfdFlags::CLOEXEC).map_err(Error::of("memfd_create"))?;
        let file = Descriptor::from(made);
        file.write_all(&[0])?;
        let command = match owner {
            Owner::Process => libc::F_SETLK,
            Owner::OpenFile => libc::F_OFD_SETLK,
        };
        Ok(Self { file, command })
    }

    #[inline(always)]
    fn set(&self, kind: libc::c_int) -> Result<()> {
        // SAFETY: the structure is integers, for which zero is a value.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = kind as libc::c_short;
        lock.l_whence = libc::SEEK_SET as libc::c_short;
        lock.l_len = 1;
        // SAFETY: the structure is valid through the call.
        if unsafe { libc::fcntl(self.file.number(), self.command, &raw const lock) } < 0 {
            return Err(Error::last("fcntl"));
        }
        Ok(())
    }

    /// Locks the first byte against all others; fails at once when another owner has it.
    ///
    /// # Errors
    /// When it is locked, or the call is denied.
    #[inline(always)]
    pub fn lock(&self) -> Result<()> {
        self.set(libc::F_WRLCK)
    }

    /// Gives the lock back.
    ///
    /// # Errors
    /// When the call is denied.
    #[inline(always)]
    pub fn unlock(&self) -> Result<()> {
        self.set(libc::F_UNLCK)
    }

    /// Whether another owner would have to wait for the first byte.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn is_locked(&self) -> Result<bool> {
        // SAFETY: as above.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = libc::F_WRLCK as libc::c_short;
        lock.l_len = 1;
        // A query in the name of another kind of owner conflicts with a lock of either.
        let query = if self.command == libc::F_SETLK { libc::F_OFD_GETLK } else { libc::F_GETLK };
        let arguments = [self.file.number() as usize, query as usize, &raw mut lock as usize];
        // SAFETY: the structure is valid for reading and writing through the call.
        let result = unsafe { arch::syscall::<{ libc::SYS_fcntl }, _>(arguments) };
        Error::check("fcntl", result).map(|_| lock.l_type != libc::F_UNLCK as libc::c_short)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_byte_is_locked_until_it_is_unlocked() {
        for owner in [Owner::Process, Owner::OpenFile] {
            let file = LockedFile::new(owner).unwrap();
            assert_eq!(file.is_locked(), Ok(false), "{owner:?}");
            file.lock().unwrap();
            assert_eq!(file.is_locked(), Ok(true), "{owner:?}");
            file.unlock().unwrap();
            assert_eq!(file.is_locked(), Ok(false), "{owner:?}");
        }
    }
}
