//! fork taken apart by stamps: until the parent is back, until the child runs, and the methods of the reports.

use super::vfork_wait::{made, reap};
use super::{
    GATE, copy_of_a_task, entries, floors, hand_offs, memory_needs, part, reasoned, resident, status_of, told,
};
use crate::os::stamps::{Moments, Page, time};
use measure::{
    Actors, Area, Bench, Failure, How, Operation, Placement, Point, Reference, calls, counted, term,
};
use measure::{undisturbed, work_done};
use record::{Bound, Formula, Need, Prediction, Profile, Side, Witness};
use sys::arch::{self, CounterRead};
use sys::clock::Clock;
use sys::process::create::{Fork, fork_then};

const STAMPED: Operation = Operation {
    area: Area::Os,
    actors: Actors::Children,
    how: How::Each,
    gate: GATE,
    spend_ns: 12_000_000,
    needs: memory_needs,
    computed_witnesses: witnesses,
    computed_bounds: |_| {
        vec![Bound {
            lower: true,
            formula: Formula::part("syscall.floor", "").times(0.5),
            because: "the parent enters the kernel before there is a child".to_owned(),
        }]
    },
    ..Operation::NEW
};

/// fork until the parent goes on.
pub static PARENT: Operation = Operation {
    id: "process.create.fork.parent",
    title: "fork until the parent is back",
    one_iteration: "one fork in the parent, from the call until it is back",
    method: "The parent stamps the clock before and after fork by the raw system call, then waits for the child, which \
             is not timed. Resident memory as in process.create.fork_wait.",
    confounds: "On one CPU the child may run before the parent is back; child.first in the evidence counts how often. \
                The end of the child and what it copies when it runs are not in the number.",
    sources: &[
        (
            "R0",
            "fork until the parent is back, or the child ran, by the sign of the difference",
        ),
        ("R4", "fork until the parent is back"),
        ("redis", "latest_fork_usec: fork of a large parent"),
    ],
    points: |_| {
        [0, 64]
            .iter()
            .map(|size| Point::only().with("resident_mib", size))
            .collect()
    },
    computed_prediction: |point| Prediction {
        from_facts: parent_from_facts(super::resident_mib(point) as f64 * 256.0),
        from_parts: match point.get("resident_mib") {
            Some("0") => {
                let mut terms = vec![floors(1.0), copy_of_a_task()];
                terms.extend(copy_of_a_process());
                terms.push(super::pages_of_a_small_process("copied", 0.6));
                terms
            }
            _ => {
                let pages = super::cost_of_pages();
                let copied = Formula::cited(
                    0.6,
                    1.3,
                    "map counts up and write protection, against map counts down",
                );
                vec![
                    part(
                        "fork of a small parent",
                        "process.create.fork.parent",
                        "resident_mib=0",
                    ),
                    term(
                        Side::Software,
                        "copy of page tables, without their release",
                        pages.by(copied),
                    ),
                ]
            }
        },
    },
    run: |bench| run(bench, |moments| moments.back - moments.before),
    ..STAMPED
};

/// fork until the child runs.
pub static RUN: Operation = Operation {
    id: "process.create.fork.run",
    title: "fork until the child runs",
    one_iteration: "one fork, from the call until the child has executed its first instructions",
    method: "The parent stamps the clock before fork by the raw system call; the child stamps it first of all, and \
             writes the stamp to a page that both share. On one CPU the parent waits as soon as it is back. For the \
             other CPU the parent may use both until fork is back and the scheduler chooses; only children that began \
             on the other CPU are samples.",
    confounds: "On one CPU the scheduler chooses who runs first, as a rule the parent: then its return and its wait \
                are in the number. Where the other CPU is busy the child waits there for its turn, milliseconds. The \
                child's first instruction faults on the code's page, which fork does not copy.",
    sources: &[
        ("R1", "fork until the child runs, gettimeofday in both"),
        (
            "R3",
            "fork until the child runs, or the parent, whichever is first",
        ),
    ],
    points: of_placements,
    computed_prediction: |point| Prediction {
        from_facts: match point.placement() {
            Some(Placement::Same) => parent_from_facts(0.0),
            _ => {
                let mut terms = parent_from_facts(0.0);
                terms.push(told(
                    "wake-up of another CPU",
                    30_000.0,
                    3.0,
                    "1 to 50 µs: an interrupt, the way out of idle, in a virtual machine by its host",
                ));
                terms
            }
        },
        from_parts: match point.placement() {
            Some(Placement::Same) => vec![
                part(
                    "fork until the parent is back",
                    "process.create.fork.parent",
                    "resident_mib=0",
                ),
                floors(1.0),
                hand_offs(1.0),
                reasoned(
                    "first faults of parent and child",
                    6.0 * 2_500.0,
                    2.0,
                    "four copies on write in the parent, two in the child, counted; 2500 cycles each",
                ),
            ],
            _ => vec![
                part(
                    "fork until the parent is back",
                    "process.create.fork.parent",
                    "resident_mib=0",
                ),
                part("wake-up of another CPU", "switch.thread.futex", "cpu=other"),
            ],
        },
    },
    run: |bench| run(bench, |moments| moments.child - moments.before),
    ..STAMPED
};

