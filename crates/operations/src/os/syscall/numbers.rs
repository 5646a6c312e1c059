//! Calls that take nothing and give a number: the floor, and what every report times as the null call.

use super::CARD;
use measure::{Bench, Failure, Operation};
use sys::process;

const SYSCALL: Operation = Operation {
    one_iteration: "one system call whose result is checked",
    confounds: "Which call is called null makes a difference of up to 70 %; mitigations against speculation are the \
                largest term on some processors and are named in the machine's description. A sandbox that \
                intercepts calls multiplies them.",
    ..CARD
};

/// A call that no kernel has.
pub static FLOOR: Operation = Operation {
    id: "syscall.floor",
    title: "enter and leave the kernel, nothing done",
    one_iteration: "one system call with a number that is not assigned; it must give ENOSYS",
    method: "The system-call instruction with the number 4095, in a loop; the kernel finds no handler and returns. \
             No handler is in the way, so every other call costs at least this.",
    sources: &[
        ("lmbench", "none: its null call is getppid"),
        ("perf bench", "none: its basic call is getppid"),
    ],
    predict: &["t0 floors(1)"],
    evidence: &[
        "answers = 1: the kernel answered ENOSYS every time",
        "linear",
        "calls: unknown 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &[
        "> 20 cycles × cycle_ns: the two instructions that change privilege take longer on every processor",
    ],
    run: |bench| bench.slope(&mut |n| Ok(process::repeat_unknown_call(n))),
    ..SYSCALL
};

/// The call that lmbench takes for the null call.
pub static GETPPID: Operation = Operation {
    id: "syscall.getppid",
    title: "getppid",
    method: "getppid by the system-call instruction, in a loop. No C library caches it.",
    sources: &[
        ("R0", "getppid through libc, one call timed alone"),
        ("R1", "getppid in a loop"),
        ("lmbench", "lat_syscall null"),
        ("perf bench", "syscall basic, through libc"),
    ],
    predict: &[
        "floors(1)",
        "software handler = 34 cycles (×1.5: read-side critical section, parent, its number in this namespace) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the kernel gave the parent's number every time",
        "linear",
        "calls: getppid 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    headline: &[("", "system call (getppid)")],
    run: |bench| {
        let parent = isize::try_from(std::os::unix::process::parent_id()).unwrap_or(-1);
        allowed("getppid", process::getppid())?;
        bench.slope(&mut |n| Ok(process::repeat_getppid(parent, n)))
    },
    ..SYSCALL
};

/// getpid, the kernel asked.
pub static GETPID_RAW: Operation = Operation {
    id: "syscall.getpid.raw",
    title: "getpid, the kernel asked",
    method: "getpid by the system-call instruction, in a loop.",
    sources: &[
        ("R3", "getpid through syscall()"),
        ("UnixBench", "syscall: getpid through syscall()"),
    ],
    predict: &[
        "floors(1)",
        "software handler = 26 cycles (×1.5: thread group's number in this namespace) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the kernel gave this process's number every time",
        "linear",
        "calls: getpid 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: |bench| {
        let own = isize::try_from(std::process::id()).unwrap_or(-1);
        allowed("getpid", process::getpid())?;
        bench.slope(&mut |n| Ok(process::repeat_getpid(own, n)))
    },
    ..SYSCALL
};

/// getpid, the C library asked.
pub static GETPID_LIBC: Operation = Operation {
    id: "syscall.getpid.libc",
    title: "getpid through the C library",
    method: "getpid of the C library, in a loop. Some libraries keep the number and never ask the kernel (glibc \
             before 2.25, macOS): then the rehearsal counts no call and the row is contradicted.",
    sources: &[
        ("R0", "getpid through libc: answered by libc (E01)"),
        ("R2", "getpid through libc: answered by libc (E01)"),
        ("R3", "getpid through libc"),
        ("R4", "getpid through libc"),
    ],
    predict: &[
        "floors(1)",
        "software handler = 26 cycles (×1.5: thread group's number in this namespace) × cycle_ns",
        "software C library = 5 cycles (×2: a call through the linkage table and a return) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: this process's number every time",
        "linear",
        "calls: getpid 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: |bench| {
        let own = isize::try_from(std::process::id()).unwrap_or(-1);
        allowed("getpid", process::getpid())?;
        repeat(bench, || process::getpid_through_libc() == own)
    },
    ..SYSCALL
};

/// gettid.
pub static GETTID: Operation = Operation {
    id: "syscall.gettid",
    title: "gettid",
    method: "gettid by the system-call instruction, in a loop: the cheapest call that does something.",
    sources: &[("stress-ng", "syscall: gettid among others")],
    predict: &[
        "floors(1)",
        "software handler = 24 cycles (×1.5: thread's number in this namespace) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the kernel gave this thread's number every time",
        "linear",
        "calls: gettid 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: |bench| {
        let own = process::gettid();
        allowed("gettid", process::gettid())?;
        bench.slope(&mut |n| Ok(process::repeat_gettid(own, n)))
    },
    ..SYSCALL
};

/// getuid.
pub static GETUID: Operation = Operation {
    id: "syscall.getuid",
    title: "getuid",
    method: "getuid by the system-call instruction, in a loop.",
    sources: &[("UnixBench", "syscall: getuid among five calls in turns")],
    predict: &[
        "floors(1)",
        "software handler = 20 cycles (×1.5: credentials, number of the user as this namespace sees it) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the kernel gave this user's number every time",
        "linear",
        "calls: getuid 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: |bench| {
        let own = process::getuid();
        allowed("getuid", process::getuid())?;
        bench.slope(&mut |n| Ok(process::repeat_getuid(own, n)))
    },
    ..SYSCALL
};

/// Whether the kernel answers the call at all: a denial is no answer that is wrong.
fn allowed(call: &'static str, result: isize) -> Result<(), Failure> {
    sys::Error::check(call, result)?;
    Ok(())
}

fn repeat(bench: &mut Bench<'_>, call: impl Fn() -> bool) -> Result<(), Failure> {
    bench.slope(&mut |n| Ok((0..n).map(|_| u64::from(call())).sum()))
}
