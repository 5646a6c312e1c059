//! Context switches between processes: round trips minus the same system calls by one task.

use measure::{Actors, How, Operation};
use workloads::exchange::{
    self, event_counters, full_pipes, futexes, pipes, posix_semaphores, unix_streams, yields,
};

const SWITCH: Operation = Operation {
    one_iteration: "one switch: half a round trip minus its system calls",
    confounds: "With cpu=other it is the wake-up of another CPU, not a switch (E38). The divisor is the counted number of switches \
                (E53): a wake-up of a peer that is awake makes none (E54).",
    actors: Actors::TwoProcesses,
    how: How::SlopeLessControl { per: "switches" },
    points: crate::placements::PLACEMENTS,
    predict: &[
        "hand-offs between processes(1)",
        "software t1 a hand-off = [switch.process.eventfd {placement}]",
    ],
    evidence: &["exchange of processes(1.95, 2.2)", "calls of both sides: write 2, read 2"],
    bounds: &["switch bound"],
    spend_ns: 20_000_000,
    revision: 2,
    ..super::COMMON
};

/// A switch between processes over pipes.
pub static PIPE: Operation = Operation {
    id: "switch.process.pipe",
    revision: 3,
    title: "context switch to another process, by a pipe",
    method: "Round trips of one byte between two processes over two pipes, alternating with the same four system calls by one \
             task on a pipe of its own. The difference divided by the counted switches of both processes is the cost of \
             one: block, schedule, switch the address space, wake.",
    sources: &[
        (
            "R0, 3.6.1",
            "clock read, probably after the fork, and wait; the first clock read of a newly forked child (E39)",
        ),
        ("R1, 3 Fig 7", "two pipes: one process reads from an empty one, the other writes into a full one"),
        (
            "R2, 3.6",
            "reads and writes over two pipes, divided by the switches; pinning is not mentioned (E38)",
        ),
        (
            "R3, 3.6.1",
            "clock read, write to a pipe, wait; a newly forked child reads the pipe, then the clock (E39)",
        ),
        (
            "R4, 4.5",
            "from right after the write to a pipe until just before the other process reads it (E39)",
        ),
        ("lmbench", "lat_ctx: a ring of pipes, divided by the assumed number of switches"),
        (
            "stress-ng",
            "--switch: nanoseconds per context switch, assumed and not counted; also by queues and semaphores",
        ),
    ],
    headline: &[
        ("cpu=same", "process switch, same CPU"),
        ("cpu=other", "hand-off, other CPU"),
        ("cpu=other idle=busy", "hand-off, awake CPU"),
    ],
    run: |bench| exchange::processes(bench, pipes),
    ..SWITCH
};

/// A switch between processes over pipes that are full or empty.
pub static FULL_PIPE: Operation = Operation {
    id: "switch.process.pipe_full",
    revision: 1,
    title: "context switch to another process, by a full or an empty pipe",
    one_iteration: "one switch: a round trip of two pages each way minus its system calls, divided by its switches",
    method: "Round trips of 8 KiB between two processes over two pipes of one page (F_SETPIPE_SZ): the writer blocks on a full pipe \
             after the first page, the reader on an empty pipe after each. The control writes and reads the same bytes by as many \
             calls, on a pipe of its own that is larger. The difference is divided by the counted switches of both processes.",
    confounds: "The data are copied in two pages by the exchange, and in one write by the control. A switch follows the copy of a \
                page, which evicts data from L1.",
    sources: &[(
        "R1, 3 Fig 7",
        "two blocking pipes: one process reads from an empty one, the other writes into a full one",
    )],
    points: &["cpu=same"],
    // Each side blocks once to write and twice to read; a wake-up that preempts saves or adds one.
    evidence: &["exchange of processes(3.9, 9)", "calls of both sides: write 2, read 4"],
    run: |bench| exchange::processes(bench, full_pipes),
    ..SWITCH
};

