//! The words of the kernel's command line that change what a measurement costs.

use crate::facts::Facts;
use crate::tree::Absent;

/// Settings whose name is exactly this, from the kernel's `admin-guide/kernel-parameters`.
const NAMES: [&str; 42] = [
    "amd_pstate",
    "clocksource",
    "cpuidle.off",
    "default_hugepagesz",
    "gather_data_sampling",
    "hugepages",
    "hugepagesz",
    "idle",
    "indirect_target_selection",
    "intel_idle.max_cstate",
    "intel_iommu",
    "intel_pstate",
    "iommu",
    "irqaffinity",
    "isolcpus",
    "kpti",
    "l1tf",
    "maxcpus",
    "mds",
    "mem",
    "mitigations",
    "mmio_stale_data",
    "nohlt",
    "nohz",
    "nohz_full",
    "nopti",
    "nosmt",
    "nospectre_v1",
    "nospectre_v2",
    "nr_cpus",
    "numa_balancing",
    "preempt",
    "processor.max_cstate",
    "pti",
    "rcu_nocbs",
    "retbleed",
    "spec_store_bypass_disable",
    "spectre_v2",
    "transparent_hugepage",
    "tsc",
    "tsx",
    "tsx_async_abort",
];

/// A setting with this in its name says that the hypervisor is itself a guest, or is software.
const NESTED: [&str; 2] = ["nested", "pvm"];

/// No command line has more words (the kernel's limit is 2048 to 4096 characters).
const MOST_WORDS: usize = 1024;

const PATH: &str = "/proc/cmdline";

/// The words that matter, in their order. What follows `--` is for the first process.
pub(crate) fn settings(command_line: &str) -> Vec<String> {
    command_line
        .split_whitespace()
        .take(MOST_WORDS)
        .take_while(|word| *word != "--")
        .filter(|word| matters(word))
        .map(str::to_owned)
        .collect()
}

fn matters(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    NAMES.contains(&name) || says_nested(name)
}

/// `kvm_intel.nested` allows guests of this machine to have guests; it says nothing of this machine.
fn says_nested(name: &str) -> bool {
    !name.starts_with("kvm") && NESTED.iter().any(|part| name.contains(part))
}

/// Whether a setting says that this machine's hypervisor runs inside another one.
pub(crate) fn nested(command_line: &str) -> Option<String> {
    settings(command_line).into_iter().find(|word| {
        let (name, value) = word.split_once('=').unwrap_or((word, "1"));
        says_nested(name) && value != "0"
    })
}

/// `kernel.command_line`: the settings that matter.
pub(crate) fn describe(facts: &mut Facts) {
    let found = facts.tree.read(PATH).and_then(|text| {
        if text.trim().is_empty() {
            Err(Absent::silent(PATH, "is empty"))
        } else {
            Ok(settings(&text))
        }
    });
    facts.list("kernel.command_line", PATH, found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_matter_are_kept() {
        let line = "root=UUID=1-2 ip=10.0.0.1 mitigations=off quiet isolcpus=2-3 nested_pvm=1 -- nohz=off host=alpha";
        assert_eq!(
            settings(line),
            ["mitigations=off", "isolcpus=2-3", "nested_pvm=1"]
        );
        assert_eq!(nested(line).as_deref(), Some("nested_pvm=1"));
        assert_eq!(nested("nested_pvm=0 quiet"), None);
        assert_eq!(nested("kvm_intel.nested=1"), None);
    }

    #[test]
    fn the_names_are_sorted() {
        assert!(NAMES.is_sorted());
    }
}
