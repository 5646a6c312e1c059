//! The end of a process taken apart: exit until wait is back, and wait for one that has ended already.

use super::process_create::vfork_wait::{made, reap};
use super::process_create::{GATE, entries, floors, hand_offs, pages_of_a_small_process, part, reasoned};
use super::process_create::{status_of, told};
use super::stamps::{Moments, Page, time};
use measure::{Actors, Area, How, Operation, Timed, calls, counted, undisturbed, work_done};
use record::{Bound, Formula, Prediction};
use sys::clock::Clock;
use sys::process::create::{Fork, fork_then, wait_until_ended};
use sys::process::fork_exit;

const END: Operation = Operation {
    area: Area::Os,
    actors: Actors::Children,
    how: How::Each,
    gate: GATE,
    spend_ns: 12_000_000,
    computed_bounds: |_| {
        vec![Bound {
            lower: true,
            formula: Formula::part("syscall.floor", "").times(0.5),
            because: "the parent leaves the kernel at least".to_owned(),
        }]
    },
    ..Operation::NEW
};

/// From the child's last instruction until the parent knows.
pub static EXIT_WAIT: Operation = Operation {
    id: "process.end.exit_wait",
    title: "exit of a child until wait is back",
    one_iteration: "the end of one small child: from just before its exit until the parent's wait is back",
    method: "The child stamps the clock into a page that it shares with its parent and exits by the raw system call; \
             the parent, which waits meanwhile on the same CPU, stamps the clock when wait is back.",
    confounds: "A stamp that the child keeps in memory of its own never reaches the parent: the difference is then the \
                time since the machine was started (R4: exit took 99 days, E36).",
    sources: &[
        ("R4", "exit, 1.9e16 cycles: the stamp was lost with the child"),
        ("lmbench", "none: lat_proc exit is fork + exit + wait"),
    ],
    computed_prediction: |_| Prediction {
        from_facts: vec![
            entries(2.0),
            told(
                "release of a small process, switch, wait",
                60_000.0,
                2.5,
                "a third of fork, exit and wait: 13 to 33 µs on servers of 2015 to 2024 (lmbench, osbench)",
            ),
        ],
        from_parts: vec![
            floors(1.0),
            part("wait for a child that has ended", "process.end.wait", ""),
            pages_of_a_small_process("released", 0.4),
            hand_offs(1.0),
            reasoned(
                "end of the task, of its files and signals",
                8_000.0,
                2.0,
                "do_exit, exit_files, exit_notify, the parent woken: some 5000 instructions on cold lines",
            ),
            reasoned(
                "35 areas of memory and their page tables",
                35.0 * 900.0,
                2.0,
                "exit_mmap: unmap, free the area, unlink its anon_vma; a page table freed for every second area",
            ),
        ],
    },
    computed_witnesses: |_| {
        let mut all =
            work_done("the child stamped its moment before wait was back, and ended with the right status");
        all.extend(counted(
            "children.faults",
            1.0,
            1e4,
            "the child touched pages of its own",
        ));
        all.extend(calls(&[("clone", 1.0), ("wait4", 1.0), ("exit_group", 1.0)]));
        all.push(made(
            "fork",
            1.0,
            "one process with a copy of the memory was made",
        ));
        all.extend(undisturbed());
        all
    },
    run: |bench| {
        let mut turn = 0;
        let mut make = |clock: Clock, page: &Page, _: &dyn Fn()| {
            let status = status_of(&mut turn);
            let before = clock.start();
            let child = fork_then(Fork::Clone, || {
                // The first stamp maps the page; the second is the last that the child does.
                page.stamp(clock);
                page.stamp(clock);
                status
            })?;
            let back = clock.stop();
            let answers = reap(child, status)?;
            let after = clock.stop();
            Ok(Moments {
                before,
                back,
                child: 0,
                after,
                answers,
            })
        };
        time(bench, true, &mut make, |moments| moments.after - moments.child)
    },
    ..END
};

/// wait for a zombie.
pub static WAIT: Operation = Operation {
    id: "process.end.wait",
    title: "wait for a child that has ended",
    one_iteration: "one wait4 for a child that is known to have ended, which must give its number and its status",
    method: "A child is made and exits; waitid with WNOWAIT tells when it has ended and leaves it there; only the \
             wait4 that follows is timed.",
    confounds: "What the child's end frees, its parent does not free: this is the zombie's number and task only.",
    sources: &[("stress-ng", "--zombie: makes them, and does not time wait")],
    computed_prediction: |_| Prediction {
        from_facts: vec![
            entries(1.0),
            told(
                "release of the task",
                6_000.0,
                3.0,
                "release_task and what its lists touch: some 2000 instructions",
            ),
        ],
        from_parts: vec![
            floors(1.0),
            reasoned(
                "search for the child, its usage added, release of the task",
                5_000.0,
                2.0,
                "wait_task_zombie, release_task, its entry in /proc: some 2500 instructions on cold lines",
            ),
        ],
    },
    computed_witnesses: |_| {
        let mut all = work_done("wait gave the number and the status of the child that had ended");
        all.extend(counted(
            "children.faults",
            1.0,
            1e4,
            "the child touched pages of its own",
        ));
        all.extend(calls(&[
            ("clone", 1.0),
            ("waitid", 1.0),
            ("wait4", 1.0),
            ("exit_group", 1.0),
        ]));
        all.extend(undisturbed());
        all
    },
    run: |bench| {
        let mut turn = 0;
        bench.each_part(true, &mut |clock| {
            let status = status_of(&mut turn);
            let child = fork_exit(status)?;
            wait_until_ended(child)?;
            let before = clock.start();
            let answers = reap(child, status)?;
            let ticks = Some(clock.stop() - before);
            Ok(Timed { ticks, answers })
        })
    },
    ..END
};
