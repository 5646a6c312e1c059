//! fork of a parent whose memory is on huge pages: two MiB are one entry instead of 512.

use super::vfork_wait::{made, reap, three_calls};
use super::{GATE, entries, memory_needs, part, reasoned, resident_mib, status_of, told};
use measure::{Actors, Area, Bench, Failure, How, Operation, Point, calls, counted, undisturbed, work_done};
use record::{Prediction, Witness};
use sys::huge::{HugeMapping, huge_page_size};
use sys::process::fork_exit;

/// fork, exit, wait with a parent on huge pages.
pub static OPERATION: Operation = Operation {
    id: "process.create.fork_wait_huge",
    area: Area::Os,
    title: "fork of a parent on huge pages, exit, wait",
    one_iteration: "one child made by fork, which exits at once, and was waited for",
    method: "As process.create.fork_wait; the parent's memory is private, aligned, advised to be on transparent huge \
             pages and touched. How much of it really is, /proc/self/smaps tells before and after.",
    confounds: "Where memory is fragmented the kernel gives base pages instead: then the point is skipped. A huge page \
                may be split later, which the evidence shows.",
    sources: &[(
        "redis",
        "documents fork of large parents, and the advice against huge pages",
    )],
    actors: Actors::Children,
    how: How::Each,
    gate: GATE,
    spend_ns: 12_000_000,
    points: |_| vec![Point::only().with("resident_mib", 64)],
    needs: memory_needs,
    computed_prediction: |point| {
        let pages = resident_mib(point) as f64 / 2.0;
        let entry =
            "an entry of the second level: lock, a page table set aside and freed, map counts, release";
        Prediction {
            from_facts: vec![
                entries(3.0),
                told(
                    "make, run, end and reap a small process",
                    180_000.0,
                    2.0,
                    "40 to 100 µs for a small process on servers of 2015 to 2024 (lmbench, osbench)",
                ),
                told("copy and release of huge entries", pages * 2_500.0, 2.0, entry),
            ],
            from_parts: vec![
                part(
                    "child of a small parent",
                    "process.create.fork_wait",
                    "resident_mib=0",
                ),
                reasoned("copy and release of huge entries", pages * 2_500.0, 2.0, entry),
            ],
        }
    },
    computed_witnesses: witnesses,
    computed_bounds: |_| three_calls(),
    run,
    ..Operation::NEW
};

fn witnesses(_: &Point) -> Vec<Witness> {
    let mut all = work_done("a child of the right number ended with the right status");
    all.extend(counted(
        "resident.huge",
        1.0,
        1.0,
        "all of the parent's memory was on huge pages",
    ));
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
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = usize::try_from(resident_mib(bench.point()) << 20).unwrap_or(usize::MAX);
    let none = || {
        Failure::skipped(
            "the kernel gave no huge pages for this memory",
            "allow them (/sys/kernel/mm/transparent_hugepage/enabled: madvise or always), and free memory",
        )
    };
    let page = huge_page_size()
        .filter(|page| bytes.is_multiple_of(*page))
        .ok_or_else(none)?;
    let mut memory = HugeMapping::touched(bytes, page, bench.seed())?;
    if memory.huge_bytes() != Some(bytes) {
        return Err(none());
    }
    let mut turn = 0;
    bench.each(true, &mut || {
        let status = status_of(&mut turn);
        reap(fork_exit(status)?, status)
    })?;
    match memory.huge_bytes() {
        Some(huge) => bench.count("resident.huge", huge as f64, bytes as f64),
        None => bench.cannot_count("resident.huge", "/proc/self/smaps cannot be read".to_owned()),
    }
    Ok(())
}
