//! A file that is written over block by block: what each block holds is known.

use super::stock::{NO_DISK, has_room, refused};
use super::{BLOCK, DEFAULT};
use measure::{Bench, Failure};
use sys::cachestat;
use sys::direct;
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

/// Bytes of the file that is written over: it has its place on the disk, and no write makes it longer.
pub const LENGTH: u64 = 4 << 20;

/// A file that is written over: what each block holds is known.
pub struct Target {
    pub file: TemporaryFile,
    /// For each block how often it was written, which its data tells.
    versions: Vec<u64>,
    pub buffer: Mapping,
}

impl Target {
    /// A new file, written by calls of `piece` bytes: its cache is made of such pieces where the file system can.
    ///
    /// # Errors
    /// When it cannot be written, or lies on no disk and has to.
    pub fn new(bench: &mut Bench<'_>, piece: usize, needs_disk: bool) -> Result<Self, Failure> {
        let mut file = TemporaryFile::new(&bench.directory()?.path)?;
        has_room(file.file_system()?, LENGTH)?;
        file.fill(LENGTH as usize, piece, bench.seed()).map_err(refused)?;
        file.flush()?;
        if needs_disk {
            let extents = file.extents().map_err(|error| {
                Failure::skipped(format!("no disk is under the directory ({error})"), NO_DISK)
            })?;
            bench.count(
                "file.on_disk",
                (extents.mapped as f64).min(LENGTH as f64),
                LENGTH as f64,
            );
        }
        Ok(Self {
            file,
            versions: vec![0; (LENGTH / DEFAULT) as usize],
            buffer: Mapping::private(BLOCK)?,
        })
    }

    /// Where the data of a block comes from after so many writes.
    fn source(offset: u64, version: u64) -> u64 {
        offset + version * LENGTH
    }

    /// Prepares the next data of a block.
    pub fn compose(&mut self, offset: u64) {
        if let Some(version) = self.versions.get_mut((offset / DEFAULT) as usize) {
            *version += 1;
            self.file
                .compose(self.buffer.bytes_mut(), Self::source(offset, *version));
        }
    }

    /// The same in two words: the rest stays what it is.
    #[inline(always)]
    pub fn mark(&mut self, offset: u64) {
        if let Some(version) = self.versions.get_mut((offset / DEFAULT) as usize) {
            *version += 1;
            let source = Self::source(offset, *version);
            let (first, last) = (self.file.word(source / 8), self.file.word(source / 8 + 511));
            let block = self.buffer.bytes_mut();
            if let Some(place) = block.first_chunk_mut() {
                *place = first.to_ne_bytes();
            }
            if let Some(place) = block.last_chunk_mut() {
                *place = last.to_ne_bytes();
            }
        }
    }

    /// Looks at every block.
    pub fn tell(&mut self, bench: &mut Bench<'_>, file: &TemporaryFile) -> Result<(), Failure> {
        let mut right = 0;
        for (offset, version) in (0..LENGTH).step_by(BLOCK).zip(&self.versions) {
            let block = self.buffer.bytes_mut();
            let read = direct::read_at(file.descriptor(), block, offset);
            right += u64::from(
                read == BLOCK as isize && self.file.is_block(block, Self::source(offset, *version)),
            );
        }
        bench.count("blocks.right", right as f64, self.versions.len() as f64);
        Ok(())
    }

    /// Pages of 4 KiB that wait for the device or are on their way.
    pub fn waiting(&self) -> Result<u64, Failure> {
        let cached = cachestat::of(self.file.descriptor(), 0..LENGTH)?;
        Ok((cached.dirty + cached.writeback) * sys::memory::page_size() as u64 / DEFAULT)
    }
}
