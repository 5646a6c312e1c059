//! Costs for predictions that follow from other facts: the core cycle, the timer tick, mitigations, a hypervisor exit.

use crate::facts::Facts;
use crate::hypervisor;
use crate::mitigations;
use crate::tree::Absent;
use record::Unit;

/// Hz of the kernels of Debian, Ubuntu before 24.10 and most clouds, where the configuration is unreadable.
const USUAL_TICK_HZ: f64 = 250.0;

pub(crate) fn describe(facts: &mut Facts) {
    cycle(facts);
    tick(facts);
    mitigations::describe_cost(facts);
    hypervisor::describe_cost(facts);
    hypervisor::describe_gates(facts);
}

/// `clock.cycle_ns`: the length of a core cycle.
fn cycle(facts: &mut Facts) {
    let machine = facts.machine();
    let of = |key| Some((machine.number(key)?, machine.get(key)?.source.clone()));
    let (source, found) = if let Some((hertz, source)) = of("processor.frequency_max") {
        let boosts = machine.flag("power.boost") != Some(false);
        let remark = if boosts {
            "; assumes that the core boosts to it"
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

/// `kernel.tick_ns`: the period of the kernel's timer tick.
fn tick(facts: &mut Facts) {
    let known = facts
        .machine()
        .number("kernel.tick_hz")
        .filter(|hertz| *hertz > 0.0);
    let (hertz, source) = match known {
        Some(hertz) => (hertz, "kernel.tick_hz".to_owned()),
        None => (
            USUAL_TICK_HZ,
            format!("assumed: most distributions set CONFIG_HZ={USUAL_TICK_HZ}"),
        ),
    };
    facts.number("kernel.tick_ns", Unit::Nanoseconds, &source, Ok(1e9 / hertz));
}
