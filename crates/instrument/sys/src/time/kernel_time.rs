//! The kernel's clocks, through the C library (and so through the vDSO where there is one) and by system call.

use crate::arch;

/// The kernel's clocks that operations read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum KernelClock {
    /// Since the machine began, slewed.
    Monotonic = libc::CLOCK_MONOTONIC,
    /// The same, not slewed.
    MonotonicRaw = libc::CLOCK_MONOTONIC_RAW,
    /// Since the machine began, with the time in which it slept.
    Boottime = libc::CLOCK_BOOTTIME,
    /// The time of the last tick.
    MonotonicCoarse = libc::CLOCK_MONOTONIC_COARSE,
    /// CPU time of all threads of this process.
    ProcessCpu = libc::CLOCK_PROCESS_CPUTIME_ID,
    /// CPU time of the calling thread.
    ThreadCpu = libc::CLOCK_THREAD_CPUTIME_ID,
}

pub(crate) fn nanos_of(time: libc::timespec) -> i64 {
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Nanoseconds of CLOCK_MONOTONIC_RAW.
#[inline(always)]
pub fn raw_nanos() -> i64 {
    read(KernelClock::MonotonicRaw).unwrap_or(0)
}

/// Nanoseconds of a kernel clock by `clock_gettime` of the C library; `None` when it fails.
#[inline(always)]
pub fn read(clock: KernelClock) -> Option<i64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing.
    let result = unsafe { libc::clock_gettime(clock as libc::clockid_t, &raw mut time) };
    (result == 0).then(|| nanos_of(time))
}

/// Nanoseconds of a kernel clock by a real system call; `None` when it fails.
#[inline(always)]
pub fn read_by_system_call(clock: KernelClock) -> Option<i64> {
    read_raw(clock as libc::clockid_t)
}

/// The same by the kernel's number of a clock.
#[inline(always)]
pub(crate) fn read_raw(clock: libc::clockid_t) -> Option<i64> {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let arguments = [clock as usize, &raw mut time as usize];
    // SAFETY: `time` is valid for writing.
    let result = unsafe { arch::syscall::<{ libc::SYS_clock_gettime }, _>(arguments) };
    (result == 0).then(|| nanos_of(time))
}

/// Nanoseconds of the wall clock by `gettimeofday` of the C library; `None` when it fails.
#[inline(always)]
pub fn time_of_day() -> Option<i64> {
    let mut time = libc::timeval { tv_sec: 0, tv_usec: 0 };
    // SAFETY: `time` is valid for writing; a null time zone is allowed.
    let result = unsafe { libc::gettimeofday(&raw mut time, std::ptr::null_mut()) };
    (result == 0).then(|| time.tv_sec * 1_000_000_000 + time.tv_usec * 1_000)
}
