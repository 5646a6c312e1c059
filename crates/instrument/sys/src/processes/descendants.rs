//! What /proc shows of a process and of all that it has started: the CPU time that they used and the CPUs that they may use.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Processes that descend from one, as they are now. Those in namespaces and containers of this machine are among them;
/// those that have left their parents, or run on another machine, are not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Descendants {
    /// CPU time of the process and its descendants, in nanoseconds, as finely as the kernel shows it.
    pub cpu_ns: u64,
    /// The CPUs to which some thread of theirs is bound, which may run on no other.
    pub bound_to: BTreeSet<u32>,
}

/// Reads those of a process that is not reaped yet.
pub fn read(pid: u32) -> Descendants {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut cpu_ticks = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(one) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        if let Some((parent, ticks)) = stat(one) {
            children.entry(parent).or_default().push(one);
            cpu_ticks.insert(one, ticks);
        }
    }
    let mut found = Descendants::default();
    let mut ticks = 0;
    let mut open = vec![pid];
    while let Some(one) = open.pop() {
        ticks += cpu_ticks.get(&one).copied().unwrap_or(0);
        found.bound_to.extend(bound_threads(one));
        open.extend(children.remove(&one).into_iter().flatten());
    }
    // SAFETY: it takes a number and touches no memory.
    let per_second = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100);
    found.cpu_ns = ticks * (1_000_000_000 / per_second.max(1));
    found
}

/// Parent and CPU time in ticks, fields 4, 14 and 15 of proc_pid_stat(5), counted behind the name, which may hold spaces.
fn stat(pid: u32) -> Option<(u32, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let [parent, user, system] = [4, 14, 15].map(|field| fields.get(field - 3)?.parse::<u64>().ok());
    Some((u32::try_from(parent?).ok()?, user? + system?))
}

/// The CPUs to which threads of a process are bound.
fn bound_threads(pid: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let status = threads.filter_map(|thread| fs::read_to_string(thread.path().join("status")).ok());
    status
        .filter_map(|status| {
            let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
            line.trim().parse().ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Actor;
    use crate::supervision::fork_until_killed;

    #[test]
    fn a_binding_below_is_seen_from_above_and_ends_with_its_process() {
        let cpu = *crate::cpu::allowed().unwrap().first().unwrap();
        // A machine with one CPU binds everything to it.
        let before = read(std::process::id()).bound_to;
        let (reader, writer) = crate::pipe::pipe().unwrap();
        let parent = fork_until_killed(|| {
            let bound = Actor::spawn(Some(cpu), || {
                let _ = writer.write_byte(1);
                std::thread::sleep(std::time::Duration::from_secs(600));
                0
            });
            std::mem::forget(bound);
        })
        .unwrap();
        reader.read_byte().unwrap();
        assert!(read(parent).bound_to.contains(&cpu));
        crate::supervision::kill_group(parent);
        crate::process::wait_for(i32::try_from(parent).unwrap()).unwrap();
        assert_eq!(read(parent), Descendants::default());
        assert_eq!(read(std::process::id()).bound_to, before);
    }

    #[test]
    fn time_that_a_process_uses_is_counted() {
        let own = std::process::id();
        let before = read(own).cpu_ns;
        let mut sum = 0_u64;
        while read(own).cpu_ns < before + 30_000_000 {
            sum = (0..100_000).fold(sum, |sum, n| std::hint::black_box(sum ^ n));
        }
        assert!(read(own).cpu_ns > before, "{sum}");
    }
}
