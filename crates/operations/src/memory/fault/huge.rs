//! A fault that maps a huge page.

use super::WAITS;
use measure::{Area, Bench, Failure, Operation};
use record::{Gate, Need};
use sys::huge::huge_page_size;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};
use workloads::memory::page_sequence::PageSequence;

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.huge",
    area: Area::Memory,
    title: "first write to a transparent huge page (2 MiB)",
    one_iteration: "one write to an untouched huge page (2 MiB on most machines)",
    method: "Aligned private memory with MADV_HUGEPAGE is written one word per huge page. After each batch mincore must \
             find all base pages of the touched range resident: one fault mapped a whole huge page. MADV_DONTNEED \
             frees them.",
    confounds: "Most of the time is clearing 2 MiB. A hypervisor that has to back the memory first causes a second mode, \
                many times slower; so does a host that splits huge pages.",
    sources: &[("R2", "huge pages, by a flag that was not set")],
    // Backing the memory, the hypervisor takes the CPU.
    gate: Gate { shared_core: None, ..WAITS },
    spend_ns: 20_000_000,
    needs: |_| vec![Need::Memory { bytes: 2 * POOL as u64 }],
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
    run,
    ..Operation::NEW
};

/// Bytes of the touched memory.
const POOL: usize = 32 << 20;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let Some(page) = huge_page_size().filter(|page| *page <= POOL / 8) else {
        return Err(Failure::skipped(
            "this kernel has no transparent huge pages of up to 4 MiB",
            "boot a kernel with CONFIG_TRANSPARENT_HUGEPAGE",
        ));
    };
    let pages = Pages::huge(POOL, page)?;
    let sequence = PageSequence::new(POOL, page);
    let (mut found, mut expected) = (0, 0);
    let mut touched = 0..0;
    let mut check = |touched: std::ops::Range<usize>| -> Result<(), Failure> {
        expected += touched.len() / page_size();
        found += pages.resident(touched)?;
        Ok(())
    };
    let ready = |n| {
        check(touched.clone())?;
        pages.advise(touched.clone(), Advice::DontNeed)?;
        sequence.reserve(n, || Ok(()))?;
        touched = sequence.range(n);
        Ok(())
    };
    sequence.touch(bench, ready, |offset| Ok(pages.write(offset, 1)))?;
    if found == 0 || found * page < expected * page_size() * 2 {
        return Err(Failure::skipped(
            "the kernel allocates no huge pages for this process",
            "set /sys/kernel/mm/transparent_hugepage/enabled to madvise or always, or free memory",
        ));
    }
    bench.count("resident.huge", found as f64, expected as f64);
    Ok(())
}
