//! Reads of blocks from a device: timed individually, or all of a file in one pass.

use super::access_pattern::AccessPattern;
use super::test_file::{NO_DISK, TestFile};
use super::{BLOCK, DEFAULT, DeviceBytes, TrialTime, WRONG_DATA};
use measure::{Bench, Failure};
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

/// O_DIRECT.
pub fn read_direct(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let block = bench.point().size("block").unwrap_or(DEFAULT);
    let test_file = TestFile::on_device(bench, bytes)?;
    let file = test_file.reopen(CacheMode::Direct)?;
    let mut pattern = AccessPattern::new(bench.point(), test_file.range.start, bytes, block, bench.seed())?;
    pattern.start_at_random(bench.seed());
    let maximum = if block == DEFAULT { MAX_READS } else { MAX_LARGE_READS };
    time_each(bench, &file, &mut pattern, (block as usize, maximum), 0)
}

/// Cold cache.
pub fn read_uncached(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let test_file = TestFile::on_device(bench, bytes)?;
    if bench.point().get("access") == Some("sequential") {
        return passes(bench, &test_file, 0);
    }
    let file = test_file.reopen(CacheMode::Cached)?;
    let mut pattern = AccessPattern::new(bench.point(), test_file.range.start, bytes, DEFAULT, bench.seed())?;
    if bench.point().get("access") == Some("random") {
        direct::will_read(file.descriptor(), false)?;
        pattern.start_at_random(bench.seed());
    }
    let emptied = drop_cache(&test_file)?;
    time_each(bench, &file, &mut pattern, (BLOCK, MAX_READS), 0)?;
    bench.count("cache.emptied", emptied, 1.0);
    Ok(())
}

/// RWF_DONTCACHE.
pub fn read_without_caching(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let test_file = TestFile::on_device(bench, bytes)?;
    let read =
        direct::read_at_with(test_file.file.descriptor(), &mut [0; 8], test_file.range.start, DONT_CACHE);
    if read != 8 {
        return Err(Failure::skipped(
            "the kernel or the file system does not support RWF_DONTCACHE",
            "run on Linux 6.14 or newer, with --dir on ext4 or xfs",
        ));
    }
    if bench.point().get("access") == Some("sequential") {
        passes(bench, &test_file, DONT_CACHE)?;
    } else {
        let file = test_file.reopen(CacheMode::Cached)?;
        direct::will_read(file.descriptor(), false)?;
        let mut pattern =
            AccessPattern::new(bench.point(), test_file.range.start, bytes, DEFAULT, bench.seed())?;
        let emptied = drop_cache(&test_file)?;
        time_each(bench, &file, &mut pattern, (BLOCK, MAX_READS), DONT_CACHE)?;
        bench.count("cache.emptied", emptied, 1.0);
    }
    let (left, pages) = test_file.cached_pages()?;
    bench.count("cache.left", left as f64, pages as f64);
    Ok(())
}

/// Open and first read.
pub fn open_and_read(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let test_file = TestFile::on_device(bench, bytes)?;
    let mut pattern = AccessPattern::new(bench.point(), test_file.range.start, bytes, DEFAULT, bench.seed())?;
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
    let count = times.len() as f64;
    device.count(bench, count * BLOCK as f64);
    bench.count("cache.emptied", emptied, count);
    bench.count("answers", count, count);
    bench.values(times);
    Ok(())
}

/// Open and complete read of a small file, per block.
pub fn open_and_read_all(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
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
    let count = values.len() as f64;
    device.count(bench, count * bytes as f64);
    bench.count("answers", count, count);
    bench.values(values);
    Ok(())
}

