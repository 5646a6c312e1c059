//! A critical section under one lock, entered by a thread on each CPU.

use measure::value::Cpus;
use measure::{Actors, Operation, takes};
use quantity::Quantity;
use record::{Gate, Need, Plot};
use workloads::os::contention::{Contended, alone, run, sleeps};

/// Critical sections under a contended lock.
pub static LOCK: Operation = Operation {
    id: "contention.lock",
    title: "critical section under one lock, a thread on each CPU",
    one_iteration: "one critical section by the thread of each CPU: time per section and CPU; divided by the CPUs it is the \
                    time from one section to the next",
    method: "Threads, one pinned to each CPU, lock, change a counter that only the lock protects, work for critical= \
             nanoseconds, and unlock, again and again, without work outside the lock. mutex, rwlock and semaphore are those of the C \
             library, which sleep by futex; pi: a mutex with priority inheritance, which the kernel hands over \
             (FUTEX_LOCK_PI); spin: test and test-and-set; ticket: first come, first served, by atomic addition. The record \
             keeps hand-offs per section, switches (sleeps) per section, and Jain's index of the sections of each thread. With `--tail` every \
             section of one thread is timed, from the call that locks to the end of the one that unlocks, while the others go on.",
    confounds: "A thread that unlocks often takes the lock again before a woken one arrives: then a section costs less than a \
                hand-off, and hand_offs says how often the lock changed its thread. Batches last at least 250 µs where \
                waiters sleep, because a wake-up takes tens of microseconds. CPUs that are threads of one core share it. Where \
                a hypervisor takes the CPU of the thread that holds the lock, all others wait.",
    sources: &[
        (
            "will-it-scale",
            "pthread_mutex1, 3, 4, 5: one mutex, without and with an update; pthread_mutex2: a mutex each; operations per \
             second, no lock is verified",
        ),
        ("multichase", "none: fairness takes no lock, it adds to one word"),
        ("perf bench", "futex lock-pi: operations per second of FUTEX_LOCK_PI, each held over usleep(1)"),
    ],
    actors: Actors::Children,
    gate_of: Some(|point| match sleeps(point) {
        true => Gate { cpu_share: None, involuntary: false, ..Operation::GATE },
        false => Operation::GATE,
    }),
    spend_ns: 8_000_000,
    parameters: takes::<Contended>,
    points: &[
        "profile=quick: lock=mutex|ticket critical=0 cpus=1|2",
        "profile=standard: lock=mutex|pi|rwlock_write|rwlock_read|spin|ticket|semaphore critical=0 cpus=1|2|4|16|64|256|all; \
         lock=mutex|ticket critical=1000 cpus=1|2|4|16|64|256|all",
        "profile=thorough: lock=mutex|pi|rwlock_write|rwlock_read|spin|ticket|semaphore critical=0|100|1000 \
         cpus=1|2|4|8|16|32|64|128|256|512|1024|all",
    ],
    tail: &["lock=mutex|pi|ticket critical=1000 cpus=2|all"],
    needs: |point| match point.cpus() {
        Some(Cpus::Count(1)) | None => Vec::new(),
        _ => vec![Need::SecondCpu, Need::Pinning],
    },
    alone: Some(alone),
    plot: Some(|| Plot::logarithmic("cpus", "CPUs", Quantity::Count)),
    predict: &[
        "lock=mutex|semaphore: let pair = 36 cycles (×1.8: two locked instructions of 7 (Zen) to 20 cycles (Intel) (Agner Fog), \
         two calls of the C library with checks of the type)",
        "lock=pi: let pair = 50 cycles (×1.8: as a mutex, and the number of the thread, and checks of the kind)",
        "lock=rwlock_read: let pair = 40 cycles (×1.8: two locked instructions, two calls of the C library, checks of the phase)",
        "lock=rwlock_write: let pair = 64 cycles (×1.8: four locked instructions, two calls of the C library, checks of phase \
         and waiters)",
        "lock=spin|ticket: let pair = 18 cycles (×1.8: one locked instruction, a store, and the words of the section)",
        "let t0 free = pair × cycle_ns",
        "cpus=1: let t1 free = pair × cycle_ns",
        "cpus!=1: let t1 free = [contention.lock lock={lock} critical=0 cpus=1]",
        "let work = {critical} ns (×1.2: the loop is calibrated at the start of a trial, at the clock of that moment)",
        "cpus!=1|all: let cpus = {cpus}",
        "cpus=all: let cpus = cpus.allowed",
        // The call that wakes a sleeper, and the time from it until the sleeper runs.
        "let t0 wake_call = (entry + dispatch + path(600, 8) (×1.6: hash bucket, waiter taken off, CPU chosen, enqueued)) × \
         cycle_ns + vm_exit",
        "let t1 wake_call = 0.5 × [syscall.futex.self] + 0.5 × block_and_wake × cycle_ns + vm_exit",
        "let t0 post_call = (entry + dispatch + path(160, 4) (×1.6: hash bucket without a waiter)) × cycle_ns",
        "let t1 post_call = 0.5 × [syscall.futex.self]",
        "let t0 wake_up = idle_exit + wake_up_exits",
        "let t1 wake_up = [switch.process.eventfd cpu=other]",
        "cpus=1: software lock and unlock = free",
        "cpus=1: software work in the section = work",
        // The waker goes on until the woken thread finds the lock taken and sleeps again: one call for each such time.
        "cpus!=1 lock=mutex|rwlock_write: software sections of all threads, one after the other = cpus × (free + work)",
        "cpus!=1 lock=mutex|rwlock_write: software calls that wake, one in the time of a wake-up = cpus × wake_call × \
         (free + work) / (free + work + wake_up)",
        // While a waiter is registered, also one on its way, every post is a call; one in the time of a wake-up wakes.
        "cpus!=1 lock=semaphore: software sections of all threads, one after the other = cpus × (free + work)",
        "cpus!=1 lock=semaphore: software a call in every post = cpus × post_call",
        "cpus!=1 lock=semaphore: software calls that wake, one in the time of a wake-up = cpus × wake_call × \
         (free + work + post_call) / (free + work + post_call + wake_up)",
        // The waiter spins in the kernel while the holder runs; both calls of a hand-over are in the kernel.
        "cpus!=1 lock=pi: software sections of all threads, one after the other = cpus × work",
        "cpus!=1 lock=pi: software two calls for each section = cpus × (2 × (entry + dispatch) + path(1800, 30) (×1.8: state \
         of the lock found and compared, waiter queued by priority, owner set, waiter taken off)) × cycle_ns",
        "cpus!=1 lock=pi: hardware lines of the lock and of the kernel's state = cpus × 6 (×1.7: word, bucket, state, waiter, \
         owner) × line_transfer",
        // Who unlocks has the line, and takes the lock again in half of the cases before another one has it.
        "cpus!=1 lock=spin: software sections of all threads, one after the other = cpus × (free + work)",
        "cpus!=1 lock=spin: hardware lines of lock and section, of every second section = cpus × 0.5 (×2: from never to \
         always) × 2 × line_transfer",
        "cpus!=1 lock=ticket: software sections of all threads, one after the other = cpus × (free + work)",
        "cpus!=1 lock=ticket: hardware lines of lock and section = cpus × 3 (×1.5: the number served read by the next one, \
         written again, and the section) × line_transfer",
        // Readers are in the section together; their count is a line that all write.
        "cpus!=1 lock=rwlock_read: software work in the section = work",
        "cpus!=1 lock=rwlock_read: hardware the others have the line, or it is on its way = 2 (×1.5: on its way for \
         half of the time) × cpus × free",
    ],
    evidence: &[
        "answers = 1: no other thread was in a section",
        "calls: none",
        // The exact count of updates proves it on several CPUs, where the last wake-up of a batch has a cost of its own.
        "cpus=1: linear",
        "lock=rwlock_read cpus!=1: linear",
        "undisturbed",
        "cpus!=1 lock!=rwlock_read: updates = 1: no update of the counter that only the lock protects is lost",
        "cpus!=1 lock!=rwlock_read: hand_offs 0.0001..1.01: the threads took the lock from each other",
        "cpus!=1: cpus.working = 1: every thread entered some of the sections",
        "cpus!=1|all: actors.cpus = {cpus}: each thread was on a CPU of its own",
        "cpus!=1: threads",
    ],
    bounds: &["> 4 cycles × cycle_ns: an atomic operation and a store take two cycles each on any core"],
    run,
    ..super::super::COMMON
};
