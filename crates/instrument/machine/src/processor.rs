//! The processor: name, identity, frequencies, and features that matter to measurements.

use crate::cpus;
use crate::facts::{Facts, Form};
use crate::identity::{CPUID, CPUINFO, Identity, cpuid, cpuinfo_value, identity};
use crate::parse;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

const ARCHITECTURE: &str = "oscope/architecture";

/// Facts that follow from a word of the `flags` line of an x86 processor.
const X86_FEATURES: [(&str, &str); 6] = [
    ("processor.avx2", "avx2"),
    ("processor.avx512", "avx512f"),
    ("processor.erms", "erms"),
    ("processor.fsrm", "fsrm"),
    ("processor.rdtscp", "rdtscp"),
    ("processor.pcid", "pcid"),
];

/// Facts that follow from a word of the `Features` line of an Arm processor.
const ARM_FEATURES: [(&str, &str); 3] = [
    ("processor.sve", "sve"),
    ("processor.large_system_extensions", "atomics"),
    ("processor.crc32", "crc32"),
];

/// Implementers of Arm processors, from Arm's list of `MIDR_EL1` codes.
const IMPLEMENTERS: [(u32, &str); 9] = [
    (0x41, "Arm"),
    (0x42, "Broadcom"),
    (0x43, "Cavium"),
    (0x46, "Fujitsu"),
    (0x48, "HiSilicon"),
    (0x4e, "NVIDIA"),
    (0x51, "Qualcomm"),
    (0x61, "Apple"),
    (0xc0, "Ampere"),
];

/// CPUID leaf 80000007, edx bit 8: the time-stamp counter is invariant (Intel SDM volume 2, AMD APM 3).
const INVARIANT_COUNTER: u32 = 1 << 8;

/// Plausible clocks of processors, in hertz.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 1e7..=2e10;

pub(crate) fn describe(facts: &mut Facts) {
    let tree = facts.tree;
    facts.file("processor.architecture", ARCHITECTURE, Form::Line);
    facts.text("processor.vendor", CPUINFO, vendor(tree));
    facts.text("processor.model", CPUINFO, model(tree));
    let signature = identity(tree).map(|identity| identity.to_string());
    facts.text("processor.signature", CPUINFO, signature);
    facts.text("processor.microcode", CPUINFO, cpuinfo_value(tree, "microcode"));
    frequencies(facts);
    features(facts);
    let (source, found) = simultaneous_threads(tree);
    facts.flag("processor.smt", &source, found);
}

fn vendor(tree: &dyn Tree) -> Found<String> {
    match identity(tree)? {
        Identity::X86 { vendor, .. } => Ok(vendor),
        Identity::Arm { implementer, .. } => {
            let known = parse::beside(&IMPLEMENTERS, |code| *code == implementer);
            Ok(known.unwrap_or_else(|| format!("implementer {implementer:#04x}")))
        }
    }
}

/// Arm kernels name no model for each CPU; boards do so in a line of their own.
fn model(tree: &dyn Tree) -> Found<String> {
    cpuinfo_value(tree, "model name").or_else(|absent| {
        let text = tree.read(CPUINFO)?;
        let named = ["Model", "Hardware"]
            .iter()
            .find_map(|key| parse::value(&text, key).filter(|name| !name.is_empty()));
        named.map(str::to_owned).ok_or(absent)
    })
}

/// A source of a frequency, and the frequency in hertz.
type Reading = (String, Found<f64>);

fn frequencies(facts: &mut Facts) {
    let tree = facts.tree;
    let cpu = cpus::described(tree);
    let folder = format!("/sys/devices/system/cpu/cpu{cpu}");
    let highest = scaled(tree, &format!("{folder}/cpufreq/cpuinfo_max_freq"), 1e3);
    let mut readings = vec![
        cpuid_frequency(tree, 0),
        scaled(tree, &format!("{folder}/cpufreq/base_frequency"), 1e3),
        scaled(tree, &format!("{folder}/acpi_cppc/nominal_freq"), 1e6),
        (format!("{CPUINFO} model name"), named_frequency(tree)),
    ];
    if matches!(identity(tree), Ok(Identity::Arm { .. })) {
        readings.push(highest.clone());
    }
    readings.push((format!("{CPUINFO} cpu MHz"), current_frequency(tree)));
    first_of(facts, "processor.frequency", readings);
    first_of(facts, "processor.frequency_max", vec![cpuid_frequency(tree, 1), highest]);
}

