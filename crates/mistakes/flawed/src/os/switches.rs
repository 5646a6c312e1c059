//! Context switches and wake-ups by intervals that contain something else.

use super::switch_timestamps;
use crate::method::FlawedMethod;
use measure::{Actors, How, Operation, Rehearse};
use operations::bases::{OS, RING, RING_SWITCH, WAKE_UP};
use record::Gate;
use sys::system_v::{NO_SEMAPHORE, wait_on_missing};
use workloads::exchange::{self, conditions};
use workloads::os::sleepers::wake_ups;
use workloads::os::timestamps::{newborn_threads, newborn_waits_for_condition};
use workloads::os::token_ring;
use workloads::repeat::repeat;

const SWITCH: Operation = Operation { actors: Actors::TwoProcesses, ..OS };

/// The right method of those between processes.
const RIGHT_BETWEEN_PROCESSES: (&str, &str) = ("switch.process.pipe", "cpu=same");

/// The switch of R2, 3.6.
pub static UNPINNED: FlawedMethod = FlawedMethod {
    wrong: "half of it is system calls, and where the scheduler places the two on two CPUs it is the wake-up of a CPU, no switch (E38)",
    right: RIGHT_BETWEEN_PROCESSES,
    card: Operation {
        id: "switch.process.unpinned",
        title: "half a round trip over pipes, unpinned",
        one_iteration: "half a round trip of one byte between two unpinned processes",
        method: "Round trips over two pipes as in ipc.pipe.round_trip, neither process pinned; the time is halved.",
        confounds: "The placement by the scheduler decides whether it is a switch or the wake-up of another CPU. The system calls are \
                    included.",
        sources: &[
            ("R2, 3.6", "reads and writes over two pipes, divided by two switches; pinning is not mentioned"),
            ("lmbench", "lat_pipe, unpinned, whole"),
        ],
        gate: Gate { cpu_share: None, involuntary: false, shared_core: None },
        evidence: &["answers = 1: every byte came back"],
        run: switch_timestamps::round_trips_unpinned,
        ..SWITCH
    },
};

/// One way over a pipe, its calls included.
pub static ONE_WAY: FlawedMethod = FlawedMethod {
    wrong: "the interval contains a write and the end of a read, and no count shows a switch (E39)",
    right: RIGHT_BETWEEN_PROCESSES,
    card: Operation {
        id: "switch.process.one_way",
        title: "one way over a pipe: from before a write until another process has read",
        one_iteration: "one byte to another process, which reads the clock after its read",
        method: "One process reads the clock and writes a byte to a pipe; the other, on the same CPU, reads the byte and then the \
                 clock. The difference is called a switch.",
        confounds: "A write and half a read are included; the writer may continue before it is switched out.",
        sources: &[("R3, 3.6.1", "the same interval, with a newly forked child each time")],
        how: How::Values,
        rehearse: Rehearse::Nothing,
        points: &["cpu=same"],
        evidence: &["answers = 1: the partner answered with a timestamp every time", "placed"],
        run: switch_timestamps::one_way,
        ..SWITCH
    },
};

/// The switch of R0, 3.6.1.
pub static FORK_WAIT_STAMP: FlawedMethod = FlawedMethod {
    wrong: "the interval contains the first page faults of a new process and the start of a wait (E39)",
    right: RIGHT_BETWEEN_PROCESSES,
    card: Operation {
        id: "switch.process.fork_wait_timestamp",
        title: "fork, from before wait until the child runs",
        one_iteration: "one fork: from the parent's clock read before wait to the child's first clock read",
        method: "A process forks and reads the clock before it waits; the child, on the same CPU, reads the clock first. The \
                 difference is called a switch.",
        confounds: "A new process begins with page faults. Where the child runs before the parent continues, the difference is \
                    negative.",
        sources: &[(
            "R0, 3.6.1",
            "clock read, probably after the fork, and wait; the first clock read of a newly forked child",
        )],
        run: switch_timestamps::fork_until_child_runs,
        ..TO_A_NEWBORN
    },
};

