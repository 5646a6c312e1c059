//! Reads of blocks that come from the device: past the cache, through an empty cache, through it without staying.

use super::cached::plot;
use crate::file::stock::{NO_DISK, Stock};
use crate::file::walk::{DEFAULT, Walk};
use crate::file::{BLOCK, COMMON, DeviceBytes, RIGHT_DATA, size_of};
use crate::memory::fault::WAITS;
use measure::{Bench, Failure, How, Operation, Point, Rehearse};
use record::Profile;
use sys::clock::Clock;
use sys::direct::{self, Way};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

pub(super) const DEVICE: Operation = Operation {
    how: How::Values,
    gate: WAITS,
    rehearse: Rehearse::Nothing,
    spend_ns: 12_000_000,
    plot: Some(plot),
    bounds: &["floor"],
    ..COMMON
};

/// What the sources of all of them have in common.
const BELOW: &str = "Below the device nothing is emptied: a disk's own cache, or that of a virtual machine's host, \
                     which no guest can drop. There the first read of a block ever takes up to ten times as long as \
                     all later ones.";

/// Past the cache.
pub static DIRECT: Operation = Operation {
    id: "file.read.direct",
    title: "read of 4 KiB of a file past the cache",
    one_iteration: "one pread of a block through O_DIRECT, whose first and last word must be what was written there",
    method: "A file of random data was written and synced in this run, and lies on a device by its extents (FIEMAP). Its \
             last bytes, as many as the point says, are read block by block with O_DIRECT, whose alignment is asked for \
             (statx), in order or in random order; each read is timed alone. block=1MiB reads larger pieces: the \
             device's rate.",
    confounds: BELOW,
    sources: &[
        ("R3", "O_DIRECT, files of 4 MB to 1 GB"),
        ("R0, R2", "F_NOCACHE, which still reads what is in the cache"),
        ("fio", "direct=1, bs=4k, psync or io_uring at depth 1"),
    ],
    points: |profile| {
        let sizes: &[&str] = match profile {
            Profile::Quick => &["64MiB"],
            Profile::Standard => &["1MiB", "64MiB", "256MiB"],
            Profile::Thorough => &["1MiB", "16MiB", "64MiB", "256MiB", "1GiB"],
        };
        let mut all = vec![of("sequential", "64MiB")];
        all.extend(sizes.iter().map(|bytes| of("random", bytes)));
        all.push(of("sequential", "64MiB").with("block", "1MiB"));
        all
    },
    predict: &[
        "block=*: hardware t0 1 MiB from the device = 256 × device_share",
        "block!=*: t0 floors(1)",
        "block!=*: hardware t0 read of the device = device_read",
        "block!=*: t0 request to the device",
        // The same device, the same queue: where a block lies is all that differs.
        "bytes!=64MiB block!=*: hardware t1 a block in order, past the cache = [file.read.direct \
         order=sequential bytes=64MiB]",
        "bytes=64MiB order=random: hardware t1 a block in order, past the cache = [file.read.direct \
         order=sequential bytes=64MiB]",
    ],
    evidence: &["blocks from the device(1.001)"],
    run: |bench| {
        let bytes = size_of(bench.point(), "bytes")?;
        let block = size_of(bench.point(), "block").unwrap_or(DEFAULT);
        let stock = Stock::on_disk(bench, bytes)?;
        let file = stock.again(Way::Direct)?;
        let mut walk = Walk::new(bench.point(), stock.range.start, bytes, block, bench.seed())?;
        walk.begin_at(bench.seed());
        let most = if is_large(bench.point()) { 12 } else { MOST };
        one_by_one(bench, &file, &mut walk, (block as usize, most), &mut || Ok(()))
    },
    ..DEVICE
};

fn is_large(point: &Point) -> bool {
    point.get("block").is_some()
}

/// Through the cache, which was emptied.
pub static UNCACHED: Operation = Operation {
    id: "file.read.uncached",
    title: "read of 4 KiB of a file that is not in the cache",
    one_iteration: "one pread of a block that comes from the device, whose first and last word must be what was \
                    written there",
    method: "The file's cache alone is emptied (POSIX_FADV_DONTNEED) and found empty (cachestat, or mincore); nobody \
             else loses anything. order=random: the kernel is told to expect random reads (POSIX_FADV_RANDOM) and \
             each read is timed alone. order=stride: it is told nothing, and each read is timed alone. \
             order=sequential: it is told nothing and reads ahead; all blocks are read in one pass, which is timed, \
             to its end, divided by their number, and begins with the cache empty again.",
    confounds: BELOW,
    sources: &[
        ("R0", "purge, files of 4 KiB to 256 MiB, sparse or of zeros (E21)"),
        ("R3", "drop_caches, files of 4 MB to 1 GB"),
        ("R2", "F_NOCACHE"),
        ("fio", "direct=0 invalidate=1"),
    ],
    points: |profile| {
        let sizes: &[&str] = match profile {
            Profile::Quick => &["1MiB", "16MiB"],
            Profile::Standard => &["64KiB", "1MiB", "16MiB"],
            Profile::Thorough => &["4KiB", "64KiB", "1MiB", "16MiB", "256MiB"],
        };
        let strides: &[&str] = match profile {
            Profile::Quick => &[],
            Profile::Standard => &["16KiB", "256KiB"],
            Profile::Thorough => &["8KiB", "16KiB", "64KiB", "256KiB", "1MiB"],
        };
        let mut all: Vec<Point> = sizes.iter().map(|bytes| of("sequential", bytes)).collect();
        all.push(of("random", "64MiB"));
        all.extend(
            strides
                .iter()
                .map(|stride| of("stride", "64MiB").with("stride", stride)),
        );
        all
    },
    predict: &["uncached read of a block"],
    evidence: &[
        "order!=stride: blocks from the device(1.001)",
        // With strides the kernel may read what lies between.
        "order=stride: blocks from the device(4096)",
        "cache.emptied = 1: nothing of it was in the cache before it was read",
    ],
    bounds: &[
        "order=random: > [file.read.cached order=sequential bytes=64KiB]: the block is copied out of the \
         cache as a cached one is, and comes there first",
        "order!=random: floor",
    ],
    run: |bench| {
        let bytes = size_of(bench.point(), "bytes")?;
        let stock = Stock::on_disk(bench, bytes)?;
        if bench.point().get("order") == Some("sequential") {
            return passes(bench, &stock, 0);
        }
        let file = stock.again(Way::Cached)?;
        let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
        if bench.point().get("order") == Some("random") {
            direct::will_read(file.descriptor(), false)?;
            walk.begin_at(bench.seed());
        }
        let emptied = is_emptied(&stock)?;
        one_by_one(bench, &file, &mut walk, (BLOCK, MOST), &mut || Ok(()))?;
        bench.count("cache.emptied", emptied, 1.0);
        Ok(())
    },
    ..DEVICE
};

