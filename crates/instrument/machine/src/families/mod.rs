//! Families of processors and their published or assumed latencies and costs, every number with its source. From these a cost
//! can be predicted before anything is measured.

mod amd;
mod arithmetic;
mod arithmetic_arm;
mod arithmetic_x86;
mod arm;
mod family;
mod intel;
mod recognition;
mod sources;

use crate::constant::Constant;
use crate::cpus::describes_efficiency_core;
use crate::facts::Facts;
use crate::identity::CPUINFO;
use crate::tree::Absent;
use crate::uncertainty::typical_uncertainty;
use recognition::recognize;
use record::{Machine, Unit};

/// Whether a described machine is an Arm machine.
pub(crate) fn is_arm(machine: &Machine) -> bool {
    machine.text("processor.signature").is_some_and(|signature| signature.starts_with("Arm "))
}

/// `family.name`, by what it was recognized, and one fact for each constant.
pub(crate) fn describe(facts: &mut Facts) {
    let recognized = match describes_efficiency_core(facts.tree) {
        true => {
            Err(Absent::silent("unknown family", "an efficiency core, which has the signature of the others"))
        }
        false => recognize(facts.tree),
    };
    let found = recognized.as_ref().map_err(Clone::clone);
    facts.text("family.name", CPUINFO, found.clone().map(|found| found.family.name.to_owned()));
    facts.text("family.recognized_by", CPUINFO, found.clone().map(|found| found.by.clone()));
    // An unknown family has the same facts, all unknown; any family names them.
    let family = found.map(|found| found.family);
    for (part, unit, constant) in family.as_ref().map_or(&intel::ANY, |family| *family).constants() {
        let key = format!("family.{part}");
        match &family {
            Ok(_) => put(facts, &key, unit, constant),
            Err(absent) => facts.number(&key, unit, "table of families", Err(absent.clone())),
        }
    }
}

fn put(facts: &mut Facts, key: &str, unit: Unit, constant: Constant) {
    let Some(value) = constant.value() else {
        return facts.number(key, unit, "table of families", Err(Absent::silent(key, &constant.source())));
    };
    let source = format!("{}; within a factor of {}", constant.source(), typical_uncertainty(key));
    facts.derived(key, unit, (&source, constant.is_assumed()), Ok(value));
}

#[cfg(test)]
mod tests;
