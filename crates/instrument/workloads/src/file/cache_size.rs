//! Page-cache capacity by re-reads: in a control group with a memory limit, or of the whole machine.

use super::device::drop_cache;
use super::machine_cache;
use super::test_file::TestFile;
use super::{BLOCK, check_block, touched};
use crate::memory_group::MemoryGroup;
use crate::shared_words::SharedWords;
use measure::{Bench, Failure, Result, parameters};
use quantity::Bytes;
use std::ops::Range;
use sys::cachestat;
use sys::clock::Clock;
use sys::direct;
use sys::memory::Mapping;
use sys::process::{Actor, Ended};
use sys::temporary::bytes_from_devices;

pub use machine_cache::{CacheSearch, MemoryLimit, spend_ns};

/// Bytes of one read.
const PIECE: usize = 256 << 10;

/// Resolution of the knee in bytes.
const FINE: u64 = 512 << 10;

/// Words set by the child: the knee, cached pages after a stream, the group's charge, and nanoseconds per block for each
/// size.
const KNEE: usize = 0;
const PRESENT: usize = 1;
const CHARGED: usize = 2;
const COUNT: usize = 3;
const CURVE: usize = 4;

/// Sizes in the curve at most.
const MAX_SIZES: usize = 40;

/// Words of a child that reads a part twice: picoseconds per block, and bytes read from the device.
const TIME: usize = 0;
const DEVICE_BYTES: usize = 1;

/// Runs a child in a control group with this limit, removed afterwards; returns the words that it set.
fn in_group(
    bench: &Bench<'_>,
    limit: u64,
    work: impl FnOnce(&MemoryGroup, &SharedWords) -> Result<()>,
) -> Result<SharedWords> {
    let group = MemoryGroup::new(limit, &bench.directory()?.folder)?;
    let words = SharedWords::new(CURVE + 2 * MAX_SIZES)?;
    let child = Actor::spawn(bench.cpu(), || {
        let done = group.enter().and_then(|()| work(&group, &words));
        i32::from(done.is_err())
    })?;
    match child.join()? {
        Ended::Exited(0) => Ok(words),
        ended => Err(Failure::failed(format!("the child in the control group failed ({ended:?})"))),
    }
}

/// The largest part of a file whose second read is cached.
pub fn find_size(bench: &mut Bench<'_>) -> Result<()> {
    let limit = match bench.parameters()? {
        CacheSearch { method: Some(method), .. } => return machine_cache::run_growing(bench, method),
        CacheSearch { memory_limit: MemoryLimit::Machine, .. } => return machine_cache::run(bench),
        CacheSearch { memory_limit: MemoryLimit::Group(limit), .. } => limit.bytes(),
    };
    let test_file = TestFile::on_device(bench, 3 * limit)?;
    let found = in_group(bench, limit, |group, words| Search::new(&test_file, limit, words)?.find(group))?;
    let knee = found.get(KNEE) as f64;
    bench.count("answers", 1.0, 1.0);
    let present = found.get(PRESENT) * sys::memory::page_size() as u64;
    bench.count("knee.per_cached", knee, present as f64);
    bench.count("group.charged", found.get(CHARGED) as f64, 1.0);
    bench.values(vec![knee]);
    let sizes = (0..found.get(COUNT) as usize).map(|index| {
        let (size, nanos) = (found.get(CURVE + 2 * index), found.get(CURVE + 2 * index + 1));
        (size as f64, nanos as f64)
    });
    bench.curve(sizes);
    Ok(())
}

parameters! {
    /// Repeated reads of a part of a file, with limited memory.
    pub struct RepeatedRead {
        /// Of the control group.
        memory_limit: Bytes,
        /// Of the part.
        file_size: Bytes,
    }
}

