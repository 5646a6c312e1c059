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
        ("Linux selftests", "seccomp/seccomp_bpf.c: user notification"),
        ("perf bench", "sched seccomp-notify: with and without --sync-mode"),
    ],
    actors: Actors::TwoThreads,
    rehearse: Rehearse::Nothing,
    parameters: takes::<Answered>,
    points: &["cpu=same|other wake=default|synchronous"],
    predict: &[
        "cpu=same: software t0 two hand-offs = 2 × 2500 cycles (×1.8: two hand-offs by a wait queue on one CPU: 0.55 µs \
         each on a Zen 5 at 4.5 GHz) × cycle_ns",
        "cpu!=same: software t0 two hand-offs = 60000 ns (×2: two wake-ups of a halted virtual CPU, 30 µs each; 3 µs on \
         bare metal)",
        "software t1 two hand-offs = 2 × [switch.thread.futex {placement}]",
        "hardware t0 three entries of the kernel = 3 × (entry + dispatch) × cycle_ns",
        "hardware t1 three entries of the kernel = 3 × [syscall.floor]",
        "software call queued, found and answered = 1200 cycles (×1.8: the filter run, a notice queued and copied, two mutexes and the \
         lock of a queue taken twice each: some 1 200 instructions) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: each call gave the number after its argument",
        "notices.answered = 1: the other thread answered every call",
    ],
    bounds: &["> 3 × [syscall.floor]: the call, and the two of the thread that answers it"],
    spend_ns: 15_000_000,
    run: call_answered,
    ..super::super::COMMON
};
