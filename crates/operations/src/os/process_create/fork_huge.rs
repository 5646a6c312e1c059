//! fork of a parent with huge pages: one entry per 2 MiB instead of 512.

use super::CREATE;
use measure::{Bench, Failure, Operation, Point};
use sys::huge::{HugeMapping, huge_page_size};
use sys::process::fork_exit;
use workloads::os::children::{reap, resident_bytes, status_of};

/// fork, exit, wait with a parent on huge pages.
pub static OPERATION: Operation = Operation {
    id: "process.create.fork_wait_huge",
    title: "fork + exit + wait of one child, parent on huge pages",
    one_iteration: "one fork, exit of the child, and wait",
    method: "As process.create.fork_wait, with private memory on transparent huge pages (MADV_HUGEPAGE), checked in \
             /proc/self/smaps before and after.",
    confounds: "Where memory is fragmented the kernel gives base pages, and the point is skipped. A huge page may be split later, \
                which the evidence shows.",
    sources: &[("redis", "documents fork of large parents, and advises against huge pages")],
    points: |_| Point::all("resident=64MiB"),
    predict: &[
        "let huge_entries = {2500 * resident / 2MiB} cycles (×2: an entry of the second level: lock, a page table deposited \
         and freed, map counts, release)",
        "a small process",
        "software t1 child of a small parent = [process.create.fork_wait resident=0B]",
        "software copy and release of huge entries = huge_entries × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the right child exited with the right status",
        "resident.huge = 1: all of the parent's memory was on huge pages",
        "pages of the child",
        "calls: clone 1, wait4 1, exit_group 1",
        "a fork",
        "undisturbed",
    ],
    run,
    ..CREATE
};

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = usize::try_from(resident_bytes(bench.point())).unwrap_or(usize::MAX);
    let none = || {
        Failure::skipped(
            "the kernel gave no huge pages for this memory",
            "allow them (/sys/kernel/mm/transparent_hugepage/enabled: madvise or always), and free memory",
        )
    };
    let page = huge_page_size().filter(|page| bytes.is_multiple_of(*page)).ok_or_else(none)?;
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
