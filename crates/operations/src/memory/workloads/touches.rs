//! Pages that are touched one after another, and made ready to be touched again when all have been.

use measure::{Bench, Failure, Work};
use std::cell::Cell;
use std::ops::Range;
use sys::memory::page_size;
use sys::pages::{Advice, Pages};

/// Places that are touched one after another, each once before all are made ready again.
#[derive(Debug)]
pub struct Places {
    count: usize,
    step: usize,
    next: Cell<usize>,
}

impl Places {
    /// A place every `step` bytes of so many.
    pub fn new(length: usize, step: usize) -> Self {
        let count = length / step;
        let next = Cell::new(count);
        Self { count, step, next }
    }

    /// Every page of these.
    pub fn of(pages: &Pages) -> Self {
        Self::new(pages.length(), page_size())
    }

    /// Sees to it that `n` places are left; `refresh` makes all of them ready again when they are not.
    ///
    /// # Errors
    /// When there are not so many, or making ready fails.
    pub fn need(&self, n: u64, refresh: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
        let n = usize::try_from(n).unwrap_or(usize::MAX);
        if n > self.count {
            let text = format!("a batch of {n} touches does not fit into {} places", self.count);
            return Err(Failure::Failed(text));
        }
        if n > self.count - self.next.get() {
            refresh()?;
            self.next.set(0);
        }
        Ok(())
    }

    /// The offsets of the next `n` places, which are used up.
    pub fn take(&self, n: u64) -> impl Iterator<Item = usize> + use<> {
        let (first, step) = (self.next.get(), self.step);
        let last = (first + usize::try_from(n).unwrap_or(usize::MAX)).min(self.count);
        self.next.set(last);
        (first..last).map(move |index| index * step)
    }

    /// The bytes that the next `n` places span.
    pub fn range(&self, n: u64) -> Range<usize> {
        let first = self.next.get();
        let last = (first + usize::try_from(n).unwrap_or(usize::MAX)).min(self.count);
        first * self.step..last * self.step
    }

    /// Touches in batches: `ready` makes the next `n` places ready, `touch` says whether a page held what it should.
    ///
    /// # Errors
    /// When making ready or the kernel fails.
    pub fn touch(
        &self,
        bench: &mut Bench<'_>,
        mut ready: impl FnMut(u64) -> Result<(), Failure>,
        touch: impl Fn(usize) -> sys::Result<bool>,
    ) -> Result<(), Failure> {
        let mut main = |n| {
            let mut right = 0;
            for offset in self.take(n) {
                right += u64::from(touch(offset)?);
            }
            Ok(right)
        };
        bench.batches(Work {
            before: Some(&mut ready),
            ..Work::alone(&mut main)
        })
    }
}

/// Takes all pages out of a mapping.
///
/// # Errors
/// When the kernel refuses.
pub fn take_out(pages: &Pages) -> Result<(), Failure> {
    Ok(pages.advise(0..pages.length(), Advice::DontNeed)?)
}

/// Writes a word to every page of a range.
///
/// # Errors
/// When a page does not hold it then.
pub fn write_all(pages: &Pages, range: Range<usize>, word: impl Fn(usize) -> u64) -> Result<(), Failure> {
    let written = range
        .step_by(page_size())
        .all(|offset| pages.write(offset, word(offset)));
    let other = || Failure::Failed("a page does not hold what was written to it".to_owned());
    written.then_some(()).ok_or_else(other)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_place_is_given_once_until_all_are_made_ready_again() {
        let places = Places::new(10 * 4096, 4096);
        let mut refreshed = 0;
        let mut taken = Vec::new();
        for _ in 0..4 {
            places
                .need(4, || {
                    refreshed += 1;
                    Ok(())
                })
                .unwrap();
            let range = places.range(4);
            let offsets: Vec<usize> = places.take(4).collect();
            assert_eq!((offsets.len(), offsets.first()), (4, Some(&range.start)));
            taken.extend(offsets);
        }
        // Ten places hold two batches of four.
        assert_eq!(refreshed, 2);
        assert_eq!(taken.get(..8), taken.get(8..));
        assert!(places.need(11, || Ok(())).is_err());
    }
}
