//! What the kernel has counted up to a moment: the CPU time of each CPU and of each program, steal time, periods in which a
//! quota was used up. Two readings say who used the CPUs between them.

use crate::cgroup;
use crate::parse;
use crate::tree::Tree;
use std::collections::BTreeMap;

/// Length of a tick of `/proc/stat` and `/proc/PID/stat` in nanoseconds: USER_HZ is 100 on every architecture of Linux in use.
const TICK_NS: f64 = 1e7;

/// Processes that are read at most.
const MOST_PROCESSES: usize = 4096;

/// The numbers of a CPU's line of `/proc/stat` that are time in which it ran something: user, nice, system, irq, softirq
/// (`proc_stat(5)`; guest times are in user already).
const BUSY: [usize; 5] = [0, 1, 2, 5, 6];
/// Those of them that are time in interrupts.
const INTERRUPTS: [usize; 2] = [5, 6];
/// The number that is steal time.
const STEAL: usize = 7;

/// Ticks of one CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct CpuTicks {
    busy: u64,
    interrupts: u64,
    steal: u64,
}

/// One process.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Process {
    name: String,
    parent: u32,
    ticks: u64,
    cpu: u32,
}

/// Periods of CPU quotas, over the control groups of this process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Periods {
    /// All.
    pub all: u64,
    /// Those in which a group had used up its quota.
    pub throttled: u64,
}

/// The counts at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    cpus: BTreeMap<u32, CpuTicks>,
    processes: BTreeMap<u32, Process>,
    periods: Periods,
}

/// CPU time that programs other than this one and its children used.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherUse {
    /// The CPU; `None` where only the sum over all CPUs is known.
    pub cpu: Option<u32>,
    /// Nanoseconds.
    pub ns: f64,
    /// The program, where one is seen; `and others` behind the one that used most where it is not the only one.
    pub name: Option<String>,
}

impl Activity {
    /// Reads the counts. What cannot be read is absent.
    pub fn read(tree: &dyn Tree) -> Self {
        let names = tree.list("/proc").unwrap_or_default();
        let pids = names.iter().filter_map(|name| name.parse::<u32>().ok()).take(MOST_PROCESSES);
        Self {
            processes: pids
                .filter_map(|pid| Some((pid, process(&tree.read(&format!("/proc/{pid}/stat")).ok()?)?)))
                .collect(),
            ..Self::of_cpus(tree)
        }
    }

    /// Reads the counts of CPUs and quotas, and not those of programs, of which there may be thousands.
    pub fn of_cpus(tree: &dyn Tree) -> Self {
        let stat = tree.read("/proc/stat").unwrap_or_default();
        Self {
            cpus: stat.lines().filter_map(cpu_ticks).collect(),
            processes: BTreeMap::new(),
            periods: periods(tree),
        }
    }

    /// Whether programs were read.
    pub fn has_programs(&self) -> bool {
        !self.processes.is_empty()
    }

    /// The CPUs that count: those that are online.
    pub fn online(&self) -> Vec<u32> {
        self.cpus.keys().copied().collect()
    }

    /// Who else used the CPUs since an earlier reading, where this process and the children that it waited for used
    /// `own_ns` of CPU time. Only what reaches `least_ns` is given.
    pub fn others_since(&self, earlier: &Self, own: u32, own_ns: f64, least_ns: f64) -> Vec<OtherUse> {
        let busy_ns: f64 = self.cpus.keys().map(|&cpu| self.busy_ns(earlier, cpu)).sum();
        let all_ns = busy_ns - own_ns;
        if all_ns < least_ns {
            return Vec::new();
        }
        let mut found = self.seen_since(earlier, own);
        found.retain(|other| other.ns >= least_ns);
        let seen_ns: f64 = found.iter().map(|other| other.ns).sum();
        let unseen_ns = all_ns - seen_ns;
        if unseen_ns < least_ns.max(seen_ns) {
            return found;
        }
        // A CPU that was busy for longer than this process used any CPU ran something else for the rest at least.
        let mut bounded: Vec<OtherUse> = self
            .cpus
            .keys()
            .map(|&cpu| {
                let ns = self.busy_ns(earlier, cpu) - own_ns;
                // A program that is seen to have had most of it is that.
                let seen = found.iter().find(|seen| seen.cpu == Some(cpu) && 2.0 * seen.ns >= ns);
                OtherUse { cpu: Some(cpu), ns, name: seen.and_then(|seen| seen.name.clone()) }
            })
            .collect();
        bounded.retain(|other| other.ns >= least_ns.max(unseen_ns / 2.0));
        if bounded.is_empty() {
            bounded.push(OtherUse { cpu: None, ns: unseen_ns, name: None });
        }
        found.retain(|seen| bounded.iter().all(|other| other.cpu != seen.cpu));
        found.extend(bounded);
        found
    }

