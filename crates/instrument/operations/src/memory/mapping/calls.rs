//! mmap, munmap, mprotect, mremap of private memory.

use super::MAPPING;
use measure::{Operation, takes};
use sys::pages::{Advice, MovablePages, Pages, map_and_unmap};
use workloads::memory::WorkingSet;
use workloads::memory::mappings::{size_of, unmap_touched};
use workloads::periods::MAPPINGS_AT_ONCE;
use workloads::repeat::{repeat, repeat_in_periods};

/// Mapping and unmapping.
pub static MMAP_MUNMAP: Operation = Operation {
    id: "mapping.mmap_munmap",
    // Batches had a part of what the kernel does for 16 mappings, or lacked it.
    revision: 2,
    title: "mmap + munmap of untouched private memory",
    one_iteration: "one mmap of private memory and its munmap",
    method: "Raw calls in a loop; nothing is touched, so no page and no page table is allocated.",
    confounds: "The area is merged with adjacent areas and split again; its size hardly matters while untouched. \
                For 16 mappings the kernel takes a page for the nodes of its tree (256 bytes each on Linux 6.18, freed \
                later by RCU): each 16th costs 1.4 µs more, and a batch has a whole number of them.",
    sources: &[
        ("lmbench", "lat_mmap, of a file with touches"),
        ("will-it-scale", "mmap1: 128 MiB; mmap2: of a file"),
    ],
    parameters: takes::<WorkingSet>,
    points: &["profile=quick: bytes=4KiB|64MiB", "profile!=quick: bytes=4KiB|64KiB|1MiB|64MiB"],
    needs: |_| Vec::new(),
    predict: &[
        "floors(2)",
        "software VMA allocated and linked = make_area × cycle_ns",
        "software VMA found and freed = free_area × cycle_ns",
    ],
    evidence: &[
        "answers = 1: both calls succeeded every time",
        "calls: mmap 1, munmap 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floors(2)"],
    tail: &["bytes=64KiB"],
    headline: &[("bytes=64KiB", "mmap + munmap")],
    run: |bench| {
        let size = size_of(bench.point());
        repeat_in_periods(bench, MAPPINGS_AT_ONCE, |_| map_and_unmap(size).map(|()| true))
    },
    ..MAPPING
};

/// munmap of touched memory.
pub static MUNMAP_TOUCHED: Operation = Operation {
    id: "mapping.munmap.touched",
    title: "munmap of touched private memory",
    one_iteration: "one munmap of private memory, every page written before",
    method: "Memory for all iterations of a batch is mapped and populated with base pages before it; each iteration \
             unmaps the next part from the front by one raw call.",
    confounds: "Pages of one call are freed in batches, so the cost per page falls with their number. The process has no \
                threads on other CPUs: no TLB shootdown.",
    sources: &[
        ("libMicro", "munmap -f MAP_ANON -w: 8 KiB; without options an untouched mapping of /dev/zero"),
        ("lmbench", "part of lat_mmap"),
    ],
    parameters: takes::<WorkingSet>,
    points: &["bytes=4KiB|1MiB"],
    // The part is split off as an area first: one is allocated and one freed.
    predict: &[
        "VMA allocated and freed",
        "software t0 first page unmapped and freed = page_given_back × cycle_ns",
        "software t1 first page unmapped and freed = [fault.dontneed.call] − [syscall.floor]",
        "software more pages = entry_loop({(bytes / 4096 - 1) / 255 × (counted[mapping.munmap.touched bytes=1MiB] \
         - counted[mapping.munmap.touched bytes=4KiB])})",
    ],
    evidence: &[
        "answers = 1: the call succeeded every time",
        "calls: munmap 1",
        "undisturbed",
        "pages.resident = 1: all of the memory was resident before munmap",
        "no new pages",
    ],
    bounds: &["floor"],
    run: unmap_touched,
    ..MAPPING
};

/// mprotect.
pub static MPROTECT: Operation = Operation {
    id: "mapping.mprotect",
    title: "mprotect read-only and back",
    one_iteration: "two mprotect calls on touched memory: read-only, and writable again",
    method: "Raw calls in a loop on one mapping, every page written before. Read-only changes every page-table entry and \
             flushes the TLB. Writable again changes them, too, since Linux 6.2, for pages that are not shared; before, \
             they changed at the next write.",
    confounds: "No write follows, which could fault. Protecting part of a mapping would also split it.",
    sources: &[
        (
            "libMicro",
            "mprotect -f MAP_ANON -w: alternating between no access and reads and writes, each call counted",
        ),
        ("stress-ng", "--mprotect: protections of random parts by several processes, operations per second"),
    ],
    parameters: takes::<WorkingSet>,
    points: &["bytes=4KiB|1MiB"],
    predict: &[
        "floors(2)",
        "software VMAs changed = kernel({counted[mapping.mprotect bytes=4KiB] - 2 * counted[syscall.floor]})",
        "software entries changed = entry_loop({(bytes / 4096 - 1) / 255 × (counted[mapping.mprotect bytes=1MiB] \
         - counted[mapping.mprotect bytes=4KiB])})",
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
        repeat(bench, |_| pages.protect_and_unprotect().map(|()| true))
    },
    ..MAPPING
};

/// mremap.
pub static MREMAP: Operation = Operation {
    id: "mapping.mremap",
    title: "mremap of touched private memory to another address",
    one_iteration: "one mremap of touched memory to an unused address, content checked",
    method: "mremap with MREMAP_FIXED alternating between two addresses, by raw calls; one word of the last page is read \
             after each. Page-table entries are moved, no data is copied.",
    confounds: "Whole page tables move at once where both addresses are aligned to 2 MiB; these are not.",
    sources: &[("stress-ng", "--mremap: nanoseconds per call; sizes change, too")],
    parameters: takes::<WorkingSet>,
    points: &["bytes=4KiB|1MiB"],
    predict: &[
        "VMA allocated and freed",
        "software reverse map copied = kernel({counted[mapping.mremap bytes=4KiB] - counted[mapping.mmap_munmap bytes=4KiB]})",
        "software entries moved = entry_loop({(bytes / 4096 - 1) / 255 × (counted[mapping.mremap bytes=1MiB] \
         - counted[mapping.mremap bytes=4KiB])})",
        "software flush = flush × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the memory was at its new address with its content",
        "calls: mremap 1",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["floor"],
    run: |bench| {
        let seed = bench.seed();
        let mut moving = MovablePages::new(size_of(bench.point()), seed)?;
        bench.slope(&mut |n| Ok(moving.move_repeatedly(n, seed)?))
    },
    ..MAPPING
};
