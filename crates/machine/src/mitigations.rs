//! Mitigations of processor flaws, one fact each, and what the active ones add to a system call.

use crate::facts::{Facts, part_of_key};
use crate::families;
use crate::tree::{self, Absent, Found, Tree};
use record::{Machine, Unit};
use std::fmt::Write as _;

const FOLDER: &str = "/sys/devices/system/cpu/vulnerabilities";

/// The kernel knows some 20; more are not read.
const MOST_FLAWS: usize = 64;

/// What a mitigation adds to every system call.
struct Cost {
    /// The file below [`FOLDER`]; empty for any file.
    flaw: &'static str,
    /// What the file says when it is active.
    says: &'static str,
    /// Core cycles per system call.
    cycles: f64,
    /// Mitigations of the same group are one mechanism and cost once.
    group: &'static str,
    /// Where the number comes from.
    source: &'static str,
}

/// Published costs per system call. What acts elsewhere (barriers on interrupts, flushes when a guest is
/// entered, fills on a switch of processes) is not among them. The first entry of a group that matches is the one that counts.
const COSTS: [Cost; 11] = [
    Cost {
        flaw: "meltdown",
        says: "PTI",
        cycles: 400.0,
        group: "page table isolation",
        source: "two CR3 writes of 'on the order of a hundred cycles' (kernel, pti.rst) and lost global pages; \
                 T-Systems 2018, getppid on Xeon E5-2667v4: 140 without, 580 with",
    },
    Cost {
        flaw: "spectre_v2",
        says: "Mitigation: IBRS",
        cycles: 300.0,
        group: "indirect branches",
        source: "two writes of SPEC_CTRL on entry and exit, unconfirmed; DragonFly 2018 saw far more on first microcode",
    },
    Cost {
        flaw: "spectre_v2",
        says: "etpoline",
        cycles: 40.0,
        group: "indirect branches",
        source: "a retpoline is a mispredicted return, about 20 cycles; two on a short path, unconfirmed",
    },
    Cost {
        flaw: "spectre_v2",
        says: "BHI: SW loop",
        cycles: 110.0,
        group: "branch history",
        source: "clear_bhb_loop: 5 × 5 calls and returns on entry, unconfirmed",
    },
    Cost {
        flaw: "",
        says: "Clear CPU buffers",
        cycles: 250.0,
        group: "buffer clear",
        source: "VERW on exit for MDS, TAA, MMIO, RFDS and TSA together; unconfirmed, 30 to 500 by processor",
    },
    Cost {
        flaw: "retbleed",
        says: "Mitigation: IBPB",
        cycles: 4000.0,
        group: "return predictor",
        source: "a prediction barrier on entry, unconfirmed",
    },
    Cost {
        flaw: "spec_rstack_overflow",
        says: "Mitigation: IBPB",
        cycles: 4000.0,
        group: "return predictor",
        source: "a prediction barrier on entry, unconfirmed",
    },
    Cost {
        flaw: "spec_rstack_overflow",
        says: "afe RET",
        cycles: 60.0,
        group: "return predictor",
        source: "some 10 cycles for each of the returns of a short path, unconfirmed",
    },
    Cost {
        flaw: "retbleed",
        says: "untrained return thunk",
        cycles: 80.0,
        group: "return predictor",
        source: "untraining on entry and thunked returns, unconfirmed",
    },
    Cost {
        flaw: "retbleed",
        says: "Stuffing",
        cycles: 60.0,
        group: "return predictor",
        source: "call depth tracking, unconfirmed",
    },
    Cost {
        flaw: "indirect_target_selection",
        says: "return thunks",
        cycles: 20.0,
        group: "aligned thunks",
        source: "a jump for each return of a short path, unconfirmed",
    },
];

/// What a mitigation adds to each return, or to each indirect branch, of the kernel.
struct BranchCost {
    flaw: &'static str,
    says: &'static str,
    cycles: f64,
    /// Instructions from one such branch to the next.
    every: f64,
    group: &'static str,
    source: &'static str,
}

/// Instructions of the kernel from one return, and from one indirect branch, to the next.
const RETURNS: f64 = 25.0;
const INDIRECT: f64 = 250.0;

const MISPREDICTED: &str = "each return is mispredicted on purpose, 11 to 18 cycles (AMD, Software Optimization Guide for \
                            family 19h, from memory, unconfirmed)";

/// The first entry of a group that matches is the one that counts.
const BRANCH_COSTS: [BranchCost; 5] = [
    branch("spec_rstack_overflow", "afe RET", 15.0, RETURNS, MISPREDICTED),
    branch("retbleed", "untrained return thunk", 15.0, RETURNS, MISPREDICTED),
    branch("retbleed", "Stuffing", 4.0, RETURNS, "call depth tracking, unconfirmed"),
    branch("indirect_target_selection", "return thunks", 2.0, RETURNS, "a jump before each return"),
    branch("spectre_v2", "etpoline", 25.0, INDIRECT, "a retpoline is a mispredicted return"),
];

const fn branch(
    flaw: &'static str,
    says: &'static str,
    cycles: f64,
    every: f64,
    source: &'static str,
) -> BranchCost {
    let group = if every == RETURNS { "returns" } else { "indirect branches" };
    BranchCost { flaw, says, cycles, every, group, source }
}