    /// Time of each CPU that the hypervisor gave to others since an earlier reading.
    pub fn steal_ns_since(&self, earlier: &Self) -> Vec<(u32, f64)> {
        self.ns_since(earlier, |ticks| ticks.steal)
    }

    /// Time of each CPU in interrupts since an earlier reading.
    pub fn interrupts_ns_since(&self, earlier: &Self) -> Vec<(u32, f64)> {
        self.ns_since(earlier, |ticks| ticks.interrupts)
    }

    fn ns_since(&self, earlier: &Self, ticks: fn(&CpuTicks) -> u64) -> Vec<(u32, f64)> {
        let cpus = self.cpus.iter().filter_map(|(&cpu, now)| Some((cpu, now, earlier.cpus.get(&cpu)?)));
        cpus.map(|(cpu, now, before)| (cpu, ticks(now).saturating_sub(ticks(before)) as f64 * TICK_NS))
            .collect()
    }

    /// Periods of quotas since an earlier reading.
    pub fn periods_since(&self, earlier: &Self) -> Periods {
        Periods {
            all: self.periods.all.saturating_sub(earlier.periods.all),
            throttled: self.periods.throttled.saturating_sub(earlier.periods.throttled),
        }
    }

    fn busy_ns(&self, earlier: &Self, cpu: u32) -> f64 {
        let [now, before] =
            [self, earlier].map(|reading| reading.cpus.get(&cpu).map_or(0, |ticks| ticks.busy));
        // A CPU that came online has counted from before.
        if earlier.cpus.contains_key(&cpu) { now.saturating_sub(before) as f64 * TICK_NS } else { 0.0 }
    }

    /// What a CPU gave to programs at most; without a bound where its own time is not known.
    fn most_ns(&self, earlier: &Self, cpu: u32) -> f64 {
        let is_known = self.cpus.contains_key(&cpu) && earlier.cpus.contains_key(&cpu);
        if is_known { self.busy_ns(earlier, cpu) } else { f64::INFINITY }
    }

    /// What other processes used that are there in both readings, by the CPU on which they ran last.
    fn seen_since(&self, earlier: &Self, own: u32) -> Vec<OtherUse> {
        let mut by_cpu: BTreeMap<u32, (u64, u64, &str)> = BTreeMap::new();
        for (pid, now) in &self.processes {
            let Some(before) = earlier.processes.get(pid).filter(|before| before.name == now.name) else {
                continue;
            };
            if self.descends(*pid, own) {
                continue;
            }
            let ticks = now.ticks.saturating_sub(before.ticks);
            let (sum, most, name) = by_cpu.entry(now.cpu).or_default();
            *sum += ticks;
            if ticks > *most {
                (*most, *name) = (ticks, &now.name);
            }
        }
        by_cpu
            .into_iter()
            .map(|(cpu, (ticks, most, name))| OtherUse {
                cpu: Some(cpu),
                // Threads of a program run on several CPUs; where each ran is not counted.
                ns: (ticks as f64 * TICK_NS).min(self.most_ns(earlier, cpu)),
                name: Some(if most * 10 >= ticks * 9 {
                    name.to_owned()
                } else {
                    format!("{name} and others")
                }),
            })
            .collect()
    }

    /// Whether a process is another one or was started by it.
    fn descends(&self, mut pid: u32, from: u32) -> bool {
        for _ in 0..MOST_PROCESSES {
            if pid == from {
                return true;
            }
            let Some(process) = self.processes.get(&pid) else { return false };
            pid = process.parent;
        }
        false
    }
}

/// A line `cpu3 …` of `/proc/stat`.
fn cpu_ticks(line: &str) -> Option<(u32, CpuTicks)> {
    let mut words = line.strip_prefix("cpu")?.split_whitespace();
    let cpu = words.next().filter(|_| !line.starts_with("cpu "))?.parse().ok()?;
    let numbers: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
    let busy = BUSY.into_iter().filter_map(|at| numbers.get(at)).sum();
    let interrupts = INTERRUPTS.into_iter().filter_map(|at| numbers.get(at)).sum();
    Some((cpu, CpuTicks { busy, interrupts, steal: numbers.get(STEAL).copied().unwrap_or(0) }))
}

/// Name, parent, CPU time and CPU: fields 2, 4, 14, 15 and 39 of `proc_pid_stat(5)`; the name may hold spaces.
fn process(stat: &str) -> Option<Process> {
    let (begin, fields) = stat.rsplit_once(')')?;
    let (_, name) = begin.split_once('(')?;
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Process {
        name: name.to_owned(),
        parent: u32::try_from(number(4)?).ok()?,
        ticks: number(14)? + number(15)?,
        cpu: u32::try_from(number(39)?).ok()?,
    })
}

