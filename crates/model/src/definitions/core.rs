//! The core by itself: what reads a clock, leaves a loop, or traps.

use super::Group;

pub const FORMULAS: &[&str] = &[
    // The branch back is as many taken branches as another iteration less one not taken; a wrong guess of the end is more.
    "leave_a_loop(cycles) = {cycles / iterations} cycles (×2: Agner Fog, microarchitecture: a wrong guess costs 15 to 20 cycles)",
];

pub const TERMS: &[Group] = &[
    (
        // The vDSO reads the counter with RDTSCP or LFENCE; RDTSC, then scales: so many cycles of arithmetic.
        "vDSO(cycles)",
        &[
            "hardware t0 read the counter = family.rdtscp_cycles × cycle_ns",
            "hardware t1 read the counter = [clock.read.rdtscp]",
            "software vDSO arithmetic = {cycles} cycles (×1.5: call, sequence counter, multiply, shift, divide by constant) \
             × cycle_ns",
        ],
    ),
    (
        "CPUIDs(n)",
        &[
            "hardware t0 CPUID = {n} × family.cpuid_cycles × cycle_ns",
            "software t0 the hypervisor intercepts CPUID = {n} × hypervisor.exit_ns",
        ],
    ),
];

pub const EVIDENCE: &[Group] = &[(
    // The loop of the rehearsal's longer phase may take two instructions more.
    "readings of the counter(instructions)",
    &[
        "answers = 1: every reading is at least the one before",
        "linear",
        "calls: none",
        "instructions {instructions - 0.01}..{instructions + 2.01}: each reading executes its whole sequence",
        "undisturbed",
    ],
)];
