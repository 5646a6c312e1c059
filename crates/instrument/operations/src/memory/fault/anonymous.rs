//! Faults on anonymous memory: first write, first read, write after read, MADV_DONTNEED and touch.

use super::{TOUCH, WHOLE_BATCHES};
use measure::Operation;
use workloads::memory::anonymous_pages::{
    check_freed, free, mark, read_zeros, touch, write, write_every_page, write_pages,
};
use workloads::memory::page_sequence::unmap_pages;

/// First write.
pub static WRITE: Operation = Operation {
    id: "fault.anonymous.write",
    revision: WHOLE_BATCHES,
    title: "first write to an anonymous 4 KiB page",
    one_iteration: "one write to an untouched page, read back",
    method: "16 MiB of private memory on base pages (huge pages disabled) are written one word per page, in order. When \
             all are touched, madvise(MADV_DONTNEED) frees them between two batches. Faults are counted within the \
             batches.",
    confounds: "Pages come from the kernel's free lists: under memory pressure, or where the hypervisor has to back the \
                page first, a fault costs many times more. The allocation of one page table per 512 pages is included \
                unless it remains from the previous round. The kernel moves new pages to its lists 31 at a time (15 before \
                Linux 6.9): each 31st write costs 3.7 µs more here, and batches have a whole number of them. A program that \
                also unmaps its memory pays some 0.25 µs more for each page. Pages that are still in the last-level cache are \
                cleared faster: one trial right after the other, without other work between, became a third cheaper on a guest \
                (1.25 to 0.83 µs).",
    sources: &[
        (
            "will-it-scale",
            "page_fault1: 128 MiB, with mmap and munmap; on huge pages one write of 512 faults, and all are counted",
        ),
        ("perf bench", "mem mmap -f demand: bytes per second of mmap and touches (newer versions)"),
    ],
    predict: &[
        "page fault",
        "cleared page",
        "software t1 page allocated and mapped = new_page × cycle_ns",
        "hardware t1 page cleared at fill bandwidth = page_cleared",
    ],
    tail: &[""],
    headline: &[("", "page fault, minor")],
    run: |bench| touch(bench, unmap_pages, |_, _| Ok(()), |pages, offset| Ok(write(pages, offset))),
    ..TOUCH
};

/// First read.
pub static READ: Operation = Operation {
    id: "fault.anonymous.read",
    title: "first read of an anonymous 4 KiB page (zero page)",
    one_iteration: "one read of an untouched page, which must return zero",
    method: "As fault.anonymous.write, but read: the kernel maps the shared zero page without allocating or clearing a \
             page. What remains is the fault itself.",
    confounds: "With huge zero pages one fault serves 512 touches; the fault count shows it.",
    sources: &[("will-it-scale", "none: page_fault3 writes to a shared mapping of a file")],
    predict: &["fault and lookup"],
    run: |bench| touch(bench, unmap_pages, |_, _| Ok(()), |pages, offset| Ok(pages.read(offset) == Some(0))),
    ..TOUCH
};

/// A write after a read.
pub static ZERO_THEN_WRITE: Operation = Operation {
    id: "fault.zero_then_write",
    revision: WHOLE_BATCHES,
    title: "first write to a page mapped to the zero page",
    one_iteration: "one write to a page mapped to the zero page, read back",
    method: "As fault.anonymous.write; every page of a batch was read before, which maps the zero page. The write faults \
             on the read-only entry, a page is allocated and cleared, and the old entry is flushed.",
    confounds: "The preceding read is not timed: it is fault.anonymous.read.",
    sources: &[("Linux selftests", "mm/cow.c: a write to the zero page, checked but not timed")],
    predict: &[
        "t0 page fault",
        "cleared page",
        "software t1 first write = [fault.anonymous.write]",
        "software old entry replaced and flushed = replace_entry × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every page had the expected content",
        "faults.minor 0.99..1.01: one more minor fault per write, after the read",
        "linear",
        "calls: none",
        "undisturbed",
    ],
    run: |bench| touch(bench, unmap_pages, read_zeros, |pages, offset| Ok(write(pages, offset))),
    ..TOUCH
};

/// MADV_DONTNEED and touch.
pub static DONTNEED: Operation = Operation {
    id: "fault.dontneed",
    revision: WHOLE_BATCHES,
    title: "MADV_DONTNEED of one page and first write to it",
    one_iteration: "one madvise(MADV_DONTNEED) of a touched page and one write to it",
    method: "All pages were touched. Each is freed by its own call and written immediately: the fault gets the page just \
             freed, warm in the caches.",
    confounds: "Clearing a warm page costs less than in fault.anonymous.write.",
    sources: &[("R2, 4.3", "the same with a mapped file: see fault.file.dontneed")],
    predict: &[
        "t0 page fault",
        "cleared page",
        "software t0 call and page freed = page_given_back × cycle_ns",
        "software t1 MADV_DONTNEED = [fault.dontneed.call]",
        "software t1 first write = [fault.anonymous.write]",
    ],
    evidence: &["one fault per touch", "calls: madvise 1"],
    bounds: &["exceptions(2)"],
    run: |bench| {
        touch(
            bench,
            write_every_page,
            |_, _| Ok(()),
            |pages, offset| {
                free(pages, offset)?;
                Ok(pages.write(offset + 8, mark(offset)) && pages.read(offset) == Some(0))
            },
        )
    },
    ..TOUCH
};

/// MADV_DONTNEED alone.
pub static DONTNEED_CALL: Operation = Operation {
    id: "fault.dontneed.call",
    title: "MADV_DONTNEED of one touched page",
    one_iteration: "one madvise(MADV_DONTNEED) of one touched page",
    method: "The pages of a batch are written before it; each is freed by its own call. mincore must then find pages \
             missing.",
    confounds: "Pages freed by one call cost less each: they share the flush and the walk.",
    sources: &[("stress-ng", "--madvise, with other advice: operations per second")],
    predict: &["floors(1)", "software page unmapped and freed = page_given_back × cycle_ns"],
    evidence: &[
        "answers = 1: every page had the expected content",
        "faults.minor -0.01..0.01: no page was touched",
        "linear",
        "calls: madvise 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: |bench| touch(bench, check_freed, write_pages, |pages, offset| free(pages, offset).map(|()| true)),
    ..TOUCH
};
