//! A file that is overwritten block by block, with known content.

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
    /// The number of writes of each block, which determines its data.
    versions: Vec<u64>,
    pub buffer: Mapping,
}

impl Target {
    /// A new file, filled by writes of `write_size` bytes, which determine its folios.
    ///
    /// # Errors
    /// When it cannot be written, or must be on a device and is not.
    pub fn new(bench: &mut Bench<'_>, write_size: usize, needs_device: bool) -> Result<Self> {
        let directory = bench.directory()?;
        let mut file = TemporaryFile::new(&directory.path)?;
        extend(&mut file, directory, LENGTH, write_size, bench.seed())?;
        if needs_device {
            count_on_disk(bench, &file)?;
        }
        Ok(Self { file, versions: vec![0; (LENGTH / DEFAULT) as usize], buffer: Mapping::private(BLOCK)? })
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

    /// Verifies every block.
    pub fn count_correct(&mut self, bench: &mut Bench<'_>, file: &TemporaryFile) -> Result<()> {
        let mut correct = 0;
        for (offset, version) in (0..LENGTH).step_by(BLOCK).zip(&self.versions) {
            let block = self.buffer.bytes_mut();
            let read = direct::read_at(file.descriptor(), block, offset);
            correct += u64::from(
                read == BLOCK as isize && self.file.is_block(block, Self::source(offset, *version)),
            );
        }
        bench.count("blocks.right", correct as f64, self.versions.len() as f64);
        Ok(())
    }

    /// Dirty 4 KiB pages, including those in writeback.
    pub fn dirty_pages(&self) -> Result<u64> {
        let cached = cachestat::query(self.file.descriptor(), 0..LENGTH)?;
        Ok((cached.dirty + cached.writeback) * sys::memory::page_size() as u64 / DEFAULT)
    }
}