/// Cycles that the active mitigations add to an instruction of the kernel, on average, and why.
pub(crate) fn cycles_per_instruction(tree: &dyn Tree) -> Found<(f64, String)> {
    let states = states(tree)?;
    let (mut total, mut groups, mut reasons) = (0.0, Vec::new(), String::new());
    for cost in &BRANCH_COSTS {
        let matches =
            states.iter().any(|(flaw, state)| cost.flaw == flaw && acts(state) && state.contains(cost.says));
        if matches && !groups.contains(&cost.group) {
            groups.push(cost.group);
            total += cost.cycles / cost.every;
            let _ = write!(
                reasons,
                "; {} every {} instructions, {} cycles each: {}",
                cost.group, cost.every, cost.cycles, cost.source
            );
        }
    }
    Ok((total, reasons))
}

fn states(tree: &dyn Tree) -> Found<Vec<(String, String)>> {
    let names = tree.list(FOLDER)?;
    let of = |name: &String| Ok((name.clone(), tree::line(tree, &format!("{FOLDER}/{name}"))?));
    names.iter().take(MOST_FLAWS).map(of).collect()
}

/// One fact for each flaw that the kernel knows.
pub(crate) fn describe(facts: &mut Facts) {
    match facts.tree.list(FOLDER) {
        Ok(names) => {
            for name in names.iter().take(MOST_FLAWS) {
                facts.line(&format!("mitigation.{}", part_of_key(name)), &format!("{FOLDER}/{name}"));
            }
        }
        Err(absent) => facts.list("mitigation.all", FOLDER, Err(absent)),
    }
}

/// `mitigation.syscall_cycles`: what the active mitigations add to a system call.
pub(crate) fn describe_cost(facts: &mut Facts) {
    let found = cost(facts.tree, facts.machine());
    let (source, cycles) = match found {
        Ok((cycles, source)) => (source, Ok(cycles)),
        Err(absent) => (FOLDER.to_owned(), Err(absent)),
    };
    facts.number("mitigation.syscall_cycles", Unit::Cycles, &source, cycles);
}

fn cost(tree: &dyn Tree, machine: &Machine) -> Found<(f64, String)> {
    let states = states(tree)?;
    if states.is_empty() {
        return Err(Absent::silent(FOLDER, "is empty"));
    }
    let active = active(&states);
    if active.is_empty() {
        return Ok((0.0, format!("{FOLDER}: no mitigation that acts on every system call")));
    }
    let mut total = 0.0;
    let mut reasons = Vec::new();
    for cost in active {
        let cycles = cost.cycles * factor(cost, machine);
        total += cycles;
        reasons.push(format!("{} {cycles} ({})", cost.group, cost.source));
    }
    Ok((total, reasons.join("; ")))
}

fn active(states: &[(String, String)]) -> Vec<&'static Cost> {
    let mut active: Vec<&Cost> = Vec::new();
    for cost in &COSTS {
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
    if cost.group != "page table isolation" {
        return 1.0;
    }
    if families::is_arm(machine) {
        return 0.25;
    }
    match machine.flag("processor.pcid") {
        Some(false) => 1.7,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycles(states: &[(&str, &str)]) -> f64 {
        let states: Vec<(String, String)> =
            states.iter().map(|(flaw, state)| ((*flaw).to_owned(), (*state).to_owned())).collect();
        active(&states).iter().map(|cost| cost.cycles).sum()
    }

    #[test]
    fn one_mechanism_costs_once() {
        let states = [
            ("mds", "Mitigation: Clear CPU buffers; SMT vulnerable"),
            ("mmio_stale_data", "Mitigation: Clear CPU buffers; SMT vulnerable"),
            ("tsx_async_abort", "Mitigation: Clear CPU buffers; SMT vulnerable"),
        ];
        assert_eq!(cycles(&states), 250.0);
    }

    #[test]
    fn unaffected_machine_has_no_cost() {
        let states = [
            ("meltdown", "Not affected"),
            ("mds", "Not affected"),
            ("spectre_v2", "Mitigation: Enhanced / Automatic IBRS; IBPB: conditional; BHI: BHI_DIS_S"),
            ("retbleed", "Vulnerable"),
            ("l1tf", "Mitigation: PTE Inversion; VMX: conditional cache flushes, SMT vulnerable"),
        ];
        assert_eq!(cycles(&states), 0.0);
    }

    #[test]
    fn mechanisms_add_up() {
        let states = [
            ("meltdown", "Mitigation: PTI"),
            ("spectre_v2", "Mitigation: Retpolines; IBPB: conditional; IBRS_FW"),
            ("spectre_v1", "Mitigation: usercopy/swapgs barriers and __user pointer sanitization"),
            ("mds", "Vulnerable: Clear CPU buffers attempted, no microcode; SMT disabled"),
        ];
        assert_eq!(cycles(&states), 400.0 + 40.0 + 250.0);
    }

    #[test]
    fn one_return_predictor_mitigation_counts() {
        let states = [
            ("retbleed", "Mitigation: untrained return thunk; SMT enabled with STIBP protection"),
            ("spec_rstack_overflow", "Mitigation: Safe RET"),
        ];
        assert_eq!(cycles(&states), 60.0);
        assert_eq!(cycles(&[("retbleed", "Mitigation: untrained return thunk; SMT disabled")]), 80.0);
        assert_eq!(cycles(&[("retbleed", "Mitigation: IBPB")]), 4000.0);
        let unsuited = "Vulnerable: untrained return thunk / IBPB on non-AMD based uarch";
        assert_eq!(cycles(&[("retbleed", unsuited)]), 80.0);
    }
}
