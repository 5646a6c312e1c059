//! The family of a processor: by its model number, unless its features contradict that.
//!
//! A hypervisor may report the model number of another processor, but rarely hides what programs choose their code by.

use super::family::Family;
use super::{amd, arm, intel};
use crate::identity::{CPUINFO, Identity, cpuid, cpuinfo_value, identity};
use crate::tree::{Absent, Found, Tree};

/// Every family, older before newer for each vendor.
pub(crate) fn all() -> impl Iterator<Item = &'static Family> {
    intel::FAMILIES.iter().chain(amd::FAMILIES).chain(arm::FAMILIES)
}

/// A feature of the newer families of a vendor.
struct Feature {
    vendor: &'static str,
    /// What readers call it.
    name: &'static str,
    /// The kernel's flag.
    flag: &'static str,
    /// The highest leaf of CPUID, at least.
    leaf: u32,
    /// The families whose newest feature of this list it is; a processor with an older one's number is taken for the first.
    families: &'static [&'static str],
}

const fn feature(
    vendor: &'static str,
    name: &'static str,
    flag: &'static str,
    leaf: u32,
    families: &'static [&'static str],
) -> Feature {
    Feature { vendor, name, flag, leaf, families }
}

const INTEL: &str = "GenuineIntel";
const AMD: &str = "AuthenticAMD";
const SAPPHIRE_RAPIDS: &str = "Intel Sapphire Rapids";
const ALDER_LAKE: &str = "Intel Golden Cove (Alder Lake, performance cores)";

/// Newest first: a family has the older ones, too. Alder Lake had AVX-512 until its microcode took it away.
const FEATURES: &[Feature] = &[
    feature(INTEL, "AMX and AVX10", "amx_tile", 0x24, &["Intel Granite Rapids"]),
    feature(INTEL, "AMX", "amx_tile", 0, &[SAPPHIRE_RAPIDS, "Intel Emerald Rapids"]),
    feature(INTEL, "AVX512-FP16", "avx512_fp16", 0, &[SAPPHIRE_RAPIDS, ALDER_LAKE]),
    feature(
        INTEL,
        "AVX512-VBMI2",
        "avx512_vbmi2",
        0,
        &["Intel Ice Lake (server)", "Intel Ice Lake (client)"],
    ),
    feature(INTEL, "AVX-512", "avx512f", 0, &["Intel Skylake (server)", "Intel Cascade Lake"]),
    feature(AMD, "AVX512-VP2INTERSECT", "avx512_vp2intersect", 0, &["AMD Zen 5 (server)", "AMD Zen 5"]),
    feature(AMD, "AVX-512", "avx512f", 0, &["AMD Zen 4 (server)", "AMD Zen 4"]),
];

/// Whether a family has a feature, by its place in the list.
fn has_feature(family: &str, place: usize) -> bool {
    let vendor = FEATURES.get(place).map(|feature| feature.vendor);
    let newer = FEATURES.iter().take(place + 1).filter(|feature| Some(feature.vendor) == vendor);
    newer.flat_map(|feature| feature.families).any(|known| *known == family)
}

/// What an unknown model number stands for: the newest families of a vendor, and the flags without which a processor is an
/// older one; servers before clients.
const NEWEST: &[(&str, bool, &str, &str)] = &[
    (INTEL, true, "amx_tile", "Intel Granite Rapids"),
    (INTEL, true, "avx512_vbmi2", "Intel Ice Lake (server)"),
    (INTEL, true, "avx512f", "Intel Cascade Lake"),
    (INTEL, true, "avx2", "Intel Sierra Forest"),
    (INTEL, false, "avx2", "Intel Meteor Lake (performance cores)"),
    (INTEL, false, "", "Intel Ivy Bridge"),
    (AMD, true, "avx512f", "AMD Zen 5 (server)"),
    (AMD, true, "avx2", "AMD Zen 3 (server)"),
    (AMD, false, "avx512f", "AMD Zen 5"),
    (AMD, false, "avx2", "AMD Zen 3"),
    (AMD, false, "", "AMD Jaguar and Puma"),
];

/// What Arm's designers make newest, by implementer.
const NEWEST_ARM: &[(u32, &str)] =
    &[(0x41, "Arm Neoverse V2"), (0x61, "Apple M3 (performance cores)"), (0xc0, "AmpereOne")];

/// A family and by what it was recognized.
pub(super) struct Recognized {
    pub family: &'static Family,
    pub by: String,
}

pub(super) fn recognize(tree: &dyn Tree) -> Found<Recognized> {
    let identity = identity(tree)?;
    let flags = cpuinfo_value(tree, "flags").unwrap_or_default();
    let has = |flag: &str| flag.is_empty() || flags.split_whitespace().any(|other| other == flag);
    let highest = cpuid(tree, 0).map_or(0, |[leaf, ..]| leaf);
    let numbered = family_of(&identity);
    let (vendor, model) = match (&identity, numbered) {
        (Identity::X86 { vendor, model, .. }, _) => (vendor, model),
        (Identity::Arm { .. }, Some(family)) => return Ok(by_number(family)),
        (Identity::Arm { implementer, .. }, None) => {
            let newest = NEWEST_ARM.iter().find(|(designer, _)| designer == implementer);
            return unknown(&identity, newest.map(|(_, name)| *name));
        }
    };
    let features = FEATURES.iter().enumerate();
    let feature = { features }
        .find(|(_, feature)| feature.vendor == vendor && has(feature.flag) && highest >= feature.leaf);
    match (numbered, feature) {
        (Some(family), Some((place, feature))) if !has_feature(family.name, place) => {
            let taken = named(feature.families[0])?;
            let by = format!(
                "model number {model} of {}, but has {}: taken for {}",
                family.name, feature.name, taken.name
            );
            Ok(Recognized { family: taken, by })
        }
        (Some(family), _) => Ok(by_number(family)),
        (None, Some((_, feature))) if feature.families.len() == 1 => {
            let taken = named(feature.families[0])?;
            let by = format!("unknown ({identity}), has {}: taken for {}", feature.name, taken.name);
            Ok(Recognized { family: taken, by })
        }
        (None, _) => {
            let server = is_server(tree);
            let newest = NEWEST
                .iter()
                .find(|(of, servers, flag, _)| of == vendor && (server || !servers) && has(flag));
            unknown(&identity, newest.map(|(.., name)| *name))
        }
    }
}

