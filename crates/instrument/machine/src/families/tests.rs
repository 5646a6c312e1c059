//! What holds for the whole table of families.

use super::family::Family;
use super::recognition::{all, family_of};
use super::*;
use crate::identity::Identity;
use std::collections::HashSet;

fn x86(vendor: &str, family: u32, model: u32, stepping: u32) -> Identity {
    Identity::X86 { vendor: vendor.to_owned(), family, model, stepping }
}

#[test]
fn processors_of_the_reports_and_of_servers_are_known() {
    for (model, stepping, name) in [
        (61, 4, "Intel Broadwell"),
        (58, 9, "Intel Ivy Bridge"),
        (30, 5, "Intel Nehalem"),
        (26, 5, "Intel Nehalem (two sockets: Gainestown, Westmere-EP)"),
        (85, 4, "Intel Skylake (server)"),
        (85, 7, "Intel Cascade Lake"),
        (106, 6, "Intel Ice Lake (server)"),
        (143, 8, "Intel Sapphire Rapids"),
        (207, 2, "Intel Emerald Rapids"),
        (173, 0, "Intel Granite Rapids"),
        (175, 3, "Intel Sierra Forest"),
    ] {
        assert_eq!(family_of(&x86("GenuineIntel", 6, model, stepping)).unwrap().name, name);
    }
    for (family, model, name) in [
        (0x10, 0x05, "AMD K10 (Phenom II, Athlon II)"),
        (0x17, 0x01, "AMD Zen 1"),
        (0x17, 0x08, "AMD Zen+"),
        (0x17, 0x31, "AMD Zen 2 (server)"),
        (0x17, 0x71, "AMD Zen 2"),
        (0x19, 0x01, "AMD Zen 3 (server)"),
        (0x19, 0x11, "AMD Zen 4 (server)"),
        (0x1a, 0x02, "AMD Zen 5 (server)"),
        (0x1a, 0x44, "AMD Zen 5"),
    ] {
        assert_eq!(family_of(&x86("AuthenticAMD", family, model, 2)).unwrap().name, name);
    }
    for (implementer, part, name) in [
        (0x61, 0x43, "Apple M3 (performance cores)"),
        (0x41, 0xd0c, "Arm Neoverse N1"),
        (0x41, 0xd40, "Arm Neoverse V1"),
        (0x41, 0xd49, "Arm Neoverse N2"),
        (0x41, 0xd4f, "Arm Neoverse V2"),
    ] {
        assert_eq!(family_of(&Identity::Arm { implementer, part }).unwrap().name, name);
    }
}

#[test]
fn names_are_unique_and_no_processor_is_of_two_families() {
    let names: HashSet<&str> = all().map(|family| family.name).collect();
    assert_eq!(names.len(), all().count());
    let matches = |identity: &Identity| {
        all().filter(|family| family.members.iter().any(|member| member.is(identity))).count()
    };
    for (vendor, family) in
        [("GenuineIntel", 6), ("AuthenticAMD", 0x17), ("AuthenticAMD", 0x19), ("AuthenticAMD", 0x1a)]
    {
        for model in 0..=255 {
            for stepping in [0, 4, 5, 7] {
                let count = matches(&x86(vendor, family, model, stepping));
                assert!(count <= 1, "{vendor} {family} {model} {stepping}: {count}");
            }
        }
    }
    for implementer in [0x41, 0x61, 0xc0] {
        for part in 0..=0xfff {
            assert!(matches(&Identity::Arm { implementer, part }) <= 1);
        }
    }
}

#[test]
fn constants_are_plausible_and_have_a_source() {
    for family in all() {
        for (key, _, constant) in family.constants() {
            let most = match key.as_str() {
                "turbo_hertz" => 5e9,
                "l3_core_bytes" => 8e6,
                _ => 400.0,
            };
            let is_plausible = constant.value().is_none_or(|value| value > 0.0 && value <= most);
            assert!(is_plausible, "{} {key} {constant:?}", family.name);
            assert!(constant.source().len() > "assumed: ".len(), "{} {key}", family.name);
        }
    }
}

/// What admits that nobody looked it up is no publication.
#[test]
fn assumed_constant_is_never_called_cited() {
    const ADMISSIONS: [&str; 5] = ["from memory", "unconfirmed", "recalled", "nearest", "assumed"];
    let of_families = all().flat_map(|family| {
        family.constants().into_iter().map(|(key, _, constant)| (format!("{} {key}", family.name), constant))
    });
    for (name, constant) in of_families.chain(crate::mitigations::constants()) {
        match constant {
            Constant::Published { source, .. } => {
                assert!(!ADMISSIONS.iter().any(|word| source.contains(word)), "{name}: {source}");
            }
            Constant::Assumed { why, .. } => {
                assert!(!why.is_empty(), "{name}");
                assert!(constant.source().starts_with("assumed: "), "{name}");
            }
            Constant::None { .. } => {}
        }
    }
}

/// The flag is in the fact, and so is the word.
#[test]
fn fact_of_an_assumed_constant_says_so() {
    let dump = crate::Dump::default();
    let mut facts = Facts::below(&dump);
    put(&mut facts, "family.l1_cycles", Unit::Cycles, crate::constant::assumed(4.0, "a guess"));
    put(&mut facts, "family.l2_cycles", Unit::Cycles, crate::constant::cited(12.0, "a table"));
    let machine = facts.into_machine();
    assert!(machine.is_assumed("family.l1_cycles") && !machine.is_assumed("family.l2_cycles"));
    assert_eq!(machine.get("family.l1_cycles").unwrap().source, "assumed: a guess; within a factor of 1.1");
    assert_eq!(machine.get("family.l2_cycles").unwrap().source, "a table; within a factor of 1.15");
}

#[test]
fn levels_get_slower_outwards() {
    for family in all() {
        let levels: Vec<f64> = [family.l1_cycles, family.l2_cycles, family.l3_cycles]
            .into_iter()
            .filter_map(Constant::value)
            .collect();
        assert!(levels.is_sorted_by(|near, far| near < far), "{}: {levels:?}", family.name);
        // At no less than 1 GHz, memory is further than the last level.
        let memory = family.memory_ns.value().unwrap();
        assert!(memory * 4.0 > *levels.last().unwrap(), "{}", family.name);
        let read = family.counter_read_cycles.value().unwrap();
        assert!(family.counter_fenced_cycles.value().unwrap() > read, "{}", family.name);
    }
}

#[test]
fn published_constants_are_uncertain_and_read_facts_are_not() {
    for (part, ..) in all().flat_map(Family::constants) {
        assert!(typical_uncertainty(&format!("family.{part}")) > 1.0, "{part}");
    }
    assert_eq!(typical_uncertainty("cache.l1d.size"), 1.0);
    assert_eq!(typical_uncertainty("hypervisor.exit_ns"), 2.5);
}
