//! System calls by the older instruction, `int 0x80`, where the kernel offers it beside the newer one.

use crate::process::{Actor, Ended};
use crate::{Error, Result, arch};

/// The numbers of calls in 32-bit programs.
const GETPID: usize = 20;
const GETPPID: usize = 64;
const GETCWD: usize = 183;

/// How a process ends that enters a kernel without this entry: with SIGSEGV.
pub const NO_ENTRY: Ended = Ended::Killed(libc::SIGSEGV);

/// A kernel that answers `int 0x80`.
#[derive(Debug, Clone, Copy)]
pub struct InterruptEntry(());

impl InterruptEntry {
    /// Tries the entry in a child: where there is none, the instruction kills. How the child ended where it had no answer: by
    /// [`NO_ENTRY`] where the kernel has no entry, and otherwise because a filter of system calls forbids the call.
    ///
    /// # Errors
    /// When no child can be made.
    pub fn probe() -> Result<std::result::Result<Self, Ended>> {
        if !arch::HAS_INTERRUPT_ENTRY {
            return Ok(Err(NO_ENTRY));
        }
        let parent = crate::process::getpid();
        let entry = Self(());
        let child = Actor::spawn(None, || i32::from(entry.getppid() == parent))?;
        Ok(match child.join()? {
            Ended::Exited(1) => Ok(entry),
            other => Err(other),
        })
    }

    /// `getpid` by its 32-bit number.
    #[inline(always)]
    pub fn getpid(self) -> isize {
        // SAFETY: the call takes no arguments and changes nothing.
        unsafe { arch::interrupt_call(GETPID, [0; 2]) }
    }

    /// `getppid` by its 32-bit number.
    #[inline(always)]
    pub fn getppid(self) -> isize {
        // SAFETY: the call takes no arguments and changes nothing.
        unsafe { arch::interrupt_call(GETPPID, [0; 2]) }
    }

    /// `getcwd` with the address of this buffer, of which the kernel takes the lower half: a pointer of a 64-bit
    /// program is none there.
    ///
    /// # Errors
    /// When the buffer happens to be where 32 bits reach, so that the kernel would write into it.
    #[inline(always)]
    pub fn getcwd_with_long_pointer(self, buffer: &mut [u8; 256]) -> Result<isize> {
        let address = buffer.as_mut_ptr() as usize;
        if address <= u32::MAX as usize {
            return Err(Error { call: "getcwd", errno: 0 });
        }
        // The lower half is an address that might be mapped; the topmost page of 32 bits never is.
        let cut = address | 0xffff_f000;
        // SAFETY: the kernel takes the lower 32 bits, an address that it refuses.
        Ok(unsafe { arch::interrupt_call(GETCWD, [cut, buffer.len()]) })
    }
}

/// What [`InterruptEntry::getcwd_with_long_pointer`] gives.
pub const BAD_ADDRESS: isize = -(libc::EFAULT as isize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_an_entry_it_answers_like_the_other() {
        let entry = InterruptEntry::probe().unwrap();
        if !programs::has("32-bit entry of the kernel", entry.is_ok()) {
            return;
        }
        let entry = entry.unwrap();
        assert_eq!(entry.getppid(), std::os::unix::process::parent_id() as isize);
        assert_eq!(entry.getpid(), std::process::id() as isize);
        let mut buffer = [7; 256];
        assert_eq!(entry.getcwd_with_long_pointer(&mut buffer), Ok(BAD_ADDRESS));
        assert_eq!(buffer, [7; 256]);
    }
}
