//! CPUID: on a bare machine one slow instruction, in a virtual machine the way to the hypervisor and back.

use measure::{Area, Operation};
use sys::arch;

/// CPUID alone.
pub static OPERATION: Operation = Operation {
    id: "trap.cpuid",
    area: Area::Cpu,
    title: "ask the processor what it is (CPUID)",
    one_iteration: "one CPUID with leaf 0, which must tell the same highest leaf every time",
    method: "CPUID in a loop.",
    confounds: "Hypervisors on Intel processors must intercept CPUID: its cost is then that of leaving the guest and \
                coming back. The dynamic linker of glibc executes dozens at the start of every program.",
    sources: &[("R0", "CPUID as a fence of the counter"), ("R3", "the same")],
    needs: measure::on_x86_64,
    predict: &["CPUIDs(1)"],
    evidence: &[
        "answers = 1: the processor told the same every time",
        "linear",
        "calls: none",
        "undisturbed",
    ],
    bounds: &["> 20 cycles × cycle_ns: it waits for all that went before, on every processor"],
    run: |bench| bench.slope(&mut |n| Ok(arch::identify(n))),
    ..Operation::NEW
};
