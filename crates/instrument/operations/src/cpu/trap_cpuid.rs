//! CPUID: on bare metal one slow instruction, in a virtual machine an exit to the hypervisor.

use measure::Operation;
use sys::arch;

/// One CPUID.
pub static CPUID: Operation = Operation {
    id: "trap.cpuid",
    title: "cpuid, leaf 0",
    one_iteration: "one CPUID with leaf 0, which must give the same highest leaf every time",
    method: "CPUID in a loop.",
    confounds: "Hypervisors on Intel processors must intercept CPUID: the cost is then that of a VM exit and entry. The dynamic \
                linker of glibc executes dozens at the start of every program.",
    sources: &[
        ("R0, 3.1", "CPUID before RDTSC and after RDTSCP: a fence outside of the interval"),
        ("R3, 3.1", "the same"),
    ],
    needs: measure::on_x86_64,
    predict: &["CPUIDs(1)"],
    evidence: &["answers = 1: the result was the same every time", "linear", "calls: none", "undisturbed"],
    bounds: &["> 20 cycles × cycle_ns: it serialises on every processor"],
    run: |bench| bench.slope(&mut |n| Ok(arch::identify(n))),
    ..super::COMMON
};
