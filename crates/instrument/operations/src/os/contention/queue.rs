//! Items that threads hand over through a bounded queue: one to one, one to many, many to one.

use super::futex::FUTEX;
use measure::value::Cpus;
use measure::{Actors, Operation, takes};
use record::Gate;
use workloads::os::contention::queue::{HandOff, run};

/// Items through a bounded queue.
pub static QUEUE: Operation = Operation {
    id: "contention.queue",
    title: "item through a bounded queue between threads, by mutex and conditions",
    one_iteration: "one item, put by a producer and taken by a consumer: the time from one item to the next of all threads together; its \
                    inverse is the items per second",
    method: "producers= threads put numbers into a ring of capacity= places, consumers= threads take them. A mutex and two conditions of \
             the C library protect the ring: who finds it full or empty sleeps on its condition, and each put and each take \
             signals the other condition, after the mutex is unlocked. No thread works outside. The consumers add up the numbers of a \
             batch. cpus=1: all threads on one CPU; cpus=all: one after the other on all CPUs. The record keeps sleeps per item, and \
             Jain's index of the items of each producer and of each consumer.",
    confounds: "How many items one side moves before the other one runs is the scheduler's choice: a thread that is woken may preempt the \
                one that signals, or find that another one has taken the item. A queue that is often full or empty costs wake-ups; with a \
                larger capacity there are fewer. CPUs that are threads of one core share it. Where a hypervisor takes the CPU of the \
                thread that holds the mutex, all others wait.",
    sources: &[
        ("perf bench", "sched messaging: messages among groups over pipes or sockets, not through memory"),
        ("will-it-scale", "none: futex1 to 4 call FUTEX_WAKE or FUTEX_WAIT without another thread"),
    ],
    actors: Actors::Children,
    gate_of: Some(|point| match point.cpus() {
        Some(Cpus::Count(1)) => Gate { involuntary: false, ..Operation::GATE },
        _ => Gate { cpu_share: None, involuntary: false, ..Operation::GATE },
    }),
    spend_ns: 20_000_000,
    parameters: takes::<HandOff>,
    points: &[
        "profile=quick: producers=1 consumers=1 capacity=16 cpus=1|all; producers=1 consumers=4 capacity=16 cpus=all; producers=4 \
         consumers=1 capacity=16 cpus=all",
        "profile=standard: producers=1 consumers=1 capacity=1|16|256 cpus=1|all; producers=1 consumers=4 capacity=16 cpus=1|all; \
         producers=4 consumers=1 capacity=16 cpus=1|all",
        "profile=thorough: producers=1 consumers=1 capacity=1|16|256 cpus=1|all; producers=1 consumers=4|16 capacity=1|16|256 \
         cpus=1|all; producers=4|16 consumers=1 capacity=1|16|256 cpus=1|all",
    ],
    needs: FUTEX.needs,
    predict: &[
        "let t0 pair = 36 cycles (×1.8: two locked instructions of 7 (Zen) to 20 cycles (Intel) (Agner Fog), two calls of the C \
         library with checks of the type) × cycle_ns",
        "let t1 pair = [contention.lock lock=mutex critical=0 cpus=1]",
        "software lock and unlock, to put and to take = 2 × pair",
        "software signals and words of the queue = 40 cycles (×2: two signals of which most find nobody, the place, two counts) × \
         cycle_ns",
        // One side fills the queue while the other one sleeps, which then empties it: each thread sleeps once in a full queue, or as
        // often as for each item, where a woken thread preempts or finds the queue empty. The geometric mean, with the factor to
        // either end.
        "cpus=all producers=1 consumers=1: let sleeps = {2 / capacity} (×2: each side once in a full queue)",
        "cpus=1: let sleeps = {sqrt((producers + consumers) / capacity)} (×{max(sqrt((producers + consumers) / capacity), \
         sqrt(capacity / (producers + consumers)))}: between each thread once in a full queue and one for each item)",
        "cpus=all producers=1 consumers!=1: let sleeps = {sqrt((producers + consumers) / capacity)} (×{max(sqrt((producers + consumers) \
         / capacity), sqrt(capacity / (producers + consumers)))}: between each thread once in a full queue and one for each item)",
        "cpus=all producers!=1: let sleeps = {sqrt((producers + consumers) / capacity)} (×{max(sqrt((producers + consumers) / capacity), \
         sqrt(capacity / (producers + consumers)))}: between each thread once in a full queue and one for each item)",
        "software t0 calls of sleepers and of their wakers = sleeps × 2 × (entry + dispatch) × cycle_ns",
        "software t1 calls of sleepers and of their wakers = sleeps × [syscall.futex.self]",
        "cpus=1: software t0 switches = sleeps × (registers + scheduler) × cycle_ns",
        "cpus=1: software t1 switches = sleeps × [switch.thread.condition cpu=same]",
        "cpus=all: software t0 wake-ups of other CPUs = sleeps × (idle_exit + wake_up_exits)",
        "cpus=all: software t1 wake-ups of other CPUs = sleeps × [switch.thread.condition cpu=other]",
        "cpus=all: hardware lines of the mutex and of the words = 2 (×2: from once for many items to several for each) × line_transfer",
    ],
    evidence: &[
        "answers = 1: every item was taken once, by the sum and the number of all",
        "tasks.working = 1 (if consistent): every thread put or took items",
        "cpus=1: switches.voluntary {0.5 / capacity}..8 (if consistent): threads slept while the queue was full or empty",
        "cpus=1: actors.cpus = 1: all threads were on one CPU",
        "cpus=all: actors.cpus 2..65536: the threads were on several CPUs",
        "threads",
        "undisturbed",
    ],
    bounds: &[
        "> 8 cycles × cycle_ns: one mutex is locked and unlocked twice, by atomic operations of two cycles at least",
    ],
    run,
    ..super::super::COMMON
};
