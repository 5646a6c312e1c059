//! Pages populated by one call, without an exception for each.

use super::page_sequence::{PageSequence, unmap_pages};
use super::pool::POOL;
use crate::periods::NEW_PAGES_AT_ONCE;
use measure::{Bench, Failure, Result, Work, choice, parameters};
use std::cell::RefCell;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

choice! {
    /// The call that populates pages.
    pub enum Populating {
        /// mmap with MAP_POPULATE.
        Mmap = "mmap",
        /// madvise with MADV_POPULATE_WRITE.
        Madvise = "madvise",
    }
}

parameters! {
    /// Populated pages.
    pub struct Populate {
        /// The call.
        method: Populating,
    }
}

/// Populates the pages of a batch by one call, by the method of the point.
///
/// # Errors
/// When a page is not resident afterwards.
pub fn populate(bench: &mut Bench<'_>) -> Result<()> {
    match bench.parameters::<Populate>()?.method {
        Populating::Mmap => by_mmap(bench),
        Populating::Madvise => by_madvise(bench),
    }
}

fn by_madvise(bench: &mut Bench<'_>) -> Result<()> {
    let pages = Pages::anonymous(POOL)?;
    let sequence = PageSequence::new(POOL, page_size());
    let unchecked = RefCell::new(0..0);
    bench.batches(Work {
        before: Some(&mut |n| {
            check_resident(&pages, unchecked.take())?;
            sequence.reserve(n, || unmap_pages(&pages))
        }),
        period: NEW_PAGES_AT_ONCE,
        ..Work::new(&mut |n| {
            let range = sequence.range(n);
            pages.advise(range.clone(), Advice::PopulateWrite)?;
            unchecked.replace(range);
            Ok(sequence.take(n).count() as u64)
        })
    })?;
    check_resident(&pages, unchecked.take())
}

/// Whether all of a range is resident.
fn check_resident(pages: &Pages, range: std::ops::Range<usize>) -> Result<()> {
    let expected = range.len() / page_size();
    match pages.resident(range)? {
        found if found == expected => Ok(()),
        found => Err(Failure::failed(format!("{found} of {expected} populated pages are resident"))),
    }
}

/// Mappings are kept up to the size of the pool: pages just freed would be reused at once, warm in the caches, and cleared
/// in half the time.
fn by_mmap(bench: &mut Bench<'_>) -> Result<()> {
    let kept: RefCell<Vec<Pages>> = RefCell::new(Vec::new());
    let checked = RefCell::new(0);
    let check = |kept: &[Pages]| -> Result<()> {
        let unchecked = kept.get(checked.replace(kept.len())..).unwrap_or_default();
        unchecked.iter().try_for_each(|pages| check_resident(pages, 0..pages.length()))
    };
    bench.batches(Work {
        before: Some(&mut |n| {
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
        }),
        period: NEW_PAGES_AT_ONCE,
        ..Work::new(&mut |n| {
            let pages = Pages::populated(bytes_of(n))?;
            kept.borrow_mut().push(pages);
            Ok(n)
        })
    })?;
    check(&kept.take())
}

fn bytes_of(pages: u64) -> usize {
    usize::try_from(pages).unwrap_or(usize::MAX).saturating_mul(page_size())
}
