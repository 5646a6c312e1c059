//! What the user can do about a row and its reasons.

use crate::wording::some_joined;
use analysis::{Reason, Row};
use record::{Origin, Witness};

/// What the user can do about a row.
pub(crate) fn remedy(row: &Row) -> Option<String> {
    let has_states = !row.undecided_states().is_empty();
    // More trials make the interval of a median narrow, and not of it one state.
    let helpful =
        row.reasons.iter().filter(|reason| !(has_states && matches!(reason, Reason::TooWide { .. })));
    let mut remedies: Vec<&str> = helpful.filter_map(|reason| of_row(row, reason)).collect();
    if has_states && !row.reasons.contains(&Reason::States) {
        remedies.extend(remedy_of(&Reason::States));
    }
    remedies.dedup();
    some_joined(remedies, "; ")
}

/// What the user can do about a reason of a row.
pub(super) fn of_row<'r>(row: &Row, reason: &'r Reason) -> Option<&'r str> {
    match is_beyond(row, reason) {
        true => Some("a longer run would not make it narrow; a quieter machine may"),
        false => remedy_of(reason),
    }
}

/// Whether a row has too few trials, and more would not help.
pub(super) fn is_beyond(row: &Row, reason: &Reason) -> bool {
    row.is_beyond_more_time && matches!(reason, Reason::TooFew(..) | Reason::TooWide { .. })
}

const INTERCEPTED: &str = "something may intercept system calls: an emulator, a sandbox, LD_PRELOAD";

/// Whether a witness counts system calls and instructions, which what stands between program and kernel changes.
fn is_of_calls(witness: &Witness) -> bool {
    witness.origin == Origin::Rehearsal || witness.counter.starts_with("calls.")
}

/// What the user can do about a reason.
pub(super) fn remedy_of(reason: &Reason) -> Option<&str> {
    Some(match reason {
        Reason::Witness(broken) | Reason::Noise(broken) => of_witness(&broken.witness, reason),
        Reason::EveryTrial(_) | Reason::Bound { .. } => REPEAT,
        Reason::Unmet(_, remedy) | Reason::Lost { remedy, .. } => return remedy.as_deref(),
        Reason::Failed(..) => return None,
        Reason::Unproven(_) => {
            "allow ptrace, or hardware counters, or run it outside the sandbox that forbids them"
        }
        Reason::NotTried | Reason::TooFew(..) | Reason::TooWide { .. } => {
            "a longer run may help: oscope run --resume RECORD --budget TIME"
        }
        Reason::States => "compare the states, not the medians",
        Reason::Throttled { .. } => "raise or lift the CPU quota (cpu.max) of this control group",
        Reason::Unsteady { .. } => "let the machine come to rest, or fix the clock",
        Reason::SetAside(..) | Reason::Starved(..) | Reason::OtherTasks(_) | Reason::BesidePrograms(_) => {
            QUIET
        }
    })
}

const QUIET: &str = "stop other programs, or choose another CPU (--cpu)";
const REPEAT: &str = "repeat the point alone; if it stays, 'oscope explain ID' shows what was counted: report it with the record";

/// What helps against a broken witness, by what it counts.
fn of_witness(witness: &Witness, reason: &Reason) -> &'static str {
    let counter = witness.counter.as_str();
    match counter.split('.').next().unwrap_or_default() {
        _ if is_of_calls(witness) => INTERCEPTED,
        "faults" | "pages" | "resident" => {
            "memory was reclaimed or migrated: free memory; check swap, memory limits and compaction"
        }
        "migrations" | "cpus" => {
            "something moves tasks between CPUs: a balancing daemon, a cpuset, CPU hotplug"
        }
        "retransmissions" | "listen" | "segments" => {
            "packets were lost or split: check the counters of the interface and other load on the network"
        }
        "device" | "blocks" | "reads" => {
            "something else used the storage, or a cache answered: stop it, or choose another directory"
        }
        "linearity" | "steady" => {
            "cost per iteration depends on the number of iterations: repeat the point alone, at a fixed clock"
        }
        _ if matches!(reason, Reason::Noise(_)) => QUIET,
        "switches" | "actors" => {
            "other tasks ran on the CPUs of this point: stop them, or choose other CPUs (--cpu)"
        }
        _ => REPEAT,
    }
}
