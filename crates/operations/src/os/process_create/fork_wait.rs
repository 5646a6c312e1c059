//! Creating a process by fork, until it has ended and was waited for, against the parent's resident memory.

use super::CREATE;
use crate::os::workloads::children::{reap, resident, status_of};
use measure::{Bench, Failure, Operation, Point};
use quantity::Quantity;
use record::{Fit, Plot, Scale};
use sys::process;

/// fork, exit of the child, wait.
pub static FORK_WAIT: Operation = Operation {
    id: "process.create.fork_wait",
    title: "fork, exit of the child, wait",
    one_iteration: "one child made by fork, which exits at once, and was waited for",
    method: "A process with one thread and as much touched memory of its own as the point says (in MiB, base \
             pages) forks by the raw system call; the child exits by the raw system call; the parent waits. Every \
             child is timed by itself; parent and child share one CPU.",
    confounds: "The cost grows with the parent's resident pages (E55): a fork without its parent's size is no \
                number. Tools differ eighteenfold for this reason and because some exec or print in the child.",
    sources: &[
        ("R0", "fork until the child has ended"),
        ("R1", "fork + exit + wait, gettimeofday"),
        ("R2", "fork + exit + wait"),
        (
            "R3",
            "fork until the parent is back, or the child runs, whichever is first",
        ),
        ("R4", "fork until the parent is back"),
        ("lmbench", "lat_proc fork: fork + exit + wait"),
    ],
    points: |profile| {
        Point::of_profile(
            profile,
            "resident=0B|1MiB|16MiB|64MiB",
            "resident=0B|1MiB|16MiB|64MiB|128MiB",
        )
    },
    predict: &[
        "a small process",
        "software t0 copy of the parent's page tables = {resident / 4KiB * 120} cycles (×2.5: copy and release of a \
         page-table entry: 20 to 130 ns) × cycle_ns",
        "resident=0B: software t1 fork until the child runs = [process.create.fork.run cpu=same]",
        "resident=0B: software t1 exit until wait is back = [process.end.exit_wait]",
        "resident=1MiB..: software t1 child of a small parent = [process.create.fork_wait resident=0B]",
        // Two other sizes give the cost of a page; no point is predicted from itself.
        "resident=64MiB: software t1 copy of the parent's page tables = {resident / 16MiB} × \
         ([process.create.fork_wait resident=16MiB] − [process.create.fork_wait resident=0B])",
        "resident=1MiB|16MiB|128MiB: software t1 copy of the parent's page tables = {resident / 64MiB} × copied_pages",
    ],
    evidence: &[
        "answers = 1: a child of the right number ended with the right status",
        "pages of the child",
        "switches 0.9..4 (if consistent): the parent gave the CPU to the child",
        "calls: clone 1, wait4 1, exit_group 1",
        "a fork",
        "undisturbed",
    ],
    plot: Some(|| Plot {
        scale: Scale::Linear,
        ..Plot::logarithmic("resident", "resident memory of the parent", Quantity::Size)
    }),
    fit: Some(|| Fit {
        parameter: "resident".to_owned(),
        unit: 1 << 20,
        per_unit: false,
        slope: "per resident MiB of the parent".to_owned(),
        intercept: "for a small parent".to_owned(),
    }),
    run,
    spend_ns: 20_000_000,
    headline: &[("resident=0B", "fork + exit + wait")],
    ..CREATE
};

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let _memory = resident(bench.point(), bench.seed())?;
    let mut turn = 0;
    bench.each(true, &mut || {
        let status = status_of(&mut turn);
        reap(process::fork_exit(status)?, status)
    })
}
