//! Context switches between threads of one process, by synchronisation object.

use measure::{Actors, How, Operation, choice, parameters, takes};
use workloads::exchange::{self, conditions, delayed, futexes, mutexes, pipes, posix_semaphores};

const SWITCH: Operation = Operation {
    one_iteration: "one switch: half a round trip minus its system calls",
    confounds: "On two CPUs a wake-up may find its peer awake: no switch happens, and a round trip takes half a microsecond \
                instead of tens (E54). The divisor is the counted number of switches, and modes are shown. On one CPU the \
                woken thread mostly preempts its waker: one of two switches is voluntary.",
    actors: Actors::TwoThreads,
    how: How::SlopeLessControl { per: "switches" },
    points: crate::placements::PLACEMENTS,
    predict: &["hand-offs between threads(1)", "software t1 a hand-off = [switch.thread.futex {placement}]"],
    evidence: &["exchange of threads(1.95, 2.2)", "calls of both sides: futex 1.8..4.5"],
    bounds: &["switch bound"],
    spend_ns: 20_000_000,
    revision: 2,
    ..super::COMMON
};

/// A switch between threads over a futex.
pub static FUTEX: Operation = Operation {
    id: "switch.thread.futex",
    revision: 3,
    title: "context switch to another thread, by a futex",
    method: "Two threads wake each other alternately: store, FUTEX_WAKE, FUTEX_WAIT. The control makes the same four calls \
             uncontended. The difference divided by the counted switches is the cost of one. With delay= both threads and \
             the control spin for that time before each wake-up, so that the other thread sleeps and two switches are \
             counted.",
    sources: &[
        ("R0, 3.6.2", "a mutex, unlocked for a new thread"),
        ("R1, 3 Fig 6", "sem_wait and sem_post in turn"),
        ("R2, 3.6", "two pipes between threads"),
        ("R3, 3.6.1", "pthread_cond_wait"),
        ("R4, 4.5", "pipes between threads"),
        ("perf bench", "none: the threads that futex wake wakes end"),
        ("schbench", "the time from a wake-up until the thread runs, under load: percentiles"),
    ],
    // A point that spins this long needs a quiet machine and many trials.
    points: &[
        "cpu=same|other|sibling|node; cpu=other idle=busy|polling",
        "profile=thorough: cpu=other delay=100us",
    ],
    predict: &[
        "hand-offs between threads(1)",
        // On two CPUs the wake-up dominates, and it is that of another object.
        "cpu!=same: software t1 a hand-off = [switch.process.eventfd {placement}]",
        "cpu=same: software t1 switch to a runnable task in one address space = [switch.process.yield cpu=same] − \
         tables × cycle_ns",
        "cpu=same: software t1 choice of another task = [syscall.sched_yield] − [syscall.floor]",
        // The woken thread preempts its waker before it sleeps: of two switches one is a preemption and one a sleep.
        "cpu=same: software t1 block and wake-up, once per two switches = 0.5 × block_and_wake × cycle_ns",
    ],
    headline: &[("cpu=same", "thread switch, same CPU")],
    parameters: takes::<Delayed>,
    run: |bench| match bench.parameters::<Delayed>()?.delay {
        Some(SleepDelay::Sleeping) => {
            exchange::threads(bench, |setting| Ok(delayed(futexes(setting)?, DELAY)))
        }
        None => exchange::threads(bench, futexes),
    },
    ..SWITCH
};

choice! {
    /// How long an actor waits before it wakes the other.
    pub enum SleepDelay {
        /// Until the other sleeps.
        Sleeping = "100us",
    }
}

parameters! {
    /// A switch by a futex.
    pub struct Delayed {
        /// Before the wake-up; none without.
        delay: Option<SleepDelay> = None,
    }
}

/// Microseconds until the other thread sleeps, also on a virtual CPU: some ten times a wake-up.
const DELAY: u32 = 100;

/// A switch between threads over a mutex and condition variables.
pub static CONDITION: Operation = Operation {
    id: "switch.thread.condition",
    title: "context switch to another thread, by mutex and condition variable",
    method: "Two threads lock a mutex, set a word, signal the other's condition with the mutex held, and wait for their own. \
             The control locks and unlocks a mutex twice and signals without a waiter, and makes the two futex calls that a \
             waiter adds, without effect. The difference is divided by the counted switches.",
    confounds: "A woken thread may find the mutex locked and sleep again: where a wake-up preempts, up to four switches are \
                counted per round trip, and a division by two would double the result (E53).",
    sources: &[
        ("R3, 3.6.1", "probably one way, as its process switch, synchronised by pthread_cond_wait (E39)"),
        ("perf bench", "none"),
    ],
    evidence: &["exchange of threads(1.95, 4.5)", "calls of both sides: futex 1.8..12.5"],
    run: |bench| exchange::threads(bench, conditions),
    ..SWITCH
};

/// A switch between threads over semaphores.
pub static SEMAPHORE: Operation = Operation {
    id: "switch.thread.semaphore",
    title: "context switch to another thread, by a POSIX semaphore",
    method: "Two threads post and wait on POSIX semaphores of the C library. The control posts and waits without contention, \
             and makes the two futex calls that a waiter adds, without effect. The difference is divided by the counted \
             switches.",
    sources: &[("R1, 3 Fig 6", "sem_wait and sem_post in turn, on OS X: probably the error path (E02)")],
    run: |bench| exchange::threads(bench, posix_semaphores),
    ..SWITCH
};

/// A switch between threads over pipes.
pub static PIPE: Operation = Operation {
    id: "switch.thread.pipe",
    title: "context switch to another thread, by a pipe",
    method: "As switch.process.pipe, between two threads of one process. The difference of the two is the switch of the \
             address space.",
    sources: &[
        (
            "R2, 3.6",
            "reads and writes over two pipes, divided by the switches; pinning is not mentioned (E38)",
        ),
        (
            "R4, 4.5",
            "a switch into the writing thread and one back; 6 to 8 were counted, the pipe calls are included (E39)",
        ),
        ("perf bench", "sched pipe --threaded: the round trip"),
    ],
    evidence: &["exchange of threads(1.95, 2.2)", "calls of both sides: write 2, read 2"],
    run: |bench| exchange::threads(bench, pipes),
    ..SWITCH
};

/// A switch between threads over mutexes.
pub static MUTEX: Operation = Operation {
    id: "switch.thread.mutex",
    title: "context switch to another thread, by a mutex",
    method: "Three mutexes in a ring: the running thread holds two, unlocks the older one, for which the other thread waits, \
             and locks the one that the other holds. Neither can lock a mutex twice in a row. The control locks and unlocks \
             one without contention, and makes the two futex calls that a waiter adds, without effect. The difference is \
             divided by the counted switches.",
    sources: &[("R0, 3.6.2", "a mutex, unlocked for a new thread, once per thread (E39)")],
    evidence: &["exchange of threads(1.95, 2.2)", "calls of both sides: futex 1.8..6.5"],
    run: |bench| exchange::threads(bench, mutexes),
    ..SWITCH
};
