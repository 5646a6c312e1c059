//! A fault that maps a huge page.

use super::WAITS;
use measure::Operation;
use record::{Gate, Need};
use workloads::memory::huge_pages::{MEMORY, touch_huge_pages};

pub static HUGE: Operation = Operation {
    id: "fault.huge",
    title: "first write to a transparent huge page (2 MiB)",
    one_iteration: "one write to an untouched huge page (2 MiB on most machines)",
    method: "Aligned private memory with MADV_HUGEPAGE is written one word per huge page. After each batch mincore must \
             find all base pages of the touched range resident: one fault mapped a whole huge page. MADV_DONTNEED \
             frees them.",
    confounds: "Most of the time is clearing 2 MiB. A hypervisor that has to back the memory first causes a second mode, \
                many times slower; so does a host that splits huge pages.",
    sources: &[("lmbench", "none: base pages")],
    // Backing the memory, the hypervisor takes the CPU.
    gate: Gate { shared_core: None, ..WAITS },
    spend_ns: 20_000_000,
    needs: |_| vec![Need::Memory { bytes: 2 * MEMORY as u64 }],
    predict: &[
        "page fault",
        "software t0 2 MiB cleared = {2097152 / 10} cycles (×2: 2 MiB at 10 bytes a cycle: rep stosb to memory of one \
         core, 20 to 60 GB/s) × cycle_ns",
        // The kernel allocates the pages that the batch before has freed, which are in the last-level cache.
        "hardware t1 2 MiB cleared at fill bandwidth = 2097152 bytes × 1e9 ns/s / \
         [memory.bandwidth.fill method=library bytes=4MiB cpus=1]",
    ],
    evidence: &[
        "one fault per touch",
        "calls: none",
        "resident.huge = 1: every huge page was entirely resident after one touch",
    ],
    bounds: &["exceptions(1)", "cleared bytes(2097152)"],
    run: touch_huge_pages,
    ..crate::memory::COMMON
};
