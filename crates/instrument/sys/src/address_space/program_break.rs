//! The end of the data segment of this process, moved by raw `brk` calls.

use crate::{Result, arch};

/// Sets the end of the data segment; gives where it is then, which is where it was when the kernel refuses.
#[inline(always)]
fn brk(end: usize) -> Result<usize> {
    // SAFETY: callers put the end back where the C library left it before anything else allocates memory.
    unsafe { arch::try_syscall::<{ libc::SYS_brk }, _>([end]) }
}

/// Where the data segment ends.
#[derive(Debug)]
pub struct ProgramBreak {
    end: usize,
}

impl ProgramBreak {
    /// The current one.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn current() -> Result<Self> {
        Ok(Self { end: brk(0)? })
    }

    /// Moves it up by this many bytes and back, by two calls; gives whether it was there both times. Only for processes with
    /// one thread, because another one could allocate memory there.
    ///
    /// # Errors
    /// When the call is denied.
    #[inline(always)]
    pub fn grow_and_shrink(&self, bytes: usize) -> Result<bool> {
        let grown = brk(self.end + bytes)? == self.end + bytes;
        Ok(brk(self.end)? == self.end && grown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Actor, Ended};

    #[test]
    fn the_break_moves_and_comes_back() {
        // In a process of its own: other tests allocate memory.
        let moved = || {
            let end = ProgramBreak::current()?;
            Ok::<_, crate::Error>(end.grow_and_shrink(4096)? && brk(0)? == end.end)
        };
        let actor = Actor::spawn(None, || i32::from(moved() == Ok(true)));
        assert_eq!(actor.unwrap().join().unwrap(), Ended::Exited(1));
    }
}