pub(super) fn of(order: &str, bytes: &str) -> Point {
    Point::only().with("order", order).with("bytes", bytes)
}

/// Reads of a trial that are timed one by one, at most.
pub(super) const MOST: usize = 64;

/// Empties the cache; 1 if nothing is left in it.
///
/// # Errors
/// A skip, where the file system keeps its files in memory.
pub(in crate::file) fn is_emptied(stock: &Stock) -> Result<f64, Failure> {
    if stock.empty()? {
        return Ok(1.0);
    }
    let (left, pages) = stock.cached()?;
    if left == pages {
        let reason = "the cache of a file cannot be emptied here: its pages stay".to_owned();
        return Err(Failure::skipped(reason, NO_DISK));
    }
    Ok(0.0)
}

/// An error unless the block is the file's.
pub(in crate::file) fn right(
    file: &TemporaryFile,
    read: isize,
    block: &[u8],
    offset: u64,
) -> Result<(), Failure> {
    sys::Error::check("pread64", read)?;
    if read == block.len() as isize && file.is_block(block, offset) {
        Ok(())
    } else {
        Err(Failure::Failed(RIGHT_DATA.to_owned()))
    }
}

/// Reads timed alone, so many at most.
fn one_by_one(
    bench: &mut Bench<'_>,
    file: &TemporaryFile,
    walk: &mut Walk,
    shape: (usize, usize),
    before: &mut dyn FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    one_by_one_with(bench, file, walk, shape, 0, before)
}

pub(super) fn one_by_one_with(
    bench: &mut Bench<'_>,
    file: &TemporaryFile,
    walk: &mut Walk,
    (block, most): (usize, usize),
    flags: i32,
    before: &mut dyn FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut buffer = Mapping::private(block)?;
    buffer.touch(1);
    let clock = Clock::select();
    let most = most.min(walk.count());
    let mut times = Vec::with_capacity(most);
    let device = DeviceBytes::begin();
    bench.watched_for(most as f64, || {
        for _ in 0..most {
            before()?;
            let (offset, bytes) = (walk.take(), buffer.bytes_mut());
            let began = clock.moment();
            let read = match flags {
                0 => direct::read_at(file.descriptor(), bytes, offset),
                _ => direct::read_at_with(file.descriptor(), bytes, offset, flags),
            };
            times.push(clock.moment().nanos_since(began) as f64);
            right(file, read, bytes, offset)?;
        }
        Ok(())
    })?;
    let count = times.len() as f64;
    device.tell(bench, count * block as f64);
    bench.count("answers", count, count);
    bench.values(times);
    Ok(())
}

/// Fewest and most passes over a file in a trial.
const PASSES: (usize, usize) = (3, 24);

/// Passes over the whole range in order, each after the cache was emptied; a value is the time of a block in a pass.
pub(super) fn passes(bench: &mut Bench<'_>, stock: &Stock, flags: i32) -> Result<(), Failure> {
    let mut buffer = Mapping::private(BLOCK)?;
    buffer.touch(1);
    let clock = Clock::select();
    let spend = i64::try_from(bench.spend_ns()).unwrap_or(i64::MAX);
    let (mut emptied, mut values) = (0.0, Vec::new());
    let (first, blocks) = (clock.moment(), (stock.range.end - stock.range.start) / DEFAULT);
    let device = DeviceBytes::begin();
    while values.len() < PASSES.1 && (values.len() < PASSES.0 || clock.moment().nanos_since(first) < spend) {
        emptied += is_emptied(stock)?;
        // What the kernel knows of the reads before goes with the descriptor.
        let file = stock.again(Way::Cached)?;
        let began = clock.moment();
        for offset in stock.range.clone().step_by(BLOCK) {
            let read = match flags {
                0 => direct::read_at(file.descriptor(), buffer.bytes_mut(), offset),
                _ => direct::read_at_with(file.descriptor(), buffer.bytes_mut(), offset, flags),
            };
            right(&file, read, buffer.bytes_mut(), offset)?;
        }
        values.push(clock.moment().nanos_since(began) as f64 / blocks as f64);
    }
    let passes = values.len() as f64;
    device.tell(bench, passes * blocks as f64 * BLOCK as f64);
    bench.count("cache.emptied", emptied, passes);
    bench.count("answers", passes, passes);
    bench.values(values);
    Ok(())
}
