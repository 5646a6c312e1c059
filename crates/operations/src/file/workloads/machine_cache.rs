//! How much of a file stays in the cache of the whole machine: the end of a file that is larger than memory.

use super::memory_group::own_limit;
use super::stock::Stock;
use super::{BLOCK, RIGHT_DATA};
use measure::{Bench, Failure, Point};
use std::fs;
use sys::cachestat;
use sys::clock::Clock;
use sys::direct;
use sys::memory::Mapping;

/// The limit that stands for what there is.
pub const MACHINE: &str = "machine";

/// Whether a point is of the whole machine.
pub fn is_of(point: &Point) -> bool {
    point.get("memory_limit") == Some(MACHINE)
}

/// Time of a trial, of which its patience is made: a file as large as memory is written and read, which takes minutes on
/// a slow disk; that of a group takes little.
pub fn spend_ns(point: &Point) -> u64 {
    if is_of(point) { 30_000_000_000 } else { 12_000_000 }
}

/// Bytes of one read.
const PIECE: usize = 1 << 20;

/// Of all reads one part in so many is looked at together: where most of them are slow, the cache has ended. A fifth of
/// the file is not in it, so that this comes before the file is at its beginning; what somebody else does for a moment
/// is no end. But never fewer than eight.
const SHARE: usize = 8;
const LEAST_TOGETHER: usize = 8;

/// Reads from one place of the curve that is kept to the next.
const APART: usize = 16;

/// Least memory of a machine that is measured like this: less is noise of what the program itself has.
const LEAST: u64 = 64 << 20;

fn available() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    let limit = own_limit().unwrap_or(u64::MAX);
    Some((kib * 1024).min(limit)).filter(|bytes| *bytes >= LEAST)
}

/// Reads the piece at an offset; its nanoseconds.
fn timed(stock: &Stock, clock: Clock, buffer: &mut Mapping, at: u64) -> Result<f64, Failure> {
    let began = clock.moment();
    let read = direct::read_at(stock.file.descriptor(), buffer.bytes_mut(), at);
    let nanos = clock.moment().nanos_since(began) as f64;
    if read != PIECE as isize || !stock.file.is_block(buffer.bytes_mut(), at) {
        return Err(Failure::Failed(RIGHT_DATA.to_owned()));
    }
    Ok(nanos)
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

/// Reads once in order, then backwards from the end until what is read is slow.
pub fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let known = available().ok_or_else(|| {
        let reason = "how much memory is available cannot be told, or it is less than 64 MiB";
        Failure::skipped(reason, "run it where /proc/meminfo can be read")
    })?;
    let bytes = (known / 4 * 5).next_multiple_of(PIECE as u64);
    let stock = Stock::larger_than_memory(bench, bytes)?;
    direct::will_read(stock.file.descriptor(), false)?;
    stock.file.drop_cache()?;
    let (clock, mut buffer) = (Clock::select(), Mapping::private(PIECE)?);
    buffer.touch(1);
    let offsets: Vec<u64> = stock.range.clone().step_by(PIECE).collect();
    let mut slow = Vec::with_capacity(offsets.len());
    for at in &offsets {
        slow.push(timed(&stock, clock, &mut buffer, *at)?);
    }
    let present = cachestat::of(stock.file.descriptor(), stock.range.clone())?.present;
    let present = (present * sys::memory::page_size() as u64) as f64;
    let mut fast = Vec::with_capacity(offsets.len());
    let knee = backwards(&mut fast, &slow, &offsets, &mut |at| {
        timed(&stock, clock, &mut buffer, at)
    })?;
    let to_block = BLOCK as f64 / PIECE as f64;
    bench.curve(fast.iter().enumerate().step_by(APART).map(|(index, nanos)| {
        let size = (index + 1) * PIECE;
        (size as f64, nanos * to_block)
    }));
    bench.count("answers", 1.0, 1.0);
    bench.count("knee.per_cached", knee, present);
    bench.values(vec![knee]);
    Ok(())
}

/// Reads from the end on until most of the last reads are slow; gives how many bytes were quick. What is quick and
/// what is slow is parted by the geometric mean of the first pass and of the first reads of this one.
fn backwards(
    fast: &mut Vec<f64>,
    slow: &[f64],
    offsets: &[u64],
    read: &mut dyn FnMut(u64) -> Result<f64, Failure>,
) -> Result<f64, Failure> {
    let together = (offsets.len() / SHARE).max(LEAST_TOGETHER);
    let mut between = None;
    for at in offsets.iter().rev() {
        fast.push(read(*at)?);
        if fast.len() == together {
            between = Some((median(slow) * median(fast)).sqrt());
        }
        let last = fast
            .get(fast.len().saturating_sub(together)..)
            .unwrap_or_default();
        let Some(between) = between else { continue };
        if median(last) > between {
            return Ok((parted(fast, between) * PIECE) as f64);
        }
    }
    Err(Failure::skipped(
        "the cache holds more of the file than memory was said to be available",
        "run it while nobody else frees memory",
    ))
}

/// Where times are best parted into quick ones before and slow ones behind: with the fewest on the wrong side.
fn parted(times: &[f64], between: f64) -> usize {
    let mut wrong = times.iter().filter(|time| **time <= between).count();
    let mut best = (wrong, 0);
    for (index, time) in times.iter().enumerate() {
        // This one is before the parting now.
        if *time <= between {
            wrong -= 1;
        } else {
            wrong += 1;
        }
        if wrong < best.0 {
            best = (wrong, index + 1);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_end_of_the_cache_is_where_reads_become_slow() {
        let offsets: Vec<u64> = (0..200).map(|index| index * PIECE as u64).collect();
        let slow = vec![800.0; 200];
        // A slow one now and then is no end.
        let mut read = |at: u64| {
            let from_end = 199 - at / PIECE as u64;
            Ok(if from_end >= 120 || from_end % 10 == 3 {
                800.0
            } else {
                100.0
            })
        };
        let knee = backwards(&mut Vec::new(), &slow, &offsets, &mut read).unwrap();
        let pieces = knee / PIECE as f64;
        assert!((119.0..=121.0).contains(&pieces), "{pieces}");
        let always = backwards(&mut Vec::new(), &slow, &offsets, &mut |_| Ok(100.0));
        assert!(matches!(always, Err(Failure::Skipped(_))));
    }

    #[test]
    fn what_is_available_is_bounded() {
        if let Some(bytes) = available() {
            assert!(bytes >= LEAST && bytes <= own_limit().unwrap_or(u64::MAX));
        }
        let machine = Point::only().with("memory_limit", MACHINE);
        assert!(is_of(&machine) && spend_ns(&machine) > spend_ns(&Point::only()));
    }
}
