//! How much of a file stays in the cache: the second read of a file that grows, in a control group of known limit.

use super::machine_cache;
use super::memory_group::MemoryGroup;
use super::stock::Stock;
use super::{BLOCK, COMMON, RIGHT_DATA, size_of};
use crate::memory::fault::WAITS;
use measure::{Actors, Bench, Failure, How, Operation, Point, Rehearse};
use quantity::Quantity;
use record::{Need, Profile};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::cachestat;
use sys::clock::Clock;
use sys::direct;
use sys::memory::Mapping;
use sys::process::{Actor, Ended};

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

/// The knee.
pub static CACHE_SIZE: Operation = Operation {
    id: "file.cache_size",
    title: "how much of a file stays in the cache, under a limit on memory, or of the whole machine",
    one_iteration: "one search for the largest part of a file whose second read comes from the cache",
    quantity: Quantity::Size,
    method: "A child in a memory control group of the given limit reads the last bytes of a file twice, by 256 KiB \
             without read-ahead, the cache of the file emptied before. The part doubles until the second read is \
             nearer to an uncached read than to a cached one (the medians of single reads, parted by their geometric \
             mean), then is halved in to 512 KiB: coarse, then fine. At the end three times the limit is read once, \
             and what the kernel itself counts as cached (cachestat) is compared. Nobody else's cache is touched; \
             the group is removed in every case. limit=machine (thorough profile): the memory that is available, or the \
             limit of the group in which the run is. A file that is a quarter larger, but never more than a quarter of \
             what is free on the disk, is read once in order, then from its end backwards until what is read comes from \
             the device: what was read last is what stays. This pushes out what others had in the cache.",
    confounds: "The kernel keeps some of the group's memory for the child itself and in stocks of its CPUs. When a \
                part is a little larger than the cache, the kernel may keep some of it through the second read, so \
                that the time does not jump but climbs. A cache below the device (a host's) makes the uncached read \
                quicker, and does not move the knee.",
    sources: &[
        (
            "R0, R2, R3",
            "second read of a growing file on the whole machine, coarse then fine, by eye",
        ),
        ("lmbench", "none"),
    ],
    actors: Actors::Children,
    how: How::Values,
    gate: WAITS,
    rehearse: Rehearse::Nothing,
    // Every size is read from the disk and again: some ten of them.
    spend_ns: 300_000_000,
    points: |profile| {
        let limits: &[&str] = match profile {
            Profile::Thorough => &["16MiB", "32MiB", "128MiB", machine_cache::MACHINE],
            _ => &["32MiB"],
        };
        limits
            .iter()
            .map(|limit| Point::only().with("limit", limit))
            .collect()
    },
    needs: |point| {
        let bytes = size_of(point, "limit").unwrap_or(0);
        vec![Need::Directory, Need::Memory { bytes }]
    },
    spend_of: Some(machine_cache::spend_ns),
    predict: &[
        "limit!=machine: software t0 the limit, less what is not cache = {limit} bytes − 1500000 bytes (×2: \
         a child's own pages, stacks and tables (0.5 MB), and 64 pages for each CPU that are charged in \
         advance (mm/memcontrol.c))",
        "limit=machine: software t0 the memory that is available = min((limit.memory or else \
         memory.available), memory.available)",
    ],
    evidence: &[
        "answers = 1: every block held what was written to it",
        "file.on_disk = 1: all of the file has extents of its own on a device",
        "knee.per_cached 0.95..1.05 (if consistent): the knee is where the kernel's own count of cached \
         pages says",
    ],
    bounds: &[
        "limit!=machine: < {limit} bytes: the group may not have more",
        "limit=machine: < memory.total: the machine has no more memory",
    ],
    run,
    ..COMMON
};

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    if machine_cache::is_of(bench.point()) {
        return machine_cache::run(bench);
    }
    let limit = size_of(bench.point(), "limit")?;
    let stock = Stock::on_disk(bench, 3 * limit)?;
    let group = MemoryGroup::new(limit, &bench.directory()?.folder)?;
    let told = Mapping::shared((CURVE + 2 * MOST_SIZES) * 8)?;
    let child = Actor::spawn(bench.cpu(), || {
        let searched = group
            .enter()
            .and_then(|()| Search::new(&stock, limit, told.words())?.run(&group));
        i32::from(searched.is_err())
    })?;
    let ended = child.join()?;
    drop(group);
    let word = |at: usize| {
        told.words()
            .get(at)
            .map_or(0, |word| word.load(Ordering::Acquire))
    };
    if ended != Ended::Exited(0) || word(KNEE) == 0 {
        return Err(Failure::Failed(format!(
            "the child in the control group did not find where the cache ends ({ended:?})"
        )));
    }
    let knee = word(KNEE) as f64;
    bench.count("answers", 1.0, 1.0);
    bench.count(
        "knee.per_cached",
        knee,
        (word(PRESENT) * sys::memory::page_size() as u64) as f64,
    );
    bench.count("group.charged", word(CHARGED) as f64, 1.0);
    bench.values(vec![knee]);
    let sizes = (0..word(COUNT) as usize).map(|index| {
        let (size, nanos) = (word(CURVE + 2 * index), word(CURVE + 2 * index + 1));
        (size as f64, nanos as f64)
    });
    bench.curve(sizes);
    Ok(())
}

/// The child's search.
pub(super) struct Search<'s> {
    stock: &'s Stock,
    limit: u64,
    told: &'s [AtomicU64],
    buffer: Mapping,
}

impl<'s> Search<'s> {
    /// A search in a file, which tells what it finds in these words.
    pub(super) fn new(stock: &'s Stock, limit: u64, told: &'s [AtomicU64]) -> Result<Self, Failure> {
        let mut buffer = Mapping::private(PIECE)?;
        buffer.touch(1);
        Ok(Self {
            stock,
            limit,
            told,
            buffer,
        })
    }

    fn tell(&self, at: usize, value: u64) {
        if let Some(word) = self.told.get(at) {
            word.store(value, Ordering::Release);
        }
    }

    /// The last bytes of the file: what is read ahead does not go beyond them.
    fn range(&self, bytes: u64) -> Range<u64> {
        let end = self.stock.range.end;
        end - bytes..end
    }

    /// Reads a part once; nanoseconds for a block in the median of the reads, so that those during which somebody
    /// else had the CPU do not matter.
    pub(super) fn read(&mut self, bytes: u64) -> Result<f64, Failure> {
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
        let index = self
            .told
            .get(COUNT)
            .map_or(0, |word| word.fetch_add(1, Ordering::AcqRel)) as usize;
        if index < MOST_SIZES {
            self.tell(CURVE + 2 * index, bytes);
            self.tell(CURVE + 2 * index + 1, second as u64);
        }
        Ok(second < between)
    }

    fn run(mut self, group: &MemoryGroup) -> Result<(), Failure> {
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
        self.tell(PRESENT, cachestat::of(self.stock.file.descriptor(), all)?.present);
        self.tell(CHARGED, group.file_bytes().unwrap_or(0));
        self.tell(KNEE, (inside + outside) / 2);
        Ok(())
    }
}
