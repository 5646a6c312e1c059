//! Blocks processed by one thread, and the final check of their memory.

use measure::{Bench, Result, Work};
use sys::bandwidth::Blocks;

/// Blocks processed by the calling thread; `size` is the intended working set.
pub fn run_single(bench: &mut Bench<'_>, mut blocks: Blocks, size: usize) -> Result<()> {
    bench.batches(Work::new(&mut |n| Ok(if blocks.run(n) { n } else { 0 })))?;
    Checked::verify(&blocks).count(bench, size);
    Ok(())
}

/// The final check of the memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Checked {
    correct: u64,
    not_zero: u64,
    words: u64,
    bytes: usize,
}

impl Checked {
    /// The check of some blocks.
    pub fn verify(blocks: &Blocks) -> Self {
        let checked = blocks.check();
        Self {
            correct: checked.right,
            words: checked.words,
            not_zero: checked.not_zero,
            bytes: blocks.size(),
        }
    }

    /// Both together.
    pub fn plus(self, other: Self) -> Self {
        Self {
            correct: self.correct + other.correct,
            not_zero: self.not_zero + other.not_zero,
            words: self.words + other.words,
            bytes: self.bytes + other.bytes,
        }
    }

    /// Counts right words, those that are not zero, and the working set, of which `size` bytes were intended.
    pub fn count(self, bench: &mut Bench<'_>, size: usize) {
        let words = self.words as f64;
        bench.count("words.right", self.correct as f64, words);
        bench.count("words.not_zero", self.not_zero as f64, words);
        bench.count("working_set", self.bytes as f64, size as f64);
    }
}