fn by_number(family: &'static Family) -> Recognized {
    Recognized { family, by: "model number".to_owned() }
}

/// Guests run on servers.
fn is_server(tree: &dyn Tree) -> bool {
    let name = cpuinfo_value(tree, "model name").unwrap_or_default();
    let flags = cpuinfo_value(tree, "flags").unwrap_or_default();
    ["Xeon", "EPYC"].iter().any(|word| name.contains(word))
        || flags.split_whitespace().any(|flag| flag == "hypervisor")
}

/// What a processor is taken for whose number is in no table: the newest of its vendor and class.
fn unknown(identity: &Identity, newest: Option<&str>) -> Found<Recognized> {
    let name = newest.ok_or_else(|| Absent::silent("unknown family", &identity.to_string()))?;
    let by =
        format!("unknown ({identity}): taken for {name}, the newest of its vendor and class that is known");
    Ok(Recognized { family: named(name)?, by })
}

fn named(name: &str) -> Found<&'static Family> {
    let found = all().find(|family| family.name == name);
    found.ok_or_else(|| Absent::silent(CPUINFO, &format!("no family {name}")))
}

pub(super) fn family_of(identity: &Identity) -> Option<&'static Family> {
    all().find(|family| family.members.iter().any(|member| member.is(identity)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::CPUID;
    use crate::tree::testing::texts;

    fn recognized(
        vendor: &str,
        numbers: (u32, u32),
        name: &str,
        flags: &str,
        highest: u32,
    ) -> Found<Recognized> {
        let (family, model) = numbers;
        let text = format!(
            "processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n\
             model name\t: {name}\nstepping\t: 1\nflags\t\t: {flags}\n"
        );
        recognize(&texts(&[(CPUINFO, &text), (CPUID, &format!("00000000 {highest:x} 0 0 0\n"))]))
    }

    #[test]
    fn every_family_that_is_taken_exists() {
        let of_features = FEATURES.iter().flat_map(|feature| feature.families);
        let names = of_features.chain(NEWEST.iter().map(|(.., name)| name));
        for name in names.chain(NEWEST_ARM.iter().map(|(_, name)| name)) {
            assert!(named(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn family_with_a_feature_has_every_older_one() {
        // What a family is taken for has each older feature of its vendor too.
        for (place, newer) in FEATURES.iter().enumerate() {
            for (older, feature) in FEATURES.iter().enumerate().skip(place + 1) {
                let same = feature.vendor == newer.vendor;
                assert_eq!(has_feature(newer.families[0], older), same, "{} {}", newer.name, feature.name);
            }
        }
    }

    #[test]
    fn features_override_the_model_number() {
        let rocket = |flags, leaf| recognized(INTEL, (6, 167), "Intel(R) Xeon(R)", flags, leaf).unwrap();
        let found = rocket("avx2 avx512f avx512_vbmi2", 0x1b);
        assert_eq!((found.family.name, found.by.as_str()), ("Intel Ice Lake (client)", "model number"));
        let found = rocket("avx512f avx512_vbmi2 avx512_fp16 amx_tile", 0x24);
        assert_eq!(
            found.by,
            "model number 167 of Intel Ice Lake (client), but has AMX and AVX10: taken for Intel Granite Rapids"
        );
        assert_eq!(found.family.name, "Intel Granite Rapids");
        assert_eq!(rocket("avx512f avx512_fp16 amx_tile", 0x20).family.name, "Intel Sapphire Rapids");
        let zen = recognized(AMD, (25, 1), "AMD EPYC", "avx2 avx512f", 0x10).unwrap();
        assert_eq!(zen.family.name, "AMD Zen 4 (server)");
    }

    #[test]
    fn unknown_model_number_falls_back_to_the_newest_family() {
        let found =
            recognized(INTEL, (19, 1), "Intel(R) Xeon(R)", "avx2 avx512f avx512_vbmi2 amx_tile", 0x24)
                .unwrap();
        assert_eq!(found.family.name, "Intel Granite Rapids");
        assert!(found.by.starts_with("unknown (GenuineIntel family 19 model 1 stepping 1)"), "{}", found.by);
        let found = recognized(AMD, (27, 8), "AMD Ryzen", "avx2 avx512f", 0x10).unwrap();
        assert_eq!(found.family.name, "AMD Zen 5");
        assert!(found.by.ends_with("the newest of its vendor and class that is known"), "{}", found.by);
        let found = recognized(INTEL, (6, 55), "Intel(R) Atom(TM)", "sse4_2", 0xb).unwrap();
        assert_eq!(found.family.name, "Intel Ivy Bridge");
        let absent = recognized("Strange", (9, 1), "", "", 0).err().unwrap();
        assert_eq!(absent.to_string(), "unknown family: Strange family 9 model 1 stepping 1");
    }
}
