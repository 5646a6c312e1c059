//! The rehearsal: an operation runs untimed in a traced child, and what it does is counted per iteration.

use crate::evidence::{counted, per};
use crate::{Actors, Bench, Failure, Operation, Point, Rehearse, bench::Mode};
use record::{Evidence, Origin, Rehearsal, Request};
use std::collections::BTreeMap;
use sys::process::Ended;
use sys::trace::{self, Bounds, Made, TraceCounts};

/// Bounds of one rehearsal: a stop costs some 10 µs in a virtual machine.
const BOUNDS: Bounds = Bounds { stops: 60_000, steps: 8_000 };

/// Runs the rehearsal of a point. A tracer that is denied gives evidence that says so.
///
/// # Errors
/// When the operation itself fails under the tracer.
pub(crate) fn rehearse(
    operation: &Operation,
    point: &Point,
    request: &Request,
) -> Result<Rehearsal, Failure> {
    let id = operation.point_id(point);
    let instructions = operation.rehearse == Rehearse::CallsAndInstructions;
    if operation.rehearse == Rehearse::Nothing {
        return Ok(Rehearsal { id, evidence: Vec::new() });
    }
    let traced = trace::follow(BOUNDS, |stage| {
        let mut bench = Bench::new(point, request, Mode::Traced { stage, instructions });
        match (operation.run)(&mut bench) {
            Ok(()) => 0,
            Err(failure) => {
                stage.leave_note(&failure.to_string());
                EXIT_FAILED
            }
        }
    });
    let evidence = match traced {
        Ok(traced) => evidence(operation, point, &traced)?,
        Err(error) => unavailable(operation, point, &format!("{error}: ptrace is not available")),
    };
    Ok(Rehearsal { id, evidence })
}

/// Exit status of a traced operation that failed.
const EXIT_FAILED: i32 = 95;

fn expected(operation: &Operation, point: &Point) -> Vec<String> {
    let witnesses = operation.witnesses_at(point);
    let rehearsed = witnesses.into_iter().filter(|witness| witness.origin == Origin::Rehearsal);
    rehearsed.map(|witness| witness.counter).collect()
}

fn unavailable(operation: &Operation, point: &Point, reason: &str) -> Vec<Evidence> {
    expected(operation, point).iter().map(|counter| per(counter, Err(reason), 1.0)).collect()
}

fn evidence(operation: &Operation, point: &Point, traced: &TraceCounts) -> Result<Vec<Evidence>, Failure> {
    let Some((n, stepped)) = iterations(&traced.note) else {
        return match traced.ended {
            Some(Ended::Exited(EXIT_FAILED)) => Err(Failure::failed(format!("rehearsal: {}", traced.note))),
            _ => {
                Ok(unavailable(operation, point, &format!("the traced process ended early: {}", traced.note)))
            }
        };
    };
    let alternate = matches!(operation.actors, Actors::TwoThreads | Actors::TwoProcesses);
    let mut counts = calls(traced, alternate);
    let iterations = if alternate { 3.0 * n } else { n };
    for name in expected(operation, point).iter().filter_map(|counter| counter.strip_prefix("calls.")) {
        counts.entry(name.to_owned()).or_insert(0.0);
    }
    let total: f64 = counts.values().sum();
    let mut evidence = vec![counted("calls", total, iterations)];
    evidence.extend(counts.iter().map(|(name, count)| counted(&format!("calls.{name}"), *count, iterations)));
    evidence.extend(made(traced, alternate).map(|(name, count)| counted(&name, count, iterations)));
    if operation.rehearse == Rehearse::CallsAndInstructions {
        evidence.push(instructions(traced, stepped));
    }
    Ok(evidence)
}

/// The note of a rehearsal that went well: iterations of the shorter phase, traced and stepped.
fn iterations(note: &str) -> Option<(f64, f64)> {
    let mut words = note.strip_prefix("ok ")?.split(' ').map(str::parse);
    Some((words.next()?.ok()?, words.next()?.ok()?))
}

/// How much more often each call was seen in the phase that is twice as long, so that what happens once in
/// a batch belongs to no iteration. Where actors alternate, an iteration that finds its peer awake makes
/// fewer calls than one that sleeps: there, how often each was seen in both phases.
fn calls(traced: &TraceCounts, alternate: bool) -> BTreeMap<String, f64> {
    let mut counts = BTreeMap::new();
    for (&(phase, number), &count) in traced.calls.iter().filter(|((phase, _), _)| *phase == 1 || *phase == 2)
    {
        *counts.entry(sys::calls::name(number)).or_insert(0.0) += weight(phase, alternate) * count as f64;
    }
    counts
}

/// How what was seen in a phase goes into the count.
fn weight(phase: u64, alternate: bool) -> f64 {
    match phase {
        1 if alternate => 1.0,
        1 => -1.0,
        2 => 1.0,
        _ => 0.0,
    }
}

/// The tasks made and the programs executed, counted alike; kinds that were not made count 0.
fn made(traced: &TraceCounts, alternate: bool) -> impl Iterator<Item = (String, f64)> {
    Made::ALL.into_iter().map(move |kind| {
        let of_kind = traced.made.iter().filter(|((_, made), _)| *made == kind);
        let count = of_kind.map(|((phase, _), count)| weight(*phase, alternate) * *count as f64).sum();
        (format!("made.{}", kind.name()), count)
    })
}

fn instructions(traced: &TraceCounts, stepped: f64) -> Evidence {
    let [shorter, longer] = [3, 4].map(|phase| traced.instructions.get(&phase).copied().unwrap_or(0) as f64);
    let count = match (traced.too_long, longer) {
        (true, _) => Err("an iteration has too many instructions to be single-stepped"),
        (_, 0.0) => Err("single-stepping is not available here"),
        (_, longer) => Ok(longer - shorter),
    };
    per("instructions", count, stepped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_once_per_batch_are_subtracted_unless_actors_alternate() {
        let (call, once) = (39, 1);
        let calls_seen = [((0, call), 9), ((1, call), 10), ((2, call), 18), ((1, once), 3), ((2, once), 3)];
        let traced = TraceCounts { calls: calls_seen.into_iter().collect(), ..TraceCounts::default() };
        let name = sys::calls::name;
        assert_eq!(calls(&traced, false), [(name(call), 8.0), (name(once), 0.0)].into_iter().collect());
        assert_eq!(calls(&traced, true), [(name(call), 28.0), (name(once), 6.0)].into_iter().collect());
    }

    #[test]
    fn created_tasks_are_counted_by_kind() {
        let traced = TraceCounts {
            made: [((1, Made::Vfork), 8), ((2, Made::Vfork), 16), ((0, Made::Fork), 1)].into_iter().collect(),
            ..TraceCounts::default()
        };
        let counts: BTreeMap<String, f64> = made(&traced, false).collect();
        assert_eq!(counts.get("made.vfork"), Some(&8.0));
        assert_eq!(counts.get("made.fork"), Some(&0.0));
        assert_eq!(counts.len(), Made::ALL.len());
    }
}
