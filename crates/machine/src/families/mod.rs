//! Families of processors and their published latencies and costs, every number with its source. From these a cost
//! can be predicted before anything is measured.

mod amd;
mod arithmetic;
mod arm;
mod family;
mod intel;
mod recognition;
mod sources;

use crate::cpus::describes_efficiency_core;
use crate::facts::Facts;
use crate::identity::CPUINFO;
use crate::tree::Absent;
use crate::uncertainty::typical_uncertainty;
pub use arithmetic::{Arithmetic, Cycles};
pub use family::{Family, Member};
pub use recognition::all;
use recognition::recognize;
use record::{Machine, Unit};
pub use sources::Constant;

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
    let by = recognized.as_ref().map(|recognized| recognized.by.clone());
    let found = recognized.as_ref().map(|recognized| recognized.family);
    let name = found.map(|family| family.name.to_owned());
    facts.text("family.name", CPUINFO, name.map_err(Clone::clone));
    facts.text("family.recognized_by", CPUINFO, by.map_err(Clone::clone));
    // An unknown family has the same facts, all unknown; any family names them.
    for (index, (part, unit, _)) in intel::ANY.constants().into_iter().enumerate() {
        let key = format!("family.{part}");
        match found {
            Ok(family) => {
                if let Some((.., constant)) = family.constants().get(index) {
                    put(facts, &key, unit, constant);
                }
            }
            Err(absent) => facts.number(&key, unit, "table of families", Err(absent.clone())),
        }
    }
}

fn put(facts: &mut Facts, key: &str, unit: Unit, constant: &Constant) {
    match *constant {
        Constant::Published { value, source } => {
            let within = typical_uncertainty(key);
            let source = format!("{source}; within a factor of {within}");
            facts.number(key, unit, &source, Ok(value));
        }
        Constant::None { reason } => {
            facts.number(key, unit, "table of families", Err(Absent::silent(key, reason)));
        }
    }
}

#[cfg(test)]
mod tests;
