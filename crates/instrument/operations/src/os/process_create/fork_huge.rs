//! fork of a parent with huge pages: one entry per 2 MiB instead of 512.

use super::CREATE;
use measure::Operation;
use workloads::os::child_lifetimes::fork_on_huge_pages;

/// fork, exit, wait with a parent on huge pages.
pub static FORK_WAIT_HUGE: Operation = Operation {
    id: "process.create.fork_wait_huge",
    title: "fork + exit + wait of one child, parent on huge pages",
    one_iteration: "one fork, exit of the child, and wait",
    method: "As process.create.fork_wait, with private memory on transparent huge pages (MADV_HUGEPAGE), checked in \
             /proc/self/smaps before and after.",
    confounds: "Where memory is fragmented the kernel gives base pages, and the point is skipped. A huge page may be split later, \
                which the evidence shows.",
    sources: &[("redis", "documents fork of large parents, and advises against huge pages")],
    points: &["resident=64MiB"],
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
        "forked child",
    ],
    run: fork_on_huge_pages,
    ..CREATE
};
