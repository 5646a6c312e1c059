//! Reads of blocks from a device: timed individually, or all of a file in one pass.

use super::access_pattern::{AccessPattern, FileAccess, FileRead, Order};
use super::test_file::{NO_DISK, TestFile};
use super::{BLOCK, DEFAULT, DeviceBytes, TrialTime, check_block, report, touched};
use measure::{Bench, Failure, Result, choice, parameters};
use quantity::Bytes;
use sys::clock::Clock;
use sys::direct::{self, CacheMode, DONT_CACHE};
use sys::memory::Mapping;
use sys::temporary::TemporaryFile;

/// Individually timed reads of a trial at most; of larger blocks.
const MAX_READS: usize = 64;
const MAX_LARGE_READS: usize = 12;

/// Minimum and maximum passes over a file in a trial.
const PASSES: (usize, usize) = (3, 24);

/// Open-and-read cycles of a small file.
const OPENINGS: usize = 32;

parameters! {
    /// Reads with O_DIRECT.
    pub struct DirectRead {
        /// The order.
        access: FileAccess,
        /// Of the file.
        file_size: Bytes,
        /// Of one read.
        block: Bytes = Bytes::from_bytes(DEFAULT),
        /// From one block to the next, with `access=stride`.
        stride: Option<Bytes> = None,
    }
}

/// O_DIRECT.
pub fn read_direct(bench: &mut Bench<'_>) -> Result<()> {
    let DirectRead { access, file_size, block, stride } = bench.parameters()?;
    let block = block.bytes();
    let test_file = TestFile::on_device(bench, file_size.bytes())?;
    let file = test_file.reopen(CacheMode::Direct)?;
    let mut pattern = AccessPattern::of_file(bench, Order::new(access, stride)?, &test_file, block);
    pattern.start_at_random(bench.seed());
    let maximum = if block == DEFAULT { MAX_READS } else { MAX_LARGE_READS };
    time_each(bench, &file, &mut pattern, (block as usize, maximum), 0)
}

/// Cold cache.
pub fn read_uncached(bench: &mut Bench<'_>) -> Result<()> {
    let FileRead { access, file_size, stride } = bench.parameters()?;
    let test_file = TestFile::on_device(bench, file_size.bytes())?;
    match Order::new(access, stride)? {
        Order::Sequential => time_passes(bench, &test_file, 0),
        order => time_uncached(bench, &test_file, order, 0),
    }
}

/// RWF_DONTCACHE.
pub fn read_without_caching(bench: &mut Bench<'_>) -> Result<()> {
    let FileRead { access, file_size, stride } = bench.parameters()?;
    let test_file = TestFile::on_device(bench, file_size.bytes())?;
    let read =
        direct::read_at_with(test_file.file.descriptor(), &mut [0; 8], test_file.range.start, DONT_CACHE);
    if read != 8 {
        return Err(Failure::skipped(
            "the kernel or the file system does not support RWF_DONTCACHE",
            "run on Linux 6.14 or newer, with --dir on ext4 or xfs",
        ));
    }
    match Order::new(access, stride)? {
        Order::Sequential => time_passes(bench, &test_file, DONT_CACHE)?,
        order => time_uncached(bench, &test_file, order, DONT_CACHE)?,
    }
    let (left, pages) = test_file.cached_pages()?;
    bench.count("cache.left", left as f64, pages as f64);
    Ok(())
}

/// Individually timed reads with flags, after the cache was dropped; without readahead in random order.
fn time_uncached(bench: &mut Bench<'_>, test_file: &TestFile, order: Order, flags: i32) -> Result<()> {
    let file = test_file.reopen(CacheMode::Cached)?;
    let mut pattern = AccessPattern::of_file(bench, order, test_file, DEFAULT);
    if order == Order::Random {
        direct::will_read(file.descriptor(), false)?;
        pattern.start_at_random(bench.seed());
    }
    let emptied = drop_cache(test_file)?;
    time_each(bench, &file, &mut pattern, (BLOCK, MAX_READS), flags)?;
    bench.count("cache.emptied", emptied, 1.0);
    Ok(())
}

/// Open and first read.
pub fn open_and_read(bench: &mut Bench<'_>) -> Result<()> {
    let FileRead { access, file_size, stride } = bench.parameters()?;
    let test_file = TestFile::on_device(bench, file_size.bytes())?;
    let mut pattern = AccessPattern::of_file(bench, Order::new(access, stride)?, &test_file, DEFAULT);
    let mut buffer = Mapping::private(BLOCK)?;
    let (mut emptied, mut times) = (0.0, Vec::with_capacity(MAX_READS));
    let clock = Clock::select();
    let device = DeviceBytes::start();
    for _ in 0..MAX_READS {
        emptied += drop_cache(&test_file)?;
        let offset = pattern.next_offset();
        let start = clock.moment();
        let file = test_file.reopen(CacheMode::Cached)?;
        let read = direct::read_at(file.descriptor(), buffer.bytes_mut(), offset);
        times.push(clock.moment().nanos_since(start) as f64);
        check_block(&file, read, buffer.bytes_mut(), offset)?;
    }
    let count = report(bench, times);
    device.count(bench, count * BLOCK as f64);
    bench.count("cache.emptied", emptied, count);
    Ok(())
}

parameters! {
    /// Reads of whole files.
    pub struct WholeFile {
        /// Of the file.
        file_size: Bytes,
    }
}