/// A switch between processes over event counters.
pub static EVENTFD: Operation = Operation {
    id: "switch.process.eventfd",
    title: "context switch to another process, by eventfd",
    method: "As switch.process.pipe, over two eventfds.",
    sources: &[("libuv, tokio", "wake their event loops by it")],
    predict: &[
        "hand-offs between processes(1)",
        // The wake-up of another CPU is measured here: others are predicted from it.
        "cpu=same: hardware t1 change of address space = tables × cycle_ns",
        "cpu=same: software t1 a hand-off = [switch.thread.futex cpu=same]",
    ],
    run: |bench| exchange::processes(bench, event_counters),
    ..SWITCH
};

/// A switch between processes over Unix sockets.
pub static UNIX: Operation = Operation {
    id: "switch.process.unix",
    title: "context switch to another process, by a Unix stream socket",
    method: "As switch.process.pipe, over a Unix stream socket pair.",
    sources: &[("lmbench", "lat_unix: the round trip, unpinned")],
    confounds: "A read releases the sender's buffer and wakes the sender, which waits for the answer and sleeps again: up to four \
                switches per round trip (E53). With cpu=other it is the wake-up of another CPU (E38).",
    evidence: &["exchange of processes(1.6, 4.2)", "calls of both sides: write 2, read 2"],
    run: |bench| exchange::processes(bench, unix_streams),
    ..SWITCH
};

/// A switch between processes over a word in shared memory.
pub static FUTEX: Operation = Operation {
    id: "switch.process.futex",
    title: "context switch to another process, by a shared futex",
    method: "As switch.thread.futex, between two processes: the kernel finds the futex by its shared page instead of its \
             address.",
    sources: &[("perf bench", "futex wake --shared: sleeping threads woken one by one")],
    evidence: &["exchange of processes(1.95, 2.2)", "calls of both sides: futex 1.8..4.5"],
    run: |bench| exchange::processes(bench, futexes),
    ..SWITCH
};

/// A switch between processes over semaphores of the C library.
pub static SEMAPHORE: Operation = Operation {
    id: "switch.process.semaphore",
    title: "context switch to another process, by a POSIX semaphore",
    method: "As switch.process.pipe, over two POSIX semaphores of the C library in a shared page. The control posts and waits \
             without contention, and makes the two futex calls that a waiter adds, without effect.",
    sources: &[
        ("lmbench", "lat_sem: System V semaphores, half of the round trip"),
        ("stress-ng", "--sem: threads that take and give back one semaphore and yield, calls per second"),
    ],
    evidence: &["exchange of processes(1.95, 2.2)", "calls of both sides: futex 1.8..4.5"],
    run: |bench| exchange::processes(bench, posix_semaphores),
    ..SWITCH
};

/// A switch between two processes that never sleep.
pub static YIELD: Operation = Operation {
    id: "switch.process.yield",
    revision: 1,
    title: "context switch to a runnable process, by sched_yield",
    one_iteration: "one switch to a runnable process, minus a sched_yield with an empty run queue",
    method: "Two processes on one CPU alternately change a shared word and yield until the other has changed its own. The \
             control yields as often while the other process sleeps. The difference is divided by the counted switches: a \
             switch without sleep and wake-up.",
    confounds: "Since Linux 6.6 a yield only postpones the task's deadline: where it does not switch to the other process, more \
                yields than switches are counted, and their cost is in the result. Tasks that yield on two CPUs never \
                switch (E53).",
    sources: &[
        ("stress-ng", "--yield: nanoseconds per call, switched or not, by two processes for each CPU"),
        ("UnixBench", "none: its context1 is a pipe"),
    ],
    points: &["cpu=same"],
    predict: &[
        "hardware change of address space = tables × cycle_ns",
        "software switch = bare_switch × cycle_ns",
    ],
    evidence: &["exchange of processes(1.9, 4.0)", "calls of both sides: sched_yield 1.8..60"],
    run: |bench| exchange::processes(bench, yields),
    ..SWITCH
};
