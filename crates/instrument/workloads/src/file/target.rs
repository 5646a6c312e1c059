//! A file that is overwritten block by block, with known content.

use super::own_files::to_overwrite_by_blocks;
use super::test_file::{count_on_disk, extend};
use super::{BLOCK, DEFAULT};
use measure::{Bench, Result};
use sys::cachestat;
use sys::direct;
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

/// Bytes of the file: fully allocated, never extended.
pub const LENGTH: u64 = 4 << 20;

/// A file that is overwritten, with known content.
pub struct Target {
    pub file: TemporaryFile,
    /// The version of a block that was not written yet: a number of this trial's own.
    first: u64,
    /// The number of writes of each block, from there on, which determines its data.
    versions: Vec<u64>,
    pub buffer: Mapping,
}

impl Target {
    /// A new file, filled by writes of `write_size` bytes, which determine its folios.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn new(bench: &Bench<'_>, write_size: usize) -> Result<Self> {
        let directory = bench.directory()?;
        let mut file = TemporaryFile::new(&directory.path)?;
        extend(&mut file, directory, LENGTH, write_size, bench.seed())?;
        Self::of(file, 0)
    }

    /// A file on a device that all trials of a run overwrite.
    ///
    /// # Errors
    /// When it cannot be written, or is not on a device.
    pub fn on_device(bench: &mut Bench<'_>, name: &str) -> Result<Self> {
        let file = to_overwrite_by_blocks(bench, name, LENGTH)?;
        count_on_disk(bench, &file)?;
        Self::of(file, bench.seed() >> 24)
    }

    fn of(file: TemporaryFile, first: u64) -> Result<Self> {
        let versions = vec![first; (LENGTH / DEFAULT) as usize];
        Ok(Self { file, first, versions, buffer: Mapping::private(BLOCK)? })
    }

    /// The source of a block's data by version.
    fn source(offset: u64, version: u64) -> u64 {
        offset + version * LENGTH
    }

    /// Prepares the next data of a block.
    pub fn compose(&mut self, offset: u64) {
        if let Some(version) = self.versions.get_mut((offset / DEFAULT) as usize) {
            *version += 1;
            self.file.compose(self.buffer.bytes_mut(), Self::source(offset, *version));
        }
    }

    /// The same, changing only two words.
    #[inline(always)]
    pub fn mark(&mut self, offset: u64) {
        if let Some(version) = self.versions.get_mut((offset / DEFAULT) as usize) {
            *version += 1;
            self.file.mark(self.buffer.bytes_mut(), Self::source(offset, *version));
        }
    }

    /// Verifies every block that was written.
    pub fn count_correct(&mut self, bench: &mut Bench<'_>, file: &TemporaryFile) -> Result<()> {
        let (mut correct, mut written) = (0, 0);
        let blocks = (0..LENGTH).step_by(BLOCK).zip(&self.versions);
        for (offset, version) in blocks.filter(|(_, version)| **version > self.first) {
            let block = self.buffer.bytes_mut();
            let read = direct::read_at(file.descriptor(), block, offset);
            written += 1;
            correct += u64::from(
                read == BLOCK as isize && self.file.is_block(block, Self::source(offset, *version)),
            );
        }
        if written > 0 {
            bench.count("blocks.right", correct as f64, f64::from(written));
        }
        Ok(())
    }

    /// Dirty 4 KiB pages, including those in writeback.
    pub fn dirty_pages(&self) -> Result<u64> {
        let cached = cachestat::query(self.file.descriptor(), 0..LENGTH)?;
        Ok((cached.dirty + cached.writeback) * sys::memory::page_size() as u64 / DEFAULT)
    }
}
