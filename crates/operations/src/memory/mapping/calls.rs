//! mmap, munmap, mprotect, mremap of private memory.

use super::{Cost, MAPPING, at_least, pages_of, predicted, size_of, sizes, witnesses};
use crate::memory::fault::reasoned;
use measure::{Bench, Failure, Operation, Work, counted, no_new_pages, term};
use record::{Formula, Prediction, Profile, Side, Term};
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
    computed_prediction: |_| {
        predicted(
            2.0,
            &[("area made and linked", MAP), ("area found and freed", UNMAP)],
        )
    },
    computed_witnesses: |_| {
        let mut all = witnesses(
            "both calls succeeded every time",
            &[("mmap", 1.0), ("munmap", 1.0)],
        );
        all.extend(no_new_pages());
        all
    },
    computed_bounds: |_| at_least(2.0),
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

const MAP: Cost = (
    3_070.0,
    1.7,
    "mmap lock taken, gap looked for in the tree, limits and accounts, an area allocated, tree changed, hooks: with \
     UNMAP 9 200 instructions counted in an emulator for Linux 6.12 (16 100 for 6.1), at 1.5 a cycle",
);
const UNMAP: Cost = (
    3_070.0,
    1.7,
    "mmap lock, area found, tree changed, page tables looked through and none found, accounts, area freed: see the \
     other half",
);

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
    computed_prediction: |point| {
        // What it cuts off becomes an area of its own first, so that one is made and one is freed.
        let more = ((pages_of(point) - 1.0) * PAGE.0, PAGE.1, PAGE.2);
        let facts = predicted(
            1.0,
            &[
                ("area made and linked", MAP),
                ("area found and freed", UNMAP),
                ("first page taken out and given back", FIRST_PAGE),
                ("more pages", more),
            ],
        );
        Prediction {
            from_parts: vec![
                area_made_and_freed(1.0),
                first_page(),
                reasoned("more pages", more),
            ],
            ..facts
        }
    },
    computed_witnesses: |_| {
        let mut all = witnesses("the call succeeded every time", &[("munmap", 1.0)]);
        let proves = "all of the memory was there before it was unmapped";
        all.extend(counted("pages.resident", 1.0, 1.0, proves));
        all.extend(no_new_pages());
        all
    },
    computed_bounds: |_| at_least(1.0),
    run: unmap_touched,
    ..MAPPING
};

/// One call that makes an area and frees one, as a mapping and its unmapping do in two.
fn area_made_and_freed(calls: f64) -> Term {
    let floors = Formula::part("syscall.floor", "").times(2.0 - calls);
    term(
        Side::Software,
        "area made and freed",
        Formula::part("mapping.mmap_munmap", "size=4KiB").minus(floors),
    )
}

/// A page taken out of its mapping and given back, within a call that is counted already.
fn first_page() -> Term {
    term(
        Side::Software,
        "first page taken out and given back",
        Formula::part("fault.dontneed.call", "").minus(Formula::part("syscall.floor", "")),
    )
}

const OWNER: Cost = (
    1_600.0,
    1.7,
    "links from pages to areas copied and undone: 2 allocations, a lock, trees; 2 230 instructions more than for an area \
     made and freed, counted in an emulator (Linux 6.12), at 1.5 a cycle, 8 locked of 20",
);
const PAGE: Cost = (
    690.0,
    2.0,
    "entry cleared, reverse map less one (1 locked), page batched, uncharged and freed: 1 040 instructions a page counted \
     in an emulator (Linux 6.12), at 1.5 a cycle; a loop over many pages may run faster",
);
const FIRST_PAGE: Cost = crate::memory::fault::anonymous::CALL;
const FLUSH: Cost = (
    300.0,
    2.0,
    "addresses invalidated one by one up to 33 (INVLPG, 150 to 250 cycles), or the whole TLB",
);

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
    computed_prediction: |point| {
        let pages = pages_of(point);
        predicted(
            2.0,
            &[
                ("areas changed", (2.0 * CHANGE.0, CHANGE.1, CHANGE.2)),
                ("entries changed", (2.0 * pages * ENTRY.0, ENTRY.1, ENTRY.2)),
                ("flush", FLUSH),
            ],
        )
    },
    computed_witnesses: |_| {
        let mut all = witnesses("both calls succeeded every time", &[("mprotect", 2.0)]);
        all.extend(no_new_pages());
        all
    },
    computed_bounds: |_| at_least(2.0),
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

const CHANGE: Cost = (
    2_060.0,
    1.7,
    "mmap lock, area found, neighbours looked at for merging, flags changed under the area's lock, levels walked: 2 610 \
     instructions counted in an emulator (Linux 6.12) at 1.5 a cycle, 16 locked of 20",
);
const ENTRY: Cost = (
    50.0,
    2.0,
    "entry read and cleared by an exchange (1 locked), changed and set, twice looked at: 40 instructions",
);

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
    computed_prediction: |point| {
        let moved = (pages_of(point) * MOVE.0, MOVE.1, MOVE.2);
        let facts = predicted(
            1.0,
            &[
                ("area made and linked", MAP),
                ("area found and freed", UNMAP),
                ("way back to its owner copied", OWNER),
                ("entries moved", moved),
                ("flush", FLUSH),
            ],
        );
        Prediction {
            from_parts: vec![
                area_made_and_freed(1.0),
                reasoned("way back to its owner copied", OWNER),
                reasoned("entries moved", moved),
                reasoned("flush", FLUSH),
            ],
            ..facts
        }
    },
    computed_witnesses: |_| {
        let mut all = witnesses(
            "the memory was at its new place and held what it held",
            &[("mremap", 1.0)],
        );
        all.extend(no_new_pages());
        all
    },
    computed_bounds: |_| at_least(1.0),
    run: |bench| {
        let seed = bench.seed();
        let mut moving = Moving::new(size_of(bench.point()), seed)?;
        bench.slope(&mut |n| Ok(moving.go(n, seed)?))
    },
    ..MAPPING
};

const MOVE: Cost = (
    45.0,
    1.8,
    "entry cleared by an exchange (1 locked) and set elsewhere: 35 instructions",
);
