//! What a scheduler does under load: wake-ups and requests at a share of the capacity, slices and shares of tasks on one CPU.

use measure::{Actors, Operation, takes};
use quantity::Quantity;
use record::{Gate, Need, Plot};
use workloads::os::schedule::requests::{self, Requests};
use workloads::os::schedule::turns::{Turns, shares, slices};

/// Common to tasks that the scheduler places or interrupts.
const SCHEDULE: Operation = Operation {
    actors: Actors::Children,
    gate: Gate { cpu_share: None, involuntary: false, ..Operation::GATE },
    spend_ns: 100_000_000,
    ..Operation { area: super::COMMON.area, ..Operation::VALUES }
};

/// Requests to workers, by the load.
pub static REQUEST: Operation = Operation {
    id: "schedule.request",
    title: "request to a worker at a share of the capacity, open loop",
    one_iteration: "one request of 200 µs of work: from its post until its worker runs that slept (time=wakeup), or from the time when \
                    it was due until it is done (time=response)",
    method: "A worker for each CPU, at most 8, and a messenger, threads of one process that the scheduler may place on these CPUs. A \
             trial first measures the capacity: the requests per second while no queue is empty, the most of three attempts. Then \
             requests are due at load= percent of it, at times that the seed fixes beforehand, with exponential gaps, each to a random \
             worker. The messenger sleeps until a request is due and posts it, whatever became of those before; a worker sleeps on \
             a futex while its queue is empty. Values are the requests of one worker; all of them are verified. The record keeps \
             the capacity, the share of wake-ups on the CPU of the waker, and how late the messenger was at most.",
    confounds: "The messenger needs a CPU, too: some 6 µs for each request, so that CPUs are busier than load= says. At load=90 the queue \
                of a trial depends on chance. Where a hypervisor or other programs take a CPU after the capacity was measured, the \
                load is higher. time=wakeup has only requests that find their worker asleep. With `--tail` the counters \
                that are read around each request take time from the worker.",
    sources: &[
        (
            "schbench",
            "messengers wake workers; percentiles of wake-ups, requests and requests per second; with -R requests are due at a rate, \
             without a schedule they follow the answers; the work is not verified, and no interval is given",
        ),
        (
            "wrk2",
            "none of the scheduler: it corrects what coordinated omission hides, by the time when a request was due",
        ),
        ("mutilate", "loads of a server as shares of its capacity"),
    ],
    parameters: takes::<Requests>,
    points: &[
        "profile!=thorough: load=30|60|90 time=wakeup; load=60 time=response",
        "profile=thorough: load=30|60|90 time=wakeup|response",
    ],
    tail: &["load=30|60|90 time=wakeup|response"],
    needs: |_| vec![Need::SecondCpu, Need::Pinning],
    plot: Some(|| Plot::logarithmic("load", "load in percent", Quantity::Count)),
    predict: &[
        // The scheduler puts a wakee on an idle CPU, or on that of the waker, which soon sleeps: as often as a CPU is idle, or not.
        "load=30: let idle = 0.7 (×1.4: share of the time in which the CPU has no request)",
        "load=60: let idle = 0.4 (×2: share of the time in which the CPU has no request)",
        "load=90: let idle = 0.1 (×3: share of the time in which the CPU has no request)",
        "software t0 the worker is found, enqueued and chosen = scheduler × cycle_ns",
        "hardware t0 interrupt to the other CPU and its exit from idle = idle × idle_exit",
        "software t0 the hypervisor sends the interrupt, wakes the CPU, sets its timer = idle × wake_up_exits",
        "software t1 wake-up by the other CPU, where it is idle = idle × [switch.thread.futex cpu=other]",
        "software t1 wake-up on the CPU of the waker, or of a busy one = (1 − idle) × [switch.thread.futex cpu=same]",
        "time=response: software work of the request = 200000 ns (×1.2: the loop is calibrated at the start of a trial, at the clock of \
         that moment)",
        // The median of the waiting time in a queue with arrivals without memory and constant work (M/D/1), in works: its
        // distribution is (1 − ρ) exp(ρ t) before the first work ends, and 1 − 0.935 exp(−0.207 t) beyond, with ρ = 0.9 (Erlang 1909).
        "time=response load=60: software requests before it = 74000 ns (×2: 0.37 works of 200 µs; the messenger's CPU is busier)",
        "time=response load=90: software requests before it = 600000 ns (×3: 3.0 works of 200 µs; a trial has few busy periods)",
    ],
    evidence: &[
        "answers = 1: every request was done once, and its result was right",
        "load.offered {0.85 * load / 100}..{1.15 * load / 100} (if consistent): requests were posted at this share of the capacity, \
         whatever the workers did",
        "tasks.working = 1: every worker had requests",
        "time=wakeup: sleeps 0.9..3 (if consistent): the worker slept before the requests that count",
    ],
    bounds: &[
        "time=wakeup: > 300 cycles × cycle_ns: wake-up and switch",
        "time=response: > 60000 ns: its work takes 200 µs at the clock of the calibration, and a core is not three times as fast later",
        "< 1e10 ns: a worker without an answer for 10 s ends the trial",
    ],
    run: requests::run,
    ..SCHEDULE
};

