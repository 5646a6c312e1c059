//! Mitigations of processor flaws, one fact each, and what the active ones add to a system call.

use crate::constant::{Constant, assumed};
use crate::facts::{Facts, Form, part_of_key};
use crate::families;
use crate::tree::{self, Absent, Found, Tree};
use record::{Machine, Unit};

const FOLDER: &str = "/sys/devices/system/cpu/vulnerabilities";

/// The kernel knows some 20; more are not read.
const MOST_FLAWS: usize = 64;

/// What a mitigation costs.
struct Cost {
    /// The file below [`FOLDER`]; empty for any file.
    flaw: &'static str,
    /// What the file says when it is active.
    says: &'static str,
    /// Core cycles, each time.
    cycles: Constant,
    /// Mitigations of the same group are one mechanism and cost once: the first entry that matches counts.
    group: &'static str,
}

const fn cost(group: &'static str, flaw: &'static str, says: &'static str, cycles: Constant) -> Cost {
    Cost { flaw, says, cycles, group }
}

const PAGE_TABLE: &str = "page table isolation";
const INDIRECT: &str = "indirect branches";
const PREDICTOR: &str = "return predictor";
const RETURNS: &str = "returns";

const CR3: &str = "two CR3 writes of 'on the order of a hundred cycles' (kernel, pti.rst) and lost global pages; \
                   T-Systems 2018, getppid on Xeon E5-2667v4: 140 without, 580 with";
const IBRS: &str =
    "two writes of SPEC_CTRL on entry and exit, recalled; DragonFly 2018 saw far more on first microcode";
const RETPOLINE: &str =
    "a retpoline is a mispredicted return, about 20 cycles; two on a short path, recalled";
const VERW: &str = "VERW on exit for MDS, TAA, MMIO, RFDS and TSA together; recalled, 30 to 500 by processor";
const BARRIER: &str = "a prediction barrier on entry, recalled";
const SAFE_RETURNS: &str = "some 10 cycles for each of the returns of a short path, recalled";
const UNTRAINING: &str = "untraining on entry and thunked returns, recalled";
const DEPTH: &str = "call depth tracking, recalled";
const JUMPS: &str = "a jump for each return of a short path, recalled";
const MISPREDICTED: &str = "each return is mispredicted on purpose, which costs 11 to 18 cycles and commonly 13 (AMD, Software \
                            Optimization Guide for Zen 4, 57647); about the middle of that range";
const LOOP: &str = "clear_bhb_loop: 5 × 5 calls and returns on entry, recalled";

/// Costs per system call. What acts elsewhere (barriers on interrupts, flushes when a guest is entered, fills
/// on a switch of processes) is not among them.
const OF_CALLS: [Cost; 11] = [
    cost(PAGE_TABLE, "meltdown", "PTI", assumed(400.0, CR3)),
    cost(INDIRECT, "spectre_v2", "Mitigation: IBRS", assumed(300.0, IBRS)),
    cost(INDIRECT, "spectre_v2", "etpoline", assumed(40.0, RETPOLINE)),
    cost("branch history", "spectre_v2", "BHI: SW loop", assumed(110.0, LOOP)),
    cost("buffer clear", "", "Clear CPU buffers", assumed(250.0, VERW)),
    cost(PREDICTOR, "retbleed", "Mitigation: IBPB", assumed(4000.0, BARRIER)),
    cost(PREDICTOR, "spec_rstack_overflow", "Mitigation: IBPB", assumed(4000.0, BARRIER)),
    cost(PREDICTOR, "spec_rstack_overflow", "afe RET", assumed(60.0, SAFE_RETURNS)),
    cost(PREDICTOR, "retbleed", "untrained return thunk", assumed(80.0, UNTRAINING)),
    cost(PREDICTOR, "retbleed", "Stuffing", assumed(60.0, DEPTH)),
    cost("aligned thunks", "indirect_target_selection", "return thunks", assumed(20.0, JUMPS)),
];

/// Costs of each return, or each indirect branch, of the kernel.
const OF_BRANCHES: [Cost; 5] = [
    cost(RETURNS, "spec_rstack_overflow", "afe RET", assumed(15.0, MISPREDICTED)),
    cost(RETURNS, "retbleed", "untrained return thunk", assumed(15.0, MISPREDICTED)),
    cost(RETURNS, "retbleed", "Stuffing", assumed(4.0, DEPTH)),
    cost(RETURNS, "indirect_target_selection", "return thunks", assumed(2.0, "a jump before each return")),
    cost(INDIRECT, "spectre_v2", "etpoline", assumed(25.0, "a retpoline is a mispredicted return")),
];

/// Instructions of the kernel from one such branch to the next.
fn spacing(group: &str) -> f64 {
    if group == RETURNS { 25.0 } else { 250.0 }
}

/// Cycles that the active mitigations add to an instruction of the kernel, on average, and why.
pub(crate) fn cycles_per_instruction(tree: &dyn Tree) -> Found<(f64, String)> {
    let (mut total, mut reasons) = (0.0, String::new());
    for Cost { group, cycles, .. } in active(&states(tree)?, &OF_BRANCHES) {
        let (value, every) = (cycles.value().unwrap_or_default(), spacing(group));
        total += value / every;
        reasons += &format!("; {group} every {every} instructions, {value} cycles each: {}", cycles.source());
    }
    Ok((total, reasons))
}

fn states(tree: &dyn Tree) -> Found<Vec<(String, String)>> {
    let names = tree.list(FOLDER)?;
    names
        .iter()
        .take(MOST_FLAWS)
        .map(|name| Ok((name.clone(), tree::line(tree, &format!("{FOLDER}/{name}"))?)))
        .collect()
}

