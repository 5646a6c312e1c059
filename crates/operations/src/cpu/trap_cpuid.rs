//! CPUID: on a bare machine one slow instruction, in a virtual machine the way to the hypervisor and back.

use measure::{Area, Operation, calls, core_cycles, linear, term, told_cycles, undisturbed, work_done};
use record::{Bound, Formula, Need, Prediction, Side, Term};
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
    needs: |_| {
        vec![Need::Architecture {
            name: "x86_64".to_owned(),
        }]
    },
    computed_prediction: |_| Prediction {
        from_facts: from_facts(1.0),
        from_parts: Vec::new(),
    },
    computed_witnesses: |_| {
        let mut all = work_done("the processor told the same every time");
        all.extend(linear());
        all.extend(calls(&[]));
        all.extend(undisturbed());
        all
    },
    computed_bounds: |_| {
        vec![Bound {
            lower: true,
            formula: core_cycles(Formula::exactly(20.0)),
            because: "it waits for all that went before, on every processor".to_owned(),
        }]
    },
    run: |bench| bench.slope(&mut |n| Ok(arch::identify(n))),
    ..Operation::NEW
};

/// So many of them, for T0.
pub fn from_facts(times: f64) -> Vec<Term> {
    vec![
        term(
            Side::Hardware,
            "CPUID",
            told_cycles(Formula::fact("family.cpuid_cycles").times(times)),
        ),
        term(
            Side::Software,
            "the hypervisor intercepts CPUID",
            Formula::fact("hypervisor.exit_ns").times(times),
        ),
    ]
}
