//! Words in memory that the worker's processes share.

use std::sync::atomic::{AtomicU64, Ordering};
use sys::memory::Mapping;

/// Words, zero at first, shared with processes forked later.
#[derive(Debug)]
pub struct SharedWords(Mapping);

impl SharedWords {
    /// As many words.
    ///
    /// # Errors
    /// When no memory is available.
    pub fn new(count: usize) -> sys::Result<Self> {
        Mapping::shared(count * 8).map(Self)
    }

    /// A word; one that nobody reads beyond the last.
    #[inline(always)]
    pub fn word(&self, at: usize) -> &AtomicU64 {
        static UNUSED: AtomicU64 = AtomicU64::new(0);
        self.0.words().get(at).unwrap_or(&UNUSED)
    }

    /// The value of a word.
    #[inline(always)]
    pub fn get(&self, at: usize) -> u64 {
        self.word(at).load(Ordering::Acquire)
    }

    /// Sets a word.
    #[inline(always)]
    pub fn set(&self, at: usize, value: u64) {
        self.word(at).store(value, Ordering::Release);
    }
}
