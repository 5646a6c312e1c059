//! Faults on memory without a file: written, read, written after it was read, taken out and touched again.

use super::{POOL, TOUCH};
use crate::memory::workloads::touches::{Places, take_out, write_all};
use measure::{Failure, Operation};
use std::ops::Range;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

/// What stands in a page that was written: never zero.
fn mark(offset: usize) -> u64 {
    offset as u64 | 1
}

/// First write.
pub static WRITE: Operation = Operation {
    id: "fault.anonymous.write",
    title: "first write to a page of memory",
    one_iteration: "one write to a page that was never touched, which must hold it then",
    method: "Private memory of 16 MiB on base pages (huge pages are declined), written one word per page, page \
             after page. When all were touched, madvise(MADV_DONTNEED) gives them back between two batches. Faults \
             are counted within the batches.",
    confounds: "Pages come from the kernel's lists as the round before left them: on a machine that is short of \
                memory, or whose hypervisor must find a page first, a fault costs many times more, once. One page \
                table in 512 pages is in the time where it was not left from the round before.",
    sources: &[
        ("R2", "first touch of malloc'ed memory"),
        ("R4", "one sample (E29)"),
        ("will-it-scale", "page_fault1"),
    ],
    predict: &[
        "page fault",
        "cleared page",
        "software t1 page had and entered = new_page × cycle_ns",
        "hardware t1 page cleared, as fast as memory is filled = page_cleared",
    ],
    headline: &[("", "page fault, minor")],
    run: |bench| {
        let pages = Pages::anonymous(POOL)?;
        let places = Places::of(&pages);
        places.touch(
            bench,
            |n| places.need(n, || take_out(&pages)),
            |offset| Ok(pages.write(offset, mark(offset))),
        )
    },
    ..TOUCH
};

/// First read.
pub static READ: Operation = Operation {
    id: "fault.anonymous.read",
    title: "first read of a page of memory (the shared page of zeros)",
    one_iteration: "one read of a page that was never touched, which must give zero",
    method: "As fault.anonymous.write, but read: the kernel maps its one page of zeros and neither takes a page \
             nor clears one. What is left is the fault itself.",
    confounds: "A kernel built or told to give huge zero pages would serve 512 touches by one fault; the count \
                shows it.",
    sources: &[("will-it-scale", "page_fault3 on a file")],
    predict: &[
        "hardware t0 exception and return = exception × cycle_ns",
        "hardware t1 exception and return, as on a bad address = measured_exception",
        "software way to the page's entry = find_entry × cycle_ns",
    ],
    run: |bench| {
        let pages = Pages::anonymous(POOL)?;
        let places = Places::of(&pages);
        places.touch(
            bench,
            |n| places.need(n, || take_out(&pages)),
            |offset| Ok(pages.read(offset) == Some(0)),
        )
    },
    ..TOUCH
};

/// A write after a read.
pub static ZERO_THEN_WRITE: Operation = Operation {
    id: "fault.zero_then_write",
    title: "first write to a page that was read before",
    one_iteration: "one write to a page that shows the page of zeros, which must hold it then",
    method: "As fault.anonymous.write; every page of a batch was read before it, so that the shared page of zeros \
             is mapped there. The write is refused by the page table, a page is had and cleared, and the old entry \
             is flushed.",
    confounds: "The read before is not in the time: it is fault.anonymous.read.",
    sources: &[(
        "Linux selftests",
        "mm/cow.c: a write to the page of zeros, for its result only",
    )],
    predict: &[
        "t0 page fault",
        "cleared page",
        "software t1 first write = [fault.anonymous.write]",
        "software old entry compared and flushed = replace_entry × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every page held what it should, before or after",
        "faults.minor 0.99..1.01: the write faults once more, after the read",
        "linear",
        "calls: none",
        "undisturbed",
    ],
    run: |bench| {
        let pages = Pages::anonymous(POOL)?;
        let places = Places::of(&pages);
        places.touch(
            bench,
            |n| {
                places.need(n, || take_out(&pages))?;
                read_zeros(&pages, places.range(n))
            },
            |offset| Ok(pages.write(offset, mark(offset))),
        )
    },
    ..TOUCH
};

