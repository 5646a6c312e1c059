//! io_uring: operations that do nothing, one and 32 in a call.

use super::{Path, at_least_floors, floors, floors_from_facts};
use measure::{Area, Bench, Failure, Operation, Point, Work, core_cycles, linear, term, told_cycles};
use measure::{no_new_pages, undisturbed, work_done};
use record::{Bound, Formula, Origin, Prediction, Side, Term, Witness};
use sys::uring::Ring;

/// An operation that does nothing.
pub static NOP: Operation = Operation {
    id: "syscall.io_uring.nop",
    area: Area::Os,
    title: "io_uring operation that does nothing",
    one_iteration: "one operation submitted, done and reaped; as many as the point says share one io_uring_enter",
    method: "An entry is filled, io_uring_enter submits it and waits for it, its result is taken from the other queue; \
             by raw calls, without a library, without a polling thread and without registered files. With batch=32 \
             one call submits and reaps 32, and what is shown is the share of one.",
    confounds: "Real operations may be handed to other threads and come back later; this is the least that any of \
                them costs.",
    sources: &[
        ("liburing", "its nop tests"),
        ("fio", "io_uring engine, with a device behind it"),
    ],
    points: |_| BATCHES.map(|batch| Point::only().with("batch", batch)).to_vec(),
    computed_prediction: predict,
    computed_witnesses: witnesses,
    computed_bounds: bounds,
    run,
    ..Operation::NEW
};

const BATCHES: [u64; 2] = [1, 32];

/// Of each call.
const CALL: Path = Path {
    instructions: 380.0,
    locked: 8.0,
    within: 1.6,
    source: "queues' file found, task's context, mutex and lock of the completions, tail published, what is complete \
             compared with what is waited for",
};

/// Of each operation.
const ONE: Path = Path {
    instructions: 210.0,
    locked: 0.0,
    within: 1.5,
    source: "entry read and checked (60), request taken from a list and filled (60), done, result written (50), request \
             put back (40)",
};

fn batch(point: &Point) -> f64 {
    point.number("batch").unwrap_or(1).max(1) as f64
}

fn predict(point: &Point) -> Prediction {
    let share = 1.0 / batch(point);
    let terms = |mut first: Vec<Term>, cycles: fn(Formula) -> Formula| {
        let call = CALL.formula().times(share);
        first.push(term(Side::Software, "share of the call", cycles(call)));
        first.push(term(Side::Software, "the operation", cycles(ONE.formula())));
        first
    };
    Prediction {
        from_facts: terms(floors_from_facts(share), told_cycles),
        from_parts: terms(vec![floors(share)], core_cycles),
    }
}

fn witnesses(point: &Point) -> Vec<Witness> {
    let share = 1.0 / batch(point);
    let mut all = work_done("every operation came back with success and its own word");
    all.extend(linear());
    for (counter, positive) in [("calls.io_uring_enter", true), ("calls", false)] {
        all.push(Witness {
            counter: counter.to_owned(),
            origin: Origin::Rehearsal,
            low: share * 0.99,
            high: share * 1.01,
            positive,
            proves: format!("one call for {} operations, and no other", batch(point)),
            breach: record::Breach::OtherWork,
        });
    }
    all.extend(undisturbed());
    all.extend(no_new_pages());
    all
}

fn bounds(point: &Point) -> Vec<Bound> {
    at_least_floors(1.0 / batch(point))
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let batch = bench.point().number("batch")?.max(1);
    let together = u32::try_from(batch).unwrap_or(1);
    let ring = Ring::new().map_err(denied)?;
    let mut main = |n: u64| {
        let mut right = 0;
        for turn in 0..n / batch {
            right += ring.do_nothing(together, turn as u32)?;
        }
        Ok(right)
    };
    bench.batches(Work {
        multiple_of: batch,
        ..Work::alone(&mut main)
    })
}

fn denied(error: sys::Error) -> Failure {
    if error.is_denied() {
        Failure::skipped(
            format!("{error}: io_uring is denied or absent here"),
            "set the sysctl kernel.io_uring_disabled to 0, use Linux 5.4 or later, and no seccomp filter against it",
        )
    } else {
        Failure::from(error)
    }
}
