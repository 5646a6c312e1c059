//! Processes made otherwise than by fork: clone3 with a copy of the memory, and vfork without.

use super::{GATE, entries, memory_needs, part, reasoned, resident, status_of, told};
use measure::{
    Actors, Area, Failure, How, Operation, Point, calls, counted, if_consistent, undisturbed, work_done,
};
use record::{Bound, Formula, Origin, Prediction, Witness};
use sys::process::create::{Fork, Stack, fork_then, vfork_then};
use sys::process::{Ended, wait_for};

const CREATE: Operation = Operation {
    area: Area::Os,
    actors: Actors::Children,
    how: How::Each,
    gate: GATE,
    spend_ns: 12_000_000,
    ..Operation::NEW
};

/// clone3 that copies the memory, as fork does.
pub static CLONE3_WAIT: Operation = Operation {
    id: "process.create.clone3_wait",
    title: "clone3 as fork, exit of the child, wait",
    one_iteration: "one child made by clone3 without flags, which exits at once, and was waited for",
    method: "As process.create.fork_wait with a small parent, by clone3: the arguments are a structure, and the \
             kernel does the same afterwards.",
    confounds: "Sandboxes of before 2021 refuse clone3 with ENOSYS: then the row is skipped.",
    sources: &[(
        "stress-ng",
        "--clone: clone with random flags, up to thousands at once",
    )],
    computed_prediction: |_| Prediction {
        from_facts: vec![
            entries(3.0),
            told(
                "make, run, end and reap a small process",
                180_000.0,
                2.0,
                "40 to 100 µs for a small process on servers of 2015 to 2024 (lmbench, osbench)",
            ),
        ],
        from_parts: vec![part(
            "the same by clone",
            "process.create.fork_wait",
            "resident_mib=0",
        )],
    },
    computed_witnesses: |_| {
        let mut all = work_done("a child of the right number ended with the right status");
        all.extend(counted(
            "children.faults",
            1.0,
            1e4,
            "the child touched pages of its own",
        ));
        all.extend(calls(&[("clone3", 1.0), ("wait4", 1.0), ("exit_group", 1.0)]));
        all.push(made(
            "fork",
            1.0,
            "one process with a copy of the memory was made",
        ));
        all.extend(undisturbed());
        all
    },
    computed_bounds: |_| three_calls(),
    run: |bench| {
        let mut turn = 0;
        bench.each(true, &mut || {
            let status = status_of(&mut turn);
            let child = fork_then(Fork::Clone3, || status)?;
            reap(child, status)
        })
    },
    ..CREATE
};

/// vfork: the child borrows the parent's memory, and the parent stands still.
pub static VFORK_WAIT: Operation = Operation {
    id: "process.create.vfork_wait",
    title: "vfork, exit of the child, wait",
    one_iteration: "one child that shares the parent's memory, which exits at once, and was waited for",
    method: "As process.create.fork_wait, by clone3 with CLONE_VM and CLONE_VFORK and a stack of its own: no memory is \
             copied, and the parent goes on when the child has exited.",
    confounds: "The cost must not depend on the parent's resident memory: both points are the same but for this.",
    sources: &[
        ("stress-ng", "--vfork: vfork, _exit, waitpid"),
        ("osbench", "none: create_processes forks"),
    ],
    points: |_| {
        [0, 64]
            .iter()
            .map(|size| Point::only().with("resident_mib", size))
            .collect()
    },
    needs: memory_needs,
    computed_prediction: |point| Prediction {
        from_facts: vec![
            entries(3.0),
            told(
                "make, run, end and reap a process without memory of its own",
                50_000.0,
                2.0,
                "a fifth to a third of fork with a small parent (stress-ng --vfork against --fork)",
            ),
        ],
        from_parts: match point.get("resident_mib") {
            Some("0") => vec![
                part("a task made, ended and waited for", "thread.create.raw", ""),
                reasoned(
                    "what a process has and a thread has not",
                    15_000.0,
                    2.0,
                    "tables of files, signals and handlers copied and freed, SIGCHLD, a zombie reaped: some \
                     8000 instructions on cold lines",
                ),
            ],
            _ => vec![part(
                "the same with a small parent",
                "process.create.vfork_wait",
                "resident_mib=0",
            )],
        },
    },
    computed_witnesses: |_| {
        let mut all = work_done("a child of the right number ended with the right status");
        all.extend(if_consistent(counted(
            "switches",
            0.9,
            4.0,
            "the parent gave the CPU to the child",
        )));
        all.extend(calls(&[("clone3", 1.0), ("wait4", 1.0), ("exit_group", 1.0)]));
        all.push(made(
            "vfork",
            1.0,
            "one process was made for which its parent stood still",
        ));
        all.push(Witness {
            positive: false,
            ..made("fork", 0.0, "no process was made with a copy of the memory")
        });
        all.extend(undisturbed());
        all
    },
    computed_bounds: |_| three_calls(),
    run: |bench| {
        let _memory = resident(bench.point(), bench.seed())?;
        let mut stack = Stack::new()?;
        let mut turn = 0;
        bench.each(true, &mut || {
            let status = status_of(&mut turn);
            let child = vfork_then(&mut stack, || status)?;
            reap(child, status)
        })
    },
    ..CREATE
};

/// Waits for a child; 1 when it was this one and ended with this status.
pub(in crate::os) fn reap(child: i32, status: i32) -> Result<u64, Failure> {
    let (reaped, ended) = wait_for(child)?;
    Ok(u64::from(reaped == child && ended == Ended::Exited(status)))
}

/// An iteration makes so many tasks of this kind, or executes so many programs.
pub(in crate::os) fn made(kind: &str, count: f64, proves: &str) -> Witness {
    Witness {
        counter: format!("made.{kind}"),
        origin: Origin::Rehearsal,
        low: count - 0.01,
        high: count + 0.01,
        positive: true,
        proves: proves.to_owned(),
        breach: record::Breach::OtherWork,
    }
}

/// Nothing that makes a process and waits for it is cheaper than its system calls.
pub(in crate::os) fn three_calls() -> Vec<Bound> {
    vec![Bound {
        lower: true,
        formula: Formula::part("syscall.floor", "").times(3.0),
        because: "parent and child make three system calls".to_owned(),
    }]
}
