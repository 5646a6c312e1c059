//! Faults on a cached file: read with fault-around, and private writes.

use super::{TOUCH, WHOLE_BATCHES};
use measure::{Operation, takes};
use workloads::memory::mapped_files::{MappedRead, read_mapped, unmap_and_read, write_privately};

/// A read of a cached page.
pub static MINOR: Operation = Operation {
    id: "fault.file.minor",
    title: "minor fault on a page of a cached file",
    one_iteration: "one read of an unmapped page of a cached file; its random word must be correct",
    method: "A temporary file of 16 MiB of random data, entirely in the page cache, is mapped and read every 4 KiB or \
             every 64 KiB. Between two batches MADV_DONTNEED unmaps the pages, which stay cached. The file was filled \
             by writes of 4 KiB (fill_write), which makes its cache single pages, or of 1 MiB, which lets the file \
             system use large folios.",
    confounds: "A fault also maps neighbouring pages (fault-around, 64 KiB by default; more with large folios): at 4 KiB \
                the time is a fraction of a fault, given by faults.minor per iteration. MADV_RANDOM does not disable \
                it. Only at 64 KiB and with single pages is each touch a fault.",
    sources: &[
        (
            "R1, 3 Fig 11",
            "a character at every 1 MB of a mapped file: perhaps minor faults only, it says (E20)",
        ),
        ("R2, 4.3", "1000 pages of 4 KB of a mapped file, after MADV_DONTNEED: probably minor faults (E20)"),
        ("lmbench", "lat_pagefault: per page under fault-around"),
    ],
    parameters: takes::<MappedRead>,
    points: &["stride=64KiB fill_write=4KiB; stride=4KiB fill_write=4KiB|1MiB"],
    // A fault maps 16 pages by default (fault_around_bytes, mm/memory.c); data written by one call may be one folio, which
    // newer kernels map as one.
    predict: &[
        "stride=64KiB: let share = 1",
        "stride=4KiB: let share = {1 / max(fill_write / 4096, 16)}",
        "let neighbours = kernel_cycles({counted[fault.file.minor stride=64KiB fill_write=4KiB] - counted[fault.anonymous.read]})",
        "hardware t0 exception and return = exception × cycle_ns × share",
        "software t0 page-table walk and VMA lookup = find_entry × cycle_ns × share",
        "stride=64KiB: software t1 fault on the zero page = [fault.anonymous.read]",
        "stride=64KiB: software t1 fault-around = neighbours × cycle_ns",
        "stride=4KiB: software t1 share of a fault = share × [fault.file.minor stride=64KiB fill_write=4KiB]",
        "software t0 fault-around = neighbours × cycle_ns × share",
        "stride=4KiB: software the touch = 40 cycles (×2: a walk of the page table whose entries are in L1 and L2 (20) and \
         a line from the last-level cache, several touches in flight) × cycle_ns",
        "fill_write=1MiB: software folio mapped = 10 cycles (×2: an entry set and the next one made of it: 12 \
         instructions; references and counters once per folio) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every page had the expected content",
        "stride=64KiB: faults.minor 0.99..1.01: one minor fault per touch",
        "stride=4KiB: faults.minor 0.0002..0.55: each fault served several touches (fault-around)",
        "linear",
        "calls: none",
        "undisturbed",
    ],
    bounds: &["stride=64KiB: exceptions(1)", "stride=4KiB: register"],
    run: read_mapped,
    ..TOUCH
};

/// MADV_DONTNEED and touch of a mapped file.
pub static DONTNEED: Operation = Operation {
    id: "fault.file.dontneed",
    title: "MADV_DONTNEED of a page of a mapped file and read of it",
    one_iteration: "one madvise(MADV_DONTNEED) of one page of a mapped, cached file and one read of its random word",
    method: "A cached temporary file of 16 MiB of random data is mapped, and every page was read. Each page is unmapped by its \
             own call and read immediately: it is still in the page cache, so the fault is minor.",
    confounds: "The neighbours of the page are mapped: fault-around finds one page to map. On macOS MADV_DONTNEED is a hint that \
                leaves pages mapped.",
    sources: &[(
        "R2, 4.3",
        "MADV_DONTNEED of a mapped file and access, 1000 pages of 4 KB, called page fault service time (E20)",
    )],
    predict: &[
        "page fault",
        "t0 floors(1)",
        "software t0 page unmapped = path(900, 8) (×1.8: area found, entry cleared, reference and counters, one address \
         flushed) × cycle_ns",
        "software t1 MADV_DONTNEED, of an anonymous page = [fault.dontneed.call]",
        "software page found in the cache and mapped = path(900, 8) (×2: page index walked, sixteen neighbours looked at, one \
         entry set) × cycle_ns",
    ],
    evidence: &["one fault per touch", "calls: madvise 1"],
    bounds: &["exceptions(2)"],
    run: unmap_and_read,
    ..TOUCH
};

/// A private write to a cached page.
pub static PRIVATE_WRITE: Operation = Operation {
    id: "fault.file.private_write",
    revision: WHOLE_BATCHES,
    title: "first write to a private page of a cached file (copy)",
    one_iteration: "one write to a page of a private mapping of a cached file, read back together with the file's \
                    adjacent word",
    method: "A cached temporary file of 16 MiB of random data is mapped privately and written one word per page. Every \
             write copies the file's page, without fault-around. MADV_DONTNEED drops the copies between two batches.",
    confounds: "A page that was read before is already mapped: that is fault.copy_on_write.",
    sources: &[("will-it-scale", "page_fault2: 128 MiB of a sparse file, with mmap and munmap")],
    predict: &[
        "t0 page fault",
        "software t0 page allocated and mapped = new_page × cycle_ns",
        "software t0 4 KiB copied = copy_page × cycle_ns",
        "software t1 first write = [fault.anonymous.write]",
        "hardware t1 copy instead of clear = page_copied − page_cleared",
        "software page-cache lookup = 300 cycles (×1.7: page index walked (60), page \
         pinned, locked and released (4 locked), checked against truncation: 300 instructions in all) × cycle_ns",
    ],
    run: write_privately,
    ..TOUCH
};
