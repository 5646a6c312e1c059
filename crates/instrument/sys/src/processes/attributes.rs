//! What this process sees of itself: its namespaces, filters, priority, kernel. Two processes in one environment see the
//! same, so that what differs proves that one of them was elsewhere.

use crate::clock::Clock;
use crate::control_groups::Hierarchy;
use rustix::process;
use std::collections::BTreeMap;
use std::fs;

/// The kinds of namespaces.
const NAMESPACES: [&str; 8] = ["cgroup", "ipc", "mnt", "net", "pid", "time", "user", "uts"];

/// Lines of `/proc/self/status`, and what they are called here.
const STATUS: [(&str, &str); 7] = [
    ("Seccomp", "seccomp.mode"),
    ("Seccomp_filters", "seccomp.filters"),
    ("NoNewPrivs", "no_new_privileges"),
    ("CapEff", "capabilities"),
    ("Speculation_Store_Bypass", "speculation.store_bypass"),
    ("SpeculationIndirectBranch", "speculation.indirect_branch"),
    ("Cpus_allowed_list", "cpus"),
];

/// All of them, by name; what cannot be read is left out.
pub fn of_this_process() -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut put = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            all.insert(name.to_owned(), value);
        }
    };
    for kind in NAMESPACES {
        let link = fs::read_link(format!("/proc/self/ns/{kind}")).ok();
        let number = link.map(|link| link.to_string_lossy().into_owned());
        put(&format!("namespace.{kind}"), number);
    }
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |key: &str| {
        let mut lines = status.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(name, _)| *name == key).map(|(_, value)| value.trim().to_owned())
    };
    for (key, name) in STATUS {
        put(name, line(key));
    }
    // The number of the tracer is another one each time.
    put("traced", line("TracerPid").map(|pid| (pid != "0").to_string()));
    for (name, limit) in cpu_limits() {
        put(&format!("cgroup.{name}"), Some(limit));
    }
    let groups = fs::read_to_string("/proc/self/cgroup").ok();
    put("cgroup", groups.map(|groups| groups.trim().replace('\n', " ")));
    put("preload", std::env::var("LD_PRELOAD").ok());
    let kernel = rustix::system::uname();
    put("kernel.release", Some(kernel.release().to_string_lossy().into_owned()));
    put("kernel.version", Some(kernel.version().to_string_lossy().into_owned()));
    put("kernel.machine", Some(kernel.machine().to_string_lossy().into_owned()));
    put("nice", process::getpriority_process(None).ok().map(|nice| nice.to_string()));
    // SAFETY: 0 is this process, the personality asked for is the present one, and the rest are integers that must be 0.
    let (policy, personality, disabled) = unsafe {
        let disabled = libc::prctl(libc::PR_GET_THP_DISABLE, 0, 0, 0, 0);
        (libc::sched_getscheduler(0), libc::personality(0xffff_ffff), disabled)
    };
    for (name, value) in
        [("scheduler.policy", policy), ("personality", personality), ("huge_pages.disabled", disabled)]
    {
        put(name, (value >= 0).then(|| value.to_string()));
    }
    put("clock", Some(Clock::select().name().to_owned()));
    // SAFETY: it reads what the kernel gave this process at its start.
    let vdso = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) };
    put("vdso", Some((vdso != 0).to_string()));
    put("hypervisor", crate::arch::hypervisor());
    all
}

/// What the process's own control group may have of the CPU.
fn cpu_limits() -> Vec<(&'static str, String)> {
    let mut limits = Vec::new();
    for hierarchy in Hierarchy::of_this_process("cpu") {
        let files = match hierarchy.is_v2 {
            true => ["cpu.max", "cpu.weight"],
            false => ["cpu.cfs_quota_us", "cpu.shares"],
        };
        let group = hierarchy.own_path();
        limits.extend(files.into_iter().filter_map(|file| {
            let limit = fs::read_to_string(group.join(file)).ok()?;
            Some((file, limit.trim().to_owned()))
        }));
    }
    limits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_sees_the_same_twice_and_all_of_its_namespaces() {
        let all = of_this_process();
        assert_eq!(all, of_this_process());
        for kind in ["mnt", "pid", "user"] {
            let (name, seen) = (format!("namespace.{kind}"), format!("/proc/self/ns/{kind}"));
            assert_eq!(all.get(&name).unwrap(), &fs::read_link(seen).unwrap().to_string_lossy());
        }
        assert_eq!(all.get("traced").map(String::as_str), Some("false"));
        assert!(all.contains_key("scheduler.policy") && all.contains_key("kernel.release"));
    }
}
