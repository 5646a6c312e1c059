//! What is read of this machine once in a second: who else uses its CPUs, its memory and its disk.

use machine::{Live, Surroundings};
use std::time::Instant;
use sys::usage::{self, UsageScope};
use watch::{Conditions, DiskUse, OtherShare, Used};

/// Share of a CPU's time of others from which on programs are read, to name them.
const LEAST_OTHER: f64 = 0.1;

/// Shortest interval that the ticks of the kernel's accounts resolve, in seconds.
const LEAST_INTERVAL_S: f64 = 0.5;

/// Reads the kernel's counts.
pub(super) struct Observer {
    live: Live,
    disk: Option<String>,
    before: Option<(Instant, f64, Surroundings)>,
    /// Whether programs were read the last time, and are this time.
    with_programs: bool,
    last: Conditions,
}

/// What this process and its workers have used.
pub(super) fn used() -> Used {
    let [own, workers] =
        [UsageScope::Process, UsageScope::Children].map(|scope| usage::read(scope).unwrap_or_default());
    let used = own.plus(&workers);
    Used {
        cpu_ns: used.cpu_us as f64 * 1e3,
        written_bytes: used.blocks_written as f64 * 512.0,
        wakeups: used.voluntary as f64,
    }
}

impl Observer {
    pub(super) fn new(disk: Option<String>) -> Self {
        let last = Conditions::default();
        Self { live: Live::machine(), disk, before: None, with_programs: false, last }
    }

    /// What was counted since the last time.
    pub(super) fn conditions(&mut self) -> Conditions {
        let interval = self.before.as_ref().map(|(at, ..)| at.elapsed().as_secs_f64());
        if interval.is_some_and(|interval| interval < LEAST_INTERVAL_S) {
            return self.last.clone();
        }
        let had_programs = self.with_programs;
        let now = (
            Instant::now(),
            used().cpu_ns,
            Surroundings::read(&self.live, self.disk.as_deref(), had_programs),
        );
        let conditions =
            self.before.as_ref().map_or_else(Conditions::default, |before| between(before, &now));
        let is_disturbed = !conditions.others.is_empty();
        // Who it is, two readings of the programs say: until then others are not reported, unless they cannot be named.
        let are_named = had_programs && self.last_had_programs();
        self.with_programs = is_disturbed;
        self.before = Some(now);
        self.last = conditions.clone();
        if are_named { conditions } else { Conditions { others: Vec::new(), ..conditions } }
    }

    fn last_had_programs(&self) -> bool {
        self.before.as_ref().is_some_and(|(_, _, surroundings)| surroundings.activity.has_programs())
    }
}

type Read = (Instant, f64, Surroundings);

fn between((before_at, before_ns, before): &Read, (at, ns, now): &Read) -> Conditions {
    let seconds = (*at - *before_at).as_secs_f64().max(1e-3);
    let wall_ns = seconds * 1e9;
    let (activity, earlier) = (&now.activity, &before.activity);
    let others = activity.others_since(earlier, std::process::id(), ns - before_ns, LEAST_OTHER * wall_ns);
    let shares = |of: Vec<(u32, f64)>| of.into_iter().map(|(cpu, ns)| (cpu, ns / wall_ns)).collect();
    let periods = activity.periods_since(earlier);
    Conditions {
        others: others
            .into_iter()
            .map(|other| OtherShare {
                cpu: other.cpu,
                share: (other.ns / wall_ns).min(1.0),
                name: other.name,
            })
            .collect(),
        steal: shares(activity.steal_ns_since(earlier)),
        interrupts: shares(activity.interrupts_ns_since(earlier)),
        quota: (periods.all, periods.throttled),
        reclaimed_per_s: now.reclaimed_since(before) / seconds,
        disk: now.disk_since(before).map(|disk| DiskUse {
            name: disk.name,
            request_ms: disk.request_ms,
            requests_per_s: disk.requests / seconds,
        }),
        pressure: now.waited_s_since(before).map(|waited| waited.map(|waited| (waited / seconds).min(1.0))),
        online: activity.online(),
    }
}
