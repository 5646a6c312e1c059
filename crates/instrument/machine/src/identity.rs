//! The identity of the processor: the numbers that distinguish families, and the answers of CPUID.

use crate::cpus;
use crate::parse;
use crate::tree::{Absent, Found, Tree};
use std::fmt;

/// The kernel's list of CPUs.
pub(crate) const CPUINFO: &str = "/proc/cpuinfo";

/// Where the answers of CPUID are.
pub(crate) const CPUID: &str = "oscope/cpuid";

/// The numbers of a processor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Identity {
    /// x86, by CPUID leaf 1.
    X86 { vendor: String, family: u32, model: u32, stepping: u32 },
    /// Arm, by the main identification register.
    Arm { implementer: u32, part: u32 },
}

impl fmt::Display for Identity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::X86 { vendor, family, model, stepping } => {
                write!(out, "{vendor} family {family} model {model} stepping {stepping}")
            }
            Self::Arm { implementer, part } => {
                write!(out, "Arm implementer {implementer:#04x} part {part:#05x}")
            }
        }
    }
}

/// The lines that identify a CPU.
pub(crate) const KEYS: [&str; 7] =
    ["processor", "vendor_id", "cpu family", "model", "stepping", "CPU implementer", "CPU part"];

/// The lines of the CPU that describes the machine.
pub(crate) fn cpuinfo(tree: &dyn Tree) -> Found<String> {
    let text = tree.read(CPUINFO)?;
    let wanted = cpus::described(tree).to_string();
    let blocks: Vec<&str> = text.split("\n\n").filter(|block| !block.trim().is_empty()).collect();
    let kind = blocks
        .iter()
        .find(|block| parse::value(block, "processor") == Some(wanted.as_str()))
        .and_then(|block| of_block(block));
    let same = blocks.iter().find(|block| kind.is_some() && of_block(block) == kind);
    let block = same.or(blocks.first());
    block.map(|block| (*block).to_owned()).ok_or_else(|| Absent::silent(CPUINFO, "is empty"))
}

/// The value of `key` in the lines of that CPU.
pub(crate) fn cpuinfo_value(tree: &dyn Tree, key: &str) -> Found<String> {
    let block = cpuinfo(tree)?;
    parse::value(&block, key)
        .filter(|value| !value.is_empty())
        .map(str::to_owned)
        .ok_or_else(|| Absent::silent(CPUINFO, &format!("has no line '{key}'")))
}

/// The identity of the machine's processor.
pub(crate) fn identity(tree: &dyn Tree) -> Found<Identity> {
    let block = cpuinfo(tree)?;
    of_block(&block).ok_or_else(|| {
        Absent::silent(CPUINFO, "names neither vendor, family and model nor implementer and part")
    })
}

/// The identity in the lines of one CPU.
pub(crate) fn of_block(block: &str) -> Option<Identity> {
    let decimal = |key| parse::value(block, key).and_then(|text| text.parse().ok());
    if let (Some(vendor), Some(family), Some(model)) =
        (parse::value(block, "vendor_id"), decimal("cpu family"), decimal("model"))
    {
        return Some(Identity::X86 {
            vendor: vendor.to_owned(),
            family,
            model,
            stepping: decimal("stepping").unwrap_or_default(),
        });
    }
    let [implementer, part] = ["CPU implementer", "CPU part"].map(|key| {
        let number = parse::hexadecimal(parse::value(block, key)?)?;
        u32::try_from(number).ok()
    });
    Some(Identity::Arm { implementer: implementer?, part: part? })
}

/// The answer to a leaf of CPUID: eax, ebx, ecx, edx.
pub(crate) fn cpuid(tree: &dyn Tree, leaf: u32) -> Found<[u32; 4]> {
    let text = tree.read(CPUID)?;
    let answer = text.lines().find_map(|line| {
        let mut words = line.split_whitespace().map(|word| u32::from_str_radix(word, 16).ok());
        if words.next()? != Some(leaf) {
            return None;
        }
        let [eax, ebx, ecx, edx] = std::array::from_fn(|_| words.next().flatten());
        Some([eax?, ebx?, ecx?, edx?])
    });
    answer.ok_or_else(|| Absent::silent(CPUID, &format!("has no leaf {leaf:#x}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::testing::texts;

    #[test]
    fn x86_and_arm_are_identified() {
        let x86 = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 61\nmodel name\t: X\nstepping\t: 4\n";
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n";
        for (text, name) in
            [(x86, "GenuineIntel family 6 model 61 stepping 4"), (arm, "Arm implementer 0x41 part 0xd0c")]
        {
            assert_eq!(identity(&texts(&[(CPUINFO, text)])).unwrap().to_string(), name);
        }
    }

    #[test]
    fn most_capable_cpu_describes_the_machine_unless_another_is_asked_for() {
        let text = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd03\n\nprocessor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n";
        let tree = texts(&[
            (CPUINFO, text),
            ("/sys/devices/system/cpu/online", "0-1"),
            ("/sys/devices/system/cpu/cpu0/cpu_capacity", "446"),
            ("/sys/devices/system/cpu/cpu1/cpu_capacity", "1024"),
        ]);
        assert_eq!(identity(&tree).unwrap(), Identity::Arm { implementer: 0x41, part: 0xd08 });
    }

    #[test]
    fn cpuid_leaves_are_found() {
        let live = texts(&[(CPUID, "00000000 16 1 2 3\n00000016 a8c 1068 64 0\nbad\n")]);
        assert_eq!(cpuid(&live, 0x16).unwrap(), [2700, 4200, 100, 0]);
        assert!(cpuid(&live, 0x15).is_err());
    }
}