const TO_A_NEWBORN: Operation = Operation {
    actors: Actors::Children,
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: &["cpu=same"],
    predict: &[
        "hardware t0 change of address space = tables × cycle_ns",
        "wake-ups(1)",
        "software t0 first faults of a new process = {10 * 2500} cycles (×2.5: the code page and some ten copies on write in parent and \
         child; 2500 cycles each) × cycle_ns",
        "software t1 from fork's return until the child runs = [process.create.fork.run cpu=same] − \
         [process.create.fork.parent resident=0B]",
    ],
    evidence: &[
        "answers = 1: every child left a timestamp and exited",
        "switches 1..10000 (if consistent): the parent blocked",
    ],
    ..SWITCH
};

/// The switch of R3, 3.6.1.
pub static FORK_PIPE_STAMP: FlawedMethod = FlawedMethod {
    wrong: "the interval contains a write, a read, the first page faults of a new process and the start of a wait (E39)",
    right: RIGHT_BETWEEN_PROCESSES,
    card: Operation {
        id: "switch.process.fork_pipe_timestamp",
        title: "fork, from before a write to a pipe and wait until the child has read it",
        one_iteration: "one fork: from the parent's clock read before its write to the child's clock read after its read",
        method: "A process makes a pipe, forks, reads the clock, writes a byte to the pipe and waits; the child, on the same CPU, \
                 reads the pipe and then the clock. The difference is called a switch.",
        confounds: "A new process begins with page faults. Where the child runs before the parent continues, it blocks in its read, \
                    and the write wakes it.",
        sources: &[(
            "R3, 3.6.1",
            "clock read, write to a pipe, wait; a newly forked child reads the pipe, then the clock",
        )],
        run: switch_timestamps::write_until_newborn_reads,
        ..TO_A_NEWBORN
    },
};

/// The switch of R4, 4.5, with a new child, which is not said there.
pub static WRITTEN_STAMP: FlawedMethod = FlawedMethod {
    wrong: "the interval contains the first page faults of a new process and the start of a wait; nothing orders its ends (E39)",
    right: RIGHT_BETWEEN_PROCESSES,
    card: Operation {
        id: "switch.process.write_to_read",
        title: "fork, from right after a write to a pipe until just before the child reads it",
        one_iteration: "one fork: from the parent's clock read after its write to the child's clock read before its read",
        method: "A process makes a pipe, forks, writes a byte to the pipe, reads the clock and waits; the child, on the same CPU, \
                 reads the clock and then the pipe. The difference is called a switch.",
        confounds: FORK_WAIT_STAMP.card.confounds,
        sources: &[(
            "R4, 4.5",
            "from right after the write in the parent until just before the child reads; whether it was just forked is not said",
        )],
        run: switch_timestamps::written_until_newborn_would_read,
        ..TO_A_NEWBORN
    },
};

/// The switch between threads of R2, 3.6.
pub static THREADS_UNPINNED: FlawedMethod = FlawedMethod {
    wrong: "half of it is system calls, and where the scheduler places the two on two CPUs it is the wake-up of a CPU, no switch (E38)",
    right: ("switch.thread.pipe", "cpu=same"),
    card: Operation {
        id: "switch.thread.unpinned",
        title: "half a round trip over pipes between threads, unpinned",
        one_iteration: "half a round trip of one byte between two unpinned threads",
        method: "Round trips over two pipes between two threads of a process, neither pinned; the time is halved.",
        confounds: UNPINNED.card.confounds,
        sources: &[(
            "R2, 3.6",
            "threads over two pipes as its processes, divided by two switches; pinning is not mentioned",
        )],
        actors: Actors::TwoThreads,
        gate: Gate { cpu_share: None, involuntary: false, shared_core: None },
        evidence: &["answers = 1: every byte came back"],
        run: switch_timestamps::thread_round_trips_unpinned,
        ..SWITCH
    },
};

