//! What the kernel counted around the timed batches.

use crate::Failure;
use crate::work::{Batch, Before};
use record::{Counted, Evidence};
use std::cell::OnceCell;
use sys::perf::{Counter, Event, Unusable};
use sys::usage::{self, ReliableCounts, Usage, UsageScope};

/// The kernel's counts at one moment.
pub(crate) struct Totals {
    process: Result<Usage, sys::Error>,
    children: Result<Usage, sys::Error>,
    migrations: Result<u64, String>,
    cpu: Option<u32>,
}

thread_local! {
    /// Opened once in a worker where /proc does not report it, before the first batch.
    static MIGRATIONS: OnceCell<Result<Counter, Unusable>> = const { OnceCell::new() };
}

fn migrations() -> Result<u64, String> {
    if let Some(count) = usage::migrations() {
        return Ok(count);
    }
    MIGRATIONS.with(|cell| match cell.get_or_init(|| Counter::open(Event::Migrations)) {
        Ok(counter) => counter.read().map_err(|error| error.to_string()),
        Err(unusable) => Err(unusable.to_string()),
    })
}

/// Whether the kernel counts migrations of the main actor to another CPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Migrations {
    /// It counts each: for an actor that is alone.
    Counted,
    /// It does not: a counter that is open is put away and taken up again with its task, which makes every
    /// switch a sixth of a microsecond longer (E43). Where the actor is before and after must do.
    Compared,
}

impl Totals {
    pub(crate) fn read(counting: Migrations) -> Self {
        Self {
            migrations: match counting {
                Migrations::Counted => migrations(),
                Migrations::Compared => {
                    Err("an open counter would slow every switch: not counted".to_owned())
                }
            },
            process: usage::read(UsageScope::Process),
            children: usage::read(UsageScope::Children),
            cpu: sys::cpu::current(),
        }
    }

    /// The evidence since an earlier reading, over `iterations` iterations.
    pub(crate) fn since(&self, before: &Self, iterations: f64) -> Vec<Evidence> {
        let process = difference(&self.process, &before.process);
        let children = difference(&self.children, &before.children);
        let count = |usage: &Result<Usage, String>, counter: &str, is_kept: bool, pick: fn(&Usage) -> i64| {
            let counted = match usage {
                Ok(_) if !is_kept => Err(NOT_KEPT),
                Ok(usage) => Ok(pick(usage) as f64),
                Err(reason) => Err(reason.as_str()),
            };
            per(counter, counted, iterations)
        };
        let ReliableCounts { switches, faults, faults_of_children } = usage::reliable_counts();
        vec![
            count(&process, "switches", switches, Usage::switches),
            count(&process, "switches.voluntary", switches, |usage| usage.voluntary),
            count(&process, "faults.minor", faults, |usage| usage.minor_faults),
            count(&process, "faults.major", faults, |usage| usage.major_faults),
            count(&children, "children.faults", faults_of_children, |usage| usage.minor_faults),
            self.migrations_since(before),
        ]
    }

    /// Migrations to another CPU: the kernel's count, or at least whether start and end are on the same.
    fn migrations_since(&self, before: &Self) -> Evidence {
        let counted = match (&self.migrations, &before.migrations, self.cpu, before.cpu) {
            (Ok(after), Ok(before), ..) => Ok(after.saturating_sub(*before) as f64),
            (.., Some(after), Some(before)) => Ok(f64::from(u8::from(after != before))),
            (Err(reason), ..) | (_, Err(reason), ..) => Err(reason),
        };
        per("migrations", counted, 1.0)
    }
}

fn difference(
    after: &Result<Usage, sys::Error>,
    before: &Result<Usage, sys::Error>,
) -> Result<Usage, String> {
    match (after, before) {
        (Ok(after), Ok(before)) => Ok(after.since(before)),
        (Err(error), _) | (_, Err(error)) => Err(error.to_string()),
    }
}

/// Why a count of the kernel's is not believed.
const NOT_KEPT: &str = "the kernel missed a known event, or counts those of a tracer";

/// One counter's evidence, or why there is none.
pub(crate) fn per<E: ToString>(counter: &str, count: Result<f64, E>, iterations: f64) -> Evidence {
    let counted = match count {
        Ok(count) => Counted::Count { count, iterations },
        Err(reason) => Counted::Unavailable { reason: reason.to_string() },
    };
    Evidence { counter: counter.to_owned(), counted }
}

/// The evidence of a counter that could be read.
pub(crate) fn counted(counter: &str, count: f64, iterations: f64) -> Evidence {
    Evidence { counter: counter.to_owned(), counted: Counted::Count { count, iterations } }
}

/// On how many CPUs the actors are, or were last.
pub(crate) fn cpus_of_actors() -> Evidence {
    let cpus = sys::process::cpus_of_actors().map(|cpus| cpus.len() as f64);
    per("actors.cpus", cpus.ok_or("/proc does not report the last CPU of a task"), 1.0)
}

/// How many processes the actors are.
pub(crate) fn processes_of_actors() -> Evidence {
    let processes = sys::process::processes_of_actors().map(|processes| processes as f64);
    per("actors.processes", processes.ok_or("/proc does not report the children of a process"), 1.0)
}

/// Replaces the process's faults by those of the batches alone: what was made ready between them faulted, too.
pub(crate) fn faults_within(evidence: &mut [Evidence], usage: &Usage, iterations: f64) {
    for (name, count) in [("faults.minor", usage.minor_faults), ("faults.major", usage.major_faults)] {
        let found = evidence.iter_mut().find(|evidence| evidence.counter == name);
        // Where the process's own count could not be read, the batches' was not read either.
        if let Some(found) = found.filter(|found| matches!(found.counted, Counted::Count { .. })) {
            *found = counted(name, count as f64, iterations);
        }
    }
}

/// Adds the usage of actors in other processes to the process's own switches.
pub(crate) fn add_switches(evidence: &mut [Evidence], others: &Usage) {
    for (name, more) in [("switches", others.switches()), ("switches.voluntary", others.voluntary)] {
        for entry in evidence.iter_mut().filter(|entry| entry.counter == name) {
            if let Counted::Count { count, .. } = &mut entry.counted {
                *count += more as f64;
            }
        }
    }
}

/// Instructions and cycles per iteration by hardware counters, counted outside of the timed batches.
pub(crate) fn hardware(n: u64, before: Before<'_>, work: Batch<'_>) -> Result<Vec<Evidence>, Failure> {
    let events = [(Event::Instructions, "hardware.instructions"), (Event::Cycles, "hardware.cycles")];
    let mut evidence = Vec::with_capacity(events.len());
    for (event, name) in events {
        evidence.push(match Counter::open(event) {
            Err(unusable) => per(name, Err(unusable), 1.0),
            Ok(counter) => {
                let mut count = |n: u64| -> Result<f64, Failure> {
                    before(n)?;
                    let earlier = counter.read()?;
                    work(n)?;
                    Ok((counter.read()? - earlier) as f64)
                };
                let (short, long) = (count(4 * n)?, count(8 * n)?);
                counted(name, long - short, 4.0 * n as f64)
            }
        });
    }
    Ok(evidence)
}
