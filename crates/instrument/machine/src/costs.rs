//! Costs for predictions that follow from other facts: the core cycle, the timer tick, mitigations, a hypervisor exit.

use crate::facts::Facts;
use crate::hypervisor;
use crate::mitigations;
use crate::tree::{Absent, Found};
use record::Unit;

/// Hz of the kernels of Debian, Ubuntu before 24.10 and most clouds, where the configuration is unreadable.
const USUAL_TICK_HZ: f64 = 250.0;

pub(crate) fn describe(facts: &mut Facts) {
    cycle(facts);
    owned_cache(facts);
    tick(facts);
    mitigations::describe_cost(facts);
    kernel_pace(facts);
    hypervisor::describe_cost(facts);
    hypervisor::describe_gates(facts);
}

/// What follows from a fact that is unknown.
fn unknown(key: &str) -> (String, bool, Found<f64>) {
    (key.to_owned(), false, Err(Absent::silent(key, "is unknown")))
}

/// `clock.cycle_ns`: the length of a core cycle.
fn cycle(facts: &mut Facts) {
    let machine = facts.machine();
    let is_fixed = machine.flag("power.boost") == Some(false);
    let clocks = [
        ("processor.frequency_max", if is_fixed { "" } else { "; assumes that the core boosts to it" }),
        ("family.turbo_hertz", ""),
        ("processor.frequency", "; the core may boost above it"),
    ];
    let known = clocks.into_iter().find_map(|(key, remark)| {
        let (hertz, fact) = (machine.number(key)?, machine.get(key)?);
        Some((format!("{key} ({}){remark}", fact.source), fact.assumed, Ok(1e9 / hertz)))
    });
    let (source, assumed, found) = known.unwrap_or_else(|| unknown("processor.frequency"));
    facts.derived("clock.cycle_ns", Unit::Nanoseconds, (&source, assumed), found);
}

/// `kernel.cycles_per_instruction`: of warm paths of the kernel.
fn kernel_pace(facts: &mut Facts) {
    let width = facts.machine().number("family.issue_width");
    let (added, reasons) = mitigations::cycles_per_instruction(facts.tree).unwrap_or_default();
    let source =
        format!("assumed: a third of family.issue_width in a cycle, as integer programs do{reasons}");
    let found = width.map(|width| 3.0 / width + added);
    let found = found.ok_or_else(|| Absent::silent("family.issue_width", "is unknown"));
    facts.derived("kernel.cycles_per_instruction", Unit::Cycles, (&source, true), found);
}

/// `cache.owned.size`: what the CPUs can count on of the last-level cache, which guests share by the host's cores.
fn owned_cache(facts: &mut Facts) {
    let machine = facts.machine();
    let last = machine.number("cache.last.size");
    let guest = machine.text("environment.hypervisor").is_some_and(|name| name != "none");
    let of_cores = machine.number("cpus.allowed").zip(machine.number("family.l3_core_bytes"));
    let is_slice_assumed = machine.is_assumed("family.l3_core_bytes");
    let (source, assumed, found) = match (last, of_cores) {
        (Some(last), Some((cpus, slice))) if guest && cpus * slice < last => (
            "expected, not measured: family.l3_core_bytes for each of cpus.allowed, as guests share the last-level cache".to_owned(),
            is_slice_assumed,
            Ok(cpus * slice),
        ),
        (Some(last), _) => ("cache.last.size".to_owned(), false, Ok(last)),
        (None, _) => unknown("cache.last.size"),
    };
    facts.derived("cache.owned.size", Unit::Bytes, (&source, assumed), found);
}

/// `kernel.tick_ns`: the period of the kernel's timer tick.
fn tick(facts: &mut Facts) {
    let known = facts.machine().number("kernel.tick_hz").filter(|hertz| *hertz > 0.0);
    let (hertz, source) = match known {
        Some(hertz) => (hertz, "kernel.tick_hz".to_owned()),
        None => (USUAL_TICK_HZ, format!("assumed: most distributions set CONFIG_HZ={USUAL_TICK_HZ}")),
    };
    facts.derived("kernel.tick_ns", Unit::Nanoseconds, (&source, known.is_none()), Ok(1e9 / hertz));
}
