//! The floor of a system call, and the calls that give a number of the process: the usual null calls.

use super::{CARD, Call, METHODS, Method, int80};
use measure::{Bench, Failure, Operation, Parameters, Point, Result, choice, parameters, takes};
use record::Need;
use sys::process;
use workloads::repeat::repeat;

const SYSCALL: Operation = Operation {
    one_iteration: "one system call whose result is checked",
    confounds: "Null calls differ by up to 70 %. Mitigations of speculation are the largest term on some processors and are \
                named in the machine's description. A sandbox that intercepts calls multiplies their cost.",
    ..CARD
};

/// A call that no kernel has.
pub static FLOOR: Operation = Operation {
    id: "syscall.floor",
    title: "one system call without a handler (ENOSYS)",
    one_iteration: "one system call with an unassigned number, which must give ENOSYS",
    method: "The system-call instruction with the number 4095, in a loop: kernel entry, dispatch and exit, the least cost of \
             any call.",
    sources: &[
        ("lmbench", "none: its null call is getppid"),
        ("perf bench", "none: its basic call is getppid"),
    ],
    predict: &["t0 floors(1)"],
    evidence: &["answers = 1: ENOSYS every time", "calls: unknown 1", "undisturbed loop"],
    bounds: &["> 20 cycles × cycle_ns: the two privilege changes take longer on every processor"],
    run: |bench| {
        if process::repeat_unknown_call(1) == 0 {
            return Err(Failure::skipped(
                "a call with an unassigned number does not give ENOSYS: a filter of system calls answers before the kernel",
                "measure syscall.getppid, or outside of the filter",
            ));
        }
        bench.slope(&mut |n| Ok(process::repeat_unknown_call(n)))
    },
    ..SYSCALL
};

/// A call without arguments, by the C library and by the system-call instruction.
const NUMBER: Operation = Operation {
    parameters: takes::<Call>,
    points: METHODS,
    method: "method=libc: the function of the C library in a loop; method=raw: the system-call instruction in a loop.",
    predict: &["floors(1)", "handler(1)", "method=libc: C library(1)"],
    ..SYSCALL
};

/// The call that lmbench takes for the null call.
pub static GETPPID: Operation = Operation {
    id: "syscall.getppid",
    title: "one getppid",
    method: "method=libc: getppid of the C library in a loop, which caches nothing; method=raw: the system-call \
             instruction in a loop; method=int80: int 0x80, the entry of 32-bit programs, which a child process tries first, \
             because a kernel without it sends SIGSEGV.",
    confounds: "Mitigations of speculation are the largest term on some processors and are named in the machine's \
                description. A sandbox that intercepts calls multiplies their cost. Hypervisors that run the guest kernel in \
                software may treat int 0x80 and syscall very differently.",
    sources: &[
        ("R0, 3.4", "getppid(), a clock read before and after each call"),
        ("R3, 3.4.1 and 3.4.2", "getpid and getcwd by int 0x80"),
        ("lmbench", "lat_syscall null"),
        ("perf bench", "syscall basic, through libc"),
        ("will-it-scale", "getppid1: of the C library"),
    ],
    points: &["method=libc|raw|int80"],
    parameters: takes::<NumberCall>,
    needs: needs_entry,
    predict: &[
        "method=libc: t0 floors(1)",
        "method=libc: t0 handler(1)",
        "method=libc: t0 C library(1)",
        "method=raw: floors(1)",
        "method=raw: handler(1)",
        "method=int80: call by int 0x80",
        "method=int80: hardware t1 the same call by syscall = [syscall.getppid method=raw]",
    ],
    evidence: &[
        "answers = 1: the parent's number every time",
        "linear",
        "method!=int80: calls: getppid 1",
        "method=int80: calls: getppid_32 1",
        "undisturbed",
        // Some hypervisors make int 0x80 so slow that the first touches of the worker's own lists count.
        "method!=int80: no new pages",
    ],
    headline: &[("method=libc", "system call (getppid)")],
    channels: &[("method=libc", "system call")],
    run: |bench| {
        // The kernel's own number: a library that answers for it must not say what is right.
        let parent = process::getppid();
        let method = match bench.parameters::<NumberCall>()?.method {
            NumberMethod::Int80 => return int80::getppid(bench, parent),
            NumberMethod::Libc => Method::Libc,
            NumberMethod::Raw => Method::Raw,
        };
        repeat_by(bench, method, ("getppid", parent), process::repeat_getppid, process::getppid_by_libc)
    },
    ..NUMBER
};

