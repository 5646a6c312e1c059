//! Settings on the kernel's command line that change costs.

use crate::facts::Facts;
use crate::tree;

/// Settings whose name is exactly this, from the kernel's `admin-guide/kernel-parameters`.
const NAMES: &str = "\
    amd_pstate apparmor audit cgroup_disable cgroup_enable clearcpuid clocksource \
    cpufreq.default_governor cpufreq.off cpuidle.off debug_pagealloc default_hugepagesz \
    gather_data_sampling highres hpet hugepages hugepagesz hugetlb_free_vmemmap idle \
    indirect_target_selection init_on_alloc init_on_free intel_idle.max_cstate intel_iommu \
    intel_pstate iommu irqaffinity isolcpus kfence.sample_interval kpti l1tf lsm maxcpus mds mem \
    mitigations mmio_stale_data nmi_watchdog no-kvmclock no-steal-acc noapictimer nohlt nohpet nohz \
    nohz_full nokaslr nopcid nopku nopti nosmap nosmep nosmt nosoftlockup nospectre_v1 nospectre_v2 \
    notsc nowatchdog nox2apic noxsave noxsaveopt nr_cpus numa numa_balancing nvme.poll_queues \
    page_alloc.shuffle page_poison pcie_aspm preempt processor.ignore_ppc processor.max_cstate psi \
    pti randomize_kstack_offset rcu_nocb_poll rcu_nocbs reg_file_data_sampling retbleed security \
    selinux skew_tick slab_nomerge slub_debug slub_nomerge spec_rstack_overflow \
    spec_store_bypass_disable spectre_bhi spectre_v2 spectre_v2_user split_lock_detect srbds \
    swiotlb threadirqs transparent_hugepage tsa tsc tsx tsx_async_abort vdso vmscape vsyscall \
    workqueue.power_efficient x2apic_phys";

/// Parts of names of settings by which a hypervisor announces that it is a guest, or software.
const NESTED: [&str; 2] = ["nested", "pvm"];

/// No command line has more words (the kernel's limit is 2048 to 4096 characters).
const MOST_WORDS: usize = 1024;

const PATH: &str = "/proc/cmdline";

/// The settings that change costs, in their order. Words after `--` are for the first process.
pub(crate) fn settings(command_line: &str) -> Vec<String> {
    command_line
        .split_whitespace()
        .take(MOST_WORDS)
        .take_while(|word| *word != "--")
        .filter(|word| changes_costs(word))
        .map(str::to_owned)
        .collect()
}

fn changes_costs(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    NAMES.split(' ').any(|known| known == name) || is_nested(name)
}

/// `kvm_intel.nested` allows guests of this machine to have guests; it does not describe this machine.
fn is_nested(name: &str) -> bool {
    !name.starts_with("kvm") && NESTED.iter().any(|part| name.contains(part))
}

/// The setting that says that this machine's hypervisor runs inside another one.
pub(crate) fn nested(command_line: &str) -> Option<String> {
    active(command_line, is_nested)
}

/// The setting that says that this machine is a PVM guest: a guest without hardware virtualization.
pub(crate) fn pvm(command_line: &str) -> Option<String> {
    active(command_line, |name| is_nested(name) && name.contains("pvm"))
}

fn active(command_line: &str, is_sought: impl Fn(&str) -> bool) -> Option<String> {
    settings(command_line).into_iter().find(|word| {
        let (name, value) = word.split_once('=').unwrap_or((word, "1"));
        is_sought(name) && value != "0"
    })
}

/// `kernel.command_line`: the settings that change costs.
pub(crate) fn describe(facts: &mut Facts) {
    let found = tree::parsed(facts.tree.read(PATH), PATH, "is empty", |text| {
        (!text.trim().is_empty()).then(|| settings(text))
    });
    facts.list("kernel.command_line", PATH, found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_that_change_costs_are_kept() {
        let line = "root=UUID=1-2 ip=10.0.0.1 mitigations=off quiet isolcpus=2-3 nested_pvm=1 -- nohz=off host=alpha";
        assert_eq!(settings(line), ["mitigations=off", "isolcpus=2-3", "nested_pvm=1"]);
        assert_eq!(nested(line).as_deref(), Some("nested_pvm=1"));
        assert_eq!(nested("nested_pvm=0 quiet"), None);
        assert_eq!(nested("kvm_intel.nested=1"), None);
        assert_eq!(pvm(line).as_deref(), Some("nested_pvm=1"));
        assert_eq!(pvm("nested=1 nested_pvm=0 kvm_pvm=1"), None);
    }

    #[test]
    fn names_are_sorted() {
        assert!(NAMES.split(' ').is_sorted());
    }
}
