//! The facts that can change during a run.

use oscope_machine::{Live, describe, describe_changeable};
use record::{Fact, FactValue};

/// Facts that the load of a machine changes are no settings: none of them is among those read here.
#[test]
fn changeable_facts_are_those_of_the_description() {
    let live = Live::machine();
    let (found, machine) = (describe_changeable(&live, None), describe(&live));
    assert!(found.len() > 20, "{found:?}");
    for fact in &found {
        assert_eq!(machine.get(&fact.key), Some(fact));
        assert!(!fact.key.starts_with("quiet.") && !fact.key.starts_with("memory.free"), "{}", fact.key);
    }
    for key in ["cpus.online_list", "cpus.allowed_list", "cpus.smt", "kernel.clocksource", "limit.cpus"] {
        assert!(found.iter().any(|fact| fact.key == key), "{key}");
    }
}

#[test]
fn changes_are_seen() {
    let root = tempfile::tempdir().unwrap();
    let files = [
        ("sys/devices/system/cpu/online", "0-1", "0", "cpus.online_list"),
        ("sys/devices/system/cpu/smt/control", "on", "off", "cpus.smt"),
        ("proc/self/status", "Cpus_allowed_list:\t0-1\n", "Cpus_allowed_list:\t0\n", "cpus.allowed_list"),
        (
            "sys/devices/system/clocksource/clocksource0/current_clocksource",
            "tsc",
            "kvm-clock",
            "kernel.clocksource",
        ),
        (
            "sys/kernel/mm/transparent_hugepage/enabled",
            "[always] madvise never",
            "always madvise [never]",
            "memory.transparent_huge_pages",
        ),
        (
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
            "powersave",
            "performance",
            "power.governor",
        ),
        (
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq",
            "2000000",
            "1000000",
            "power.frequency_limit_max",
        ),
        ("sys/devices/system/cpu/vulnerabilities/mds", "Vulnerable", "Mitigation: x", "mitigation.mds"),
        ("sys/fs/cgroup/cpu.max", "max 100000", "50000 100000", "limit.cpus"),
        ("sys/fs/cgroup/memory.max", "max", "1048576", "limit.memory_group"),
        ("proc/sys/net/ipv4/tcp_timestamps", "1", "0", "sysctl.net.ipv4.tcp_timestamps"),
        ("proc/sys/kernel/sched_rr_timeslice_ms", "100", "10", "sysctl.kernel.sched_rr_timeslice_ms"),
        ("proc/sys/vm/swappiness", "60", "0", "kernel.swappiness"),
    ];
    let write = |path: &str, text: &str| {
        let place = root.path().join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    };
    write("proc/self/cgroup", "0::/\n");
    write("proc/self/mountinfo", "3 1 0:7 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    files.iter().for_each(|(path, before, ..)| write(path, before));
    let live = Live::below(root.path());
    let before = describe_changeable(&live, None);
    for (path, first, second, key) in files {
        write(path, second);
        let after = describe_changeable(&live, None);
        let differing = |fact: &&Fact| {
            let was = before.iter().find(|one| one.key == fact.key).map(|fact| &fact.value);
            was != Some(&fact.value)
        };
        let differs: Vec<&str> = after.iter().filter(differing).map(|fact| fact.key.as_str()).collect();
        assert!(differs.contains(&key), "{key}: {differs:?}");
        let is_known = |fact: &Fact| !matches!(fact.value, FactValue::Unknown { .. });
        assert!(after.iter().any(|fact| fact.key == key && is_known(fact)), "{key}");
        write(path, first);
    }
    assert_eq!(describe_changeable(&live, None), before);
}
