//! Facts that follow from others, for predictions: the length of a cycle, what reaching a hypervisor costs,
//! how often the tick comes.

use crate::facts::Facts;
use crate::hypervisor;
use crate::mitigations;
use crate::tree::Absent;
use record::Unit;

/// Hz of Debian's, Ubuntu's (before 24.10) and most cloud kernels, for when the configuration is unreadable.
const USUAL_TICK_HZ: f64 = 250.0;

/// By which factor, either way, published facts of this name are usually off; by key, first match.
const UNCERTAINTIES: [(&str, f64); 14] = [
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
    // Every other constant of a family: neighbours, channels and clocks of the uncore differ.
    ("family.", 1.5),
    ("clock.cycle_ns", 1.25),
    ("mitigation.syscall_cycles", 1.7),
    ("hypervisor.exit_ns", 2.5),
];

/// By which factor, at least 1, the value of a fact is uncertain either way. Facts that the machine itself
/// tells are taken as they are: 1.
pub fn typical_uncertainty(key: &str) -> f64 {
    let known = UNCERTAINTIES.iter().find(|(start, _)| key.starts_with(start));
    known.map_or(1.0, |(_, factor)| *factor)
}

pub(crate) fn describe(facts: &mut Facts) {
    cycle(facts);
    tick(facts);
    mitigations::describe_cost(facts);
    hypervisor::describe_cost(facts);
}

/// `clock.cycle_ns`: the length of a core cycle.
fn cycle(facts: &mut Facts) {
    let machine = facts.machine();
    let of = |key| Some((machine.number(key)?, machine.get(key)?.source.clone()));
    let (source, found) = if let Some((hertz, source)) = of("processor.frequency_max") {
        let boosts = machine.flag("power.boost") != Some(false);
        let remark = if boosts {
            "; that the core boosts to it is a guess"
        } else {
            ""
        };
        (
            format!("processor.frequency_max ({source}){remark}"),
            Ok(1e9 / hertz),
        )
    } else if let Some((hertz, source)) = of("processor.frequency") {
        let source = format!("processor.frequency ({source}); the core may boost above it");
        (source, Ok(1e9 / hertz))
    } else {
        let absent = Absent::silent("processor.frequency", "is unknown");
        ("processor.frequency".to_owned(), Err(absent))
    };
    facts.number("clock.cycle_ns", Unit::Nanoseconds, &source, found);
}

/// `kernel.tick_ns`: how far apart the kernel's timer ticks are.
fn tick(facts: &mut Facts) {
    let known = facts
        .machine()
        .number("kernel.tick_hz")
        .filter(|hertz| *hertz > 0.0);
    let (hertz, source) = match known {
        Some(hertz) => (hertz, "kernel.tick_hz".to_owned()),
        None => (
            USUAL_TICK_HZ,
            format!("a guess: most distributions set CONFIG_HZ={USUAL_TICK_HZ}"),
        ),
    };
    facts.number("kernel.tick_ns", Unit::Nanoseconds, &source, Ok(1e9 / hertz));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_of_a_family_is_uncertain_and_the_machine_is_not() {
        for family in crate::families::all() {
            for (part, ..) in family.constants() {
                assert!(typical_uncertainty(&format!("family.{part}")) > 1.0, "{part}");
            }
        }
        assert_eq!(typical_uncertainty("cache.l1d.size"), 1.0);
        assert_eq!(typical_uncertainty("hypervisor.exit_ns"), 2.5);
    }
}
