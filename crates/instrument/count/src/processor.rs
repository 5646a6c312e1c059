//! What the emulated processor lacks: kernels take other paths there than on this machine.

/// Features by which Linux patches its code or takes other paths (arch/x86/include/asm/cpufeatures.h, Documentation/arch/arm64/elf_hwcaps.rst).
const DECIDING: [&str; 29] = [
    "pcid",
    "invpcid",
    "fsrm",
    "erms",
    "xsaves",
    "xsavec",
    "xsaveopt",
    "rdseed",
    "clzero",
    "ibrs",
    "ibpb",
    "stibp",
    "ssbd",
    "ibrs_enhanced",
    "fsgsbase",
    "smap",
    "smep",
    "pku",
    "la57",
    "x2apic",
    "invlpgb",
    "lam",
    "shstk",
    "ibt",
    "atomics",
    "sve",
    "paca",
    "bti",
    "mops",
];

/// The features that decide and that this machine's list has and the guest's has not.
pub fn missing_features(host: &str, guest: &str) -> Vec<String> {
    let has = |list: &str, feature: &str| list.split_whitespace().any(|listed| listed == feature);
    let missing = DECIDING.iter().filter(|feature| has(host, feature) && !has(guest, feature));
    missing.map(|feature| (*feature).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_the_host_that_the_guest_lacks_are_listed() {
        assert_eq!(missing_features("fpu pcid fsrm smep", "fpu smep"), ["pcid", "fsrm"]);
        assert!(missing_features("", "smep").is_empty());
    }
}
