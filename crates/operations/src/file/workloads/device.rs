//! Reads of blocks that come from a device: timed alone, or all of a file in one pass.

use super::stock::{NO_DISK, Stock};
use super::walk::Walk;
use super::{BLOCK, DEFAULT, DeviceBytes, RIGHT_DATA, TrialTime};
use measure::{Bench, Failure};
use sys::clock::Clock;
use sys::direct::{self, CacheMode, DONT_CACHE};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

/// Reads of a trial that are timed one by one, at most; of larger pieces.
const MOST: usize = 64;
const MOST_LARGE: usize = 12;

/// Fewest and most passes over a file in a trial.
const PASSES: (usize, usize) = (3, 24);

/// Times that a small file is read from its opening on.
const OPENINGS: usize = 32;

/// Past the cache.
pub fn read_past_the_cache(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let block = bench.point().size("block").unwrap_or(DEFAULT);
    let stock = Stock::on_disk(bench, bytes)?;
    let file = stock.again(CacheMode::Direct)?;
    let mut walk = Walk::new(bench.point(), stock.range.start, bytes, block, bench.seed())?;
    walk.begin_at(bench.seed());
    let most = if block == DEFAULT { MOST } else { MOST_LARGE };
    one_by_one(bench, &file, &mut walk, (block as usize, most), 0)
}

/// Through the cache, which was emptied.
pub fn read_uncached(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let stock = Stock::on_disk(bench, bytes)?;
    if bench.point().get("access") == Some("sequential") {
        return passes(bench, &stock, 0);
    }
    let file = stock.again(CacheMode::Cached)?;
    let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
    if bench.point().get("access") == Some("random") {
        direct::will_read(file.descriptor(), false)?;
        walk.begin_at(bench.seed());
    }
    let emptied = is_emptied(&stock)?;
    one_by_one(bench, &file, &mut walk, (BLOCK, MOST), 0)?;
    bench.count("cache.emptied", emptied, 1.0);
    Ok(())
}

/// Through the cache, without staying there.
pub fn read_without_caching(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let stock = Stock::on_disk(bench, bytes)?;
    let read = direct::read_at_with(
        stock.file.descriptor(),
        &mut [0; 8],
        stock.range.start,
        DONT_CACHE,
    );
    if read != 8 {
        return Err(Failure::skipped(
            "the kernel or the file system does not know RWF_DONTCACHE",
            "run on Linux 6.14 or newer, with --dir on ext4 or xfs",
        ));
    }
    if bench.point().get("access") == Some("sequential") {
        passes(bench, &stock, DONT_CACHE)?;
    } else {
        let file = stock.again(CacheMode::Cached)?;
        direct::will_read(file.descriptor(), false)?;
        let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
        let emptied = is_emptied(&stock)?;
        one_by_one(bench, &file, &mut walk, (BLOCK, MOST), DONT_CACHE)?;
        bench.count("cache.emptied", emptied, 1.0);
    }
    let (left, pages) = stock.cached()?;
    bench.count("cache.left", left as f64, pages as f64);
    Ok(())
}

/// The first read after a file was opened, the opening included.
pub fn open_and_read(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let stock = Stock::on_disk(bench, bytes)?;
    let mut walk = Walk::new(bench.point(), stock.range.start, bytes, DEFAULT, bench.seed())?;
    let mut buffer = Mapping::private(BLOCK)?;
    let (mut emptied, mut times) = (0.0, Vec::with_capacity(MOST));
    let clock = Clock::select();
    let device = DeviceBytes::begin();
    for _ in 0..MOST {
        emptied += is_emptied(&stock)?;
        let offset = walk.take();
        let began = clock.moment();
        let file = stock.again(CacheMode::Cached)?;
        let read = direct::read_at(file.descriptor(), buffer.bytes_mut(), offset);
        times.push(clock.moment().nanos_since(began) as f64);
        right(&file, read, buffer.bytes_mut(), offset)?;
    }
    let count = times.len() as f64;
    device.tell(bench, count * BLOCK as f64);
    bench.count("cache.emptied", emptied, count);
    bench.count("answers", count, count);
    bench.values(times);
    Ok(())
}

