//! Locks on a byte of a file that is in memory only.

use crate::descriptor::Descriptor;
use crate::{Error, Result, arch, memory_file, path};

/// The owner of a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Owner {
    /// The process's: POSIX record locks.
    Process = libc::F_SETLK,
    /// The open file's (Linux 3.15).
    OpenFile = libc::F_OFD_SETLK,
}

/// A lock of this kind on a byte.
#[inline(always)]
fn byte(at: usize, kind: libc::c_int) -> libc::flock {
    let (l_type, l_whence) = (kind as libc::c_short, libc::SEEK_SET as libc::c_short);
    libc::flock { l_type, l_whence, l_start: at as libc::off_t, l_len: 1, l_pid: 0 }
}

/// Makes a request for a lock by the C library.
#[inline(always)]
fn request(file: &Descriptor, command: libc::c_int, lock: &libc::flock) -> Result<()> {
    // SAFETY: the structure is valid through the call, which reads it.
    let result = unsafe { libc::fcntl(file.number(), command, &raw const *lock) };
    Error::check_errno("fcntl", result).map(|_| ())
}

/// A file in memory whose bytes processes lock against each other (POSIX record locks).
#[derive(Debug)]
pub struct RecordLocks {
    file: Descriptor,
}

impl RecordLocks {
    /// A new file, none of whose bytes is locked.
    ///
    /// # Errors
    /// When the call is denied or no descriptor is left.
    pub fn new() -> Result<Self> {
        Ok(Self { file: memory_file::open("records", &[0])? })
    }

    /// What identifies the file: its inode number, on the file system of all files in memory.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn identity(&self) -> Result<u64> {
        Ok(path::fstat(&self.file)?.identity().1)
    }

    /// Waits until no other process has a byte, and locks it.
    ///
    /// # Errors
    /// When the processes would wait for each other for ever (EDEADLK), or the call is denied.
    #[inline(always)]
    pub fn lock(&self, at: usize) -> Result<()> {
        request(&self.file, libc::F_SETLKW, &byte(at, libc::F_WRLCK))
    }

    /// Gives a byte back.
    ///
    /// # Errors
    /// When the call is denied.
    #[inline(always)]
    pub fn unlock(&self, at: usize) -> Result<()> {
        request(&self.file, libc::F_SETLK, &byte(at, libc::F_UNLCK))
    }
}

/// A file in memory, without a name, whose bytes can be locked.
#[derive(Debug)]
pub struct LockedFile {
    file: Descriptor,
    owner: Owner,
}

impl LockedFile {
    /// A new file of one byte.
    ///
    /// # Errors
    /// When the call is denied or no descriptor is left.
    pub fn new(owner: Owner) -> Result<Self> {
        Ok(Self { file: memory_file::open("locked", &[0])?, owner })
    }

    #[inline(always)]
    fn set(&self, kind: libc::c_int) -> Result<()> {
        request(&self.file, self.owner as libc::c_int, &byte(0, kind))
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
        let mut lock = byte(0, libc::F_WRLCK);
        // A query in the name of another kind of owner conflicts with a lock of either.
        let query = if self.owner == Owner::Process { libc::F_OFD_GETLK } else { libc::F_GETLK };
        let arguments = [self.file.number() as usize, query as usize, &raw mut lock as usize];
        // SAFETY: the structure is valid for reading and writing through the call.
        unsafe { arch::try_syscall::<{ libc::SYS_fcntl }, _>(arguments) }
            .map(|_| lock.l_type != libc::F_UNLCK as libc::c_short)
    }
}

#[cfg(test)]
mod tests {
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
