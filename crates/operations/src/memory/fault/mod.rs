//! Page faults: what the first touch of a page costs, by what stands behind the page.
//!
//! A kind of fault is a card and an implementation of [`Touch`]: how its pages are made ready, and one touch.

pub mod ahead;
pub mod anonymous;
pub mod copy_on_write;
pub mod file;
pub mod huge;
pub mod major;
pub mod major_wrong;
pub mod populate;
pub mod refused;
pub mod reuse;
pub mod source;
pub mod user;

use measure::{Area, Bench, Failure, Operation, Work};
use record::{Gate, Need};
use std::cell::Cell;
use std::ops::Range;
use sys::memory::page_size;
use sys::pages::Pages;

/// Bytes of the pages that are touched one after another before they are all given back: four times the second
/// cache of most cores, so that what is cleared or copied is not warm from the round before.
pub const POOL: usize = 16 << 20;

/// What a pool, its copy and its page tables take at most.
const NEEDED: u64 = 4 * POOL as u64;

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
}

/// A kind of first touch.
pub trait Touch: Sized {
    /// Pages and whatever else an iteration needs.
    ///
    /// # Errors
    /// When something cannot be had.
    fn prepare(seed: u64) -> Result<Self, Failure>;

    /// The pages.
    fn pages(&self) -> &Pages;

    /// Makes all pages ready to be touched again.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn refresh(&mut self) -> Result<(), Failure> {
        let all = 0..self.pages().length();
        Ok(self.pages().advise(all, sys::pages::Advice::DontNeed)?)
    }

    /// Makes the pages of the next batch ready.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn before(&mut self, _: Range<usize>) -> Result<(), Failure> {
        Ok(())
    }

    /// One iteration at this offset; whether the page held what it should.
    ///
    /// # Errors
    /// When the kernel refuses.
    fn touch(&self, offset: usize) -> sys::Result<bool>;

    /// Says what was counted beside the kernel's counts, when all batches are over.
    ///
    /// # Errors
    /// When it cannot be told.
    fn finish(&mut self, _: &mut Bench<'_>) -> Result<(), Failure> {
        Ok(())
    }
}

/// What most first touches have in common: one fault each, and no call.
const TOUCH: Operation = Operation {
    area: Area::Memory,
    needs: |_| vec![Need::Memory { bytes: NEEDED }],
    evidence: &[
        "answers = 1: every page held what it should, before or after",
        "faults.minor 0.99..1.01: every touch is one fault, served without the disk",
        "linear",
        "calls: none",
        "undisturbed",
    ],
    bounds: &["exceptions(1)"],
    ..Operation::NEW
};

fn run<T: Touch>(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let kind = T::prepare(bench.seed())?;
    let places = Places::new(kind.pages().length(), page_size());
    let kind = std::cell::RefCell::new(kind);
    let busy = |_| Failure::Failed("a batch began before the last one ended".to_owned());
    let mut before = |n| {
        let mut kind = kind.try_borrow_mut().map_err(busy)?;
        places.need(n, || kind.refresh())?;
        kind.before(places.range(n))
    };
    let mut main = |n| {
        let kind = kind.try_borrow().map_err(|_| Failure::Failed(String::new()))?;
        let mut right = 0;
        for offset in places.take(n) {
            right += u64::from(kind.touch(offset)?);
        }
        Ok(right)
    };
    bench.batches(Work {
        before: Some(&mut before),
        ..Work::alone(&mut main)
    })?;
    kind.into_inner().finish(bench)
}

/// The gate of operations that wait for a device: nobody has the CPU meanwhile.
pub const WAITS: Gate = Gate {
    cpu_share: None,
    involuntary: false,
    ..Operation::GATE
};

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