/// R3's method.
pub static FIRST: Operation = Operation {
    id: "process.create.fork.first",
    title: "fork until parent or child runs",
    one_iteration: "one fork, from the call until the parent is back or the child runs, whichever is first",
    method: "Both stamp the clock; of each iteration the smaller difference is kept.",
    confounds: "It is the parent's return wherever the scheduler lets the parent go on.",
    sources: &[("R3", "the smaller of both, by RDTSC behind CPUID")],
    reference: Some(Reference {
        wrong: "two different things under one name, chosen by which is smaller: the scheduler's choice of the day \
                (E26, E31)",
        right: ("process.create.fork.parent", "resident_mib=0"),
    }),
    run: |bench| run(bench, |moments| moments.back.min(moments.child) - moments.before),
    ..STAMPED
};

/// fork between pairs of CPUID and RDTSC, as R0 and R3 fence their clocks.
pub static CPUID: Operation = Operation {
    id: "process.create.fork.cpuid",
    title: "fork until the parent is back, fenced by CPUID",
    one_iteration: "one fork in the parent, between two reads of the counter that CPUID fences",
    method: "As process.create.fork.parent, with CPUID before and after fork inside the timed part.",
    confounds: "A hypervisor intercepts CPUID: each costs 1 to 70 µs instead of 0.1.",
    sources: &[("R0", "CPUID, RDTSC"), ("R3", "CPUID, RDTSC; RDTSCP, CPUID")],
    reference: Some(Reference {
        wrong: "in a virtual machine the fences cost as much as what they fence: CPUID leaves the guest (E11)",
        right: ("process.create.fork.parent", "resident_mib=0"),
    }),
    needs: |_| {
        vec![Need::Architecture {
            name: "x86_64".to_owned(),
        }]
    },
    run: |bench| {
        let mut turn = 0;
        let mut make = |clock: Clock, page: &Page, _: &dyn Fn()| {
            let before = clock.start();
            arch::read_counter(CounterRead::Cpuid, 1);
            let status = status_of(&mut turn);
            let child = child_that_stamps(clock, page, status)?;
            arch::read_counter(CounterRead::Cpuid, 1);
            moments_of(clock, before, child, status)
        };
        time(bench, true, &mut make, |moments| moments.back - moments.before)
    },
    ..STAMPED
};

/// The same CPU and, where there is time, the other one, which the scheduler seldom chooses for a child that
/// may stay here: few iterations of a trial go that way.
pub(in crate::os) fn of_placements(profile: Profile) -> Vec<Point> {
    let places: &[&str] = if profile == Profile::Thorough {
        &["same", "other"]
    } else {
        &["same"]
    };
    places
        .iter()
        .map(|place| Point::only().with("cpu", place))
        .collect()
}

fn parent_from_facts(pages: f64) -> Vec<record::Term> {
    vec![
        entries(1.0),
        told(
            "copy of a small process",
            90_000.0,
            2.0,
            "half of fork, exit and wait: 20 to 50 µs on servers of 2015 to 2024 (lmbench, osbench)",
        ),
        told(
            "copy of the parent's page tables",
            pages * 70.0,
            2.5,
            "10 to 80 ns for an entry",
        ),
    ]
}

/// What a fork copies besides the task, in a small process of some 35 areas.
fn copy_of_a_process() -> Vec<record::Term> {
    vec![
        reasoned(
            "tables of files, signals and handlers",
            8_000.0,
            2.0,
            "copy_files, copy_sighand, copy_signal, copy_fs: some 5000 instructions on cold lines",
        ),
        reasoned(
            "35 areas of memory and their page tables",
            35.0 * 1_500.0,
            2.0,
            "vm_area_dup, anon_vma_fork, a tree's node; a page table cleared for every second area",
        ),
    ]
}

fn witnesses(point: &Point) -> Vec<Witness> {
    let mut all =
        work_done("the child stamped its moment between call and wait, and ended with the right status");
    all.extend(counted(
        "children.faults",
        1.0,
        1e4,
        "the child touched pages of its own",
    ));
    if point.placement().is_none_or(|place| place == Placement::Same) {
        all.extend(calls(&[("clone", 1.0), ("wait4", 1.0), ("exit_group", 1.0)]));
    }
    all.push(made(
        "fork",
        1.0,
        "one process with a copy of the memory was made",
    ));
    all.extend(undisturbed());
    all
}

#[inline(always)]
fn child_that_stamps(clock: Clock, page: &Page, status: i32) -> Result<i32, Failure> {
    Ok(fork_then(Fork::Clone, || {
        page.stamp(clock);
        status
    })?)
}

#[inline(always)]
fn moments_of(clock: Clock, before: i64, child: i32, status: i32) -> Result<Moments, Failure> {
    let back = clock.stop();
    let answers = reap(child, status)?;
    Ok(Moments {
        before,
        back,
        child: 0,
        after: clock.stop(),
        answers,
    })
}

fn run(bench: &mut Bench<'_>, pick: fn(&Moments) -> i64) -> Result<(), Failure> {
    let _memory = resident(bench.point(), bench.seed())?;
    let mut turn = 0;
    let mut make = |clock: Clock, page: &Page, close: &dyn Fn()| {
        let status = status_of(&mut turn);
        let before = clock.start();
        let child = child_that_stamps(clock, page, status)?;
        let back = clock.stop();
        close();
        let moments = moments_of(clock, before, child, status)?;
        Ok(Moments { back, ..moments })
    };
    time(bench, true, &mut make, pick)
}
