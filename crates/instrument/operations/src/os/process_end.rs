//! Phases of process exit: exit or SIGKILL until wait returns, and wait for a zombie.

use super::process_create::CREATE;
use measure::Operation;
use workloads::os::child_lifetimes::{KillPhase, kill, wait_for_zombies};
use workloads::os::timestamps::forks;

const END: Operation =
    Operation { bounds: &["> 0.5 × [syscall.floor]: the parent returns from the kernel"], ..CREATE };

/// From the child's last instruction until the parent's wait returns.
pub static EXIT_WAIT: Operation = Operation {
    id: "process.end.exit_wait",
    title: "exit of a child until wait returns",
    one_iteration: "one small child, from just before its exit until the parent's wait returns",
    method: "The child writes a clock read to a shared page and exits, by the system-call instruction; the parent, which waits \
             on the same CPU, reads the clock when wait returns.",
    confounds: "A timestamp in the child's private memory never reaches the parent: the difference is then the uptime (E36).",
    sources: &[
        ("R4, 4.3", "exit, 1.94e16 cycles (99 days): probably the timestamp was lost with the child (E36)"),
        ("lmbench", "none: lat_proc fork is fork + exit + wait"),
        ("libMicro", "exit: 10 to 1000 children that wait at a barrier exit, and all are waited for"),
    ],
    predict: &[
        "entries(2)",
        "t1 floors(1)",
        "software end of the process, hand-off, wait = kernel({counted[process.end.exit_wait] - counted[syscall.floor]})",
    ],
    evidence: &[
        "answers = 1: the child's timestamp was there before wait returned, and it exited with the right status",
        "forked child",
    ],
    // The first timestamp faults the page in; the second is the child's last action.
    run: |bench| forks(bench, 2, || (), |timestamps| timestamps.after - timestamps.child),
    ..END
};

/// wait for a zombie.
pub static WAIT: Operation = Operation {
    id: "process.end.wait",
    title: "one wait for a zombie",
    one_iteration: "one wait4 for an exited child, which must give its pid and its status",
    method: "A child exits; waitid with WNOWAIT waits for that without reaping it; only the following wait4 is timed.",
    confounds: "The exit frees the child's memory: the wait frees its pid and task only.",
    sources: &[("stress-ng", "none: --zombie counts zombies and times nothing")],
    predict: &[
        "entries(1)",
        "software t0 release of the task = 6000 cycles (×3: release_task and what its lists touch: some 2000 instructions) \
         × cycle_ns",
        "t1 floors(1)",
        "software t1 lookup of the child, sum of its usage, release of the task = \
         cold_path({counted[process.end.wait] - counted[syscall.floor]}) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: wait gave the pid and the status of the exited child",
        "pages of the child",
        "calls: clone 1, waitid 1, wait4 1, exit_group 1",
        "undisturbed",
    ],
    run: wait_for_zombies,
    ..END
};

/// The call alone.
pub static KILL: Operation = Operation {
    id: "process.end.kill",
    title: "SIGKILL to a child, the call alone",
    one_iteration: "one kill(SIGKILL) of a child that waits for input, until the call returns",
    method: "As process.end.kill_wait, with the clock read when kill returns. The wait, which must report death by this signal, is \
             not timed.",
    confounds: "On one CPU the woken child may preempt the parent within the call: then its death is in the value.",
    sources: &[("R4, 4.3", "the call kill, beside exit: probably with SIGKILL")],
    predict: &[
        "entries(1)",
        "t1 floors(1)",
        "software signal queued, sleeper woken = path(1100, 8) (×2: permission, lookup and queue of the signal (500), all threads of \
         the group marked (100), wake-up of one (500)) × cycle_ns",
    ],
    run: |bench| kill(bench, KillPhase::Call),
    ..KILLED
};

/// From the signal until the parent's wait returns.
pub static KILL_WAIT: Operation = KILLED;

const KILLED: Operation = Operation {
    id: "process.end.kill_wait",
    title: "SIGKILL to a child until wait returns",
    one_iteration: "one small child that waits for input, from just before kill(SIGKILL) until the parent's wait returns",
    method: "A forked child reports over a pipe that it runs, and reads from a second one that stays empty. The parent, on \
             the same CPU, reads the clock, sends SIGKILL and waits, by the system-call instruction; wait must report death \
             by this signal. Creation is not timed.",
    confounds: "The child has woken the parent and may not sleep yet: then it dies before its read. A child with more memory takes \
                longer to release, as with exit.",
    sources: &[(
        "R4, 4.3",
        "the call kill, probably with SIGKILL: a tiny fraction of its figure for exit (E36)",
    )],
    predict: &[
        "entries(2)",
        "software t0 release of a small process, switch, wait = 60000 cycles (×2.5: a third of fork, exit and wait: 13 to \
         33 µs on servers of 2015 to 2024 (lmbench, osbench)) × cycle_ns",
        "t1 floors(1)",
        "software t1 the same by exit = [process.end.exit_wait]",
        "software signal queued, sleeper woken, signal taken = path(1800, 12) (×1.8: permission, queue and wake-up (700), the \
         read interrupted (400), the signal dequeued and the group ended (700)) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: wait reported the child's death by SIGKILL",
        "pages of the child",
        "calls.kill = 1: one signal was sent",
        "undisturbed",
    ],
    run: |bench| kill(bench, KillPhase::UntilReaped),
    ..END
};
