//! A write fault on a page formerly shared with a child that has exited: nothing is copied.

use super::TOUCH;
use measure::Operation;
use workloads::memory::shared_pages::write_after_exit;

pub static REUSE: Operation = Operation {
    id: "fault.reuse",
    title: "copy-on-write fault on a 4 KiB page with a single remaining owner",
    one_iteration: "one write to a page shared with a forked child until its exit, read back",
    method: "16 MiB on base pages are written; a child is forked and has exited before the first touch. Every page is \
             still read-only: a write faults, the kernel finds no other owner and makes the page writable. No page is \
             allocated, cleared or copied: the cheapest write fault.",
    confounds: "Kernels before about 5.15 copied the page if it was pinned.",
    sources: &[("Linux selftests", "mm/cow.c, checked but not timed")],
    predict: &[
        "fault and lookup",
        "software page reused = 350 cycles (×1.7: page locked and unlocked, its owners counted (3 \
         locked of 20), marked exclusive, entry set and one address invalidated (INVLPG, 150 to 250 cycles): 60 \
         instructions) × cycle_ns",
    ],
    evidence: &[
        "one fault per touch",
        "calls: none",
        "children.ended = 1: every child had exited before the pages were written",
    ],
    run: write_after_exit,
    ..TOUCH
};
