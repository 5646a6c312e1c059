//! Touches of anonymous pages.

use super::page_sequence::{PageSequence, write_all};
use super::pool::POOL;
use measure::{Bench, Failure, Result};
use std::ops::Range;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

/// Touches pages in batches: `reset` makes all available again, `prepare` prepares those of a batch.
///
/// # Errors
/// When there is no memory, or a page does not have the expected content.
pub fn touch(
    bench: &mut Bench<'_>,
    reset: impl Fn(&Pages) -> Result<()>,
    prepare: impl Fn(&Pages, Range<usize>) -> Result<()>,
    touch: impl Fn(&Pages, usize) -> sys::Result<bool>,
) -> Result<()> {
    let pages = Pages::anonymous(POOL)?;
    let sequence = PageSequence::every_page(&pages).with_new_pages();
    sequence.touch(
        bench,
        |n| {
            sequence.reserve(n, || reset(&pages))?;
            prepare(&pages, sequence.range(n))
        },
        |offset| touch(&pages, offset),
    )
}

/// The content of a written page: never zero.
pub fn mark(offset: usize) -> u64 {
    offset as u64 | 1
}

/// Writes a page and reads it back.
pub fn write(pages: &Pages, offset: usize) -> bool {
    pages.write(offset, mark(offset))
}

/// Writes every page.
///
/// # Errors
/// When a page reads back differently.
pub fn write_every_page(pages: &Pages) -> Result<()> {
    write_pages(pages, 0..pages.length())
}

/// Writes the pages of a range.
///
/// # Errors
/// When a page reads back differently.
pub fn write_pages(pages: &Pages, range: Range<usize>) -> Result<()> {
    write_all(pages, range, mark)
}

/// Frees one page by MADV_DONTNEED.
///
/// # Errors
/// When the kernel refuses.
#[inline(always)]
pub fn free(pages: &Pages, offset: usize) -> sys::Result<()> {
    pages.advise(offset..offset + page_size(), Advice::DontNeed)
}

/// Reads every page, which maps the zero page.
///
/// # Errors
/// When a page is not zero.
pub fn read_zeros(pages: &Pages, range: Range<usize>) -> Result<()> {
    let all = range.step_by(page_size()).all(|offset| pages.read(offset) == Some(0));
    Failure::unless(all, "an unwritten page is not zero")
}

/// Whether MADV_DONTNEED freed pages.
///
/// # Errors
/// When all pages are still there.
pub fn check_freed(pages: &Pages) -> Result<()> {
    let all_there = pages.resident(0..pages.length())? == pages.length() / page_size();
    Failure::unless(!all_there, "MADV_DONTNEED succeeded but freed no page")
}
