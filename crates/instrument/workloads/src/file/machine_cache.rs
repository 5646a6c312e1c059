//! Page-cache capacity of the whole machine: the end of a file larger than memory.

use super::test_file::TestFile;
use super::{BLOCK, timed_read, touched};
use crate::memory_group::own_limit;
use measure::{Bench, Failure, Parameters, Point, Result, Value, choice, parameters};
use quantity::Bytes;
use std::fs;
use sys::cachestat;
use sys::clock::Clock;
use sys::direct;
use sys::memory::Mapping;

/// What limits the page cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryLimit {
    /// A control group with this limit.
    Group(Bytes),
    /// The memory of the machine.
    Machine,
}

impl Value for MemoryLimit {
    fn parse(text: &str) -> Option<Self> {
        if text == "machine" { Some(Self::Machine) } else { Bytes::parse(text).map(Self::Group) }
    }

    fn expected() -> String {
        format!("machine or {}", Bytes::expected())
    }
}

choice! {
    /// How the capacity of the whole machine's page cache is found, if not by one pass backward.
    pub enum SearchMethod {
        /// By the second read of growing parts of a file.
        Growing = "growing",
        /// By the mean of ten reads of growing parts, after a first one.
        ElevenReads = "eleven_reads",
    }
}

impl SearchMethod {
    /// Reads of each part after its first one: as R0, 6.1.1, and as R3, 6.1.1, did.
    fn rereads(self) -> u32 {
        match self {
            Self::Growing => 1,
            Self::ElevenReads => 10,
        }
    }
}

parameters! {
    /// A search for the capacity of the page cache.
    pub struct CacheSearch {
        /// What limits it.
        memory_limit: MemoryLimit,
        /// How it is found.
        method: Option<SearchMethod> = None,
    }
}

/// Time of a trial, from which its timeout follows: a file as large as memory takes minutes on a slow disk, and more if it is
/// read again and again; a group takes little.
pub fn spend_ns(point: &Point) -> u64 {
    match CacheSearch::read(point) {
        Ok(CacheSearch { method: Some(method), .. }) => u64::from(1 + method.rereads()) * 60_000_000_000,
        Ok(CacheSearch { memory_limit: MemoryLimit::Machine, .. }) => 30_000_000_000,
        _ => 12_000_000,
    }
}

/// Bytes of one read.
const PIECE: usize = 1 << 20;

/// The search ends when most of the last reads are slow: one part in this many of all reads, at least eight. A fifth of the
/// file is not cached, so this happens before the start of the file; short disturbances do not end it.
const SHARE: usize = 8;
const MIN_WINDOW: usize = 8;

/// Reads per recorded point of the curve.
const CURVE_STEP: usize = 16;

/// Minimum memory: below, the program's own memory dominates.
const MIN_MEMORY: u64 = 64 << 20;

fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let limit = own_limit().unwrap_or(u64::MAX);
    Some((kib * 1024).min(limit)).filter(|bytes| *bytes >= MIN_MEMORY)
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Reads once in order, then backward from the end until reads are slow.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let known = available().ok_or_else(|| {
        let reason = "the available memory is unknown or below 64 MiB";
        Failure::skipped(reason, "run where /proc/meminfo is readable")
    })?;
    let bytes = (known / 4 * 5).next_multiple_of(PIECE as u64);
    let test_file = TestFile::larger_than_memory(bench, bytes)?;
    direct::will_read(test_file.file.descriptor(), false)?;
    test_file.file.drop_cache()?;
    let (clock, mut buffer) = (Clock::select(), touched(PIECE)?);
    let offsets: Vec<u64> = test_file.range.clone().step_by(PIECE).collect();
    let mut slow = Vec::with_capacity(offsets.len());
    for at in &offsets {
        slow.push(timed_read(clock, &test_file.file, &mut buffer, *at)?);
    }
    let present = cachestat::query(test_file.file.descriptor(), test_file.range.clone())?.present;
    let present = (present * sys::memory::page_size() as u64) as f64;
    let mut fast = Vec::with_capacity(offsets.len());
    let knee =
        backwards(&mut fast, &slow, &offsets, &mut |at| timed_read(clock, &test_file.file, &mut buffer, at))?;
    let to_block = BLOCK as f64 / PIECE as f64;
    bench.curve(fast.iter().enumerate().step_by(CURVE_STEP).map(|(index, nanos)| {
        let size = (index + 1) * PIECE;
        (size as f64, nanos * to_block)
    }));
    bench.count("answers", 1.0, 1.0);
    bench.count("knee.per_cached", knee, present);
    bench.values(vec![knee]);
    Ok(())
}

/// Parts of the available memory by which the part grows that is read twice, and the steps in which the knee is then searched:
/// as R0, 6.1.4, which read files of 1, 1.5, 2, 3, 4 and 6 GB and then of steps of a tenth.
const COARSE: u64 = 8;
const FINE_STEPS: u32 = 3;

