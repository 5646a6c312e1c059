//! How much of a file stays in the cache, by its second read: in a control group of known limit, or on the whole machine.

use super::device::is_emptied;
use super::machine_cache;
use super::memory_group::MemoryGroup;
use super::stock::Stock;
use super::{BLOCK, RIGHT_DATA};
use measure::{Bench, Failure};
use std::ops::Range;
use std::sync::atomic::Ordering;
use sys::cachestat;
use sys::clock::Clock;
use sys::direct;
use sys::memory::Mapping;
use sys::process::{Actor, Ended};
use sys::temporary::bytes_from_devices;

pub use machine_cache::spend_ns;

/// Bytes of one read.
const PIECE: usize = 256 << 10;

/// Bytes to which the knee is known.
const FINE: u64 = 512 << 10;

/// Words that the child gives: the knee, pages in the cache after a stream, the group's own count, and for each size
/// that was tried its nanoseconds for a block.
const KNEE: usize = 0;
const PRESENT: usize = 1;
const CHARGED: usize = 2;
const COUNT: usize = 3;
const CURVE: usize = 4;

/// Sizes that are tried at most.
const MOST_SIZES: usize = 40;

/// Words of a child that reads a part twice: nanoseconds of a block in thousandths, and bytes that came from the device.
const TIME: usize = 0;
const CAME: usize = 1;

/// Words that a child in a control group gives.
struct Words(Mapping);

impl Words {
    fn get(&self, at: usize) -> u64 {
        let word = self.0.words().get(at);
        word.map_or(0, |word| word.load(Ordering::Acquire))
    }

    fn set(&self, at: usize, value: u64) {
        if let Some(word) = self.0.words().get(at) {
            word.store(value, Ordering::Release);
        }
    }
}

/// Lets a child work in a control group of this limit, which is gone afterwards; gives the words that it set.
fn in_group(
    bench: &Bench<'_>,
    limit: u64,
    work: impl FnOnce(&MemoryGroup, &Words) -> Result<(), Failure>,
) -> Result<Words, Failure> {
    let group = MemoryGroup::new(limit, &bench.directory()?.folder)?;
    let words = Words(Mapping::shared((CURVE + 2 * MOST_SIZES) * 8)?);
    let child = Actor::spawn(bench.cpu(), || {
        let done = group.enter().and_then(|()| work(&group, &words));
        i32::from(done.is_err())
    })?;
    match child.join()? {
        Ended::Exited(0) => Ok(words),
        ended => Err(Failure::Failed(format!(
            "the child in the control group did not end its reads ({ended:?})"
        ))),
    }
}

/// The largest part of a file whose second read comes from the cache.
pub fn find_size(bench: &mut Bench<'_>) -> Result<(), Failure> {
    if machine_cache::is_of(bench.point()) {
        return machine_cache::run(bench);
    }
    let limit = bench.point().size("memory_limit")?;
    let stock = Stock::on_disk(bench, 3 * limit)?;
    let found = in_group(bench, limit, |group, words| {
        Search::new(&stock, limit, words)?.find(group)
    })?;
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

/// The second read of a part of a file.
pub fn read_twice(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let (limit, bytes) = (bench.point().size("memory_limit")?, bench.point().size("bytes")?);
    let stock = Stock::on_disk(bench, bytes)?;
    let emptied = is_emptied(&stock)?;
    let second = in_group(bench, limit, |_, words| {
        direct::will_read(stock.file.descriptor(), false)?;
        let mut search = Search::new(&stock, limit, words)?;
        search.read(bytes)?;
        sys::program::prefault();
        let before = bytes_from_devices().unwrap_or(0);
        let nanos = search.read(bytes)?;
        words.set(CAME, bytes_from_devices().unwrap_or(0).saturating_sub(before));
        words.set(TIME, (nanos * 1000.0) as u64);
        Ok(())
    })?;
    bench.count("answers", 1.0, 1.0);
    bench.count("cache.emptied", emptied, 1.0);
    bench.count("device.bytes", second.get(CAME) as f64, bytes as f64);
    bench.values(vec![second.get(TIME) as f64 / 1000.0]);
    Ok(())
}

/// The child's search.
struct Search<'s> {
    stock: &'s Stock,
    limit: u64,
    words: &'s Words,
    buffer: Mapping,
}

impl<'s> Search<'s> {
    /// A search in a file, which sets what it finds in these words.
    fn new(stock: &'s Stock, limit: u64, words: &'s Words) -> Result<Self, Failure> {
        let mut buffer = Mapping::private(PIECE)?;
        buffer.touch(1);
        Ok(Self {
            stock,
            limit,
            words,
            buffer,
        })
    }

    /// The last bytes of the file: what is read ahead does not go beyond them.
    fn range(&self, bytes: u64) -> Range<u64> {
        let end = self.stock.range.end;
        end - bytes..end
    }

    /// Reads a part once; nanoseconds for a block in the median of the reads, so that those during which somebody
    /// else had the CPU do not matter.
    fn read(&mut self, bytes: u64) -> Result<f64, Failure> {
        let clock = Clock::Kernel;
        let file = &self.stock.file;
        let mut times = Vec::with_capacity((bytes / PIECE as u64) as usize);
        for at in self.range(bytes).step_by(PIECE) {
            let began = clock.start();
            let read = direct::read_at(file.descriptor(), self.buffer.bytes_mut(), at);
            times.push(clock.stop() - began);
            if read != PIECE as isize || !file.is_block(self.buffer.bytes_mut(), at) {
                return Err(Failure::Failed(RIGHT_DATA.to_owned()));
            }
        }
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or(0);
        Ok(median as f64 * BLOCK as f64 / PIECE as f64)
    }

    /// Reads a part twice after its cache was emptied; both times.
    fn twice(&mut self, bytes: u64) -> Result<(f64, f64), Failure> {
        self.stock.file.drop_cache()?;
        Ok((self.read(bytes)?, self.read(bytes)?))
    }

    /// Whether the second read of a part is a cached one.
    fn fits(&mut self, bytes: u64, between: f64) -> Result<bool, Failure> {
        let (_, second) = self.twice(bytes)?;
        let index = self.words.get(COUNT) as usize;
        if index < MOST_SIZES {
            self.words.set(COUNT, index as u64 + 1);
            self.words.set(CURVE + 2 * index, bytes);
            self.words.set(CURVE + 2 * index + 1, second as u64);
        }
        Ok(second < between)
    }

    fn find(mut self, group: &MemoryGroup) -> Result<(), Failure> {
        // Each read is to wait for the disk itself, and nothing beyond the part is to come along.
        direct::will_read(self.stock.file.descriptor(), false)?;
        let (first, second) = self.twice(self.limit / 8)?;
        let between = (first * second).sqrt();
        let (mut inside, mut outside) = (self.limit / 8, self.limit / 4);
        while outside < 3 * self.limit && self.fits(outside, between)? {
            (inside, outside) = (outside, 2 * outside);
        }
        while outside - inside > FINE {
            let middle = (inside + outside) / 2 / PIECE as u64 * PIECE as u64;
            if self.fits(middle, between)? {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        self.stock.file.drop_cache()?;
        self.read(3 * self.limit)?;
        let all = self.stock.range.clone();
        self.words
            .set(PRESENT, cachestat::of(self.stock.file.descriptor(), all)?.present);
        self.words.set(CHARGED, group.file_bytes().unwrap_or(0));
        self.words.set(KNEE, (inside + outside) / 2);
        Ok(())
    }
}