/// Drops the cache; 1 if nothing remains cached.
///
/// # Errors
/// A skip, where the file system keeps its files in memory.
pub fn drop_cache(test_file: &TestFile) -> Result<f64, Failure> {
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

/// An error unless the block has the file's content.
pub fn check_block(file: &TemporaryFile, read: isize, block: &[u8], offset: u64) -> Result<(), Failure> {
    sys::Error::check("pread64", read)?;
    if read == block.len() as isize && file.is_block(block, offset) {
        Ok(())
    } else {
        Err(Failure::Failed(WRONG_DATA.to_owned()))
    }
}

/// Reads a block, with flags if any.
#[inline(always)]
fn read_with(file: &TemporaryFile, block: &mut [u8], offset: u64, flags: i32) -> isize {
    match flags {
        0 => direct::read_at(file.descriptor(), block, offset),
        _ => direct::read_at_with(file.descriptor(), block, offset, flags),
    }
}

/// Reads the whole range sequentially.
pub fn read_all(
    test_file: &TestFile,
    file: &TemporaryFile,
    buffer: &mut Mapping,
    flags: i32,
) -> Result<(), Failure> {
    for offset in test_file.range.clone().step_by(BLOCK) {
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
) -> Result<(), Failure> {
    let mut buffer = Mapping::private(block)?;
    buffer.touch(1);
    let clock = Clock::select();
    let count = maximum.min(pattern.len());
    let mut times = Vec::with_capacity(count);
    let device = DeviceBytes::start();
    bench.watched_for(count as f64, || {
        for _ in 0..count {
            let (offset, bytes) = (pattern.next_offset(), buffer.bytes_mut());
            let start = clock.moment();
            let read = read_with(file, bytes, offset, flags);
            times.push(clock.moment().nanos_since(start) as f64);
            check_block(file, read, bytes, offset)?;
        }
        Ok(())
    })?;
    let count = times.len() as f64;
    device.count(bench, count * block as f64);
    bench.count("answers", count, count);
    bench.values(times);
    Ok(())
}

/// Bytes of the file whose rate is measured, and of a read, as in hdparm.
const RATED: u64 = 64 << 20;
const PIECE: usize = 2 << 20;

/// Passes over a file, with a cold or a warm cache; a value is the bytes per second of a pass.
pub fn read_rate(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let is_cold = bench.point().get("cache") == Some("cold");
    let test_file = TestFile::on_device(bench, RATED)?;
    let mut buffer = Mapping::private(PIECE)?;
    buffer.touch(1);
    test_file.fill_cache()?;
    let (mut emptied, mut values) = (0.0, Vec::new());
    let time = TrialTime::start(bench, (1, PASSES.1));
    let device = DeviceBytes::start();
    while time.allows(values.len()) {
        if is_cold {
            emptied += drop_cache(&test_file)?;
        }
        let file = test_file.reopen(CacheMode::Cached)?;
        let start = time.clock.moment();
        for offset in test_file.range.clone().step_by(PIECE) {
            let read = direct::read_at(file.descriptor(), buffer.bytes_mut(), offset);
            check_block(&file, read, buffer.bytes_mut(), offset)?;
        }
        let nanos = time.clock.moment().nanos_since(start) as f64;
        values.push(RATED as f64 * 1e9 / nanos.max(1.0));
    }
    let passes = values.len() as f64;
    device.count(bench, passes * RATED as f64);
    if is_cold {
        bench.count("cache.emptied", emptied, passes);
    }
    bench.count("answers", passes, passes);
    bench.values(values);
    Ok(())
}

/// Sequential passes over the whole range, each with a cold cache; a value is the time per block of a pass.
fn passes(bench: &mut Bench<'_>, test_file: &TestFile, flags: i32) -> Result<(), Failure> {
    let mut buffer = Mapping::private(BLOCK)?;
    buffer.touch(1);
    let blocks = (test_file.range.end - test_file.range.start) / DEFAULT;
    let (mut emptied, mut values) = (0.0, Vec::new());
    let time = TrialTime::start(bench, PASSES);
    let device = DeviceBytes::start();
    while time.allows(values.len()) {
        emptied += drop_cache(test_file)?;
        // A new descriptor has no readahead state.
        let file = test_file.reopen(CacheMode::Cached)?;
        let start = time.clock.moment();
        read_all(test_file, &file, &mut buffer, flags)?;
        values.push(time.clock.moment().nanos_since(start) as f64 / blocks as f64);
    }
    let passes = values.len() as f64;
    device.count(bench, passes * blocks as f64 * BLOCK as f64);
    bench.count("cache.emptied", emptied, passes);
    bench.count("answers", passes, passes);
    bench.values(values);
    Ok(())
}
