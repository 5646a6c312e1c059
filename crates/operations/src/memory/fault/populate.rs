//! Pages populated by one call, without an exception per page.

use super::POOL;
use measure::{Area, Bench, Failure, Operation, Point, Work};
use record::Need;
use std::cell::RefCell;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};
use workloads::memory::page_sequence::{PageSequence, unmap_pages};

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.populate",
    area: Area::Memory,
    title: "one 4 KiB page of memory populated by a call for many",
    one_iteration: "one base page (4 KiB), populated with the others of the batch by one call",
    method: "A batch of n pages is one call: mmap with MAP_POPULATE, or madvise(MADV_POPULATE_WRITE) on mapped memory. The \
             slope over n is the cost of a page; the call itself is in the intercept. Populated memory is kept up to \
             16 MiB, so that no page is reused immediately. After each batch mincore must find every page resident.",
    confounds: "The kernel counts these pages as minor faults without taking exceptions. With transparent_hugepage=always \
                MAP_POPULATE maps huge pages: the counts then contradict the point.",
    sources: &[("fio", "populates its buffers"), ("stress-ng", "mmap with MAP_POPULATE")],
    points: |_| Point::all("method=madvise|mmap"),
    needs: |_| vec![Need::Memory { bytes: super::NEEDED }],
    predict: &[
        "software t0 page-table walk and VMA lookup = find_entry × cycle_ns",
        "cleared page",
        "let second_walk = 250 cycles (×1.8: levels walked without result, the fault handled, levels walked again: 250 \
         instructions, 3 locked)",
        "software t0 second walk = second_walk × cycle_ns",
        "software t1 first write = [fault.anonymous.write]",
        "software t1 second walk instead of an exception, as with EFAULT = second_walk × cycle_ns − max(0, measured_exception)",
    ],
    evidence: &[
        "answers = 1: every page was resident after the call",
        "faults.minor 0.99..1.01: the kernel counted a fault per page",
        "linear",
        "undisturbed",
    ],
    bounds: &["cleared bytes(4096)"],
    rehearse: measure::Rehearse::Nothing,
    run,
    ..Operation::NEW
};

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    match bench.point().get("method") {
        Some("mmap") => by_mmap(bench),
        _ => by_madvise(bench),
    }
}

fn by_madvise(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let pages = Pages::anonymous(POOL)?;
    let sequence = PageSequence::new(POOL, page_size());
    let unchecked = RefCell::new(0..0);
    let mut before = |n| {
        check_resident(&pages, unchecked.take())?;
        sequence.reserve(n, || unmap_pages(&pages))
    };
    let mut main = |n| {
        let range = sequence.range(n);
        pages.advise(range.clone(), Advice::PopulateWrite)?;
        unchecked.replace(range);
        Ok(sequence.take(n).count() as u64)
    };
    bench.batches(Work { before: Some(&mut before), ..Work::new(&mut main) })?;
    check_resident(&pages, unchecked.take())
}

/// Whether all of a range is resident.
fn check_resident(pages: &Pages, range: std::ops::Range<usize>) -> Result<(), Failure> {
    let expected = range.len() / page_size();
    match pages.resident(range)? {
        found if found == expected => Ok(()),
        found => Err(Failure::Failed(format!("{found} of {expected} populated pages are resident"))),
    }
}

/// Mappings are kept up to the size of the pool: pages just freed would be reused at once, warm in the caches, and cleared
/// in half the time.
fn by_mmap(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let kept: RefCell<Vec<Pages>> = RefCell::new(Vec::new());
    let checked = RefCell::new(0);
    let check = |kept: &[Pages]| -> Result<(), Failure> {
        let unchecked = kept.get(checked.replace(kept.len())..).unwrap_or_default();
        unchecked.iter().try_for_each(|pages| check_resident(pages, 0..pages.length()))
    };
    let mut before = |n: u64| {
        let mut kept = kept.borrow_mut();
        check(&kept)?;
        let held: usize = kept.iter().map(Pages::length).sum();
        if held.saturating_add(bytes_of(n)) > POOL {
            kept.clear();
            checked.replace(0);
        }
        // The list must not grow while timed.
        kept.reserve(1);
        Ok(())
    };
    let mut main = |n: u64| {
        let pages = Pages::populated(bytes_of(n))?;
        kept.borrow_mut().push(pages);
        Ok(n)
    };
    bench.batches(Work { before: Some(&mut before), ..Work::new(&mut main) })?;
    check(&kept.take())
}

fn bytes_of(pages: u64) -> usize {
    usize::try_from(pages).unwrap_or(usize::MAX).saturating_mul(page_size())
}
