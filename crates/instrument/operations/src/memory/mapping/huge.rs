//! Base pages made a huge page by one call, and a huge page split by one.

use crate::memory::COMMON;
use measure::Operation;
use record::{Gate, Need};
use workloads::memory::huge_changes::{collapse, split};
use workloads::memory::huge_pages::MEMORY;

/// Common to both.
const CHANGE: Operation = Operation {
    needs: |_| vec![Need::Memory { bytes: 2 * MEMORY as u64 }],
    // Backing the memory, the hypervisor takes the CPU.
    gate: Gate { shared_core: None, involuntary: false, ..Operation::GATE },
    spend_ns: 20_000_000,
    ..COMMON
};

/// MADV_COLLAPSE.
pub static COLLAPSE: Operation = Operation {
    id: "mapping.collapse",
    title: "madvise(MADV_COLLAPSE): 512 written base pages become a huge page (2 MiB)",
    one_iteration: "one MADV_COLLAPSE of 2 MiB of private memory, each base page of it written before",
    method: "By the system-call instruction. Before each batch all memory is freed, then written on base pages, with huge pages \
             declined, and then they are welcome again. After each batch AnonHugePages of /proc/self/smaps must have grown by 2 MiB \
             for each call.",
    confounds: "It allocates and copies 2 MiB; before, the pages on the lists of all CPUs are collected, which waits for each of them. \
                khugepaged does the same in the background, and waits more.",
    sources: &[("Linux selftests", "mm/khugepaged.c: MADV_COLLAPSE of every kind of memory; no times")],
    predict: &[
        "floors(1)",
        "hardware t0 2 MiB copied = {2097152 / 8} cycles (×2: 8 bytes a cycle: from memory, to memory that is not in a cache) × cycle_ns",
        "hardware t1 2 MiB copied = 2097152 bytes × 1e9 ns/s / [memory.bandwidth.copy method=library bytes=128MiB cpus=1]",
        "software 512 base pages taken out and freed = 512 × page_given_back × cycle_ns",
        "software lists of all CPUs collected = 20000 ns (×3: a task is queued on each CPU and waited for)",
    ],
    evidence: &[
        "answers = 1: the first page of each had its content afterwards",
        "huge.made = 1: the memory on huge pages grew by 2 MiB with each call",
        "calls: madvise 1",
    ],
    bounds: &[
        "> {2097152 / 64} cycles × cycle_ns: no core stores more than 64 bytes per cycle, and 2 MiB are copied",
    ],
    run: collapse,
    ..CHANGE
};

/// A part of a huge page freed.
pub static SPLIT: Operation = Operation {
    id: "mapping.split",
    title: "madvise(MADV_DONTNEED) of one base page of a huge page, which is split",
    one_iteration: "one MADV_DONTNEED of the second base page of a huge page of private memory (2 MiB)",
    method: "By the system-call instruction. Before each batch all memory is freed and written again on huge pages. After each batch \
             AnonHugePages of /proc/self/smaps must have fallen by 2 MiB for each call.",
    confounds: "The page table is split at once: 512 entries. The huge page itself is split later, when memory is short.",
    sources: &[("Linux selftests", "mm/split_huge_page_test.c: by a file of debugfs; no times")],
    predict: &[
        "floors(1)",
        "software 512 entries of a page table written, 512 pages counted as mapped = path(7000, 20) (×2.5: some 12 instructions for each \
         of 512 pages (__split_huge_pmd)) × cycle_ns",
        "hardware descriptors of 512 pages, last used when the memory was freed = two_at_once(512) × family.l3_cycles × cycle_ns",
        "software base page freed = (flush + page_given_back) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the first page of each had its content afterwards",
        "huge.split = 1: the memory on huge pages fell by 2 MiB with each call",
        "calls: madvise 1",
    ],
    bounds: &[
        "floor",
        "> {512 / 8} cycles × cycle_ns: no core stores more than eight entries of a page table per cycle",
    ],
    run: split,
    ..CHANGE
};
