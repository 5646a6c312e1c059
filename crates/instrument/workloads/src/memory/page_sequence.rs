//! Pages touched in sequence, and reset when all have been touched.

use crate::periods::NEW_PAGES_AT_ONCE;
use measure::{Bench, Failure, Result, Work};
use std::cell::Cell;
use std::ops::Range;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

/// Offsets touched in sequence, each once before a reset.
#[derive(Debug)]
pub struct PageSequence {
    count: usize,
    step: usize,
    period: u64,
    next: Cell<usize>,
}

impl PageSequence {
    /// An offset every `step` bytes.
    pub fn new(length: usize, step: usize) -> Self {
        let count = length / step;
        let next = Cell::new(count);
        Self { count, step, period: 1, next }
    }

    /// The same where the kernel makes a new page for each touch.
    pub fn with_new_pages(self) -> Self {
        Self { period: NEW_PAGES_AT_ONCE, ..self }
    }

    /// Every page of a mapping.
    pub fn every_page(pages: &Pages) -> Self {
        Self::new(pages.length(), page_size())
    }

    /// Ensures that `n` offsets remain; `reset` makes all available again.
    ///
    /// # Errors
    /// When there are fewer than `n` in all, or the reset fails.
    pub fn reserve(&self, n: u64, reset: impl FnOnce() -> Result<()>) -> Result<()> {
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        if n > self.count {
            return Err(Failure::failed(format!("a batch of {n} touches exceeds {} pages", self.count)));
        }
        if n > self.count - self.next.get() {
            reset()?;
            self.next.set(0);
        }
        Ok(())
    }

    fn next_indices(&self, n: u64) -> Range<usize> {
        let first = self.next.get();
        first..first.saturating_add(usize::try_from(n).unwrap_or(usize::MAX)).min(self.count)
    }

    /// Takes the next `n` offsets.
    pub fn take(&self, n: u64) -> impl Iterator<Item = usize> + use<> {
        let (indices, step) = (self.next_indices(n), self.step);
        self.next.set(indices.end);
        indices.map(move |index| index * step)
    }

    /// The bytes that the next `n` offsets span.
    pub fn range(&self, n: u64) -> Range<usize> {
        let Range { start, end } = self.next_indices(n);
        start * self.step..end * self.step
    }

    /// Touches in batches: `prepare` prepares the next `n` offsets, `touch` checks the content of a page.
    ///
    /// # Errors
    /// When the preparation or the kernel fails.
    pub fn touch(
        &self,
        bench: &mut Bench<'_>,
        mut prepare: impl FnMut(u64) -> Result<()>,
        touch: impl Fn(usize) -> sys::Result<bool>,
    ) -> Result<()> {
        bench.batches(Work {
            before: Some(&mut prepare),
            period: self.period,
            ..Work::new(&mut |n| {
                let mut correct = 0;
                for offset in self.take(n) {
                    correct += u64::from(touch(offset)?);
                }
                Ok(correct)
            })
        })
    }
}

/// Unmaps all pages (MADV_DONTNEED).
///
/// # Errors
/// When the kernel refuses.
pub fn unmap_pages(pages: &Pages) -> Result<()> {
    Ok(pages.advise(0..pages.length(), Advice::DontNeed)?)
}

/// Writes a word to every page of a range.
///
/// # Errors
/// When a page reads back differently.
pub fn write_all(pages: &Pages, range: Range<usize>, word: impl Fn(usize) -> u64) -> Result<()> {
    let written = range.step_by(page_size()).all(|offset| pages.write(offset, word(offset)));
    Failure::unless(written, "a page does not hold the word written to it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_is_taken_once_between_resets() {
        let sequence = PageSequence::new(10 * 4096, 4096);
        let mut resets = 0;
        let mut taken = Vec::new();
        for _ in 0..4 {
            sequence
                .reserve(4, || {
                    resets += 1;
                    Ok(())
                })
                .unwrap();
            let range = sequence.range(4);
            let offsets: Vec<usize> = sequence.take(4).collect();
            assert_eq!((offsets.len(), offsets.first()), (4, Some(&range.start)));
            taken.extend(offsets);
        }
        // Ten pages hold two batches of four.
        assert_eq!(resets, 2);
        assert_eq!(taken.get(..8), taken.get(8..));
        assert!(sequence.reserve(11, || Ok(())).is_err());
    }
}
