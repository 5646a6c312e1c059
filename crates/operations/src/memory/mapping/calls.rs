//! mmap, munmap, mprotect, mremap of private memory.

use super::{MAPPING, size_of, sizes};
use measure::{Bench, Failure, Operation, Work};
use record::Profile;
use std::cell::RefCell;
use sys::memory::page_size;
use sys::pages::{Advice, Moving, Pages, map_and_unmap};

/// Mapping and unmapping.
pub static MMAP_MUNMAP: Operation = Operation {
    id: "mapping.mmap_munmap",
    title: "map private memory and unmap it untouched",
    one_iteration: "one mmap of private memory at a place of the kernel's choice, and its munmap",
    method: "Raw calls in a loop; nothing is touched, so no page and no page table is made.",
    confounds: "Neighbours of the same kind are merged with and split from again; the size hardly matters as long as \
                nothing is touched.",
    sources: &[
        ("lmbench", "lat_mmap, with a file and touches"),
        ("will-it-scale", "mmap1, mmap2"),
    ],
    points: |profile| match profile {
        Profile::Quick => sizes(&["4KiB", "64MiB"]),
        _ => sizes(&["4KiB", "64KiB", "1MiB", "64MiB"]),
    },
    needs: |_| Vec::new(),
    predict: &[
        "floors(2)",
        "software area made and linked = make_area × cycle_ns",
        "software area found and freed = free_area × cycle_ns",
    ],
    evidence: &[
        "answers = 1: both calls succeeded every time",
        "calls: mmap 1, munmap 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floors(2)"],
    headline: &[("size=64KiB", "mmap + munmap")],
    run: |bench| {
        let size = size_of(bench.point());
        bench.slope(&mut |n| {
            for _ in 0..n {
                map_and_unmap(size)?;
            }
            Ok(n)
        })
    },
    ..MAPPING
};

/// Unmapping what was touched.
pub static MUNMAP_TOUCHED: Operation = Operation {
    id: "mapping.munmap.touched",
    title: "unmap touched memory",
    one_iteration: "one munmap of private memory of which every page was written",
    method: "Before a batch memory for all its iterations is mapped and populated with base pages; each iteration \
             unmaps the next piece at its front, by one raw call.",
    confounds: "Pages of one call are freed together, so that a page costs less the more there are. A process with \
                threads on other CPUs has to tell them (shootdown), this one has none.",
    sources: &[("libMicro", "munmap"), ("lmbench", "lat_mmap, in a part")],
    points: |_| sizes(&["4KiB", "1MiB"]),
    // What it cuts off becomes an area of its own first, so that one is made and one is freed.
    predict: &[
        "area made and freed",
        "software t0 first page taken out and given back = page_given_back × cycle_ns",
        "software t1 first page taken out and given back = [fault.dontneed.call] − [syscall.floor]",
        "software more pages = {size / 4096 - 1} × 690 cycles (×2: entry cleared, reverse map less one (1 locked), page \
         batched, uncharged and freed: 1 040 instructions a page counted in an emulator (Linux 6.12), at 1.5 a cycle; a \
         loop over many pages may run faster) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the call succeeded every time",
        "calls: munmap 1",
        "undisturbed",
        "pages.resident = 1: all of the memory was there before it was unmapped",
        "no new pages",
    ],
    bounds: &["floor"],
    run: unmap_touched,
    ..MAPPING
};

