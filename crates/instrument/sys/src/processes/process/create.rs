//! Ways to make a process: fork, clone3, and vfork on a stack of its own, all by raw system calls.

use crate::{Error, Result, arch, memory::Mapping};

/// What the kernel's `struct clone_args` holds, in its first published version (64 bytes).
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct CloneArguments {
    pub(crate) flags: u64,
    pub(crate) pidfd: u64,
    pub(crate) child_tid: u64,
    pub(crate) parent_tid: u64,
    pub(crate) exit_signal: u64,
    pub(crate) stack: u64,
    pub(crate) stack_size: u64,
    pub(crate) tls: u64,
}

/// Bytes of a stack for a child that shares its parent's memory: one frame, and a signal's.
const STACK_BYTES: usize = 128 << 10;

/// A stack for children that share their parent's memory, one at a time.
#[derive(Debug)]
pub struct Stack(Mapping);

impl Stack {
    /// A stack whose pages have all been touched.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new() -> Result<Self> {
        let mut mapping = Mapping::private(STACK_BYTES)?;
        mapping.touch(1);
        Ok(Self(mapping))
    }

    /// Its lowest address and its length.
    pub(crate) fn span(&mut self) -> (u64, u64) {
        let bytes = self.0.bytes_mut();
        (bytes.as_mut_ptr() as u64, bytes.len() as u64)
    }
}

/// Which system call copies the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fork {
    /// `clone` with no flags but the signal: what fork of a C library does.
    Clone,
    /// `clone3` with no flags.
    Clone3,
}

/// Forks a child that does `act`, exits at once with what it gives, and runs nothing else. Gives the child's
/// number. Only for processes with one thread; `act` must not panic.
///
/// # Errors
/// When no process can be made.
#[inline(always)]
pub fn fork_then(how: Fork, act: impl FnOnce() -> i32) -> Result<i32> {
    let signal = libc::SIGCHLD as usize;
    let child = match how {
        // SAFETY: without CLONE_VM the child has a copy of everything, this stack included.
        Fork::Clone => unsafe { arch::try_syscall::<{ libc::SYS_clone }, _>([signal]) },
        Fork::Clone3 => {
            let arguments = CloneArguments { exit_signal: signal as u64, ..CloneArguments::default() };
            let words = [&raw const arguments as usize, size_of_val(&arguments)];
            // SAFETY: as above; the arguments are valid for reading and of the size given.
            unsafe { arch::try_syscall::<{ libc::SYS_clone3 }, _>(words) }
        }
    };
    match child? {
        0 => exit_group(act()),
        pid => Ok(pid as i32),
    }
}

/// Forks a child that exits at once with `status`, by raw system calls; gives its process number.
///
/// # Errors
/// When no process can be made.
#[inline(always)]
pub fn fork_exit(status: i32) -> Result<i32> {
    fork_then(Fork::Clone, || status)
}

/// Makes a child that shares this process's memory, runs `act` on a stack of its own and exits with what it
/// gives; this thread stands still until the child has exited or executes a program. Gives the child's
/// number. `act` must not panic, and what it changes is changed here too.
///
/// # Errors
/// When no process can be made.
#[inline(always)]
pub fn vfork_then<F: FnMut() -> i32>(stack: &mut Stack, mut act: F) -> Result<i32> {
    let (stack, stack_size) = stack.span();
    let arguments = CloneArguments {
        flags: (libc::CLONE_VM | libc::CLONE_VFORK) as u64,
        exit_signal: libc::SIGCHLD as u64,
        stack,
        stack_size,
        ..CloneArguments::default()
    };
    // SAFETY: the stack is ours and lives on; CLONE_VFORK keeps this thread, and with it `act`, in place
    // until the child is done with both.
    unsafe { clone3_on_stack(&arguments, act_and_exit::<F>, (&raw mut act).cast()) }.map(|pid| pid as i32)
}

/// Calls `clone3`; the child calls `act` with `argument` on the stack that the arguments name. Gives the child's number.
///
/// # Errors
/// When no process or thread can be made.
///
/// # Safety
/// The stack must be one that the child may use until it ends, and whatever the child shares must bear it. `act` must not
/// unwind.
#[inline(always)]
pub(crate) unsafe fn clone3_on_stack(
    arguments: &CloneArguments,
    act: extern "C" fn(*mut libc::c_void) -> !,
    argument: *mut libc::c_void,
) -> Result<usize> {
    let (place, size) = (std::ptr::from_ref(arguments) as usize, size_of_val(arguments));
    // SAFETY: the arguments are valid and of the size given; the caller vouches for the rest.
    Error::check("clone3", unsafe { arch::clone3_on_stack(place, size, act, argument) })
}

extern "C" fn act_and_exit<F: FnMut() -> i32>(act: *mut libc::c_void) -> ! {
    // SAFETY: `vfork_then` gave the address of its closure and stands still meanwhile.
    exit_group(unsafe { (*act.cast::<F>())() })
}

/// Ends the calling process by the raw system call.
#[inline(always)]
fn exit_group(status: i32) -> ! {
    loop {
        // SAFETY: the call does not return.
        unsafe { arch::syscall::<{ libc::SYS_exit_group }, _>([status as usize]) };
    }
}

/// Waits until this child has ended, and leaves it as it is: a zombie, for [`super::wait_for`].
///
/// # Errors
/// When there is no such child.
pub fn wait_until_ended(child: i32) -> Result<()> {
    let options = (libc::WEXITED | libc::WNOWAIT) as usize;
    let which = libc::P_PID as usize;
    // SAFETY: neither information nor usage is asked for.
    unsafe { arch::try_syscall::<{ libc::SYS_waitid }, _>([which, child as usize, 0, options]) }.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Ended, wait_for};
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn every_fork_makes_a_child_with_memory_of_its_own() {
        for how in [Fork::Clone, Fork::Clone3] {
            let mut value = 1;
            let child = fork_then(how, || {
                value += 1;
                40 + value
            });
            let child = child.unwrap();
            assert_eq!(wait_for(child), Ok((child, Ended::Exited(42))), "{how:?}");
            assert_eq!(value, 1, "{how:?}");
        }
    }

    #[test]
    fn a_vforked_child_shares_the_memory_and_is_waited_for() {
        let mut stack = Stack::new().unwrap();
        let shared = AtomicU64::new(0);
        for turn in 1..=20 {
            let child = vfork_then(&mut stack, || {
                shared.store(turn, Ordering::Relaxed);
                7
            });
            // The parent stood still: what the child did is done.
            assert_eq!(shared.load(Ordering::Relaxed), turn);
            let child = child.unwrap();
            assert_eq!(wait_for(child), Ok((child, Ended::Exited(7))));
        }
    }

    #[test]
    fn a_zombie_is_left_to_be_reaped() {
        let child = fork_then(Fork::Clone, || 9).unwrap();
        wait_until_ended(child).unwrap();
        wait_until_ended(child).unwrap();
        assert_eq!(wait_for(child), Ok((child, Ended::Exited(9))));
        assert_eq!(wait_until_ended(child).unwrap_err().errno, libc::ECHILD);
    }
}