/// The periods of all groups around this process together: a group of version 1 or 2 with a quota counts its own.
fn periods(tree: &dyn Tree) -> Periods {
    let mut sum = Periods::default();
    for folder in cgroup::cpu_groups(tree).unwrap_or_default() {
        let stat = tree.read(&format!("{folder}/cpu.stat")).unwrap_or_default();
        let [all, throttled] = ["nr_periods", "nr_throttled"].map(|name| {
            let line = stat.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(parse::number).unwrap_or(0.0) as u64
        });
        sum.all += all;
        sum.throttled += throttled;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(name: &str, parent: u32, ticks: u64, cpu: u32) -> String {
        let (before, after) = (" 0".repeat(9), " 0".repeat(23));
        format!("7 ({name}) S {parent}{before} {ticks} 0{after} {cpu} 0")
    }

    fn activity(cpus: &[(u32, u64, u64)], processes: &[(u32, &str, u32, u64, u32)]) -> Activity {
        Activity {
            cpus: cpus
                .iter()
                .map(|(cpu, busy, steal)| {
                    cpu_ticks(&format!("cpu{cpu} {busy} 0 0 77 5 0 0 {steal} 0 0")).unwrap()
                })
                .collect(),
            processes: processes
                .iter()
                .map(|&(pid, name, parent, ticks, cpu)| {
                    (pid, process(&stat(name, parent, ticks, cpu)).unwrap())
                })
                .collect(),
            periods: Periods::default(),
        }
    }

    #[test]
    fn lines_of_the_kernel_are_read() {
        let ticks = CpuTicks { busy: 1 + 2 + 3 + 6 + 7, interrupts: 6 + 7, steal: 8 };
        assert_eq!(cpu_ticks("cpu12 1 2 3 4 5 6 7 8 9 10"), Some((12, ticks)));
        assert_eq!(cpu_ticks("cpu  1 2 3 4 5 6 7 8 9 10"), None);
        assert_eq!(cpu_ticks("intr 5"), None);
        let read = process(&stat("a (b) c", 3, 55, 1)).unwrap();
        assert_eq!((read.name.as_str(), read.parent, read.ticks, read.cpu), ("a (b) c", 3, 55, 1));
        assert_eq!(process("7 (x) S 1 2"), None);
    }

    #[test]
    fn other_programs_are_found_with_their_cpu_and_name_and_own_children_are_not() {
        let before = activity(&[(0, 100, 0), (1, 100, 0)], &[(9, "own", 1, 0, 1), (20, "hog", 1, 500, 1)]);
        let after = activity(
            &[(0, 105, 0), (1, 200, 10)],
            &[(9, "own", 1, 20, 1), (10, "child", 9, 28, 1), (20, "hog", 1, 552, 1)],
        );
        let others = after.others_since(&before, 9, 0.48e9, 1e8);
        assert_eq!(others, [OtherUse { cpu: Some(1), ns: 0.52e9, name: Some("hog".to_owned()) }]);
        assert_eq!(after.steal_ns_since(&before), [(0, 0.0), (1, 1e8)]);
        // The same while this program itself used all of it.
        assert_eq!(after.others_since(&before, 9, 1.0e9, 1e8), []);
    }

    #[test]
    fn threads_of_a_program_use_no_more_of_a_cpu_than_there_is() {
        let before = activity(&[(0, 0, 0), (1, 0, 0)], &[(20, "hog", 1, 0, 0)]);
        for (busy, on_other) in [(100, vec![(1, 1e9, None)]), (17, vec![])] {
            let after = activity(&[(0, 100, 0), (1, busy, 0)], &[(20, "hog", 1, 100 + busy, 0)]);
            let others = after.others_since(&before, 9, 0.0, 1e8);
            let others: Vec<_> = others.into_iter().map(|one| (one.cpu.unwrap(), one.ns, one.name)).collect();
            assert_eq!(others, [vec![(0, 1e9, Some("hog".to_owned()))], on_other].concat());
        }
    }

    #[test]
    fn what_is_not_seen_is_bounded_by_the_time_of_its_cpu_or_known_as_a_sum() {
        let before = activity(&[(0, 0, 0), (1, 0, 0)], &[]);
        let shared = activity(&[(0, 2, 0), (1, 100, 0)], &[]);
        let others = shared.others_since(&before, 9, 0.48e9, 1e8);
        assert_eq!(others, [OtherUse { cpu: Some(1), ns: 0.52e9, name: None }]);
        let apart = activity(&[(0, 90, 0), (1, 90, 0)], &[]);
        let others = apart.others_since(&before, 9, 0.9e9, 1e8);
        assert_eq!(others, [OtherUse { cpu: None, ns: 0.9e9, name: None }]);
    }
}
