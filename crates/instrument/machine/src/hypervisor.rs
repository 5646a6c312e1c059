//! Whether a hypervisor lies below, which one, and what it costs to reach it.

use crate::command_line;
use crate::constant::{Constant, assumed};
use crate::facts::Facts;
use crate::identity::{CPUID, CPUINFO, cpuid, cpuinfo_value};
use crate::parse;
use crate::tree::{self, Absent, Found, Tree};
use record::Unit;

/// What hypervisors answer to CPUID leaf 0x40000000, from their own documents.
const SIGNATURES: [(&str, &str); 9] = [
    ("KVMKVMKVM", "KVM"),
    ("Linux KVM Hv", "KVM"),
    ("Microsoft Hv", "Hyper-V"),
    ("VMwareVMware", "VMware"),
    ("XenVMMXenVMM", "Xen"),
    ("bhyve bhyve", "bhyve"),
    ("TCGTCGTCGTCG", "QEMU without acceleration"),
    ("VBoxVBoxVBox", "VirtualBox"),
    ("ACRNACRNACRN", "ACRN"),
];

/// What firmware calls itself under hypervisors.
const FIRMWARE: [(&str, &str); 8] = [
    ("QEMU", "KVM"),
    ("KVM", "KVM"),
    ("Amazon EC2", "KVM"),
    ("Google Compute Engine", "KVM"),
    ("VMware", "VMware"),
    ("VirtualBox", "VirtualBox"),
    ("Xen", "Xen"),
    ("Virtual Machine", "Hyper-V"),
];

/// Bit 31 of ecx of CPUID leaf 1, which hypervisors set.
const PRESENT: u32 = 1 << 31;

/// An exit to the hypervisor and back, in nanoseconds.
const EXIT: Constant = assumed(
    1500.0,
    "an exit handled in the host's kernel takes 1200 to 2000 cycles, 1 to 2 µs with its mitigations; recalled",
);

/// The same when each exit passes through a second hypervisor.
const NESTED_EXIT: Constant =
    assumed(10_000.0, "nested: every exit causes several of the outer hypervisor; 3.5 to 17 µs measured");

/// The hypervisor by name, `none` on bare metal, with where that was read.
fn hypervisor(tree: &dyn Tree) -> (String, Found<String>) {
    let path = "/sys/hypervisor/type";
    if let Ok(name) = tree::line(tree, path) {
        return (path.to_owned(), Ok(if name == "xen" { "Xen".to_owned() } else { name }));
    }
    // Firmware of rented bare metal has the same vendor as that of guests: the processor decides first.
    let (source, present) = by_processor(tree);
    if present == Some(false) {
        return (source, Ok("none".to_owned()));
    }
    if let Ok(answer) = cpuid(tree, 0x4000_0000) {
        return (format!("{CPUID} leaf 0x40000000"), Ok(named(answer)));
    }
    match (by_firmware(tree), present) {
        (Some((path, name)), _) => (path, Ok(name)),
        (None, Some(_)) => (source, Ok("present, unnamed".to_owned())),
        (None, None) => without_processor(tree),
    }
}

