//! Threads that one event wakes.

use measure::{Actors, Operation, takes};
use quantity::Quantity;
use record::{Gate, Plot};
use workloads::os::event_waiters::{EventWaiters, count_woken};

/// Waiters that an event wakes.
pub static EVENT_WAITERS: Operation = Operation {
    id: "wakeup.waiters_of_an_event",
    title: "threads in epoll_wait that one event wakes, of n",
    one_iteration: "one write to an eventfd, for which n threads sleep in epoll_pwait, each with a set of its own",
    quantity: Quantity::Count,
    method: "n threads on the worker's CPU have a set each with the same eventfd: trigger=level; edge: EPOLLET; exclusive: \
             EPOLLEXCLUSIVE. When all have slept for 2 ms, the worker adds 1 to the counter, waits until no further thread has returned \
             for 2 ms, counts those that returned, and takes the event. A value is the number for one event; a trial has 16.",
    confounds: "All but one of the woken threads find nothing to do in a server that accepts connections this way. With \
                trigger=exclusive the kernel wakes at least one; a thread that does not sleep yet may find the event, too.",
    sources: &[
        ("nginx", "accept_mutex, off since EPOLLEXCLUSIVE"),
        ("Linux selftests", "filesystems/epoll/epoll_wakeup_test.c: which threads wake; no numbers"),
    ],
    actors: Actors::Children,
    gate: Gate { cpu_share: None, involuntary: false, shared_core: None },
    parameters: takes::<EventWaiters>,
    points: &[
        "profile!=thorough: trigger=level|exclusive waiters=16",
        "profile=thorough: trigger=level|edge|exclusive waiters=1|4|16|64",
    ],
    predict: &[
        "trigger=level|edge: software every waiter = {waiters} (×1.1: each set that has the event and no EPOLLEXCLUSIVE is woken (epoll_ctl(2)))",
        "trigger=exclusive: software the first waiter = 1 (×1.5: EPOLLEXCLUSIVE wakes one or more (epoll_ctl(2)))",
    ],
    evidence: &[
        "answers = 1: all waiters slept before every event, which woke one or more, and was taken once",
    ],
    bounds: &[
        "> 0.99: an event that nobody takes would be lost",
        "< {waiters + 0.01}: no thread is woken twice by an event",
        "trigger=exclusive: < 1.99: EPOLLEXCLUSIVE wakes one of the threads that sleep",
    ],
    plot: Some(|| Plot::logarithmic("waiters", "threads that wait", Quantity::Count)),
    spend_ns: 100_000_000,
    run: count_woken,
    area: super::COMMON.area,
    ..Operation::VALUES
};