fn unmap_touched(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let size = size_of(bench.point());
    let kept: RefCell<Option<Pages>> = RefCell::new(None);
    let (mut resident, mut expected) = (0, 0);
    let mut before = |n: u64| {
        // A page more stays at the end.
        let times = usize::try_from(n).unwrap_or(usize::MAX);
        let length = times.saturating_mul(size).saturating_add(page_size());
        drop(kept.take());
        let pages = Pages::anonymous(length)?;
        pages.advise(0..length, Advice::PopulateWrite)?;
        resident += pages.resident(0..length)?;
        expected += length / page_size();
        kept.replace(Some(pages));
        Ok(())
    };
    let mut main = |n| {
        let mut kept = kept.borrow_mut();
        let pages = kept
            .as_mut()
            .ok_or_else(|| Failure::Failed("nothing is mapped".to_owned()))?;
        for _ in 0..n {
            pages.unmap_front(size)?;
        }
        Ok(n)
    };
    bench.batches(Work {
        before: Some(&mut before),
        ..Work::alone(&mut main)
    })?;
    bench.count(
        "pages.resident",
        f64::from(resident as u32),
        f64::from(expected as u32),
    );
    Ok(())
}

/// Protecting.
pub static MPROTECT: Operation = Operation {
    id: "mapping.mprotect",
    title: "take the right to write away and give it back",
    one_iteration: "two mprotect calls on touched memory: read only, and writable again",
    method: "Raw calls in a loop on one mapping of its own, of which every page was written. Taking the right away \
             changes every page's entry and flushes the TLB. Giving it back changes them once more since Linux 6.2, \
             for pages that nobody shares; before, it left them as they were until the next write.",
    confounds: "A write after it would fault once more: none is done. Part of a mapping would be split from the rest.",
    sources: &[("libMicro", "mprotect"), ("stress-ng", "mprotect")],
    points: |_| sizes(&["4KiB", "1MiB"]),
    predict: &[
        "floors(2)",
        "software areas changed = 2 × 2060 cycles (×1.7: mmap lock, area found, neighbours looked at for merging, flags \
         changed under the area's lock, levels walked: 2 610 instructions counted in an emulator (Linux 6.12) at 1.5 a \
         cycle, 16 locked of 20) × cycle_ns",
        "software entries changed = {2 * size / 4096} × 50 cycles (×2: entry read and cleared by an exchange (1 locked), \
         changed and set, twice looked at: 40 instructions) × cycle_ns",
        "software flush = flush × cycle_ns",
    ],
    evidence: &[
        "answers = 1: both calls succeeded every time",
        "calls: mprotect 2",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floors(2)"],
    run: |bench| {
        let mut pages = Pages::anonymous(size_of(bench.point()))?;
        pages.advise(0..pages.length(), Advice::PopulateWrite)?;
        bench.slope(&mut |n| {
            for _ in 0..n {
                pages.protect_and_back()?;
            }
            Ok(n)
        })
    },
    ..MAPPING
};

/// Moving.
pub static MREMAP: Operation = Operation {
    id: "mapping.mremap",
    title: "move touched memory to another place",
    one_iteration: "one mremap that moves touched memory to a place that is free, where it must hold what it held",
    method: "mremap with MREMAP_FIXED to and fro between two places, by raw calls; one word of the last page is read \
             after each. Entries of the page table are moved, no byte is copied.",
    confounds: "Whole page tables are moved at once where both places are aligned to 2 MiB, which these are not made to be.",
    sources: &[("stress-ng", "mremap")],
    points: |_| sizes(&["4KiB", "1MiB"]),
    predict: &[
        "area made and freed",
        "software way back to its owner copied = 1600 cycles (×1.7: links from pages to areas copied and undone: 2 \
         allocations, a lock, trees; 2 230 instructions more than for an area made and freed, counted in an emulator \
         (Linux 6.12), at 1.5 a cycle, 8 locked of 20) × cycle_ns",
        "software entries moved = {size / 4096} × 45 cycles (×1.8: entry cleared by an exchange (1 locked) and set \
         elsewhere: 35 instructions) × cycle_ns",
        "software flush = flush × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the memory was at its new place and held what it held",
        "calls: mremap 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: |bench| {
        let seed = bench.seed();
        let mut moving = Moving::new(size_of(bench.point()), seed)?;
        bench.slope(&mut |n| Ok(moving.go(n, seed)?))
    },
    ..MAPPING
};