/// The second read of a part of a file.
pub fn read_twice(bench: &mut Bench<'_>) -> Result<()> {
    let RepeatedRead { memory_limit, file_size } = bench.parameters()?;
    let (limit, bytes) = (memory_limit.bytes(), file_size.bytes());
    let test_file = TestFile::on_device(bench, bytes)?;
    let emptied = drop_cache(&test_file)?;
    let second = in_group(bench, limit, |_, words| {
        direct::will_read(test_file.file.descriptor(), false)?;
        let mut search = Search::new(&test_file, limit, words)?;
        search.read(bytes)?;
        sys::program::prefault();
        let before = bytes_from_devices().unwrap_or(0);
        let nanos = search.read(bytes)?;
        words.set(DEVICE_BYTES, bytes_from_devices().unwrap_or(0).saturating_sub(before));
        words.set(TIME, (nanos * 1000.0) as u64);
        Ok(())
    })?;
    bench.count("answers", 1.0, 1.0);
    bench.count("cache.emptied", emptied, 1.0);
    bench.count("device.bytes", second.get(DEVICE_BYTES) as f64, bytes as f64);
    bench.values(vec![second.get(TIME) as f64 / 1000.0]);
    Ok(())
}

/// The search of the child.
struct Search<'s> {
    test_file: &'s TestFile,
    limit: u64,
    words: &'s SharedWords,
    buffer: Mapping,
}

impl<'s> Search<'s> {
    /// A search in a file, with its results in shared words.
    fn new(test_file: &'s TestFile, limit: u64, words: &'s SharedWords) -> Result<Self> {
        Ok(Self { test_file, limit, words, buffer: touched(PIECE)? })
    }

    /// The last bytes of the file: readahead cannot go beyond.
    fn range(&self, bytes: u64) -> Range<u64> {
        let end = self.test_file.range.end;
        end - bytes..end
    }

    /// Reads a part once; the median of nanoseconds per block, robust against preemption.
    fn read(&mut self, bytes: u64) -> Result<f64> {
        let clock = Clock::Kernel;
        let file = &self.test_file.file;
        let mut times = Vec::with_capacity((bytes / PIECE as u64) as usize);
        for at in self.range(bytes).step_by(PIECE) {
            let start = clock.start();
            let read = direct::read_at(file.descriptor(), self.buffer.bytes_mut(), at);
            times.push(clock.stop() - start);
            check_block(file, read, self.buffer.bytes_mut(), at)?;
        }
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or(0);
        Ok(median as f64 * BLOCK as f64 / PIECE as f64)
    }

    /// Reads a part twice after dropping the cache; both times.
    fn twice(&mut self, bytes: u64) -> Result<(f64, f64)> {
        self.test_file.file.drop_cache()?;
        Ok((self.read(bytes)?, self.read(bytes)?))
    }

    /// Whether the second read of a part is cached.
    fn fits(&mut self, bytes: u64, threshold: f64) -> Result<bool> {
        let (_, second) = self.twice(bytes)?;
        let index = self.words.get(COUNT) as usize;
        if index < MAX_SIZES {
            self.words.set(COUNT, index as u64 + 1);
            self.words.set(CURVE + 2 * index, bytes);
            self.words.set(CURVE + 2 * index + 1, second as u64);
        }
        Ok(second < threshold)
    }

    fn find(mut self, group: &MemoryGroup) -> Result<()> {
        // Without readahead each read waits for the device, and nothing beyond the part is read.
        direct::will_read(self.test_file.file.descriptor(), false)?;
        let (first, second) = self.twice(self.limit / 8)?;
        let threshold = (first * second).sqrt();
        let (mut inside, mut outside) = (self.limit / 8, self.limit / 4);
        while outside < 3 * self.limit && self.fits(outside, threshold)? {
            (inside, outside) = (outside, 2 * outside);
        }
        while outside - inside > FINE {
            let middle = (inside + outside) / 2 / PIECE as u64 * PIECE as u64;
            if self.fits(middle, threshold)? {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        self.test_file.file.drop_cache()?;
        self.read(3 * self.limit)?;
        let all = self.test_file.range.clone();
        self.words.set(PRESENT, cachestat::query(self.test_file.file.descriptor(), all)?.present);
        self.words.set(CHARGED, group.file_bytes().unwrap_or(0));
        self.words.set(KNEE, (inside + outside) / 2);
        Ok(())
    }
}