/// The switch between threads of R3, 3.6.1.
pub static NEWBORN_WAITS: FlawedMethod = FlawedMethod {
    wrong: "the interval contains a signal, the start of a join, the first faults of a new thread and a mutex (E39)",
    right: ("switch.thread.condition", "cpu=same"),
    card: Operation {
        id: "switch.thread.condition.newborn",
        title: "condition signalled to a thread that has just been created",
        one_iteration: "one thread: from before its creator signals a condition until the thread has left pthread_cond_wait",
        method: "A thread creates another one, reads the clock, sets a word and signals a condition under its mutex, and joins; the \
                 new thread, on the same CPU, waits for the condition and reads the clock. The difference, one way, is called a \
                 switch.",
        confounds: "Where the new thread has not run before the signal, it finds the word set and does not wait.",
        sources: &[(
            "R3, 3.6.1",
            "probably one way and with a new thread, as its process switch, with pthread_cond_wait instead of the pipe (E39)",
        )],
        evidence: &[
            "answers = 1: the thread's timestamp lies between the signal and the join",
            "switches 0.9..6 (if consistent): the creator slept until the thread exited",
            "a thread",
        ],
        run: newborn_waits_for_condition,
        ..NEWBORN_THREAD
    },
};

/// Probably the switch of R1, 3 Fig 6.
pub static FAILED_SEMAPHORE: FlawedMethod = FlawedMethod {
    wrong: "the calls fail and the error path is timed: no switch happens (E02)",
    right: ("switch.thread.semaphore", "cpu=same"),
    card: Operation {
        id: "switch.thread.failed_semaphore",
        title: "semop on a semaphore that does not exist (EINVAL)",
        one_iteration: "one semop that must give EINVAL",
        method: "semop on a semaphore that was never created, in a loop. Without checks, programs on a system without unnamed \
                 semaphores time this and call it a switch.",
        confounds: "It is the error path of a system call: no wait and no wake-up.",
        sources: &[("R1, 3 Fig 6", "sem_wait and sem_post on OS X: probably sem_init failed, unchecked")],
        actors: Actors::One,
        evidence: &[
            "answers = 1: EINVAL every time",
            "calls: semop 1",
            "switches.voluntary 0..0.001: the thread never blocked",
        ],
        run: |bench| repeat(bench, |_| Ok(wait_on_missing() == NO_SEMAPHORE)),
        ..SWITCH
    },
};

/// Divides by an assumed number of switches.
pub static ASSUMED: FlawedMethod = FlawedMethod {
    wrong: "the divisor is an assumed number of switches; the kernel may count twice as many (E53)",
    right: ("switch.thread.condition", "cpu=same"),
    card: Operation {
        id: "switch.thread.condition.assumed",
        title: "context switch by mutex and condition variable, two assumed per round trip",
        one_iteration: "half a round trip minus its system calls, taken for one switch",
        method: "As switch.thread.condition, divided by two, the assumed number of switches per round trip.",
        confounds: "A woken thread that finds the mutex locked sleeps again: up to four switches happen.",
        sources: &[("lmbench", "lat_ctx divides by the processes in its ring")],
        actors: Actors::TwoThreads,
        how: How::SlopeLessControl { per: "switches.assumed" },
        points: &["cpu=same"],
        evidence: &["exchange of threads(1.95, 4.5)", "calls of both sides: futex 1.8..12.5"],
        run: |bench| {
            exchange::threads(bench, conditions)?;
            bench.count("switches.assumed", 2.0, 1.0);
            Ok(())
        },
        spend_ns: 20_000_000,
        ..SWITCH
    },
};

