//! Handing the CPU from one process to another: ping-pongs less the same system calls without a switch.

use crate::exchange::{self, EventCounters, Futexes, Pipes, PosixSemaphores, UnixStreams, Yields};
use measure::{Actors, Area, How, Operation, Point};

const SWITCH: Operation = Operation {
    area: Area::Os,
    one_iteration: "one hand-off of the CPU: half of a round trip, less the system calls that made it",
    confounds: "With cpu=other it is not a switch but the wake-up of another CPU (E38). The division is by what was \
                counted (E53): a wake-up that finds its peer awake makes no switch (E54).",
    actors: Actors::TwoProcesses,
    how: How::SlopeLessControl { per: "switches" },
    points: |_| Point::placements(),
    predict: &[
        "hand-offs between processes(1)",
        "software t1 a hand-off = [switch.process.eventfd cpu={cpu}]",
    ],
    bounds: &["least of a switch"],
    spend_ns: 20_000_000,
    revision: 2,
    ..Operation::NEW
};

/// A switch between processes over pipes.
pub static PIPE: Operation = Operation {
    id: "switch.process.pipe",
    revision: 3,
    title: "switch to another process",
    method: "Round trips of one byte between two processes over two pipes, in turns with the same four system calls \
             made by one task on a pipe of its own. The difference, divided by the switches that the kernel counted \
             for both processes, is the cost of one: block, choose, change address space, wake.",
    sources: &[
        ("R0", "fork, wait, stamp: a new process each time (E39)"),
        ("R1", "semaphores that do not exist on that system (E02)"),
        ("R2", "half a round trip over pipes, unpinned (E38)"),
        ("R3", "fork, wait, stamp (E39)"),
        ("R4", "one-way stamp over a pipe: no switch in the interval (E39)"),
        (
            "lmbench",
            "lat_ctx: a ring of pipes, divided by the assumed number of switches",
        ),
    ],
    evidence: &[
        "every word came back",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: write 2, read 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    headline: &[
        ("cpu=same", "process switch, same CPU"),
        ("cpu=other", "process switch, other CPU"),
    ],
    run: exchange::processes::<Pipes>,
    ..SWITCH
};

/// A switch between processes over event counters.
pub static EVENTFD: Operation = Operation {
    id: "switch.process.eventfd",
    title: "switch to another process, by eventfd",
    method: "Two processes add to an event counter and take what the other has added to a second one; in turns with \
             them one task adds to a counter of its own and takes that. The difference is divided by counted switches.",
    sources: &[(
        "libuv, tokio",
        "wake their event loops like this; they do not measure it",
    )],
    predict: &[
        "hand-offs between processes(1)",
        "hardware t1 change of address space = tables × cycle_ns",
        "software t1 a hand-off = [switch.thread.futex cpu={cpu}]",
    ],
    evidence: &[
        "every word came back",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: write 2, read 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    run: exchange::processes::<EventCounters>,
    ..SWITCH
};

/// A switch between processes over Unix sockets.
pub static UNIX: Operation = Operation {
    id: "switch.process.unix",
    title: "switch to another process, by a Unix socket",
    method: "Round trips of one byte between two processes over two connected Unix stream sockets, in turns with the \
             same four calls by one task on a pair of its own. The difference is divided by counted switches.",
    sources: &[("lmbench", "lat_unix: the round trip, unpinned")],
    confounds: "When a message is taken, its buffer is given back to the sender, which waits for the answer on the \
                same queue and is woken for nothing: up to four switches are counted per round trip (E53). With \
                cpu=other it is the wake-up of another CPU (E38).",
    evidence: &[
        "every word came back",
        "switches of both sides(1.6, 4.2)",
        "calls of both sides: write 2, read 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    run: exchange::processes::<UnixStreams>,
    ..SWITCH
};

/// A switch between processes over a word in shared memory.
pub static FUTEX: Operation = Operation {
    id: "switch.process.futex",
    title: "switch to another process, by a shared futex",
    method: "As switch.thread.futex, between two processes: the word lies in a shared page, and the kernel finds it \
             by that page and not by its address. The control makes the same calls with nobody to wake.",
    sources: &[("perf bench", "futex wake, with --shared: wakes many at once")],
    evidence: &[
        "every word came back",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: futex 1.8..4.5",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    run: exchange::processes::<Futexes>,
    ..SWITCH
};

/// A switch between processes over semaphores of the C library.
pub static SEMAPHORE: Operation = Operation {
    id: "switch.process.semaphore",
    title: "switch to another process, by a POSIX semaphore",
    method: "Two processes post and take POSIX semaphores of the C library in a shared page. The control posts and \
             takes one that nobody waits for, and makes the two futex calls that a waiter adds, without effect.",
    sources: &[
        ("R1", "sem_init failed: the error path was timed (E02)"),
        ("lmbench", "lat_sem: System V semaphores, the round trip"),
        ("stress-ng", "--sem: operations per second by many workers"),
    ],
    evidence: &[
        "every word came back",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: futex 1.8..4.5",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    run: exchange::processes::<PosixSemaphores>,
    ..SWITCH
};

/// A switch between two processes that never sleep.
pub static YIELD: Operation = Operation {
    id: "switch.process.yield",
    revision: 1,
    title: "switch to another process that is ready to run",
    one_iteration: "one switch to a process that waits for this CPU, less a yield that finds nobody",
    method: "Two processes on one CPU change a shared word in turns and yield until the other has changed its own. In \
             turns with them one task yields as often while the other process sleeps. The difference is divided by the \
             switches that the kernel counted: a switch without sleep and wake-up.",
    confounds: "Since Linux 6.6 a yield only moves the task behind in time, and others that wait decide who is next: \
                where a yield does not lead to the other process, more yields and fewer switches are counted, and the \
                cost of these yields is in the result. Yielding tasks on two CPUs make no switch at all (E53).",
    sources: &[
        ("stress-ng", "--yield: calls per second, switched or not"),
        ("UnixBench", "none: its context1 is a pipe"),
    ],
    points: |_| Point::all("cpu=same"),
    predict: &[
        "hardware change of address space = tables × cycle_ns",
        "software switch = bare_switch × cycle_ns",
    ],
    evidence: &[
        "every word came back",
        "switches of both sides(1.9, 4.0)",
        "calls of both sides: sched_yield 1.8..60",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    run: exchange::processes::<Yields>,
    ..SWITCH
};
