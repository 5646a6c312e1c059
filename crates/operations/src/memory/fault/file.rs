//! Faults on a file that is in the cache: read with the neighbours that the kernel maps along, and written
//! privately.

use super::TOUCH;
use crate::memory::workloads::source;
use crate::memory::workloads::touches::{Places, take_out};
use measure::{Area, Bench, Failure, Operation, Point, Work};
use record::Need;
use sys::memory::page_size;
use sys::pages::{Pages, Sharing};

/// A read of a cached page.
pub static MINOR: Operation = Operation {
    id: "fault.file.minor",
    area: Area::Memory,
    title: "touch of a page of a file that is in the cache",
    one_iteration: "one read of a page that is not mapped, of a file in the cache, whose random word must be right",
    method: "A temporary file of 16 MiB of random data is mapped, all of it in the cache, and read at every 4 KiB or at \
             every 64 KiB. Between two batches MADV_DONTNEED takes the pages out of the mapping and leaves them in \
             the cache. The file was written in pieces of 4 KiB, which makes its cache single pages, or of 1 MiB, \
             which lets the file system make large folios.",
    confounds: "A fault maps the neighbours along (fault-around, 64 KiB as the kernel is shipped; more where the cache \
                is in large folios): at 4 KiB the time is a share of a fault, and faults.minor per iteration says \
                which. MADV_RANDOM does not switch that off. Only at 64 KiB and with single pages is a touch a fault.",
    sources: &[
        ("R1", "a cached file, called major (E20)"),
        ("R2", "every 16 KiB, or every page under fault-around (E20)"),
        ("lmbench", "lat_pagefault: per page under fault-around"),
    ],
    points: |_| Point::all("stride=64KiB fill_write=4KiB; stride=4KiB fill_write=4KiB|1MiB"),
    needs: |_| {
        vec![Need::Memory {
            bytes: 4 * source::LENGTH as u64,
        }]
    },
    // A fault maps 16 pages as the kernel is shipped (fault_around_bytes, mm/memory.c); what was written by one call may
    // lie in one folio, which newer kernels map as one.
    predict: &[
        "stride=64KiB: let share = 1",
        "stride=4KiB: let share = {1 / max(fill_write / 4096, 16)}",
        "let neighbours = 16 × 150 cycles (×1.6: next page of the cache found, held, locked and looked at once more (2 \
         locked), entry set, mapped count (1 locked), counters of node and group, let go (1 locked): 100 instructions at \
         1.5 a cycle and 4 locked of 20 cycles for each of 16 pages that are folios of their own)",
        "hardware t0 exception and return = exception × cycle_ns × share",
        "software t0 way to the page's entry = find_entry × cycle_ns × share",
        "stride=64KiB: software t1 fault on the page of zeros = [fault.anonymous.read]",
        "stride=64KiB: software t1 neighbours mapped along = neighbours × cycle_ns",
        "stride=4KiB: software t1 its share of a fault = share × [fault.file.minor stride=64KiB fill_write=4KiB]",
        "software t0 neighbours mapped along = neighbours × cycle_ns × share",
        "stride=4KiB: software the touch = 40 cycles (×2: a walk of the page table whose entries are in near caches (20) and \
         a line from the last cache, several touches under way at once) × cycle_ns",
        "fill_write=1MiB: software mapped along in one folio = 10 cycles (×2: an entry set and the next one made of it: 12 \
         instructions; references and counters once for all) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every page held what it should, before or after",
        "stride=64KiB: faults.minor 0.99..1.01: every touch is one fault, served from the cache",
        "stride=4KiB: faults.minor 0.0002..0.55: there were faults, and each served several touches (fault-around)",
        "linear",
        "calls: none",
        "undisturbed",
    ],
    bounds: &["stride=64KiB: exceptions(1)", "stride=4KiB: register"],
    run,
    ..Operation::NEW
};

/// R1's and lmbench's way: the same touches, each called a fault.
pub static ASSUMED: Operation = Operation {
    id: "fault.file.fault_around",
    title: "touch of every page of a cached file, each taken for a fault",
    method: "As fault.file.minor at 4 KiB; the time per touch is called that of a page fault.",
    reference: Some(measure::Reference {
        wrong: "one fault maps 16 pages or more: the time is a share of a fault, and no page comes from a disk (E20)",
        right: ("fault.file.minor", "stride=64KiB fill_write=4KiB"),
    }),
    points: |_| Point::all("stride=4KiB fill_write=4KiB"),
    ..MINOR
};

fn is_fault_each(point: &Point) -> bool {
    point.get("stride") == Some("64KiB")
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let size = |name| bench.point().size(name).map(|bytes| bytes as usize);
    let file = source::cached(size("fill_write")?, bench.seed())?;
    let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Shared)?;
    let places = Places::new(file.length(), size("stride")?);
    let mut before = |n| places.need(n, || take_out(&pages));
    let mut main = |n| {
        let mut right = 0;
        for offset in places.take(n) {
            right += u64::from(pages.read(offset) == Some(file.word(offset as u64 / 8)));
        }
        Ok(right)
    };
    // One fault maps many touches along: only batches of whole folios hold a whole number of faults.
    let multiple_of = if is_fault_each(bench.point()) { 1 } else { FOLIO };
    bench.batches(Work {
        before: Some(&mut before),
        multiple_of,
        ..Work::alone(&mut main)
    })
}

/// Pages of the largest folio that writes of 1 MiB make.
const FOLIO: u64 = 256;

/// A private write to a cached page.
pub static PRIVATE_WRITE: Operation = Operation {
    id: "fault.file.private_write",
    title: "first write to a private page of a cached file",
    one_iteration: "one write to a page of a private mapping of a file in the cache, which must hold it and the \
                    file's data beside it",
    method: "A temporary file of 16 MiB of random data, in the cache, is mapped privately and written one word per \
             page. Every write copies the file's page; no neighbours are mapped along. MADV_DONTNEED drops the \
             copies between two batches.",
    confounds: "A page that was read before is mapped and only copied: that is fault.copy_on_write.",
    sources: &[("will-it-scale", "page_fault2")],
    predict: &[
        "t0 page fault",
        "software t0 page had and entered = new_page × cycle_ns",
        "software t0 4 KiB copied = copy_page × cycle_ns",
        "software t1 first write = [fault.anonymous.write]",
        "hardware t1 copied instead of cleared = page_copied − page_cleared",
        "software page of the file found and held = 300 cycles (×1.7: index of the file's pages walked (60), page \
         held and locked and let go (4 locked), checked against truncation: 300 instructions in all) × cycle_ns",
    ],
    run: |bench| {
        let file = source::cached(page_size(), bench.seed())?;
        let pages = Pages::of_file(file.descriptor(), file.length(), Sharing::Private)?;
        let places = Places::of(&pages);
        let write = |offset: usize| {
            let beside = file.word(offset as u64 / 8 + 1);
            Ok(pages.write(offset, 1) && pages.read(offset + 8) == Some(beside))
        };
        places.touch(bench, |n| places.need(n, || take_out(&pages)), write)
    },
    ..TOUCH
};
