//! A fault that gives a huge page at once.

use super::WAITS;
use crate::memory::workloads::touches::Places;
use measure::{Area, Bench, Failure, Operation};
use record::{Gate, Need};
use sys::huge::huge_page_size;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.huge",
    area: Area::Memory,
    title: "first write to a huge page",
    one_iteration: "one write to a huge page (2 MiB on most machines) that was never touched",
    method: "Private memory, aligned and advised to be on huge pages, is written one word per huge page. After each \
             batch mincore must find all of the small pages behind those words in memory: one fault gave a whole \
             huge page. MADV_DONTNEED gives them back.",
    confounds: "Nearly all of it is the clearing of 2 MiB. A hypervisor that must find the memory first makes a second \
                mode, many times as long; a host that splinters huge pages makes it longer, too.",
    sources: &[("R2", "huge pages, by a flag that was not given")],
    // Memory that the hypervisor must find takes the CPU away.
    gate: Gate {
        shared_core: None,
        ..WAITS
    },
    spend_ns: 20_000_000,
    needs: |_| {
        vec![Need::Memory {
            bytes: 2 * POOL as u64,
        }]
    },
    predict: &[
        "page fault",
        "software t0 2 MiB cleared = {2097152 / 10} cycles (×2: 2 MiB at 10 bytes a cycle: rep stosb to memory of one \
         core, 20 to 60 GB/s) × cycle_ns",
        "hardware t1 512 small pages cleared = 512 × ([fault.anonymous.write] − [fault.anonymous.read] − new_page × \
         cycle_ns)",
    ],
    evidence: &[
        "answers = 1: every page held what it should, before or after",
        "faults.minor 0.99..1.01: every touch is one fault",
        "linear",
        "calls: none",
        "undisturbed",
        "resident.huge = 1: all of every huge page was in memory after one touch",
    ],
    bounds: &["exceptions(1)", "cleared bytes(2097152)"],
    run,
    ..Operation::NEW
};

/// Bytes of the memory that is touched.
const POOL: usize = 32 << 20;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let Some(page) = huge_page_size().filter(|page| *page <= POOL / 8) else {
        return Err(Failure::skipped(
            "this kernel has no transparent huge pages, or only larger ones",
            "run it with CONFIG_TRANSPARENT_HUGEPAGE",
        ));
    };
    let pages = Pages::huge(POOL, page)?;
    let places = Places::new(POOL, page);
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
        places.need(n, || Ok(()))?;
        touched = places.range(n);
        Ok(())
    };
    places.touch(bench, ready, |offset| Ok(pages.write(offset, 1)))?;
    if found == 0 || found * page < expected * page_size() * 2 {
        return Err(Failure::skipped(
            "the kernel gives no huge pages to this process",
            "set /sys/kernel/mm/transparent_hugepage/enabled to madvise or always, or free memory",
        ));
    }
    bench.count("resident.huge", found as f64, expected as f64);
    Ok(())
}
