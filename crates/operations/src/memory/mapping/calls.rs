//! mmap, munmap, mprotect, mremap of private memory.

use super::{Cost, MAPPING, at_least, pages_of, predicted, size_of, sizes, witnesses};
use measure::{Bench, Failure, Operation, Work, counted, no_new_pages};
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
    predict: |_| {
        predicted(
            2.0,
            &[("area made and linked", MAP), ("area found and freed", UNMAP)],
        )
    },
    witnesses: |_| {
        let mut all = witnesses(
            "both calls succeeded every time",
            &[("mmap", 1.0), ("munmap", 1.0)],
        );
        all.extend(no_new_pages());
        all
    },
    bounds: |_| at_least(2.0),
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
    1_000.0,
    1.6,
    "mmap lock taken (2 locked), gap looked for in the tree (200 instructions), limits and accounts (100), an area \
     allocated or a neighbour grown (300), tree changed (250), hooks: 1 000 instructions at 1.5 a cycle, 16 locked of 20",
);
const UNMAP: Cost = (
    1_100.0,
    1.6,
    "mmap lock, area found and split off (400), tree changed (300), page tables looked through and none found (150), \
     accounts, area freed (150): 1 100 instructions at 1.5 a cycle, 18 locked of 20",
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
    predict: |point| {
        let pages = pages_of(point);
        predicted(
            1.0,
            &[
                ("area cut in two", SPLIT),
                ("area found and freed", UNMAP),
                ("pages", (pages * PAGE.0, PAGE.1, PAGE.2)),
                ("flush", FLUSH),
            ],
        )
    },
    witnesses: |_| {
        let mut all = witnesses("the call succeeded every time", &[("munmap", 1.0)]);
        let proves = "all of the memory was there before it was unmapped";
        all.extend(counted("pages.resident", 1.0, 1.0, proves));
        all.extend(no_new_pages());
        all
    },
    bounds: |_| at_least(1.0),
    run: unmap_touched,
    ..MAPPING
};

const SPLIT: Cost = (
    1_500.0,
    1.7,
    "the piece becomes an area of its own first: area had and copied (300 instructions), way back to its owner copied \
     (its lock, 2 allocations, trees, 400), tree of areas written (300), unlinked and given back later (300): 1 300 \
     instructions, 18 locked of 20",
);
const OWNER: Cost = (
    500.0,
    1.7,
    "links from pages to areas copied and undone: 2 allocations, a lock, trees, 400 instructions, 8 locked of 20",
);
const PAGE: Cost = (
    170.0,
    1.7,
    "entry cleared, reverse map less one (1 locked), page batched, uncharged and freed (2 locked): 170 instructions \
     and 3 locked of 20 a page",
);
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
    predict: |point| {
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
    witnesses: |_| {
        let mut all = witnesses("both calls succeeded every time", &[("mprotect", 2.0)]);
        all.extend(no_new_pages());
        all
    },
    bounds: |_| at_least(2.0),
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
    800.0,
    1.7,
    "mmap lock, area found, neighbours looked at for merging, flags changed under the area's lock, levels walked: 700 \
     instructions at 1.5 a cycle, 16 locked of 20",
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
    predict: |point| {
        let pages = pages_of(point);
        predicted(
            1.0,
            &[
                ("area made and linked", MAP),
                ("area found and freed", UNMAP),
                ("way back to its owner copied", OWNER),
                ("entries moved", (pages * MOVE.0, MOVE.1, MOVE.2)),
                ("flush", FLUSH),
            ],
        )
    },
    witnesses: |_| {
        let mut all = witnesses(
            "the memory was at its new place and held what it held",
            &[("mremap", 1.0)],
        );
        all.extend(no_new_pages());
        all
    },
    bounds: |_| at_least(1.0),
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
