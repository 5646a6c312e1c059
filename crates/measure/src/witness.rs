//! Common expectations, so that a declaration says them in a word.

use crate::{Placement, Point};
use record::{Breach, Origin, Witness};

#[inline(never)]
fn witness(counter: &str, origin: Origin, low: f64, high: f64, positive: bool, proves: &str) -> Witness {
    Witness {
        counter: counter.to_owned(),
        origin,
        low,
        high,
        positive,
        proves: proves.to_owned(),
        breach: Breach::OtherWork,
    }
}

/// The same witnesses, of which a neighbour can break each now and then: by time that passed, or by who had to wait.
pub fn if_consistent(witnesses: Vec<Witness>) -> Vec<Witness> {
    breaking(Breach::IfConsistent, witnesses)
}

/// The same witnesses, which a neighbour alone can keep broken: they say nothing of the work.
pub fn only_noise(mut witnesses: Vec<Witness>) -> Vec<Witness> {
    witnesses.iter_mut().for_each(|witness| witness.positive = false);
    breaking(Breach::Noise, witnesses)
}

#[inline(never)]
fn breaking(breach: Breach, mut witnesses: Vec<Witness>) -> Vec<Witness> {
    witnesses.iter_mut().for_each(|witness| witness.breach = breach);
    witnesses
}

/// The work gave the right answer as often as it was asked for.
pub fn work_done(proves: &str) -> Vec<Witness> {
    vec![witness("answers", Origin::Trial, 1.0, 1.0, true, proves)]
}

/// Cost grows in proportion to the number of iterations.
pub fn linear() -> Vec<Witness> {
    let proves = "cost grows in proportion to the iterations, so none was left out";
    if_consistent(counted("linearity", 0.75, 1.33, proves))
}

/// A counter stays within limits per iteration of the timed batches.
#[inline(never)]
pub fn counted(counter: &str, low: f64, high: f64, proves: &str) -> Vec<Witness> {
    vec![witness(counter, Origin::Trial, low, high, true, proves)]
}

/// The main actor stayed on its CPU and its pages stayed in place.
pub fn undisturbed() -> Vec<Witness> {
    let none = |counter, proves| vec![witness(counter, Origin::Trial, 0.0, 0.0, false, proves)];
    // Who is not bound to a CPU is moved by the scheduler, and memory that others need is written out.
    let mut all = if_consistent(none("migrations", "the main actor stayed on one CPU"));
    all.extend(only_noise(none("faults.major", "no page came from the disk")));
    all
}

/// No page was touched for the first time within the batches. The lists in which the worker keeps its times
/// grow meanwhile: three faults in a trial, which is below one in a hundred iterations of anything short.
pub fn no_new_pages() -> Vec<Witness> {
    no_new_pages_but(0.01)
}

/// The same for iterations so long that few fit into a trial: at most so many faults in one.
pub fn no_new_pages_but(most: f64) -> Vec<Witness> {
    let proves = "no page was touched for the first time";
    if_consistent(vec![witness(
        "faults.minor",
        Origin::Trial,
        0.0,
        most,
        false,
        proves,
    )])
}

/// The two actors were where the point says.
pub fn placed(point: &Point) -> Vec<Witness> {
    match point.placement() {
        None => Vec::new(),
        Some(Placement::Same) => counted("actors.cpus", 1.0, 1.0, "both sides were on one CPU"),
        Some(_) => counted("actors.cpus", 2.0, 2.0, "each side was on a CPU of its own"),
    }
}

/// The actors were so many processes: threads are not taken for processes, nor processes for threads.
pub fn processes(count: usize) -> Vec<Witness> {
    let proves = if count == 1 {
        "the actors were threads of one process".to_owned()
    } else {
        format!("the actors were {count} processes")
    };
    let count = count as f64;
    counted("actors.processes", count, count, &proves)
}

/// An iteration makes these system calls, so often, and no others.
pub fn calls(expected: &[(&str, f64)]) -> Vec<Witness> {
    let total: f64 = expected.iter().map(|(_, count)| count).sum();
    let each = expected.iter().map(|(name, count)| {
        let proves = format!("the kernel was asked for {name} {count} × per iteration");
        witness(
            &format!("calls.{name}"),
            Origin::Rehearsal,
            count - 0.01,
            count + 0.01,
            true,
            &proves,
        )
    });
    let proves = if expected.is_empty() {
        "the kernel was not asked for anything"
    } else {
        "the kernel was asked for nothing else"
    };
    each.chain([witness(
        "calls",
        Origin::Rehearsal,
        total - 0.01,
        total + 0.01,
        false,
        proves,
    )])
    .collect()
}
