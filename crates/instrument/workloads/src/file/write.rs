//! Overwrites of blocks: buffered, and durable.

use super::access_pattern::{Access, AccessPattern};
use super::target::{LENGTH, Target};
use super::test_file::write_error;
use super::{BLOCK, DEFAULT, TrialTime, WRONG_DATA, reopened};
use crate::device_bytes::DeviceCounts;
use measure::{Bench, Failure, Result, Work, parameters};
use quantity::Bytes;
use sys::cachestat;
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

parameters! {
    /// Buffered overwrites.
    pub struct BufferedWrite {
        /// The order.
        access: Access,
        /// Of the writes that made the file, which determine its folios.
        fill_write: Bytes,
    }
}

/// Buffered overwrites.
pub fn write_buffered(bench: &mut Bench<'_>) -> Result<()> {
    let BufferedWrite { access, fill_write } = bench.parameters()?;
    let mut target = Target::new(bench, fill_write.bytes() as usize)?;
    let mut pattern = AccessPattern::new(access.into(), 0, LENGTH, DEFAULT, bench.seed());
    target.file.compose(target.buffer.bytes_mut(), LENGTH);
    bench.batches(Work::new(&mut |n| {
        let mut correct = 0;
        for _ in 0..n {
            let offset = pattern.next_offset();
            target.mark(offset);
            let written = direct::write_at(target.file.descriptor(), target.buffer.bytes_mut(), offset);
            correct += u64::from(written == BLOCK as isize);
        }
        Ok(correct)
    }))?;
    let file = reopened(&target.file, CacheMode::Cached)?;
    target.count_correct(bench, &file)
}

/// Minimum and maximum timed writes of a trial.
const WRITES: (usize, usize) = (5, 48);

/// The timed calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// A write by O_DIRECT.
    DirectWrite,
    /// A buffered write and an fsync.
    WriteFsync,
    /// A buffered write and an fdatasync.
    WriteFdatasync,
    /// An fsync after an untimed write.
    Fsync,
}

parameters! {
    /// Durable writes.
    pub struct DurableWrite {
        /// The order.
        access: Access = Access::Random,
        /// Dirty bytes before an fsync.
        bytes: Bytes = Bytes::from_bytes(DEFAULT),
    }
}

/// Durable writes, timed individually.
pub fn write_durably(bench: &mut Bench<'_>, timed: Timed) -> Result<()> {
    let DurableWrite { access, bytes } = bench.parameters()?;
    // Direct writes have a file of their own: that of the others stays in the cache.
    let (name, mode) = match timed {
        Timed::DirectWrite => ("overwritten.direct", CacheMode::Direct),
        _ => ("overwritten.cached", CacheMode::Cached),
    };
    let mut target = Target::on_device(bench, name)?;
    let file = reopened(&target.file, mode)?;
    if timed == Timed::DirectWrite {
        target.file.drop_cache()?;
    }
    let mut pattern = AccessPattern::new(access.into(), 0, LENGTH, DEFAULT, bench.seed());
    let (mut dirty_before, mut dirty_after) = (0, 0);
    let time = TrialTime::start(bench, WRITES);
    let device = DeviceCounts::start(file.descriptor());
    // The device also has those writes that warm up and are no values.
    let mut made = 0_u32;
    bench.each_value(&|values| time.allows(values), &mut || {
        made += 1;
        let offset = pattern.next_offset();
        if timed == Timed::Fsync {
            for offset in (0..bytes.bytes()).step_by(BLOCK) {
                target.compose(offset);
                write(&file, &mut target.buffer, offset)?;
            }
            dirty_before += target.dirty_pages()?;
        } else {
            target.compose(offset);
        }
        let start = time.clock.moment();
        if timed != Timed::Fsync {
            write(&file, &mut target.buffer, offset)?;
        }
        match timed {
            Timed::DirectWrite => {}
            Timed::WriteFdatasync => direct::sync_data(file.descriptor())?,
            Timed::WriteFsync | Timed::Fsync => direct::sync_all(file.descriptor())?,
        }
        let nanos = time.clock.moment().nanos_since(start) as f64;
        dirty_after += target.dirty_pages()?;
        Ok(nanos)
    })?;
    let count = f64::from(made);
    if timed == Timed::DirectWrite {
        device.count(bench, count, count * BLOCK as f64);
        let cached = cachestat::query(file.descriptor(), 0..LENGTH)?;
        bench.count("cache.left", cached.present as f64, count);
    }
    if timed != Timed::DirectWrite {
        device.count_flushes(bench, count);
    }
    bench.count("pages.waiting", dirty_before as f64, count);
    bench.count("pages.left", dirty_after as f64, count);
    target.count_correct(bench, &file)
}

fn write(file: &TemporaryFile, buffer: &mut Mapping, offset: u64) -> Result<()> {
    let written = direct::write_at(file.descriptor(), buffer.bytes_mut(), offset);
    Failure::unless(sys::Error::check("pwrite64", written).map_err(write_error)? == BLOCK, WRONG_DATA)
}
