//! Memory that runs out: which process the kernel kills then, and whether it killed one.

use crate::control_groups::Hierarchy;
use std::path::Path;

/// The adjustment of a process that is killed before all others (proc_pid_oom_score_adj(5)).
const FIRST: &str = "1000";

/// Files of a memory group that count killed processes: of version 2, and of version 1.
const COUNTS: [&str; 2] = ["memory.events", "memory.oom_control"];

/// Makes this process, and those that it starts from now on, the first to be killed when memory runs out; raising the
/// adjustment needs no privilege. Without /proc nothing changes.
pub fn be_killed_first() {
    let _ = std::fs::write("/proc/self/oom_score_adj", FIRST);
}

/// Processes that the kernel killed because memory ran out: in the control group of this process, and on the machine.
/// `None` where the kernel does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Killed {
    group: Option<u64>,
    machine: Option<u64>,
}

impl Killed {
    /// The counts of now.
    pub fn now() -> Self {
        let groups = Hierarchy::of_this_process("memory");
        let group = groups.iter().filter_map(|hierarchy| in_group(&hierarchy.own_path())).max();
        let machine = std::fs::read_to_string("/proc/vmstat").ok();
        Self { group, machine: machine.and_then(|text| count(&text)) }
    }

    /// The counts of a machine that never killed one.
    pub const fn zero() -> Self {
        Self { group: Some(0), machine: Some(0) }
    }

    /// Whether a process was killed since these counts.
    pub fn has_grown(self, now: Self) -> bool {
        let grew =
            |before: Option<u64>, now: Option<u64>| now.zip(before).is_some_and(|(now, before)| now > before);
        grew(self.group, now.group) || grew(self.machine, now.machine)
    }
}

fn in_group(folder: &Path) -> Option<u64> {
    COUNTS.iter().find_map(|file| count(&std::fs::read_to_string(folder.join(file)).ok()?))
}

/// The number in the line `oom_kill`.
fn count(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Actor, Ended};

    #[test]
    fn kills_are_counted_in_every_file() {
        assert_eq!(count("low 0\noom 3\noom_kill 2\noom_group_kill 0\n"), Some(2));
        assert_eq!(count("oom_kill_disable 0\nunder_oom 0\noom_kill 7\n"), Some(7));
        assert_eq!(count("oom_kill_disable 0\nunder_oom 0\n"), None);
    }

    #[test]
    fn a_kill_is_seen_in_the_group_or_on_the_machine() {
        let of = |group, machine| Killed { group, machine };
        let before = of(Some(1), Some(5));
        assert!(!before.has_grown(before));
        assert!(before.has_grown(of(Some(2), Some(5))) && before.has_grown(of(Some(1), Some(6))));
        assert!(before.has_grown(of(None, Some(6))) && !before.has_grown(of(None, None)));
        assert!(!of(None, None).has_grown(of(Some(1), Some(1))), "unknown before");
        assert!(!Killed::now().has_grown(Killed::default()));
    }

    #[test]
    fn a_process_may_make_itself_the_first() {
        let child = Actor::spawn(None, || {
            be_killed_first();
            let text = std::fs::read_to_string("/proc/self/oom_score_adj");
            i32::from(text.is_ok_and(|text| text.trim() == FIRST))
        });
        assert_eq!(child.unwrap().join().unwrap(), Ended::Exited(1));
    }
}
