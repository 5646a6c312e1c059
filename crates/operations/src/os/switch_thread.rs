//! Handing the CPU from one thread to another of the same process, by what threads meet over.

use crate::exchange::{self, Conditions, Delayed, Futexes, Mutexes, Pipes, PosixSemaphores};
use measure::{Actors, Area, Bench, Failure, How, Operation, Point};

const SWITCH: Operation = Operation {
    area: Area::Os,
    one_iteration: "one hand-off of the CPU: half of a round trip, less the system calls that made it",
    confounds: "On two CPUs a wake-up can find its peer still awake: no switch happens and a round trip takes half a \
                microsecond instead of tens (E54). The division is by counted switches, and the modes are shown. On \
                one CPU the woken thread mostly preempts its waker: of two switches one is voluntary.",
    actors: Actors::TwoThreads,
    how: How::SlopeLessControl { per: "switches" },
    points: |_| Point::placements(),
    predict: &[
        "hand-offs between threads(1)",
        "software t1 a hand-off = [switch.thread.futex cpu={cpu}]",
    ],
    bounds: &["least of a switch"],
    spend_ns: 20_000_000,
    revision: 2,
    ..Operation::NEW
};

/// A switch between threads over a futex.
pub static FUTEX: Operation = Operation {
    id: "switch.thread.futex",
    revision: 3,
    title: "switch to another thread",
    method: "Two threads wake each other in turns: store, FUTEX_WAKE, FUTEX_WAIT. In turns with them one thread makes \
             the same four calls with nobody to wake and nothing to wait for. The difference, divided by the switches \
             that the kernel counted, is the cost of one. With delay every side and the control wait so long, \
             without a call, before they wake: the other one surely sleeps then, and two switches are counted.",
    sources: &[
        ("R0", "mutex hand-off"),
        ("R1", "semaphore"),
        ("R3", "mutex and condition variable"),
        ("R2", "pipe between threads"),
        ("R4", "pipe between threads"),
        ("perf bench", "futex wake, sched messaging: other shapes"),
    ],
    // A point that waits awake for so long needs a quiet machine and many trials.
    points: |profile| {
        let usual = "cpu=same|other|sibling|node";
        Point::of_profile(profile, usual, &format!("{usual}; cpu=other delay={PAUSE}us"))
    },
    predict: &[
        "hand-offs between threads(1)",
        // On two CPUs the wake-up is most of it, and it is that of another object.
        "cpu!=same: software t1 a hand-off = [switch.process.eventfd cpu={cpu}]",
        "cpu=same: software t1 switch to a task that is ready, in one address space = [switch.process.yield cpu=same] − \
         tables × cycle_ns",
        "cpu=same: software t1 look for another task = [syscall.sched_yield] − [syscall.floor]",
        // The woken thread preempts its waker, which has not slept yet and is not woken either: of two switches one is a
        // preemption and one a sleep.
        "cpu=same: software t1 fall asleep and be woken, once in two switches = 0.5 × block_and_wake × cycle_ns",
    ],
    evidence: &[
        "every word came back",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: futex 1.8..4.5",
        "threads",
        "placed",
        "undisturbed",
    ],
    headline: &[("cpu=same", "thread switch, same CPU")],
    run: futex,
    ..SWITCH
};

/// Microseconds that surely suffice to fall asleep, also for a virtual CPU: some ten times what a wake-up takes.
const PAUSE: u32 = 100;

fn futex(bench: &mut Bench<'_>) -> Result<(), Failure> {
    match bench.point().get("delay") {
        Some(_) => exchange::threads::<Delayed<Futexes, PAUSE>>(bench),
        None => exchange::threads::<Futexes>(bench),
    }
}

/// A switch between threads over a mutex and condition variables.
pub static CONDITION: Operation = Operation {
    id: "switch.thread.condition",
    title: "switch to another thread, by mutex and condition variable",
    method: "Two threads take a mutex, set a word, signal the other's condition with the mutex held, and wait for \
             their own. The control takes and gives back a mutex twice and signals where nobody waits, and makes the \
             two futex calls that a waiter adds, without effect. The difference is divided by counted switches.",
    confounds: "A woken thread may find the mutex still held and sleep a second time: where a wake-up preempts, up to \
                four switches are counted per round trip, and a division by two would double the result (E53).",
    sources: &[
        ("R3", "pthread mutex and condition variable"),
        ("perf bench", "none"),
    ],
    evidence: &[
        "every word came back",
        "switches of both sides(1.95, 4.5)",
        "calls of both sides: futex 1.8..12.5",
        "threads",
        "placed",
        "undisturbed",
    ],
    run: exchange::threads::<Conditions>,
    ..SWITCH
};

/// A switch between threads over semaphores.
pub static SEMAPHORE: Operation = Operation {
    id: "switch.thread.semaphore",
    title: "switch to another thread, by a POSIX semaphore",
    method: "Two threads post and take POSIX semaphores of the C library. The control posts and takes one that nobody \
             waits for, and makes the two futex calls that a waiter adds, without effect. The difference is divided by \
             counted switches.",
    sources: &[(
        "R1",
        "sem_post and sem_wait on semaphores that were never made (E02)",
    )],
    evidence: &[
        "every word came back",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: futex 1.8..4.5",
        "threads",
        "placed",
        "undisturbed",
    ],
    run: exchange::threads::<PosixSemaphores>,
    ..SWITCH
};

/// A switch between threads over pipes.
pub static PIPE: Operation = Operation {
    id: "switch.thread.pipe",
    title: "switch to another thread, by a pipe",
    method: "As switch.process.pipe, between two threads of one process. The difference of the two is the change of \
             address space.",
    sources: &[
        ("R2", "round trips over a pipe between threads, unpinned (E38)"),
        ("R4", "one-way stamp over a pipe between threads (E39)"),
        ("perf bench", "sched pipe --threaded: the round trip"),
    ],
    evidence: &[
        "every word came back",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: write 2, read 2",
        "threads",
        "placed",
        "undisturbed",
    ],
    run: exchange::threads::<Pipes>,
    ..SWITCH
};

/// A switch between threads over mutexes.
pub static MUTEX: Operation = Operation {
    id: "switch.thread.mutex",
    title: "switch to another thread, by handing over a mutex",
    method: "Three mutexes in a ring: who has the turn holds two of them, gives the older one back, for which the \
             other thread waits, and takes the one that the other holds. Neither can take a mutex twice in a row. The \
             control takes and gives back one that nobody wants, and makes the two futex calls that a waiter adds, \
             without effect. The difference is divided by counted switches.",
    sources: &[("R0", "two threads that pass one mutex to and fro")],
    evidence: &[
        "every word came back",
        "switches of both sides(1.95, 2.2)",
        "calls of both sides: futex 1.8..6.5",
        "threads",
        "placed",
        "undisturbed",
    ],
    run: exchange::threads::<Mutexes>,
    ..SWITCH
};