/// getpid.
pub static GETPID: Operation = Operation {
    id: "syscall.getpid",
    title: "one getpid",
    method: "method=libc: getpid of the C library in a loop; method=raw: the system-call instruction in a loop; method=int80: \
             int 0x80, as for syscall.getppid. Some libraries cache the number (glibc before 2.25, macOS): then the rehearsal counts no call and method=libc is \
             contradicted.",
    sources: &[
        (
            "R0, 3.4",
            "getpid(), called cached by the OS: 2 cycles more than the clock reads, probably answered by the C library \
             (E01)",
        ),
        ("R2, 3.4", "getpid(), 12 ns: probably answered by the C library (E01)"),
        ("R3, 3.4.1", "getpid by int 0x80 and by syscall, because the C library caches it"),
        ("R4, 4.3", "getpid through the C library"),
        (
            "UnixBench",
            "syscall getpid: through syscall(); without this word it is one of five calls of an iteration",
        ),
        ("libMicro", "getpid: of the C library"),
    ],
    points: &["method=libc|raw|int80"],
    parameters: takes::<NumberCall>,
    needs: needs_entry,
    predict: &[
        "method!=int80: floors(1)",
        "method!=int80: handler(1)",
        "method=libc: C library(1)",
        "method=int80: call by int 0x80",
        "method=int80: hardware t1 the same call by syscall = [syscall.getpid method=raw]",
    ],
    evidence: &[
        "answers = 1: this process's number every time",
        "linear",
        "method!=int80: calls: getpid 1",
        "method=int80: calls: getpid_32 1",
        "undisturbed",
        "method!=int80: no new pages",
    ],
    run: |bench| {
        let own = process::getpid();
        let method = match bench.parameters::<NumberCall>()?.method {
            NumberMethod::Int80 => return int80::getpid(bench, own),
            NumberMethod::Libc => Method::Libc,
            NumberMethod::Raw => Method::Raw,
        };
        repeat_by(bench, method, ("getpid", own), process::repeat_getpid, process::getpid_by_libc)
    },
    ..NUMBER
};

/// gettid.
pub static GETTID: Operation = Operation {
    id: "syscall.gettid",
    title: "one gettid",
    sources: &[(
        "stress-ng",
        "--syscall: gettid among others, each between two reads of the clock: mean, minimum and maximum",
    )],
    evidence: &["answers = 1: this thread's number every time", "calls: gettid 1", "undisturbed loop"],
    run: |bench| {
        let own = ("gettid", process::gettid());
        by_method(bench, own, process::repeat_gettid, process::gettid_by_libc)
    },
    ..NUMBER
};

/// getuid.
pub static GETUID: Operation = Operation {
    id: "syscall.getuid",
    title: "one getuid",
    sources: &[(
        "UnixBench",
        "syscall: one of the five calls of an iteration, with dup, close, getpid and umask",
    )],
    evidence: &["answers = 1: this user's number every time", "calls: getuid 1", "undisturbed loop"],
    run: |bench| {
        let own = ("getuid", process::getuid());
        by_method(bench, own, process::repeat_getuid, process::getuid_by_libc)
    },
    ..NUMBER
};

choice! {
    /// Who makes the call for a number of the process.
    enum NumberMethod {
        /// The function of the C library.
        Libc = "libc",
        /// The system-call instruction.
        Raw = "raw",
        /// The entry of 32-bit programs.
        Int80 = "int80",
    }
}

parameters! {
    /// A call for a number of the process.
    struct NumberCall {
        /// Who makes it.
        method: NumberMethod,
    }
}

/// Only x86 has a second entry.
fn needs_entry(point: &Point) -> Vec<Need> {
    match NumberCall::read(point) {
        Ok(NumberCall { method: NumberMethod::Int80 }) => measure::on_x86_64(point),
        _ => Vec::new(),
    }
}

/// Times a call by the method of the point.
fn by_method(
    bench: &mut Bench<'_>,
    expected: (&'static str, isize),
    raw: impl Fn(isize, u64) -> u64,
    by_libc: impl Fn() -> isize,
) -> Result<()> {
    repeat_by(bench, bench.parameters::<Call>()?.method, expected, raw, by_libc)
}

/// Times a call that must give what the kernel gave. Fails as denied where the call is denied, instead of counting wrong
/// answers.
fn repeat_by(
    bench: &mut Bench<'_>,
    method: Method,
    (call, expected): (&'static str, isize),
    raw: impl Fn(isize, u64) -> u64,
    by_libc: impl Fn() -> isize,
) -> Result<()> {
    sys::Error::check(call, expected)?;
    match method {
        Method::Raw => bench.slope(&mut |n| Ok(raw(expected, n))),
        Method::Libc => repeat(bench, |_| Ok(by_libc() == expected)),
    }
}