/// Adds the first frequency that can be read; otherwise the reasons why none can.
fn first_of(facts: &mut Facts, key: &str, readings: Vec<Reading>) {
    let mut reasons = Vec::new();
    for (source, found) in readings {
        match found {
            Ok(hertz) => return facts.number(key, Unit::Hertz, &source, Ok(hertz)),
            Err(absent) => reasons.push(absent.to_string()),
        }
    }
    let absent = Absent::silent("not available", &reasons.join("; "));
    facts.number(key, Unit::Hertz, "CPUID, cpufreq, /proc/cpuinfo", Err(absent));
}

fn scaled(tree: &dyn Tree, path: &str, factor: f64) -> Reading {
    let found = tree::number(tree, path).and_then(|value| plausible(path, value * factor));
    (path.to_owned(), found)
}

fn plausible(subject: &str, hertz: f64) -> Found<f64> {
    if PLAUSIBLE.contains(&hertz) {
        Ok(hertz)
    } else {
        let about = format!("{hertz} Hz is not plausible for a processor");
        Err(Absent::silent(subject, &about))
    }
}

/// Leaf 0x16 gives base (0), maximum (1) and bus (2) frequency in MHz; virtual machines often give 0.
fn cpuid_frequency(tree: &dyn Tree, register: usize) -> Reading {
    let source = "CPUID leaf 0x16";
    let found = cpuid(tree, 0x16).and_then(|answer| {
        let megahertz = answer.get(register).copied().unwrap_or_default() & 0xffff;
        plausible(source, f64::from(megahertz) * 1e6)
    });
    (source.to_owned(), found)
}

/// `Intel(R) Core(TM) i5-5257U CPU @ 2.70GHz`.
fn named_frequency(tree: &dyn Tree) -> Found<f64> {
    let name = cpuinfo_value(tree, "model name")?;
    let hertz = name.rsplit_once('@').and_then(|(_, text)| {
        let mut units = [("GHz", 1e9), ("MHz", 1e6)].into_iter();
        units.find_map(|(unit, factor)| Some(parse::number(text.trim().strip_suffix(unit)?)? * factor))
    });
    plausible("model name", hertz.ok_or_else(|| Absent::silent("model name", "has no frequency"))?)
}

fn current_frequency(tree: &dyn Tree) -> Found<f64> {
    let text = cpuinfo_value(tree, "cpu MHz")?;
    let megahertz =
        parse::number(&text).ok_or_else(|| Absent::silent(CPUINFO, "'cpu MHz' is not a number"))?;
    plausible(CPUINFO, megahertz * 1e6)
}

fn features(facts: &mut Facts) {
    let tree = facts.tree;
    let arm = matches!(identity(tree), Ok(Identity::Arm { .. }));
    let line = if arm { "Features" } else { "flags" };
    let words = cpuinfo_value(tree, line);
    let has = |word: &str| {
        let words = words.as_ref().map_err(Clone::clone)?;
        Ok(words.split_whitespace().any(|known| known == word))
    };
    let source = format!("{CPUINFO} {line}");
    if arm {
        facts.flag(
            "processor.invariant_counter",
            "Arm Architecture Reference Manual, generic timer: constant by definition",
            Ok(true),
        );
        for (key, word) in ARM_FEATURES {
            facts.flag(key, &source, has(word));
        }
        let source = "Arm Architecture Reference Manual: Advanced SIMD";
        facts.number("processor.vector_bytes", Unit::Bytes, source, Ok(16.0));
        return;
    }
    let widest = has("avx512f").and_then(|wide| {
        let bytes = if has("avx2")? { 32.0 } else { 16.0 };
        Ok(if wide { 64.0 } else { bytes })
    });
    facts.number("processor.vector_bytes", Unit::Bytes, &source, widest);
    let by_flags = has("constant_tsc").and_then(|constant| Ok(constant && has("nonstop_tsc")?));
    match by_flags {
        Ok(set) => facts.flag(
            "processor.invariant_counter",
            &format!("{source}: constant_tsc and nonstop_tsc"),
            Ok(set),
        ),
        Err(_) => {
            let found = cpuid(tree, 0x8000_0007).map(|[.., edx]| edx & INVARIANT_COUNTER != 0);
            facts.flag("processor.invariant_counter", &format!("{CPUID} leaf 0x80000007"), found);
        }
    }
    for (key, word) in X86_FEATURES {
        facts.flag(key, &source, has(word));
    }
}

/// The kernel reports it since 4.20; before that, a CPU with a sibling shows it.
fn simultaneous_threads(tree: &dyn Tree) -> (String, Found<bool>) {
    let path = "/sys/devices/system/cpu/smt/active";
    match tree::flag(tree, path) {
        Ok(active) => (path.to_owned(), Ok(active)),
        Err(_) => {
            let path = "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list";
            let found =
                tree::line(tree, path).map(|list| parse::cpu_list(&list).is_some_and(|cpus| cpus.len() > 1));
            (path.to_owned(), found)
        }
    }
}
