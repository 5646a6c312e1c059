//! Creating a process by fork, until it has ended and was waited for, against the parent's resident memory.

use super::vfork_wait::{made, reap, three_calls};
use super::{GATE, memory_needs, resident, resident_mib, status_of};
use measure::{
    Actors, Area, Bench, Failure, How, Operation, Point, calls, counted, if_consistent, term, told_cycles,
};
use measure::{undisturbed, work_done};
use quantity::Quantity;
use record::{Fit, Formula, Plot, Prediction, Profile, Scale, Side, Witness};
use sys::process;

/// fork, exit of the child, wait.
pub static FORK_WAIT: Operation = Operation {
    id: "process.create.fork_wait",
    area: Area::Os,
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
    actors: Actors::Children,
    how: How::Each,
    gate: GATE,
    points: |profile| {
        let sizes: &[u32] = if profile == Profile::Thorough {
            &[0, 1, 16, 64, 128]
        } else {
            &[0, 1, 16, 64]
        };
        sizes
            .iter()
            .map(|size| Point::only().with("resident_mib", size))
            .collect()
    },
    needs: memory_needs,
    computed_prediction: predict,
    computed_witnesses: witnesses,
    computed_bounds: |_| three_calls(),
    plot: Some(|| Plot {
        unit: 1 << 20,
        scale: Scale::Linear,
        ..Plot::logarithmic("resident_mib", "resident memory of the parent", Quantity::Size)
    }),
    fit: Some(|| Fit {
        parameter: "resident_mib".to_owned(),
        per_unit: false,
        slope: "per resident MiB of the parent".to_owned(),
        intercept: "for a small parent".to_owned(),
    }),
    run,
    spend_ns: 20_000_000,
    ..Operation::NEW
};

fn predict(point: &Point) -> Prediction {
    let resident = resident_mib(point) as f64;
    let pages = resident * 256.0;
    let part = |size: &str| Formula::part("process.create.fork_wait", &format!("resident_mib={size}"));
    // Two other sizes give the cost of a page; no point is predicted from itself.
    let (small, large, span) = match resident_mib(point) {
        64 => ("0", "16", 16.0),
        _ => ("0", "64", 64.0),
    };
    let from_parts = if pages > 0.0 {
        let pages = part(large).minus(part(small)).times(resident / span);
        vec![
            term(Side::Software, "child of a small parent", part(small)),
            term(Side::Software, "copy of the parent's page tables", pages),
        ]
    } else {
        vec![
            super::part("fork until the child runs", "process.create.fork.run", "cpu=same"),
            super::part("exit until wait is back", "process.end.exit_wait", ""),
        ]
    };
    Prediction {
        from_facts: from_facts(pages),
        from_parts,
    }
}

fn from_facts(pages: f64) -> Vec<record::Term> {
    let entry = crate::os::syscall::entry_cycles().times(3.0);
    let child = Formula::cited(
        180_000.0,
        2.0,
        "40 to 100 µs for a small process on servers of 2015 to 2024 (lmbench, osbench)",
    );
    let page = Formula::cited(
        pages * 120.0,
        2.5,
        "copy and release of a page-table entry: 20 to 130 ns",
    );
    vec![
        term(
            Side::Hardware,
            "enter and leave the kernel three times",
            told_cycles(entry),
        ),
        term(
            Side::Software,
            "make, run, end and reap a small process",
            told_cycles(child),
        ),
        term(
            Side::Software,
            "copy of the parent's page tables",
            told_cycles(page),
        ),
    ]
}

fn witnesses(_: &Point) -> Vec<Witness> {
    let mut all = work_done("a child of the right number ended with the right status");
    all.extend(counted(
        "children.faults",
        1.0,
        1e4,
        "the child touched pages of its own",
    ));
    all.extend(if_consistent(counted(
        "switches",
        0.9,
        4.0,
        "the parent gave the CPU to the child",
    )));
    all.extend(calls(&[("clone", 1.0), ("wait4", 1.0), ("exit_group", 1.0)]));
    all.push(made(
        "fork",
        1.0,
        "one process with a copy of the memory was made",
    ));
    all.extend(undisturbed());
    all
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let _memory = resident(bench.point(), bench.seed())?;
    let mut turn = 0;
    bench.each(true, &mut || {
        let status = status_of(&mut turn);
        reap(process::fork_exit(status)?, status)
    })
}
