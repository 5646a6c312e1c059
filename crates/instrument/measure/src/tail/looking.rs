//! Counters around each iteration: what rose around the slowest ones, and what rises anyway.

use super::counters::{Counters, Reading};
use super::histogram::Histogram;
use record::{Outlier, TailLooks, Usual};
use std::collections::BTreeMap;

/// The slowest iterations of a trial that are kept.
const MAX_OUTLIERS: usize = 128;

/// Times in a trial that the list of all tasks is searched for the program that had the CPU.
const MAX_SEARCHES: usize = 24;

/// Processes that a search reads at most.
const MAX_PROCESSES: usize = 2_000;

/// The counter of the time for which the main actor could have run and did not.
const RUN_DELAY: &str = "run_delay_ns";

pub(super) struct Looking {
    counters: Counters,
    cpu: Option<u32>,
    run_delay: Option<usize>,
    /// The reading before the iteration, and when it began.
    before: Option<(Reading, i64)>,
    usual: Vec<Usual>,
    iterations: u64,
    window_ns: i64,
    costs: Histogram,
    /// Slowest first.
    outliers: Vec<Outlier>,
    /// Where the newest one is among them.
    newest: usize,
    searches: usize,
}

impl Looking {
    /// Opens the counters of the CPUs on which the actors are.
    pub(super) fn start() -> Self {
        let cpu = sys::cpu::current();
        let mut cpus: Vec<u32> = sys::process::cpus_of_actors().unwrap_or_default().into_iter().collect();
        cpus.extend(cpu.filter(|cpu| !cpus.contains(cpu)));
        let counters = Counters::open(&cpus);
        Self {
            cpu,
            run_delay: counters.names().iter().position(|name| name == RUN_DELAY),
            before: None,
            usual: vec![Usual::default(); counters.names().len()],
            iterations: 0,
            window_ns: 0,
            costs: Histogram::new(),
            outliers: Vec::with_capacity(MAX_OUTLIERS + 1),
            newest: 0,
            searches: 0,
            counters,
        }
    }

    /// A reading just before an iteration: that after the one before, unless time has passed since.
    pub(super) fn before(&mut self, has_waited: bool, now: &dyn Fn() -> i64) {
        if has_waited || self.before.is_none() {
            self.before = Some((self.counters.read(), now()));
        }
    }

    /// A reading just after an iteration that took `took_ns`; gives whether it is among the slowest.
    pub(super) fn after(&mut self, start: i64, took_ns: i64, now: &dyn Fn() -> i64) -> bool {
        let began = now();
        let reading = self.counters.read();
        let ended = now();
        self.costs.add(ended - began);
        let Some((before, since)) = self.before.take() else { return false };
        let rises: Vec<i64> = reading.iter().zip(&before).map(|(after, before)| after - before).collect();
        self.before = Some((reading, ended));
        self.iterations += 1;
        self.window_ns += ended - since;
        for (usual, rise) in self.usual.iter_mut().zip(&rises).filter(|(_, rise)| **rise > 0) {
            usual.sum += *rise as f64;
            usual.rose += 1;
        }
        let took_ns = took_ns.max(0).unsigned_abs();
        let place = self.outliers.partition_point(|other| other.took_ns >= took_ns);
        if place >= MAX_OUTLIERS {
            return false;
        }
        let had_to_wait = self
            .run_delay
            .and_then(|at| rises.get(at))
            .is_some_and(|wait| 2 * wait.unsigned_abs() >= took_ns);
        let program = if had_to_wait { self.search() } else { None };
        let named = self.counters.names().iter().zip(rises).filter(|(_, rise)| *rise != 0);
        let outlier = Outlier {
            at_ns: start.unsigned_abs(),
            took_ns,
            window_ns: (ended - since).unsigned_abs(),
            rose: named.map(|(name, rise)| (name.clone(), rise as f64)).collect(),
            probe_ratio: None,
            program,
        };
        self.outliers.insert(place, outlier);
        self.outliers.truncate(MAX_OUTLIERS);
        self.newest = place;
        true
    }

    /// What the probes of the core gave after the newest outlier. Time passed with it, so the next reading is a new one.
    pub(super) fn probed(&mut self, ratio: Option<f64>) {
        if let Some(newest) = self.outliers.get_mut(self.newest) {
            newest.probe_ratio = ratio;
        }
        self.before = None;
    }

    /// The only other program of which processes can run on this CPU now; `None` where there are several, or none is seen.
    fn search(&mut self) -> Option<String> {
        self.searches += 1;
        if self.searches > MAX_SEARCHES {
            return None;
        }
        let own = std::process::id();
        let entries = std::fs::read_dir("/proc").ok()?.flatten().take(MAX_PROCESSES);
        let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        let stats = pids
            .filter(|pid| *pid != own)
            .filter_map(|pid| std::fs::read_to_string(format!("/proc/{pid}/stat")).ok());
        let mut running = stats.filter_map(|stat| runnable_on(&stat, self.cpu?));
        let first = running.next()?;
        running.all(|other| other == first).then_some(first)
    }

    pub(super) fn finish(self) -> TailLooks {
        let named = self.counters.names().iter().cloned().zip(self.usual);
        let usual: BTreeMap<String, Usual> = named.filter(|(_, usual)| usual.rose > 0).collect();
        TailLooks {
            outliers: self.outliers,
            usual,
            iterations: self.iterations,
            window_ns: self.window_ns.max(0).unsigned_abs(),
            cost_ns: self.costs.median().unwrap_or(0),
            unread: self.counters.unread,
        }
    }
}

/// The name of a process that can run, and ran last on this CPU: fields 2, 3 and 39 of `proc_pid_stat(5)`.
fn runnable_on(stat: &str, cpu: u32) -> Option<String> {
    let (begin, fields) = stat.rsplit_once(')')?;
    let (_, name) = begin.split_once('(')?;
    let mut fields = fields.split_ascii_whitespace();
    let is_runnable = fields.next() == Some("R");
    let last_cpu = fields.nth(39 - 4)?.parse::<u32>().ok()?;
    (is_runnable && last_cpu == cpu).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_named_where_it_can_run_on_the_cpu() {
        let stat = |state: &str, cpu: u32| format!("7 (a (b) c) {state}{} {cpu} 0 0", " 1".repeat(35));
        assert_eq!(runnable_on(&stat("R", 3), 3).as_deref(), Some("a (b) c"));
        assert_eq!(runnable_on(&stat("R", 2), 3), None);
        assert_eq!(runnable_on(&stat("S", 3), 3), None);
        assert_eq!(runnable_on("nonsense", 3), None);
    }

    #[test]
    fn the_slowest_iterations_are_kept_in_order() {
        let mut looking = Looking::start();
        for (index, took) in (0..300).map(|index| (index, (index * 7_919) % 300)) {
            looking.before(false, &|| index * 1_000);
            looking.after(index * 1_000, took, &|| index * 1_000 + 500);
        }
        let looks = looking.finish();
        assert_eq!((looks.outliers.len(), looks.iterations), (MAX_OUTLIERS, 300));
        let took: Vec<u64> = looks.outliers.iter().map(|outlier| outlier.took_ns).collect();
        assert!(took.is_sorted_by(|a, b| a >= b) && took.first() == Some(&299), "{took:?}");
    }
}