/// Open and complete read of a small file, per block.
pub fn open_and_read_all(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = bench.parameters::<WholeFile>()?.file_size.bytes();
    let test_file = TestFile::on_device(bench, bytes)?;
    let mut buffer = Mapping::private(BLOCK)?;
    let (clock, mut values) = (Clock::select(), Vec::new());
    let device = DeviceBytes::start();
    for _ in 0..OPENINGS {
        test_file.drop_cache()?;
        let start = clock.moment();
        let file = test_file.reopen(CacheMode::Cached)?;
        read_all(&test_file, &file, &mut buffer, 0)?;
        values.push(clock.moment().nanos_since(start) as f64 * BLOCK as f64 / bytes as f64);
    }
    let count = report(bench, values);
    device.count(bench, count * bytes as f64);
    Ok(())
}

/// Drops the cache; 1 if nothing remains cached.
///
/// # Errors
/// A skip, where the file system keeps its files in memory.
pub fn drop_cache(test_file: &TestFile) -> Result<f64> {
    if test_file.drop_cache()? {
        return Ok(1.0);
    }
    let (left, pages) = test_file.cached_pages()?;
    if left == pages {
        let reason = "the page cache of a file cannot be dropped here".to_owned();
        return Err(Failure::skipped(reason, NO_DISK));
    }
    Ok(0.0)
}

/// Reads a block, with flags if any.
#[inline(always)]
fn read_with(file: &TemporaryFile, block: &mut [u8], offset: u64, flags: i32) -> isize {
    match flags {
        0 => direct::read_at(file.descriptor(), block, offset),
        _ => direct::read_at_with(file.descriptor(), block, offset, flags),
    }
}

/// Reads the whole range sequentially, as much at a time as the buffer holds.
pub fn read_all(test_file: &TestFile, file: &TemporaryFile, buffer: &mut Mapping, flags: i32) -> Result<()> {
    for offset in test_file.range.clone().step_by(buffer.length()) {
        let read = read_with(file, buffer.bytes_mut(), offset, flags);
        check_block(file, read, buffer.bytes_mut(), offset)?;
    }
    Ok(())
}

/// Individually timed reads.
fn time_each(
    bench: &mut Bench<'_>,
    file: &TemporaryFile,
    pattern: &mut AccessPattern,
    (block, maximum): (usize, usize),
    flags: i32,
) -> Result<()> {
    let mut buffer = touched(block)?;
    let clock = Clock::select();
    let count = maximum.min(pattern.len());
    let mut times = Vec::with_capacity(count);
    let device = DeviceBytes::start();
    // The device also has those reads that warm up and are no values.
    let mut made = 0;
    let mut once = || {
        made += 1;
        let (offset, bytes) = (pattern.next_offset(), buffer.bytes_mut());
        let start = clock.moment();
        let read = read_with(file, bytes, offset, flags);
        let nanos = clock.moment().nanos_since(start) as f64;
        check_block(file, read, bytes, offset)?;
        Ok(nanos)
    };
    if bench.times_every_iteration() {
        bench.each_value(&|_| false, &mut once)?;
    } else {
        bench.watched_for(count as f64, || {
            for _ in 0..count {
                times.push(once()?);
            }
            Ok(())
        })?;
        report(bench, times);
    }
    device.count(bench, (made * block) as f64);
    Ok(())
}

/// Bytes of the file whose rate is measured, and of a read, as in hdparm.
const RATED: u64 = 64 << 20;
const PIECE: usize = 2 << 20;

choice! {
    /// What the page cache holds of a file.
    pub enum CacheState {
        /// Nothing.
        Cold = "cold",
        /// All.
        Warm = "warm",
    }
}

parameters! {
    /// Passes over a file.
    pub struct Passes {
        /// What the page cache holds before a pass.
        cache: CacheState,
    }
}

/// Passes over a file, with a cold or a warm cache; a value is the bytes per second of a pass.
pub fn read_rate(bench: &mut Bench<'_>) -> Result<()> {
    let is_cold = bench.parameters::<Passes>()?.cache == CacheState::Cold;
    let test_file = TestFile::on_device(bench, RATED)?;
    test_file.fill_cache()?;
    let passes = passes(bench, &test_file, PIECE, (1, PASSES.1), (is_cold, 0))?;
    report(bench, passes.into_iter().map(|nanos| RATED as f64 * 1e9 / nanos.max(1.0)).collect());
    Ok(())
}

/// Passes with a cold cache by reads of a block; a value is the time per block of a pass.
fn time_passes(bench: &mut Bench<'_>, test_file: &TestFile, flags: i32) -> Result<()> {
    let blocks = (test_file.bytes() / DEFAULT) as f64;
    let passes = passes(bench, test_file, BLOCK, PASSES, (true, flags))?;
    report(bench, passes.into_iter().map(|nanos| nanos / blocks).collect());
    Ok(())
}

/// Nanoseconds of sequential passes over the whole range by reads of `piece` bytes.
fn passes(
    bench: &mut Bench<'_>,
    test_file: &TestFile,
    piece: usize,
    limits: (usize, usize),
    (is_cold, flags): (bool, i32),
) -> Result<Vec<f64>> {
    let mut buffer = touched(piece)?;
    let (mut emptied, mut times) = (0.0, Vec::new());
    let time = TrialTime::start(bench, limits);
    let device = DeviceBytes::start();
    while time.allows(times.len()) {
        if is_cold {
            emptied += drop_cache(test_file)?;
        }
        // A new descriptor has no readahead state.
        let file = test_file.reopen(CacheMode::Cached)?;
        let start = time.clock.moment();
        read_all(test_file, &file, &mut buffer, flags)?;
        times.push(time.clock.moment().nanos_since(start) as f64);
    }
    let passes = times.len() as f64;
    device.count(bench, passes * test_file.bytes() as f64);
    if is_cold {
        bench.count("cache.emptied", emptied, passes);
    }
    Ok(times)
}
