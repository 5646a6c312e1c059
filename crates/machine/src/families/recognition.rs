//! The family of a processor: by its model number, unless its features contradict that.
//!
//! A hypervisor may report the model number of another processor, but rarely hides what programs choose their code by.

use super::family::Family;
use super::{amd, arm, intel};
use crate::identity::{CPUINFO, Identity, cpuid, cpuinfo_value, identity};
use crate::tree::{Absent, Found, Tree};

/// Every family, older before newer for each vendor.
pub fn all() -> impl Iterator<Item = &'static Family> {
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
    /// The families that have it; a processor with another's number is taken for the first.
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
const ALDER_LAKE: &str = "Intel Golden Cove (Alder Lake, performance cores)";
const WITH_AMX: &[&str] = &["Intel Sapphire Rapids", "Intel Emerald Rapids", "Intel Granite Rapids"];

const WITH_FP16: &[&str] = &[WITH_AMX[0], WITH_AMX[1], WITH_AMX[2], ALDER_LAKE];
const WITH_VBMI2: &[&str] = &[
    "Intel Ice Lake (server)",
    "Intel Ice Lake (client)",
    WITH_AMX[0],
    WITH_AMX[1],
    WITH_AMX[2],
    ALDER_LAKE,
];
const WITH_AVX512: &[&str] = &[
    "Intel Skylake (server)",
    "Intel Cascade Lake",
    WITH_VBMI2[0],
    WITH_VBMI2[1],
    WITH_AMX[0],
    WITH_AMX[1],
    WITH_AMX[2],
    ALDER_LAKE,
];
const ZEN_5: &[&str] = &["AMD Zen 5 (server)", "AMD Zen 5"];
const ZEN_4_AND_5: &[&str] = &["AMD Zen 4 (server)", "AMD Zen 4", ZEN_5[0], ZEN_5[1]];

/// Newest first. Alder Lake had AVX-512 until its microcode took it away.
const FEATURES: &[Feature] = &[
    feature(INTEL, "AMX and AVX10", "amx_tile", 0x24, &["Intel Granite Rapids"]),
    feature(INTEL, "AMX", "amx_tile", 0, WITH_AMX),
    feature(INTEL, "AVX512-FP16", "avx512_fp16", 0, WITH_FP16),
    feature(INTEL, "AVX512-VBMI2", "avx512_vbmi2", 0, WITH_VBMI2),
    feature(INTEL, "AVX-512", "avx512f", 0, WITH_AVX512),
    feature(AMD, "AVX512-VP2INTERSECT", "avx512_vp2intersect", 0, ZEN_5),
    feature(AMD, "AVX-512", "avx512f", 0, ZEN_4_AND_5),
];

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
    let Identity::X86 { vendor, model, .. } = &identity else {
        return match numbered {
            Some(family) => Ok(by_number(family)),
            None => newest_arm(&identity),
        };
    };
    let feature = FEATURES
        .iter()
        .find(|feature| feature.vendor == vendor && has(feature.flag) && highest >= feature.leaf);
    match (numbered, feature) {
        (Some(family), Some(feature)) if !feature.families.contains(&family.name) => {
            let taken = named(feature.families[0])?;
            let by = format!(
                "model number {model} of {}, but has {}: taken for {}",
                family.name, feature.name, taken.name
            );
            Ok(Recognized { family: taken, by })
        }
        (Some(family), _) => Ok(by_number(family)),
        (None, Some(feature)) if feature.families.len() == 1 => {
            let taken = named(feature.families[0])?;
            let by = format!("unknown ({identity}), has {}: taken for {}", feature.name, taken.name);
            Ok(Recognized { family: taken, by })
        }
        (None, _) => newest(&identity, vendor, is_server(tree), has),
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

fn newest(identity: &Identity, vendor: &str, server: bool, has: impl Fn(&str) -> bool) -> Found<Recognized> {
    let newest =
        NEWEST.iter().find(|(of, servers, flag, _)| *of == vendor && (server || !servers) && has(flag));
    let Some((.., name)) = newest else {
        return Err(Absent::silent("unknown family", &identity.to_string()));
    };
    unknown(identity, name)
}

fn newest_arm(identity: &Identity) -> Found<Recognized> {
    let newest = NEWEST_ARM.iter().find(
        |(designer, _)| matches!(identity, Identity::Arm { implementer, .. } if implementer == designer),
    );
    match newest {
        Some((_, name)) => unknown(identity, name),
        None => Err(Absent::silent("unknown family", &identity.to_string())),
    }
}

fn unknown(identity: &Identity, name: &str) -> Found<Recognized> {
    let family = named(name)?;
    let by = format!(
        "unknown ({identity}): taken for {}, the newest of its vendor and class that is known",
        family.name
    );
    Ok(Recognized { family, by })
}

fn named(name: &str) -> Found<&'static Family> {
    all()
        .find(|family| family.name == name)
        .ok_or_else(|| Absent::silent(CPUINFO, &format!("no family {name}")))
}

pub(super) fn family_of(identity: &Identity) -> Option<&'static Family> {
    all().find(|family| family.members.iter().any(|member| member.is(identity)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Live;
    use std::fs;

    fn recognized(
        vendor: &str,
        numbers: (u32, u32),
        name: &str,
        flags: &str,
        highest: u32,
    ) -> Found<Recognized> {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc")).unwrap();
        fs::create_dir_all(root.path().join("oscope")).unwrap();
        let (family, model) = numbers;
        let text = format!(
            "processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n\
             model name\t: {name}\nstepping\t: 1\nflags\t\t: {flags}\n"
        );
        fs::write(root.path().join("proc/cpuinfo"), text).unwrap();
        fs::write(root.path().join("oscope/cpuid"), format!("00000000 {highest:x} 0 0 0\n")).unwrap();
        recognize(&Live::below(root.path()))
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
    fn no_family_contradicts_a_feature_that_is_older_than_it() {
        // What a family is taken for has each older feature of its vendor too.
        for (index, newer) in FEATURES.iter().enumerate() {
            for older in FEATURES[index + 1..].iter().filter(|older| older.vendor == newer.vendor) {
                assert!(older.families.contains(&newer.families[0]), "{} {}", newer.name, older.name);
            }
        }
    }

    #[test]
    fn features_decide_against_a_model_number() {
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
    fn number_that_is_not_in_the_table_falls_back_and_says_so() {
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
