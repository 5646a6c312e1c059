//! The usual uncertainty of published facts.

/// Factors by which published facts are usually off, up or down; by key, first match.
const UNCERTAINTIES: [(&str, f64); 18] = [
    ("family.add_cycles", 1.02),
    ("family.multiply_cycles", 1.05),
    ("family.l1_cycles", 1.1),
    ("family.l2_cycles", 1.15),
    ("family.counter_read_cycles", 1.15),
    ("family.cpuid_cycles", 1.3),
    ("family.loop_cycles", 1.2),
    ("family.call_cycles", 1.5),
    ("family.store_forward_cycles", 1.5),
    ("family.syscall_cycles", 1.7),
    ("family.turbo_hertz", 1.15),
    ("family.l3_core_bytes", 2.0),
    ("cache.owned.size", 2.0),
    // Every other constant of a family: memory channels and uncore clocks differ.
    ("family.", 1.5),
    ("kernel.cycles_per_instruction", 1.5),
    ("clock.cycle_ns", 1.25),
    ("mitigation.syscall_cycles", 1.7),
    ("hypervisor.exit_ns", 2.5),
];

/// The factor, at least 1, by which the value of a fact is uncertain, up or down. Facts that the machine itself
/// reports are exact: 1.
pub(crate) fn typical_uncertainty(key: &str) -> f64 {
    let known = UNCERTAINTIES.iter().find(|(start, _)| key.starts_with(start));
    known.map_or(1.0, |(_, factor)| *factor)
}
