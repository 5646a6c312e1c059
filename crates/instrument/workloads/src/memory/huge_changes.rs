//! Base pages that become a huge page by one call, and huge pages that are split by one.

use super::huge_pages::MEMORY;
use super::page_sequence::{PageSequence, unmap_pages, write_all};
use measure::{Bench, Failure, Result, Work};
use std::ops::Range;
use sys::huge::{huge_bytes_of_pages, huge_page_size};
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

/// Collapses written base pages, one huge page for each call.
///
/// # Errors
/// Skipped where the kernel has no huge pages or gives none.
pub fn collapse(bench: &mut Bench<'_>) -> Result<()> {
    collapse_by(bench, Advice::Collapse)
}

/// The same by any advice.
///
/// # Errors
/// As [`collapse`].
pub fn collapse_by(bench: &mut Bench<'_>, advice: Advice) -> Result<()> {
    let memory = Memory::new()?;
    let mut made = Found::default();
    memory.advise_each(
        bench,
        |expected| made.add(&memory, 0, expected),
        // Declined while they are written, so that no fault gives a huge page.
        |range| {
            memory.pages.advise(0..MEMORY, Advice::NoHugePage)?;
            memory.write(range)?;
            Ok(memory.pages.advise(0..MEMORY, Advice::HugePage)?)
        },
        |offset| (offset..offset + memory.page, advice),
    )?;
    bench.count("huge.made", made.found as f64, made.expected as f64);
    Ok(())
}

/// Frees a base page of each huge page, which splits it.
///
/// # Errors
/// Skipped where the kernel has no huge pages or gives none.
pub fn split(bench: &mut Bench<'_>) -> Result<()> {
    split_by(bench, Advice::DontNeed)
}

/// The same by any advice on the base page.
///
/// # Errors
/// As [`split`].
pub fn split_by(bench: &mut Bench<'_>, advice: Advice) -> Result<()> {
    let memory = Memory::new()?;
    let mut split = Found::default();
    memory.advise_each(
        bench,
        |expected| split.add(&memory, expected, expected),
        |range| {
            memory.write(range.clone())?;
            let huge = memory.huge_bytes()?;
            let is_huge = huge == range.len();
            is_huge.then_some(()).ok_or_else(no_huge_pages)
        },
        |offset| (offset + page_size()..offset + 2 * page_size(), advice),
    )?;
    bench.count("huge.split", split.found as f64, split.expected as f64);
    Ok(())
}

/// EAGAIN, ENOMEM, EINVAL of errno(3): no huge page is free, or the kernel does not know the advice (before Linux 6.1).
const REFUSED: [i32; 3] = [11, 12, 22];

fn word_at(offset: usize) -> u64 {
    offset as u64 | 1
}

fn no_huge_pages() -> Failure {
    Failure::skipped(
        "the kernel allocates no huge pages for this process",
        "set /sys/kernel/mm/transparent_hugepage/enabled to madvise or always, or free memory",
    )
}

/// Bytes that changed, as the kernel reports it, and as many as should have.
#[derive(Default)]
struct Found {
    found: usize,
    expected: usize,
}

impl Found {
    /// Adds how far the bytes on huge pages are now from what they were.
    fn add(&mut self, memory: &Memory, before: usize, expected: usize) -> Result<()> {
        self.found += memory.huge_bytes()?.abs_diff(before);
        self.expected += expected;
        Ok(())
    }
}

/// Memory that begins at a multiple of a huge page.
struct Memory {
    pages: Pages,
    page: usize,
}

impl Memory {
    fn new() -> Result<Self> {
        let page = huge_page_size().filter(|page| *page <= MEMORY / 8).ok_or_else(|| {
            Failure::skipped(
                "this kernel has no transparent huge pages of up to 4 MiB",
                "boot a kernel with CONFIG_TRANSPARENT_HUGEPAGE",
            )
        })?;
        Ok(Self { pages: Pages::huge(MEMORY, page)?, page })
    }

    /// Writes a word of its own into each base page.
    fn write(&self, range: Range<usize>) -> Result<()> {
        write_all(&self.pages, range, word_at)
    }

    fn huge_bytes(&self) -> Result<usize> {
        let unknown = || {
            Failure::skipped(
                "/proc/self/smaps does not show huge pages",
                "mount /proc with CONFIG_PROC_PAGE_MONITOR",
            )
        };
        huge_bytes_of_pages(&self.pages).ok_or_else(unknown)
    }

    /// Batches of advice, one for each huge page. `check` gets the bytes that the batch before has changed, `prepare` the range of
    /// the next one; all other memory is free. Afterwards the first base page of each must be as it was written.
    fn advise_each(
        &self,
        bench: &mut Bench<'_>,
        mut check: impl FnMut(usize) -> Result<()>,
        prepare: impl Fn(Range<usize>) -> Result<()>,
        advice_at: impl Fn(usize) -> (Range<usize>, Advice),
    ) -> Result<()> {
        let sequence = PageSequence::new(MEMORY, self.page);
        let mut advised = 0..0;
        bench.batches(Work {
            before: Some(&mut |n| {
                check(advised.len())?;
                unmap_pages(&self.pages)?;
                sequence.reserve(n, || Ok(()))?;
                advised = sequence.range(n);
                prepare(advised.clone())
            }),
            at_most: (MEMORY / self.page) as u64,
            ..Work::new(&mut |n| {
                let mut right = 0;
                for offset in sequence.take(n) {
                    let (range, advice) = advice_at(offset);
                    self.pages.advise(range, advice).map_err(|error| {
                        if REFUSED.contains(&error.errno) { no_huge_pages() } else { error.into() }
                    })?;
                    right += u64::from(self.pages.read(offset) == Some(word_at(offset)));
                }
                Ok(right)
            })
        })
    }
}