/// One fact for each flaw that the kernel knows.
pub(crate) fn describe(facts: &mut Facts) {
    match facts.tree.list(FOLDER) {
        Ok(names) => {
            for name in names.iter().take(MOST_FLAWS) {
                let key = format!("mitigation.{}", part_of_key(name));
                facts.file(&key, &format!("{FOLDER}/{name}"), Form::Line);
            }
        }
        Err(absent) => facts.list("mitigation.all", FOLDER, Err(absent)),
    }
}

/// `mitigation.syscall_cycles`: what the active mitigations add to a system call.
pub(crate) fn describe_cost(facts: &mut Facts) {
    let (source, assumed, cycles) = match cycles_per_call(facts.tree, facts.machine()) {
        Ok((cycles, assumed, source)) => (source, assumed, Ok(cycles)),
        Err(absent) => (FOLDER.to_owned(), false, Err(absent)),
    };
    facts.derived("mitigation.syscall_cycles", Unit::Cycles, (&source, assumed), cycles);
}

/// The cycles, whether one of their costs is assumed, and their sources.
fn cycles_per_call(tree: &dyn Tree, machine: &Machine) -> Found<(f64, bool, String)> {
    let states = states(tree)?;
    if states.is_empty() {
        return Err(Absent::silent(FOLDER, "is empty"));
    }
    let active = active(&states, &OF_CALLS);
    if active.is_empty() {
        return Ok((0.0, false, format!("{FOLDER}: no mitigation that acts on every system call")));
    }
    let (mut total, mut reasons) = (0.0, Vec::new());
    for cost in &active {
        let cycles = cost.cycles.value().unwrap_or_default() * factor(cost, machine);
        total += cycles;
        reasons.push(format!("{} {cycles} ({})", cost.group, cost.cycles.source()));
    }
    Ok((total, active.iter().any(|cost| cost.cycles.is_assumed()), reasons.join("; ")))
}

/// The costs of the active mitigations, one of each group.
fn active(states: &[(String, String)], costs: &'static [Cost]) -> Vec<&'static Cost> {
    let mut active: Vec<&Cost> = Vec::new();
    for cost in costs {
        let matches = states.iter().any(|(flaw, state)| {
            (cost.flaw.is_empty() || cost.flaw == flaw) && acts(state) && state.contains(cost.says)
        });
        if matches && !active.iter().any(|other| other.group == cost.group) {
            active.push(cost);
        }
    }
    active
}

/// A state that begins with `Vulnerable` may name a mitigation that was tried and does not help
/// (`Vulnerable: Clear CPU buffers attempted, no microcode`); it is paid for all the same.
fn acts(state: &str) -> bool {
    !state.starts_with("Not affected")
}

/// Without process-context identifiers every CR3 write empties the TLB: the same machine went from 580 to
/// 900 (T-Systems 2018), which is 1.7 times the added cost. Arm switches its tables without that cost.
fn factor(cost: &Cost, machine: &Machine) -> f64 {
    match machine.flag("processor.pcid") {
        _ if cost.group != PAGE_TABLE => 1.0,
        _ if families::is_arm(machine) => 0.25,
        Some(false) => 1.7,
        _ => 1.0,
    }
}

/// Every cost by its name.
#[cfg(test)]
pub(crate) fn constants() -> impl Iterator<Item = (String, Constant)> {
    OF_CALLS.iter().chain(&OF_BRANCHES).map(|cost| (format!("{} {}", cost.group, cost.says), cost.cycles))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(states: &[(&str, &str)]) -> f64 {
        let states: Vec<(String, String)> =
            states.iter().map(|(flaw, state)| ((*flaw).to_owned(), (*state).to_owned())).collect();
        active(&states, &OF_CALLS).iter().filter_map(|cost| cost.cycles.value()).sum()
    }

    #[test]
    fn mechanisms_add_up_and_each_costs_once() {
        let cleared = "Mitigation: Clear CPU buffers; SMT vulnerable";
        let unsuited = "Vulnerable: untrained return thunk / IBPB on non-AMD based uarch";
        let cases: [(&[(&str, &str)], f64); 7] = [
            (&[("mds", cleared), ("mmio_stale_data", cleared), ("tsx_async_abort", cleared)], 250.0),
            (
                &[
                    ("meltdown", "Not affected"),
                    ("mds", "Not affected"),
                    (
                        "spectre_v2",
                        "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional; BHI: BHI_DIS_S",
                    ),
                    ("retbleed", "Vulnerable"),
                    ("l1tf", "Mitigation: PTE Inversion; VMX: conditional cache flushes, SMT vulnerable"),
                ],
                0.0,
            ),
            (
                &[
                    ("meltdown", "Mitigation: PTI"),
                    ("spectre_v2", "Mitigation: Retpolines; IBPB: conditional; IBRS_FW"),
                    ("spectre_v1", "Mitigation: usercopy/swapgs barriers and __user pointer sanitization"),
                    ("mds", "Vulnerable: Clear CPU buffers attempted, no microcode; SMT disabled"),
                ],
                400.0 + 40.0 + 250.0,
            ),
            (
                &[
                    ("retbleed", "Mitigation: untrained return thunk; SMT enabled with STIBP protection"),
                    ("spec_rstack_overflow", "Mitigation: Safe RET"),
                ],
                60.0,
            ),
            (&[("retbleed", "Mitigation: untrained return thunk; SMT disabled")], 80.0),
            (&[("retbleed", "Mitigation: IBPB")], 4000.0),
            (&[("retbleed", unsuited)], 80.0),
        ];
        for (states, expected) in cases {
            assert_eq!(cycles(states), expected, "{states:?}");
        }
    }
}
