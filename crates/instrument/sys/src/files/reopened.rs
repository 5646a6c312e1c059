//! Test files with names, test files opened once more, and their blocks.

use crate::descriptor::Descriptor;
use crate::direct::{CacheMode, length};
use crate::temporary::{TemporaryFile, open};
use crate::{Error, Result};
use rustix::fs::{Mode, OFlags};
use std::path::Path;

fn flags_of(mode: CacheMode) -> OFlags {
    match mode {
        CacheMode::Cached => OFlags::empty(),
        CacheMode::Direct => OFlags::DIRECT,
    }
}

impl TemporaryFile {
    /// Opens a file without a name once more, by its place below /proc; `seed` is that of its data.
    ///
    /// # Errors
    /// When it does not exist, or the file system has no such mode (EINVAL for O_DIRECT).
    pub fn reopen(place: &Path, mode: CacheMode, seed: u64) -> Result<Self> {
        Self::opened(open(place, flags_of(mode))?, seed)
    }

    /// A new, empty file with a name, which whoever makes it removes; open to read and to write.
    ///
    /// # Errors
    /// When the name exists, or the directory cannot be written to.
    pub fn create(path: &Path, seed: u64) -> Result<Self> {
        Self::opened(open(path, OFlags::CREATE | OFlags::EXCL)?, seed)
    }

    /// Opens a file with a name to read only.
    ///
    /// # Errors
    /// As [`TemporaryFile::reopen`].
    pub fn open_to_read(path: &Path, mode: CacheMode, seed: u64) -> Result<Self> {
        let flags = flags_of(mode) | OFlags::RDONLY | OFlags::CLOEXEC;
        let file = rustix::fs::open(path, flags, Mode::empty()).map_err(Error::in_call("openat"))?;
        Self::opened(Descriptor::from(file), seed)
    }

    fn opened(file: Descriptor, seed: u64) -> Result<Self> {
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

    /// The same in the first and the last word of the block only, which are those that are checked.
    #[inline(always)]
    pub fn mark(&self, block: &mut [u8], offset: u64) {
        let last = (block.len() / 8).saturating_sub(1) as u64;
        let words = [self.word(offset / 8), self.word(offset / 8 + last)].map(u64::to_ne_bytes);
        if let Some(place) = block.first_chunk_mut() {
            *place = words[0];
        }
        if let Some(place) = block.last_chunk_mut() {
            *place = words[1];
        }
    }
}