/// Reads growing parts of one file twice each or more often, and searches between the last part that is read again fast and the
/// first that is not.
pub fn run_growing(bench: &mut Bench<'_>, method: SearchMethod) -> Result<()> {
    let known = available().ok_or_else(|| {
        let reason = "the available memory is unknown or below 64 MiB";
        Failure::skipped(reason, "run where /proc/meminfo is readable")
    })?;
    let step = (known / COARSE).next_multiple_of(PIECE as u64);
    let test_file = TestFile::larger_than_memory(bench, step * (COARSE + 2))?;
    let rereads = method.rereads();
    let mut part = GrowingPart { test_file: &test_file, buffer: touched(PIECE)?, rereads, curve: Vec::new() };
    test_file.file.drop_cache()?;
    let (first, again) = part.read_again(step)?;
    let threshold = (first * again).sqrt();
    let (mut inside, mut outside) = (step, None);
    for size in (2..=COARSE + 2).map(|steps| steps * step) {
        if part.read_again(size)?.1 > threshold {
            outside = Some(size);
            break;
        }
        inside = size;
    }
    let mut outside = outside.ok_or_else(|| {
        Failure::skipped(
            "a file larger than the available memory was read again as fast as a small one",
            "run while no other program frees memory; a host may cache the disk",
        )
    })?;
    let present = cachestat::query(test_file.file.descriptor(), test_file.range.clone())?.present;
    for _ in 0..FINE_STEPS {
        let middle = (inside + outside) / 2 / PIECE as u64 * PIECE as u64;
        if part.read_again(middle)?.1 > threshold {
            outside = middle;
        } else {
            inside = middle;
        }
    }
    let mut curve = part.curve;
    curve.sort_by(|one, other| one.0.total_cmp(&other.0));
    bench.curve(curve.into_iter());
    let knee = (inside + outside) as f64 / 2.0;
    bench.count("answers", 1.0, 1.0);
    bench.count("knee.per_cached", knee, (present * sys::memory::page_size() as u64) as f64);
    bench.values(vec![knee]);
    Ok(())
}

/// The end of a file, of which growing parts are read, and the reads after the first so far: bytes, and nanoseconds per block.
struct GrowingPart<'f> {
    test_file: &'f TestFile,
    buffer: Mapping,
    /// Reads of a part after its first one.
    rereads: u32,
    curve: Vec<(f64, f64)>,
}

impl GrowingPart<'_> {
    /// Nanoseconds per block of a first read of the last bytes, whole, with readahead, and the mean of the reads after it.
    fn read_again(&mut self, bytes: u64) -> Result<(f64, f64)> {
        let first = self.read(bytes)?;
        let mut again = 0.0;
        for _ in 0..self.rereads {
            again += self.read(bytes)? / f64::from(self.rereads);
        }
        self.curve.push((bytes as f64, again));
        Ok((first, again))
    }

    fn read(&mut self, bytes: u64) -> Result<f64> {
        let clock = Clock::select();
        let end = self.test_file.range.end;
        let mut nanos = 0.0;
        for at in (end - bytes..end).step_by(PIECE) {
            nanos += timed_read(clock, &self.test_file.file, &mut self.buffer, at)?;
        }
        Ok(nanos * BLOCK as f64 / bytes.max(1) as f64)
    }
}

/// Reads backward from the end until most of the last reads are slow; returns the bytes of the fast ones. The threshold is
/// the geometric mean of the medians of the first pass and of the first reads of this one.
fn backwards(
    fast: &mut Vec<f64>,
    slow: &[f64],
    offsets: &[u64],
    read: &mut dyn FnMut(u64) -> Result<f64>,
) -> Result<f64> {
    let window = (offsets.len() / SHARE).max(MIN_WINDOW);
    let mut threshold = None;
    for at in offsets.iter().rev() {
        fast.push(read(*at)?);
        if fast.len() == window {
            threshold = Some((median(slow) * median(fast)).sqrt());
        }
        let last = fast.get(fast.len().saturating_sub(window)..).unwrap_or_default();
        let Some(threshold) = threshold else { continue };
        if median(last) > threshold {
            return Ok((split(fast, threshold) * PIECE) as f64);
        }
    }
    Err(Failure::skipped(
        "more of the file was cached than the available memory",
        "run while no other program frees memory",
    ))
}

/// The best split of times into fast and then slow ones: with the fewest on the wrong side.
fn split(times: &[f64], threshold: f64) -> usize {
    let mut wrong = times.iter().filter(|time| **time <= threshold).count();
    let mut best = (wrong, 0);
    for (index, time) in times.iter().enumerate() {
        // This time is now before the split.
        wrong = if *time <= threshold { wrong - 1 } else { wrong + 1 };
        if wrong < best.0 {
            best = (wrong, index + 1);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_ends_where_reads_become_slow() {
        let offsets: Vec<u64> = (0..200).map(|index| index * PIECE as u64).collect();
        let slow = vec![800.0; 200];
        let knee = backwards(&mut Vec::new(), &slow, &offsets, &mut |at| {
            let from_end = 199 - at / PIECE as u64;
            // Single slow reads do not end the cache.
            Ok(if from_end >= 120 || from_end % 10 == 3 { 800.0 } else { 100.0 })
        });
        let knee = knee.unwrap();
        let pieces = knee / PIECE as f64;
        assert!((119.0..=121.0).contains(&pieces), "{pieces}");
        let always = backwards(&mut Vec::new(), &slow, &offsets, &mut |_| Ok(100.0));
        assert!(matches!(always, Err(Failure::Skipped(_))));
    }

    #[test]
    fn available_memory_is_bounded() {
        if let Some(bytes) = available() {
            assert!(bytes >= MIN_MEMORY && bytes <= own_limit().unwrap_or(u64::MAX));
        }
        let [machine, small] =
            ["machine", "32MiB"].map(|limit| spend_ns(&Point::only().with("memory_limit", limit)));
        assert!(machine > small);
    }
}