/// Slices of tasks on one CPU.
pub static SLICE: Operation = Operation {
    id: "schedule.slice",
    title: "time that a runnable task has the CPU before another one gets it",
    one_iteration: "one turn of one of tasks= processes that compute on one CPU: from when it gets the CPU until another one has it",
    method: "tasks= processes pinned to one CPU compute for 100 ms; none of them sleeps or makes a system call. Each reads the clock, and a \
             word that says which of them ran last, again and again. A turn ends where the word names another task. Values are the turns \
             of all tasks that began and ended within this time.",
    confounds: "Interrupts and other guests are within a turn. Other programs on this CPU have turns, too: they split a turn in two without \
                ending it. A turn that is still going on at the end of a trial is not a value, so long ones are found less often.",
    sources: &[
        ("hackbench", "no turns: its tasks sleep"),
        ("Linux", "base_slice_ns (sched-eevdf.rst): what a task gets before EEVDF looks for another one"),
    ],
    parameters: takes::<Turns>,
    points: &["tasks=2|8"],
    needs: |_| vec![Need::Pinning],
    plot: Some(|| Plot::logarithmic("tasks", "tasks", Quantity::Count)),
    predict: &[
        // EEVDF: 0.7 ms times 1 + log2 of the CPUs, at most 8 of them (kernel/sched/fair.c); looked at in each tick.
        "let slice = 2000000 ns (×1.4: base slice: 1.4 ms on two CPUs, 2.8 ms from eight on)",
        "software slice, or the tick that ends it = max(slice, kernel.tick_ns) × 1 (×1.4: the first tick after the slice ends it)",
    ],
    evidence: &["one CPU for all tasks"],
    bounds: &[
        "> 50000 ns: no scheduler of Linux has a slice below 0.1 ms, its least base_slice_ns",
        "< 2e8 ns: a turn ends within the trial",
    ],
    run: slices,
    ..SCHEDULE
};

/// Shares of tasks on one CPU.
pub static FAIRNESS: Operation = Operation {
    id: "schedule.fairness",
    title: "fairness of the CPU time of runnable tasks on one CPU (Jain)",
    one_iteration: "100 ms of tasks= processes that compute on one CPU: Jain's index of their CPU time",
    quantity: Quantity::Ratio,
    method: "As schedule.slice. The kernel's clocks of the processes give the CPU time of each. Jain's index is the square of the \
             sum divided by the number of tasks and the sum of the squares: 1 where all have the same, 1 / tasks where one has all.",
    confounds: "A slice of 4 ms is a large part of 100 ms where there are many tasks: the index is lower than over a second.",
    sources: &[
        ("R. Jain", "A Quantitative Measure of Fairness and Discrimination (1984)"),
        ("schbench", "no shares of its threads"),
    ],
    parameters: takes::<Turns>,
    points: &["profile=quick: tasks=2", "profile!=quick: tasks=2|8"],
    needs: |_| vec![Need::Pinning],
    predict: &[
        "software equal shares, but for a slice = 1 (×1.05: each has its slices as often as any other one, or once less)",
    ],
    evidence: &["one CPU for all tasks"],
    bounds: &[
        "> {1 / tasks} × 0.999: the least that the index can be",
        "< 1.001: the most that the index can be",
    ],
    run: shares,
    ..SCHEDULE
};