/// Whether an x86 processor reports a hypervisor.
fn by_processor(tree: &dyn Tree) -> (String, Option<bool>) {
    if let Ok([_, _, ecx, _]) = cpuid(tree, 1) {
        return (format!("{CPUID} leaf 1"), Some(ecx & PRESENT != 0));
    }
    let flags = cpuinfo_value(tree, "flags").ok();
    let present = flags.map(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    (format!("{CPUINFO} flags"), present)
}

/// The hypervisor that the firmware names.
fn by_firmware(tree: &dyn Tree) -> Option<(String, String)> {
    ["sys_vendor", "product_name"].iter().find_map(|file| {
        let path = format!("/sys/class/dmi/id/{file}");
        let text = tree::line(tree, &path).ok()?;
        Some((path, parse::beside(&FIRMWARE, |words| text.contains(words))?))
    })
}

/// Arm processors do not report a hypervisor: without a name in the device tree or the firmware there is none.
fn without_processor(tree: &dyn Tree) -> (String, Found<String>) {
    let path = "/proc/device-tree/hypervisor/compatible";
    if let Ok(name) = tree::line(tree, path) {
        return (path.to_owned(), Ok(name.trim_end_matches('\0').to_owned()));
    }
    for path in ["/proc/device-tree/model", "/sys/class/dmi/id/sys_vendor"] {
        if tree::line(tree, path).is_ok() {
            let source = format!("{path}: names the machine and no hypervisor");
            return (source, Ok("none".to_owned()));
        }
    }
    let source = "firmware, CPUID, device tree";
    (source.to_owned(), Err(Absent::silent(source, "neither names a hypervisor nor rules one out")))
}

/// A name of twelve letters in ebx, ecx and edx.
fn named([_, ebx, ecx, edx]: [u32; 4]) -> String {
    let bytes: Vec<u8> = [ebx, ecx, edx].into_iter().flat_map(u32::to_le_bytes).collect();
    let signature = String::from_utf8_lossy(&bytes);
    let signature = signature.trim_matches(['\0', ' ']);
    let known = parse::beside(&SIGNATURES, |known| *known == signature);
    known.unwrap_or_else(|| format!("signed '{signature}'"))
}

/// `environment.hypervisor` and `environment.nested`.
pub(crate) fn describe(facts: &mut Facts) {
    let (source, found) = hypervisor(facts.tree);
    facts.text("environment.hypervisor", &source, found);
    let hidden = "no setting says so; an outer hypervisor may be hidden";
    let (source, nested) = by_setting(facts.tree, command_line::nested, "", hidden);
    facts.flag("environment.nested", &source, nested);
}

/// `hypervisor.exit_ns`: 0 on bare metal.
pub(crate) fn describe_cost(facts: &mut Facts) {
    let machine = facts.machine();
    let nested = machine.flag("environment.nested") == Some(true);
    let exit = if nested { NESTED_EXIT } else { EXIT };
    let (source, found) = match machine.text("environment.hypervisor") {
        Some("none") => {
            return facts.number("hypervisor.exit_ns", Unit::Nanoseconds, "no hypervisor", Ok(0.0));
        }
        Some(name) => (format!("{name}: {}", exit.source()), Ok(exit.value().unwrap_or_default())),
        None => (EXIT.source(), Err(Absent::silent("environment.hypervisor", "is unknown"))),
    };
    facts.derived("hypervisor.exit_ns", Unit::Nanoseconds, (&source, exit.is_assumed()), found);
}

/// `hypervisor.gate_exits`: exits of a software interrupt. The kernel of a PVM guest runs in user mode, so an `int` of a
/// program enters the host's kernel, which injects it; hardware virtualization leaves it to the guest.
pub(crate) fn describe_gates(facts: &mut Facts) {
    let guest = ": a PVM guest (SOSP 2023), whose kernel runs in user mode";
    let (source, pvm) = by_setting(facts.tree, command_line::pvm, guest, "no setting of a PVM guest");
    facts.number("hypervisor.gate_exits", Unit::One, &source, pvm.map(|set| f64::from(u8::from(set))));
}

/// Whether the command line has a setting, with the source: what the setting means, or that there is none.
fn by_setting(
    tree: &dyn Tree,
    setting: fn(&str) -> Option<String>,
    meaning: &str,
    none: &str,
) -> (String, Found<bool>) {
    let path = "/proc/cmdline";
    let found = tree.read(path).map(|text| setting(&text));
    let source = match &found {
        Ok(Some(word)) => format!("{path} {word}{meaning}"),
        _ => format!("{path}: {none}"),
    };
    (source, found.map(|word| word.is_some()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_decoded_from_registers() {
        assert_eq!(named([0x4000_0001, 0x4b4d_564b, 0x564b_4d56, 0x4d]), "KVM");
        assert_eq!(named([0, 0x7263_694d, 0x666f_736f, 0x7648_2074]), "Hyper-V");
        assert_eq!(named([0, 0x6261_6261, 0, 0]), "signed 'abab'");
    }
}
