//! Pages faulted in by one call, without an exception for each.

use super::POOL;
use crate::memory::workloads::touches::{Places, take_out};
use measure::{Area, Bench, Failure, Operation, Point, Work};
use record::Need;
use std::cell::RefCell;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

/// The declaration.
pub static OPERATION: Operation = Operation {
    id: "fault.populate",
    area: Area::Memory,
    title: "memory populated by one call, per page",
    one_iteration: "one page of 4 KiB (a base page), populated together with the others of the batch by one call",
    method: "A batch of n pages is one call: mmap with MAP_POPULATE, or madvise(MADV_POPULATE_WRITE) on memory that is \
             mapped. The slope over n is what a page costs; the call itself is in the intercept. What was populated \
             stays until it is 16 MiB, so that no page is had that was just given back. After each batch mincore \
             must find every page in memory.",
    confounds: "The kernel counts these pages as minor faults though no exception is taken. MAP_POPULATE on a kernel \
                whose huge pages are always on gives huge pages: then the counts contradict it.",
    sources: &[
        ("fio", "populate of its buffers"),
        ("stress-ng", "mmap with MAP_POPULATE"),
    ],
    points: |_| Point::all("method=madvise|mmap"),
    needs: |_| vec![Need::Memory { bytes: super::NEEDED }],
    predict: &[
        "software t0 way to the page's entry = find_entry × cycle_ns",
        "cleared page",
        "let lookup = 250 cycles (×1.8: levels walked in vain, the fault handled, levels walked once more: 250 \
         instructions, 3 locked)",
        "software t0 looked up again = lookup × cycle_ns",
        "software t1 first write = [fault.anonymous.write]",
        "software t1 looked up again instead of an exception = (lookup − exception) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every page was in memory after the call",
        "faults.minor 0.99..1.01: the kernel served a fault for every page",
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
    let places = Places::new(POOL, page_size());
    let missing = RefCell::new(0..0);
    let mut before = |n| {
        look(&pages, missing.take())?;
        places.need(n, || take_out(&pages))
    };
    let mut main = |n| {
        let range = places.range(n);
        pages.advise(range.clone(), Advice::PopulateWrite)?;
        missing.replace(range);
        Ok(places.take(n).count() as u64)
    };
    bench.batches(Work {
        before: Some(&mut before),
        ..Work::alone(&mut main)
    })?;
    look(&pages, missing.take())
}

/// Whether all of a range is in memory.
fn look(pages: &Pages, range: std::ops::Range<usize>) -> Result<(), Failure> {
    let expected = range.len() / page_size();
    match pages.resident(range)? {
        found if found == expected => Ok(()),
        found => Err(Failure::Failed(format!(
            "{found} of {expected} populated pages are in memory"
        ))),
    }
}

/// What is mapped stays until it is as large as the pool: pages that were just given back would be had again at once,
/// warm in the caches, and cleared in half of the time.
fn by_mmap(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let kept: RefCell<Vec<Pages>> = RefCell::new(Vec::new());
    let looked = RefCell::new(0);
    let check = |kept: &[Pages]| -> Result<(), Failure> {
        let unseen = kept.get(looked.replace(kept.len())..).unwrap_or_default();
        unseen.iter().try_for_each(|pages| look(pages, 0..pages.length()))
    };
    let mut before = |n: u64| {
        let mut kept = kept.borrow_mut();
        check(&kept)?;
        let held: usize = kept.iter().map(Pages::length).sum();
        if held.saturating_add(bytes_of(n)) > POOL {
            kept.clear();
            looked.replace(0);
        }
        // The list must not grow while the clock runs.
        kept.reserve(1);
        Ok(())
    };
    let mut main = |n: u64| {
        let pages = Pages::populated(bytes_of(n))?;
        kept.borrow_mut().push(pages);
        Ok(n)
    };
    bench.batches(Work {
        before: Some(&mut before),
        ..Work::alone(&mut main)
    })?;
    check(&kept.take())
}

fn bytes_of(pages: u64) -> usize {
    usize::try_from(pages)
        .unwrap_or(usize::MAX)
        .saturating_mul(page_size())
}
