//! Creation of processes and threads by timestamps, in flawed ways.

use crate::method::FlawedMethod;
use measure::Operation;
use operations::bases::{FORK, THREAD};
use sys::arch::{self, CounterRead};
use workloads::os::timestamps::{forks, threads};

/// The method of R3, 3.5.1.
pub static FORK_EITHER: FlawedMethod = FlawedMethod {
    wrong: "two quantities under one name, the smaller of which the scheduler decides (E26, E31)",
    right: ("process.create.fork.parent", "resident=0B"),
    card: Operation {
        id: "process.create.fork.either",
        title: "fork until the parent returns or the child runs",
        one_iteration: "one fork, from the call until the parent returns or the child runs, whichever is first",
        method: "Both read the clock; the smaller difference of each iteration is kept.",
        confounds: "It is the parent's return where the scheduler runs the parent first.",
        sources: &[(
            "R3, 3.5.1",
            "the smaller of both, probably with the fences of 3.1: CPUID, RDTSC to RDTSCP, CPUID",
        )],
        run: |bench| {
            forks(bench, 1, || (), |timestamps| timestamps.returned.min(timestamps.child) - timestamps.before)
        },
        ..FORK
    },
};

/// fork with a CPUID before and after it within the interval.
pub static FORK_CPUID: FlawedMethod = FlawedMethod {
    wrong: "in a virtual machine CPUID is a VM exit: the fences cost as much as the fork (E11)",
    right: ("process.create.fork.parent", "resident=0B"),
    card: Operation {
        id: "process.create.fork.cpuid",
        title: "fork until the parent returns, fenced by CPUID",
        one_iteration: "one fork in the parent, between two clock reads fenced by CPUID",
        method: "As process.create.fork.parent, with CPUID before and after fork in the timed part.",
        confounds: "Hypervisors intercept CPUID: 1 to 70 µs each instead of 0.1.",
        sources: &[("Paoloni 2010", "CPUID, RDTSC … RDTSCP, CPUID: both CPUIDs are outside of the interval")],
        needs: measure::on_x86_64,
        run: |bench| {
            let cpuid = || {
                arch::read_counter(CounterRead::Cpuid, 1);
            };
            forks(bench, 1, cpuid, |timestamps| timestamps.returned - timestamps.before)
        },
        ..FORK
    },
};
/// The method of R3, 3.5.1.
pub static THREAD_EITHER: FlawedMethod = FlawedMethod {
    wrong: "two quantities under one name, the smaller of which the scheduler decides (E26, E31)",
    right: ("thread.create.pthread.parent", ""),
    card: Operation {
        id: "thread.create.pthread.either",
        title: "pthread_create until it returns or the thread runs",
        one_iteration: "one pthread_create, until it returns or the thread runs, whichever is first",
        method: "Both read the clock; the smaller difference of each iteration is kept.",
        confounds: "It is the creator's return where the scheduler runs the creator first.",
        sources: FORK_EITHER.card.sources,
        run: |bench| {
            threads(bench, |timestamps| timestamps.returned.min(timestamps.child) - timestamps.before)
        },
        ..THREAD
    },
};
