//! Actors that hand each other the CPU: by messages, on one CPU or on two.

use super::Group;

pub const FORMULAS: &[&str] = &[
    // Save, restore and choose; a wake-up on another CPU comes on top.
    "scheduler = 1500 cycles (×2: block, dequeue, choose, switch, enqueue: some 1 500 instructions)",
    "registers = 100 cycles (×2: save and restore of callee-saved registers, return stack refill)",
    // From one runnable task to another, beyond a yield that finds none, which the kernel cuts short.
    "bare_switch = 1100 cycles (×1.6: clock and run time brought up to date twice, deadline moved, one task put into the \
     tree and one taken out, load averages, accounting, perf's hooks, page tables chosen, stacks, restartable sequence: \
     some 1 400 instructions at 1.5 a cycle; 150 cycles for the vector registers, 60 for the return stack)",
];

pub const TERMS: &[Group] = &[
    (
        "hand-offs between processes(n)",
        &[
            "hardware t0 change of address space = {n} × family.address_space_switch_cycles × cycle_ns",
            "wake-ups(n)",
        ],
    ),
    (
        "hand-offs between threads(n)",
        &[
            "hardware t0 registers and return stack = {n} × registers × cycle_ns",
            "wake-ups(n)",
        ],
    ),
    (
        // One exit for whoever sends the interrupt, one to wake, one to set up the tick again, which an idle CPU has stopped.
        "wake-ups(n)",
        &[
            "software t0 scheduler = {n} × scheduler × cycle_ns",
            "cpu=other|sibling|node: hardware t0 interrupt to the other CPU and its exit from idle = \
             {n} × 2000 ns (×2.5: interrupt, idle exit: 1 to 5 µs on bare metal)",
            "cpu=other|sibling|node: software t0 the hypervisor sends the interrupt, wakes the CPU, sets its timer = \
             {n} × 3 × hypervisor.exit_ns",
        ],
    ),
    (
        "change of address space",
        &["hardware t1 change of address space = family.address_space_switch_cycles × cycle_ns"],
    ),
];

pub const EVIDENCE: &[Group] = &[
    (
        "every word came back",
        &["answers = 1: every word came back, each after the one before"],
    ),
    (
        // On two CPUs a wake-up that finds its peer awake makes no switch (E54); below one in two most of the time is not
        // that of the few that happened, and each side may be preempted or woken twice. Whoever waits without a call for so
        // long that the other side surely sleeps is preempted by others now and then.
        "switches of both sides(low, high)",
        &[
            "cpu=same: switches {low}..{high} (if consistent): each side gave the CPU to the other once per round trip",
            "cpu!=same asleep_us=*: switches 1.95..4.5 (if consistent): both sides slept before they were woken, every time",
            "cpu!=same asleep_us!=*: switches 0.5..{max(4.5, high)} (if consistent): sides slept and were woken: at least \
             every fourth wake-up found its peer asleep",
        ],
    ),
];

pub const BOUNDS: &[Group] = &[(
    // A switch that costs less than saving and loading the registers is a control that costs too much.
    "least of a switch",
    &["> 100 cycles × cycle_ns: a switch saves and loads the registers and runs the scheduler"],
)];
