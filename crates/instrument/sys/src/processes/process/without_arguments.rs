//! System calls that take no arguments and change nothing: raw, by the C library, and by the instruction in an aligned loop.

use crate::arch;

macro_rules! calls {
    ($($raw:ident, $by_libc:ident, $repeat:ident, $number:ident: $what:literal;)+) => {$(
        #[doc = concat!($what, ", by a raw system call.")]
        #[inline(always)]
        pub fn $raw() -> isize {
            // SAFETY: the call takes no arguments and changes nothing.
            unsafe { arch::syscall::<{ libc::$number }, _>([]) }
        }

        #[doc = concat!($what, ", by the C library, which may keep it instead of asking.")]
        #[inline(always)]
        pub fn $by_libc() -> isize {
            // SAFETY: the call takes no arguments and changes nothing.
            unsafe { libc::$raw() as isize }
        }

        #[doc = concat!($what, ", by the system-call instruction, `n` times; gives how often it was `expected`.")]
        pub fn $repeat(expected: isize, n: u64) -> u64 {
            // SAFETY: the call takes no arguments and changes nothing.
            unsafe { arch::repeat_call::<{ libc::$number }>(expected, n) }
        }
    )+};
}

calls! {
    getpid, getpid_by_libc, repeat_getpid, SYS_getpid: "The number of this process";
    getppid, getppid_by_libc, repeat_getppid, SYS_getppid: "The number of the parent";
    gettid, gettid_by_libc, repeat_gettid, SYS_gettid: "The number of the calling thread";
    getuid, getuid_by_libc, repeat_getuid, SYS_getuid: "The number of the user";
}

/// A system call that no kernel has; the result is −ENOSYS wherever nothing intercepts it.
#[inline(always)]
pub fn unknown_call() -> isize {
    // SAFETY: the number is not assigned, so the kernel does nothing.
    unsafe { arch::syscall::<UNKNOWN_CALL, _>([]) }
}

/// A system call that no kernel has, `n` times; gives how often the answer was ENOSYS.
pub fn repeat_unknown_call(n: u64) -> u64 {
    // SAFETY: the number is not assigned, so the kernel does nothing.
    unsafe { arch::repeat_call::<UNKNOWN_CALL>(NO_SUCH_CALL, n) }
}

/// The number of [`unknown_call`]: far above every assigned one, below the x32 bit.
const UNKNOWN_CALL: i64 = 0xfff;

/// What [`unknown_call`] gives.
pub(crate) const NO_SUCH_CALL: isize = -(libc::ENOSYS as isize);