/// The switch between threads of R0, 3.6.2.
pub static NEWBORN: FlawedMethod = FlawedMethod {
    wrong: "the interval contains an unlock, the start of a join, the first faults of a new thread and a lock (E39)",
    right: ("switch.thread.mutex", "cpu=same"),
    card: Operation {
        id: "switch.thread.newborn",
        title: "mutex handed to a thread that has just been created",
        one_iteration: "one thread: from before its creator unlocks a mutex until the thread has locked it",
        method: "A thread locks a mutex, creates another thread, reads the clock, unlocks and joins; the new thread, on the same \
                 CPU, locks the mutex and reads the clock. The difference is called a switch.",
        confounds: "The new thread may have run already and wait for the mutex; child.first counts threads whose timestamp is before the \
                    unlock, which is impossible.",
        sources: &[(
            "R0, 3.6.2",
            "a mutex handed to a new thread, once per thread; unlock and lock included, it says",
        )],
        evidence: &[
            "answers = 1: the thread's timestamp lies between the unlock and the join",
            "switches 0.9..6 (if consistent): the creator slept until the thread exited",
            "a thread",
        ],
        run: newborn_threads,
        ..NEWBORN_THREAD
    },
};

const NEWBORN_THREAD: Operation = Operation {
    actors: Actors::Children,
    how: How::Each,
    gate: Gate { involuntary: false, ..Operation::GATE },
    points: &["cpu=same"],
    predict: &[
        "entries(3)",
        "t0 hand-offs between threads(1)",
        "t1 floors(2)",
        "hand-offs(1)",
        "software first touches of the stack = 4000 cycles (×2: two anonymous faults of some 2000 cycles) × cycle_ns",
    ],
    spend_ns: 10_000_000,
    ..SWITCH
};

/// sched_yield called a switch.
pub static YIELD_UNPINNED: FlawedMethod = FlawedMethod {
    wrong: "with a CPU for each process no yield switches: the system call is timed (E53, E38)",
    right: ("switch.process.yield", "cpu=same"),
    card: Operation {
        id: "switch.process.yield.unpinned",
        title: "sched_yield of two unpinned processes",
        one_iteration: "one sched_yield, taken for one switch",
        method: "Two unpinned processes yield in a loop; the time of one is divided by its yields.",
        confounds: "With an idle CPU each process has its own, and no yield switches.",
        sources: &[
            ("stress-ng", "--yield: nanoseconds per call, by two processes for each CPU"),
            ("UnixBench", "none"),
        ],
        gate: Gate { cpu_share: None, involuntary: false, shared_core: None },
        rehearse: Rehearse::Nothing,
        evidence: &["answers = 1: every yield succeeded"],
        run: switch_timestamps::yields_unpinned,
        ..SWITCH
    },
};

/// The same, divided as in lmbench.
pub static RING_ASSUMED: FlawedMethod = FlawedMethod {
    wrong: "a process that its wakee preempts must run again before it waits: a hop is then two switches, counted as one",
    right: (RING_SWITCH.id, "processes=16 bytes=0B"),
    card: Operation {
        id: "switch.process.ring.assumed",
        title: "context switch in a ring, by assumed switches",
        one_iteration: "one round of the token, divided by the number of processes",
        method: "As switch.process.ring, divided by the hops of the token, each taken for one switch.",
        confounds: "It grows with the number of wake-ups that preempt.",
        sources: &[("lmbench", "lat_ctx divides by the processes in the ring (E53)")],
        how: How::SlopeLessControl { per: "visits" },
        points: &["processes=16 bytes=0B"],
        run: token_ring::switches,
        ..RING
    },
};
/// The maximum called "the latency".
pub static MAXIMUM: FlawedMethod = FlawedMethod {
    wrong: "the maximum depends on the length of the observation: it grows with time, and without bound beside other programs",
    right: ("wakeup.latency", "load=idle"),
    card: Operation {
        id: "wakeup.latency.maximum",
        title: "maximum wake-up latency of 30",
        method: "As wakeup.latency; the value of a trial is its maximum.",
        confounds: "It grows with the number of wake-ups.",
        sources: &[("cyclictest", "its Max is quoted as the latency of a kernel")],
        points: &["load=idle"],
        run: |bench| {
            let late = wake_ups(bench)?;
            bench.values(late.into_iter().reduce(f64::max).into_iter().collect());
            Ok(())
        },
        ..WAKE_UP
    },
};