/// A small file from its opening to its end, per block.
pub fn open_and_read_all(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let stock = Stock::on_disk(bench, bytes)?;
    let mut buffer = Mapping::private(BLOCK)?;
    let (clock, mut values) = (Clock::select(), Vec::new());
    let device = DeviceBytes::begin();
    for _ in 0..OPENINGS {
        stock.empty()?;
        let began = clock.moment();
        let file = stock.again(CacheMode::Cached)?;
        read_all(&stock, &file, &mut buffer, 0)?;
        values.push(clock.moment().nanos_since(began) as f64 * BLOCK as f64 / bytes as f64);
    }
    let count = values.len() as f64;
    device.tell(bench, count * bytes as f64);
    bench.count("answers", count, count);
    bench.values(values);
    Ok(())
}

/// Empties the cache; 1 if nothing is left in it.
///
/// # Errors
/// A skip, where the file system keeps its files in memory.
pub fn is_emptied(stock: &Stock) -> Result<f64, Failure> {
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
pub fn right(file: &TemporaryFile, read: isize, block: &[u8], offset: u64) -> Result<(), Failure> {
    sys::Error::check("pread64", read)?;
    if read == block.len() as isize && file.is_block(block, offset) {
        Ok(())
    } else {
        Err(Failure::Failed(RIGHT_DATA.to_owned()))
    }
}

/// Reads a block, with flags if there are any.
#[inline(always)]
fn read_with(file: &TemporaryFile, block: &mut [u8], offset: u64, flags: i32) -> isize {
    match flags {
        0 => direct::read_at(file.descriptor(), block, offset),
        _ => direct::read_at_with(file.descriptor(), block, offset, flags),
    }
}

/// Reads the whole range in order.
pub fn read_all(
    stock: &Stock,
    file: &TemporaryFile,
    buffer: &mut Mapping,
    flags: i32,
) -> Result<(), Failure> {
    for offset in stock.range.clone().step_by(BLOCK) {
        let read = read_with(file, buffer.bytes_mut(), offset, flags);
        right(file, read, buffer.bytes_mut(), offset)?;
    }
    Ok(())
}

/// Reads timed alone, so many at most.
fn one_by_one(
    bench: &mut Bench<'_>,
    file: &TemporaryFile,
    walk: &mut Walk,
    (block, most): (usize, usize),
    flags: i32,
) -> Result<(), Failure> {
    let mut buffer = Mapping::private(block)?;
    buffer.touch(1);
    let clock = Clock::select();
    let most = most.min(walk.count());
    let mut times = Vec::with_capacity(most);
    let device = DeviceBytes::begin();
    bench.watched_for(most as f64, || {
        for _ in 0..most {
            let (offset, bytes) = (walk.take(), buffer.bytes_mut());
            let began = clock.moment();
            let read = read_with(file, bytes, offset, flags);
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

/// Passes over the whole range in order, each after the cache was emptied; a value is the time of a block in a pass.
fn passes(bench: &mut Bench<'_>, stock: &Stock, flags: i32) -> Result<(), Failure> {
    let mut buffer = Mapping::private(BLOCK)?;
    buffer.touch(1);
    let blocks = (stock.range.end - stock.range.start) / DEFAULT;
    let (mut emptied, mut values) = (0.0, Vec::new());
    let time = TrialTime::begin(bench, PASSES);
    let device = DeviceBytes::begin();
    while time.is_left(values.len()) {
        emptied += is_emptied(stock)?;
        // What the kernel knows of the reads before goes with the descriptor.
        let file = stock.again(CacheMode::Cached)?;
        let began = time.clock.moment();
        read_all(stock, &file, &mut buffer, flags)?;
        values.push(time.clock.moment().nanos_since(began) as f64 / blocks as f64);
    }
    let passes = values.len() as f64;
    device.tell(bench, passes * blocks as f64 * BLOCK as f64);
    bench.count("cache.emptied", emptied, passes);
    bench.count("answers", passes, passes);
    bench.values(values);
    Ok(())
}
