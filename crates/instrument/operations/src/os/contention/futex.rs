//! Many threads that sleep on one futex, and one that wakes or moves them.

use measure::value::Cpus;
use measure::{Actors, How, Operation, takes};
use quantity::Quantity;
use record::{Gate, Need, Plot};
use workloads::os::contention::futex::{Wakes, run};

/// Wake-ups of many waiters.
pub static FUTEX: Operation = Operation {
    id: "contention.futex",
    title: "wake-up or move of one of many waiters on a futex, the waker's calls",
    one_iteration: "one waiter woken or moved: the time of the waker's calls divided by the waiters",
    method: "waiters= threads sleep on one futex; the waker changes its value and calls. wake_one: FUTEX_WAKE of one waiter, once for \
             each; wake_all: one FUTEX_WAKE; requeue: one FUTEX_CMP_REQUEUE, which wakes one waiter and moves the others to a \
             second futex, as an implementation of pthread_cond_broadcast may. Only these calls are timed. Waiters that are woken sleep on \
             another futex for the next round, and those that were moved are woken afterwards. cpus=1: all threads on one CPU; \
             cpus=all: the waiters on the other CPUs, which are idle for 100 µs before the calls. A round in which a waiter came \
             too late to sleep is not a sample.",
    confounds: "With cpus=1 a woken waiter may preempt the waker: then the time contains the run of all woken waiters until they sleep again; \
                preempted in the record is how often. With cpus=all the first wake-up of each CPU finds it idle, and in a virtual machine the \
                hypervisor wakes it; later ones find it awake. A waiter that runs before the last call competes for the lock of the \
                futex only if the next futex has the same hash bucket.",
    sources: &[
        (
            "perf bench",
            "futex wake: milliseconds to wake all threads, one by one, ± the standard error of its runs",
        ),
        (
            "perf bench",
            "futex wake-parallel: the mean time of several wakers for a share each; oscope has one waker",
        ),
        (
            "perf bench",
            "futex requeue: milliseconds to move all threads, one by one, ± the standard error of its runs",
        ),
    ],
    actors: Actors::Children,
    how: How::Each,
    gate_of: Some(|point| match point.cpus() {
        // Waiters preempt the waker, and it yields to them.
        Some(Cpus::Count(1)) => Gate { involuntary: false, ..Operation::GATE },
        _ => Operation::GATE,
    }),
    spend_ns: 10_000_000,
    parameters: takes::<Wakes>,
    points: &[
        "profile=quick: call=wake_one waiters=1 cpus=all; call=wake_one|wake_all|requeue waiters=16 cpus=all",
        "profile=standard: call=wake_one waiters=1|4|16 cpus=1|all; call=wake_all|requeue waiters=4|16 cpus=1|all",
        "profile=thorough: call=wake_one waiters=1|4|16|64|256 cpus=1|all; call=wake_all|requeue waiters=4|16|64|256 cpus=1|all",
    ],
    needs: |point| match point.cpus() {
        Some(Cpus::Count(1)) => vec![Need::Pinning],
        _ => vec![Need::SecondCpu, Need::Pinning],
    },
    plot: Some(|| Plot::logarithmic("waiters", "waiters", Quantity::Count)),
    predict: &[
        // The part of a call that does not depend on its waiters.
        "let t0 call = (entry + dispatch + path(160, 4) (×1.6: hash bucket found and locked)) × cycle_ns",
        "let t1 call = 0.5 × [syscall.futex.self]",
        "call=wake_one: let calls = call",
        "call=wake_all: let calls = {1 / waiters} × call",
        "call=requeue: let calls = {1 / waiters} × (call + path(160, 4) (×1.6: second hash bucket found and locked) × cycle_ns)",
        "call!=requeue: let woken = 1",
        "call=requeue: let woken = {1 / waiters}",
        "software calls = calls",
        // On one CPU a woken waiter preempts the waker; all that are woken run and sleep again before the waker goes on.
        "cpus=1: let switches = {1 + 1 / waiters} × woken (×1.5: back to the waker once, or after each waiter)",
        "cpus=1: software t0 switches to the waiters and back = switches × (registers + bare_switch) × cycle_ns",
        "cpus=1: software t1 switches to the waiters and back = switches × ([switch.thread.futex cpu=same] − 0.5 × block_and_wake × \
         cycle_ns)",
        "cpus=1: software waiters wake up and block again = woken × (block_and_wake × cycle_ns + call)",
        // Another CPU wrote the waiter's state, its queue entry, the run queue and its lock last.
        "cpus=all: let wake = path(450, 5) (×1.6: waiter taken off the list, CPU chosen, enqueued, compared for preemption) × cycle_ns \
         + 5 (×2: queue entry, two of the task, two of the run queue) × line_transfer",
        "cpus=all: let idle = min(woken, (cpus.allowed − 1) / {waiters})",
        "cpus=all: software wake-ups = woken × wake",
        "call=requeue: software moves to the second futex = {1 - 1 / waiters} × path(90, 4) (×1.6: taken off one list, put on the \
         other, reference of the futex) × cycle_ns",
        "cpus=all call=wake_one waiters=1: hardware the interrupt is sent = 400 cycles (×2: a write to the interrupt controller) × \
         cycle_ns",
        "cpus=all call=wake_one waiters=1: software the hypervisor sends the interrupt = vm_exit",
        "cpus=all waiters!=1: hardware t0 interrupts of idle CPUs are sent = idle × 400 cycles (×2: a write to the interrupt \
         controller) × cycle_ns",
        "cpus=all waiters!=1: software t0 the hypervisor sends them = idle × vm_exit",
        "cpus=all waiters!=1: software t1 interrupts of idle CPUs, as of one waiter = idle × max(0, [contention.futex call=wake_one \
         waiters=1 cpus=all] − call − wake)",
    ],
    evidence: &[
        "answers = 1: the calls report every waiter that slept",
        "waiters.woken = 1: every waiter was woken",
        "call=requeue: waiters.moved = 1: all waiters but one slept on the second futex until the round was over",
        "switches.voluntary 0.9..1.3 (if consistent): each waiter slept before it was woken",
        "call=wake_one: calls.futex 1.4..2.6: one call of the waker and one of the waiter for each",
        "call=wake_all: calls.futex {0.7 + 0.7 / waiters}..{1.3 + 1.3 / waiters}: one call of the waker, and one of each waiter",
        "call=requeue: calls.futex {0.7 + 1.4 / waiters}..{1.3 + 2.6 / waiters}: a call that moves, one that wakes those that were \
         moved, and one of each waiter",
        "cpus=1: actors.cpus = 1: waker and waiters were on one CPU",
        "cpus=all: actors.cpus 2..65536: the waiters were on other CPUs",
        "undisturbed",
    ],
    bounds: &[
        "call=wake_one: floor",
        "call!=wake_one: > {1 / waiters} × [syscall.floor]: it enters and leaves the kernel once",
    ],
    run,
    ..super::super::COMMON
};
