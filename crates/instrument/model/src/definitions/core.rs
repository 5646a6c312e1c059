//! The core: clock reads, loop exits, CPUID.

use super::group::Group;

pub const FORMULAS: &[&str] = &[
    // A loop ends with one branch that is not taken; its misprediction costs more.
    "loop_exit(cycles) = {cycles / iterations} cycles (×2: a misprediction costs 10 to 17 cycles (LLVM's scheduling models))",
];

pub const TERMS: &[Group] = &[
    (
        // The vDSO reads the counter by RDTSCP, or LFENCE and RDTSC, and scales it by arithmetic of some cycles.
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
    // The longer phase of the rehearsal may take two more instructions.
    "counter reads(instructions)",
    &[
        "answers = 1: every read is at least the previous one",
        "linear",
        "calls: none",
        "instructions {instructions - 0.01}..{instructions + 2.01}: each read executes its whole sequence",
        "undisturbed",
    ],
)];
