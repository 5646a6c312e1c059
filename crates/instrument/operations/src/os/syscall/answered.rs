//! A system call that another thread answers, as container runtimes let a supervisor answer those of a container.

use measure::{Actors, Operation, Rehearse, takes};
use workloads::os::notice::{Answered, call_answered};

/// A call answered by a supervisor.
pub static ANSWERED: Operation = Operation {
    id: "syscall.answered",
    title: "system call answered by another thread (seccomp user notification)",
    one_iteration: "one system call, whose answer must be the number after its argument, as the other thread gave it",
    method: "A filter on the calling thread (SECCOMP_RET_USER_NOTIF) makes it wait at one system call; the other thread receives the call \
             (SECCOMP_IOCTL_NOTIF_RECV) and answers it (SECCOMP_IOCTL_NOTIF_SEND). wake=synchronous: with \
             SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (Linux 6.6), by which the one that is woken runs on the CPU of the other.",
    confounds: "Most of the time is two hand-offs between threads. A supervisor that looks at the caller's memory or opens files for it \
                takes longer. The filter has four instructions; the other calls of the thread pass it as well.",
    sources: &[
        ("Linux selftests", "seccomp/seccomp_bpf.c: user notification, checked but not timed"),
        (
            "perf bench",
            "sched seccomp-notify: gettid of a child process, unpinned, with and without --sync-mode",
        ),
    ],
    actors: Actors::TwoThreads,
    rehearse: Rehearse::Nothing,
    parameters: takes::<Answered>,
    points: &["cpu=same|other wake=default|synchronous"],
    predict: &[
        "hand-offs between threads(2)",
        "software t1 two hand-offs = 2 × [switch.thread.futex {placement}]",
        "floors(3)",
        "software call queued, found and answered = 1200 cycles (×1.8: the filter run, a notice queued and copied, two mutexes and the \
         lock of a queue taken twice each: some 1 200 instructions) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: each call gave the number after its argument",
        "notices.answered = 1: the other thread answered every call",
    ],
    // The call, and the two of the thread that answers it.
    bounds: &["floors(3)"],
    spend_ns: 15_000_000,
    run: call_answered,
    ..super::super::COMMON
};
