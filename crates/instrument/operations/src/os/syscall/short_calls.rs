//! Calls that do little more than enter the kernel: on descriptors, signal masks, random bytes.

use super::CARD;
use measure::Operation;
use sys::descriptor::close;
use sys::path::{Access, DEV_NULL};
use sys::{memory_file, random, signal};
use workloads::os::devices::device;
use workloads::repeat::{repeat, repeat_and_check};

const RAW: &str = "By the system-call instruction, in a loop.";
const LIBRARY: &str = "The C library adds a few instructions.";

/// Common to one call.
const SHORT: Operation =
    Operation { method: RAW, confounds: LIBRARY, predict: &["floors(1)", "handler(1)"], ..CARD };

/// Common to two calls.
const SHORT_PAIR: Operation =
    Operation { predict: &["floors(2)", "handler(2)"], bounds: &["floors(2)"], ..SHORT };

/// Whether a descriptor is that of the iteration before. Between batches the instrument may open others.
#[inline(always)]
fn is_the_same(turn: u64, before: &mut i32, number: i32) -> bool {
    std::mem::replace(before, number) == number || turn == 0
}

/// dup.
pub static DUP: Operation = Operation {
    id: "syscall.dup_close",
    title: "dup + close of a descriptor of /dev/null",
    one_iteration: "one dup, which must give the lowest free descriptor, and one close",
    sources: &[
        ("libMicro", "dup and close: a program for each, which times one of the calls, 256 at a time"),
        (
            "stress-ng",
            "--dup: nanoseconds per call of dup, dup2, dup3 and fcntl, each between two reads of the clock; close untimed",
        ),
        ("will-it-scale", "dup1"),
    ],
    evidence: &[
        "answers = 1: every dup gave the descriptor of the one before, so every close freed it",
        "calls: dup 1, close 1",
        "undisturbed loop",
    ],
    run: |bench| {
        let null = device(DEV_NULL, Access::Read)?;
        let mut before = 0;
        repeat(bench, |turn| {
            let copy = null.duplicate()?;
            let number = copy.number();
            close(copy).map(|()| is_the_same(turn, &mut before, number))
        })
    },
    ..SHORT_PAIR
};

/// memfd_create.
pub static MEMFD: Operation = Operation {
    id: "syscall.memfd_create_close",
    title: "memfd_create + close of an empty file in memory",
    one_iteration: "one memfd_create, which must give the lowest free descriptor, and one close, which frees the file",
    confounds: "The last reference frees the inode, in part after the close (delayed work, RCU).",
    sources: &[("stress-ng", "--memfd: nanoseconds per memfd_create alone")],
    evidence: &[
        "answers = 1: every file got the descriptor of the one before, so every close freed it",
        "calls: memfd_create 1, close 1",
        "undisturbed loop",
    ],
    run: |bench| {
        let mut before = 0;
        repeat(bench, |turn| {
            let number = memory_file::create_and_close()?;
            Ok(is_the_same(turn, &mut before, number))
        })
    },
    ..SHORT_PAIR
};

/// lseek.
pub static LSEEK: Operation = Operation {
    id: "syscall.lseek",
    title: "one lseek in a file in memory",
    one_iteration: "one lseek to another position, which it must return",
    confounds: "File systems may have a method of their own; directories do. The C library adds a few instructions.",
    sources: &[
        ("libMicro", "lseek"),
        ("will-it-scale", "lseek1, lseek2: always to the beginning"),
        (
            "stress-ng",
            "--seek: nanoseconds per lseek; one call of a thousand is timed, between reads and writes",
        ),
    ],
    evidence: &["answers = 1: the position was returned every time", "calls: lseek 1", "undisturbed loop"],
    run: |bench| {
        let file = memory_file::open("positions", &[0])?;
        repeat(bench, |turn| Ok(file.seek(turn as usize)? == turn as usize))
    },
    ..SHORT
};

/// writev.
pub static WRITEV: Operation = Operation {
    id: "syscall.writev.dev_null",
    title: "one writev of two parts of 1 byte to /dev/null",
    one_iteration: "one writev of two bytes in two parts, which must write both",
    sources: &[("libMicro", "writev: of ten parts of 1 KiB by default")],
    evidence: &["answers = 1: both bytes were written every time", "calls: writev 1", "undisturbed loop"],
    run: |bench| {
        let null = device(DEV_NULL, Access::Write)?;
        repeat(bench, |turn| Ok(null.write_parts([&[turn as u8], &[1]])? == 2))
    },
    ..SHORT
};

/// rt_sigprocmask.
pub static SIGPROCMASK: Operation = Operation {
    id: "syscall.sigprocmask",
    title: "one rt_sigprocmask that blocks or unblocks SIGUSR1",
    one_iteration: "one rt_sigprocmask that sets a mask, which must return the previous one",
    confounds: "No signal is pending. The C library adds a check of its own signals.",
    sources: &[("libMicro", "sigprocmask: alternating between two masks; siglongjmp restores a mask by it")],
    evidence: &[
        "answers = 1: the previous mask was returned every time, and the first one is restored after every batch",
        "calls: rt_sigprocmask 1",
        "undisturbed loop",
    ],
    run: |bench| {
        let first = signal::blocked()?;
        let masks = [first, first ^ signal::USER_SIGNAL];
        let mut now = 0;
        let exchange = |_| {
            let before = signal::exchange_mask(masks[1 - now])? == masks[now];
            now = 1 - now;
            Ok(before)
        };
        repeat_and_check(bench, exchange, || Ok(masks.contains(&signal::blocked()?)))
    },
    ..SHORT
};

/// getrandom.
pub static GETRANDOM: Operation = Operation {
    id: "syscall.getrandom",
    title: "one getrandom of 16 bytes",
    one_iteration: "one getrandom of 16 bytes, which must differ from the previous ones",
    confounds: "The C library may answer from the vDSO without a system call (glibc 2.41 on Linux 6.11), at a fraction of this cost.",
    sources: &[("stress-ng", "--getrandom: bits per second of calls of 8 KiB"), ("perf bench", "none")],
    evidence: &["answers = 1: the bytes differed every time", "calls: getrandom 1", "undisturbed loop"],
    run: |bench| {
        let mut last = random::words_from_kernel()?;
        repeat(bench, |_| {
            let words = random::words_from_kernel()?;
            Ok(std::mem::replace(&mut last, words) != words)
        })
    },
    ..SHORT
};
