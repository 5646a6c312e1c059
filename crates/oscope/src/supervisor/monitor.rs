//! What is watched between trials: facts of the machine that may change, and what disturbs the run.

use super::other_runs::OtherRuns;
use crate::records::now;
use machine::{Activity, Live};
use record::{Disturbance, DisturbanceKind, Fact, FactChange, FactValue, Line, Machine, MachineChange};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use sys::kernel_time::{self, KernelClock};
use sys::usage::{self, UsageScope};

/// Least time between two readings: ticks of the kernel's accounts are a hundredth of it.
const INTERVAL_NS: u64 = 1_000_000_000;

/// Readings are this many times their own length apart, so that they take a hundredth of the time: a machine may have thousands
/// of processes.
const COST_APART: u32 = 100;

/// Share of a CPU's time from which on others disturb.
const LEAST_OTHER: f64 = 0.1;
/// Share of a CPU's time from which on steal disturbs.
const LEAST_STEAL: f64 = 0.05;
/// Share of the periods from which on a quota disturbs.
const LEAST_THROTTLED: f64 = 0.05;
/// Shorter pauses are those of a loaded machine.
const LEAST_PAUSE_S: f64 = 0.5;

/// Watches what is around a run.
pub trait Monitor {
    /// What happened since the last reading, if it is time for another one; always where this is the last of the run.
    /// `halted` is the time since then in which the supervisor did not get to run.
    fn read(&mut self, now_ns: u64, halted: Duration, is_last: bool) -> Vec<Line>;
}

/// Watches this machine.
pub struct MachineMonitor {
    live: Live,
    /// The CPU that the facts describe.
    cpu: Option<u32>,
    facts: BTreeMap<String, FactValue>,
    others: OtherRuns,
    before: Reading,
    next_ns: u64,
    halted: Duration,
}

/// What was read at one moment.
struct Reading {
    at_ns: u64,
    at: String,
    activity: Activity,
    own_ns: f64,
    asleep_ns: i64,
}

impl Reading {
    fn now(live: &Live, at_ns: u64) -> Self {
        let (at, activity) = (now(), Activity::read(live));
        let [own_us, children_us] = [UsageScope::Process, UsageScope::Children]
            .map(|scope| usage::read(scope).unwrap_or_default().cpu_us);
        let [boot_time, monotonic] = [KernelClock::Boottime, KernelClock::Monotonic]
            .map(|clock| kernel_time::read(clock).unwrap_or_default());
        Self {
            at_ns,
            at,
            activity,
            own_ns: (own_us + children_us) as f64 * 1e3,
            asleep_ns: boot_time - monotonic,
        }
    }
}

impl MachineMonitor {
    /// Begins with the facts of a record, at this time of its run.
    pub fn new(machine: &Machine, cpu: Option<u32>, changes: &[MachineChange], now_ns: u64) -> Self {
        let mut facts: BTreeMap<String, FactValue> =
            machine.facts.iter().map(|fact| (fact.key.clone(), fact.value.clone())).collect();
        for change in changes.iter().flat_map(|change| &change.changes) {
            facts.insert(change.key.clone(), change.after.clone());
        }
        let live = Live::machine();
        let before = Reading::now(&live, now_ns);
        Self { live, cpu, facts, others: OtherRuns::new(), before, next_ns: now_ns, halted: Duration::ZERO }
    }

    /// The facts that have another value now.
    fn changes(&mut self, facts: Vec<Fact>) -> Vec<FactChange> {
        let mut changes = Vec::new();
        for Fact { key, value, .. } in facts {
            let Some(known) = self.facts.get_mut(&key) else {
                continue;
            };
            // What cannot be read for a moment has not changed.
            let is_unknown =
                [&*known, &value].into_iter().any(|value| matches!(value, FactValue::Unknown { .. }));
            if !is_unknown && *known != value {
                let before = std::mem::replace(known, value.clone());
                changes.push(FactChange { key, before, after: value });
            }
        }
        changes
    }

    /// What disturbed the run between two readings.
    fn disturbances(&mut self, now: &Reading) -> Vec<DisturbanceKind> {
        let wall_ns = now.at_ns.saturating_sub(self.before.at_ns) as f64;
        let (halted, asleep) =
            (self.halted.as_secs_f64(), (now.asleep_ns - self.before.asleep_ns) as f64 * 1e-9);
        let mut found = between(&self.before, now, wall_ns);
        if asleep >= LEAST_PAUSE_S {
            found.push(DisturbanceKind::Suspended { seconds: asleep });
        }
        if halted >= LEAST_PAUSE_S {
            found.push(DisturbanceKind::Halted { seconds: halted });
        }
        found.extend(self.others.present().into_iter().map(|pid| DisturbanceKind::OtherRun { pid }));
        found
    }
}

/// Who else used the CPUs between two readings.
fn between(before: &Reading, now: &Reading, wall_ns: f64) -> Vec<DisturbanceKind> {
    if wall_ns <= 0.0 {
        return Vec::new();
    }
    let own_ns = now.own_ns - before.own_ns;
    let others =
        now.activity.others_since(&before.activity, std::process::id(), own_ns, LEAST_OTHER * wall_ns);
    let others = others.into_iter().map(|other| DisturbanceKind::OtherProgram {
        cpu: other.cpu,
        share: other.ns / wall_ns,
        name: other.name,
    });
    let steal = now.activity.steal_ns_since(&before.activity).into_iter();
    let steal = steal.map(|(cpu, ns)| (cpu, ns / wall_ns)).filter(|(_, share)| *share >= LEAST_STEAL);
    let stolen = steal.map(|(cpu, share)| DisturbanceKind::Stolen { cpu, share });
    let periods = now.activity.periods_since(&before.activity);
    let is_throttled = periods.throttled as f64 >= LEAST_THROTTLED * periods.all.max(1) as f64;
    let throttled = (periods.throttled > 0 && is_throttled)
        .then_some(DisturbanceKind::Throttled { periods: periods.all, throttled: periods.throttled });
    others.chain(stolen).chain(throttled).collect()
}

impl Monitor for MachineMonitor {
    fn read(&mut self, now_ns: u64, halted: Duration, is_last: bool) -> Vec<Line> {
        self.halted += halted;
        if now_ns < self.next_ns && !is_last {
            return Vec::new();
        }
        let began = Instant::now();
        let facts = machine::describe_changeable(&self.live, self.cpu);
        let changes = self.changes(facts);
        let change = (!changes.is_empty()).then(|| {
            let after_ns = self.before.at_ns;
            Line::Change(MachineChange { after_ns, at_ns: now_ns, at: now(), changes })
        });
        let mut lines: Vec<Line> = change.into_iter().collect();
        // A part too short for the ticks of the kernel's accounts says nothing.
        if now_ns.saturating_sub(self.before.at_ns) >= INTERVAL_NS / 2 {
            let reading = Reading::now(&self.live, now_ns);
            let found = self.disturbances(&reading);
            lines.extend(found.into_iter().map(|kind| {
                Line::Disturbance(Disturbance {
                    from_ns: self.before.at_ns,
                    to_ns: now_ns,
                    from: self.before.at.clone(),
                    to: reading.at.clone(),
                    kind,
                })
            }));
            (self.before, self.halted) = (reading, Duration::ZERO);
        }
        let pause = u64::try_from((began.elapsed() * COST_APART).as_nanos()).unwrap_or(u64::MAX);
        self.next_ns = now_ns.saturating_add(pause.max(INTERVAL_NS));
        lines
    }
}