/// Taking a page out of the mapping and touching it.
pub static DONTNEED: Operation = Operation {
    id: "fault.dontneed",
    title: "take a page out of the mapping and write it again",
    one_iteration: "one madvise(MADV_DONTNEED) of a touched page and one write to it",
    method: "All pages were touched. Each is given back by a call of its own and written at once: the page that \
             the fault gets is the one that was just given back, warm in the caches.",
    confounds: "The clear of a warm page is cheaper than in fault.anonymous.write. R2 times the sum and calls it a \
                fault.",
    sources: &[("R2", "MADV_DONTNEED and touch, called a major fault (E20)")],
    predict: &[
        "t0 page fault",
        "cleared page",
        "software t0 the call, the page given back = page_given_back × cycle_ns",
        "software t1 the call = [fault.dontneed.call]",
        "software t1 first write = [fault.anonymous.write]",
    ],
    evidence: &[
        "answers = 1: every page held what it should, before or after",
        "faults.minor 0.99..1.01: every touch is one fault, served without the disk",
        "linear",
        "calls: madvise 1",
        "undisturbed",
    ],
    bounds: &["exceptions(2)"],
    run: |bench| {
        let pages = Pages::anonymous(POOL)?;
        let places = Places::of(&pages);
        places.touch(
            bench,
            |n| places.need(n, || write_all(&pages, 0..pages.length(), mark)),
            |offset| {
                pages.advise(offset..offset + page_size(), Advice::DontNeed)?;
                Ok(pages.write(offset + 8, mark(offset)) && pages.read(offset) == Some(0))
            },
        )
    },
    ..TOUCH
};

/// Taking a page out of the mapping.
pub static DONTNEED_CALL: Operation = Operation {
    id: "fault.dontneed.call",
    title: "take a touched page out of the mapping",
    one_iteration: "one madvise(MADV_DONTNEED) of one touched page",
    method: "The pages of a batch were written before it; each is given back by a call of its own. When the batch \
             is over the first of them must be empty.",
    confounds: "Pages given back together cost less each: the flush and the way are shared.",
    sources: &[("stress-ng", "madvise, among other advice")],
    predict: &[
        "floors(1)",
        "software the page taken out and given back = page_given_back × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every page held what it should, before or after",
        "faults.minor -0.01..0.01: nothing is touched",
        "linear",
        "calls: madvise 1",
        "undisturbed",
    ],
    bounds: &["floor"],
    run: |bench| {
        let pages = Pages::anonymous(POOL)?;
        let places = Places::of(&pages);
        places.touch(
            bench,
            |n| {
                places.need(n, || any_gone(&pages))?;
                write_all(&pages, places.range(n), mark)
            },
            |offset| {
                pages.advise(offset..offset + page_size(), Advice::DontNeed)?;
                Ok(true)
            },
        )
    },
    ..TOUCH
};

/// Reads every page, so that the shared page of zeros is mapped there.
fn read_zeros(pages: &Pages, range: Range<usize>) -> Result<(), Failure> {
    let all = range
        .step_by(page_size())
        .all(|offset| pages.read(offset) == Some(0));
    let other = || Failure::Failed("a page that was never written is not zero".to_owned());
    all.then_some(()).ok_or_else(other)
}

/// Whether the kernel took pages out as it was asked.
fn any_gone(pages: &Pages) -> Result<(), Failure> {
    let all_there = pages.resident(0..pages.length())? == pages.length() / page_size();
    let ignored = || Failure::Failed("the kernel took the advice and no page out".to_owned());
    (!all_there).then_some(()).ok_or_else(ignored)
}
