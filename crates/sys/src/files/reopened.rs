//! A temporary file opened once more, and its blocks.

use crate::Result;
use crate::direct::{CacheMode, length};
use crate::temporary::{TemporaryFile, open};
use rustix::fs::OFlags;
use std::path::Path;

impl TemporaryFile {
    /// Opens a file without a name once more, by its place below /proc; `seed` is that of its data.
    ///
    /// # Errors
    /// When it does not exist, or the file system has no such mode (EINVAL for O_DIRECT).
    pub fn reopen(place: &Path, mode: CacheMode, seed: u64) -> Result<Self> {
        let direct = match mode {
            CacheMode::Cached => OFlags::empty(),
            CacheMode::Direct => OFlags::DIRECT,
        };
        let file = open(place, direct)?;
        let length = length(&file)?;
        Ok(Self { file, length, seed })
    }

    /// The seed of its data.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether a block that was read at this offset holds the file's words: its first and its last.
    #[inline(always)]
    pub fn is_block(&self, block: &[u8], offset: u64) -> bool {
        let last = block.len() / 8;
        let first_word = block.first_chunk::<8>().map(|word| u64::from_ne_bytes(*word));
        let last_word = block.last_chunk::<8>().map(|word| u64::from_ne_bytes(*word));
        first_word == Some(self.word(offset / 8))
            && last_word == Some(self.word(offset / 8 + last as u64 - 1))
    }

    /// The file's bytes at an offset that is a multiple of 8.
    pub fn compose(&self, block: &mut [u8], offset: u64) {
        for (word, index) in block.chunks_exact_mut(8).zip(offset / 8..) {
            word.copy_from_slice(&self.word(index).to_ne_bytes());
        }
    }
}
