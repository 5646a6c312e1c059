//! Access patterns: the order in which blocks of a file are read.

use super::test_file::TestFile;
use measure::{Bench, Failure, Point, Result};
use sys::random::word;

/// Block offsets in order, cyclic.
#[derive(Debug)]
pub struct AccessPattern {
    offsets: Vec<u64>,
    next: usize,
}

impl AccessPattern {
    /// The blocks of a range in the point's access pattern: each once per lap; with `access=stride` one per stride, each lap
    /// one block further.
    ///
    /// # Errors
    /// When the access pattern is missing or unknown.
    pub fn new(point: &Point, begin: u64, bytes: u64, block: u64, seed: u64) -> Result<Self> {
        let count = (bytes / block).max(1);
        let mut offsets: Vec<u64> = match point.get("access") {
            Some("sequential" | "random") => (0..count).map(|index| begin + index * block).collect(),
            Some("stride") => {
                let step = (point.size("stride")? / block).max(1);
                let laps = (0..step.min(count)).flat_map(|lap| (lap..count).step_by(step as usize));
                laps.map(|index| begin + index * block).collect()
            }
            _ => {
                return Err(Failure::failed("the point needs access=sequential, random or stride"));
            }
        };
        if point.get("access") == Some("random") {
            // Fisher-Yates: all orders are equally likely.
            for last in (1..offsets.len()).rev() {
                let other = word(seed, last as u64) % (last as u64 + 1);
                offsets.swap(last, other as usize);
            }
        }
        Ok(Self { offsets, next: 0 })
    }

    /// The blocks of a test file, in the access pattern of the point.
    ///
    /// # Errors
    /// As [`AccessPattern::new`].
    pub fn of(bench: &Bench<'_>, test_file: &TestFile, block: u64) -> Result<Self> {
        Self::new(bench.point(), test_file.range.start, test_file.bytes(), block, bench.seed())
    }

    /// The offset of the next block.
    #[inline(always)]
    pub fn next_offset(&mut self) -> u64 {
        let offset = self.offsets.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        if self.next >= self.offsets.len() {
            self.next = 0;
        }
        offset
    }

    /// Blocks per lap.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Starts at a random block, so that trials differ.
    pub fn start_at_random(&mut self, seed: u64) {
        self.next = (word(seed, 0) % self.offsets.len().max(1) as u64) as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::super::DEFAULT;
    use super::*;

    fn lap(point: &Point) -> Vec<u64> {
        let mut pattern = AccessPattern::new(point, 1 << 20, 64 << 12, DEFAULT, 7).unwrap();
        (0..pattern.len()).map(|_| pattern.next_offset()).collect()
    }

    #[test]
    fn every_pattern_visits_every_block_once() {
        let all = lap(&Point::only().with("access", "sequential"));
        assert_eq!((all.first(), all.get(1), all.len()), (Some(&(1 << 20)), Some(&((1 << 20) + 4096)), 64));
        for point in [
            Point::only().with("access", "random"),
            Point::only().with("access", "stride").with("stride", "16KiB"),
        ] {
            let mut other = lap(&point);
            assert_ne!(other, all);
            other.sort_unstable();
            assert_eq!(other, all);
        }
        assert!(AccessPattern::new(&Point::only(), 0, 4096, DEFAULT, 1).is_err());
    }

    #[test]
    fn stride_is_constant_within_a_lap() {
        let strided = lap(&Point::only().with("access", "stride").with("stride", "16KiB"));
        assert!(
            strided.windows(2).take(15).all(|pair| pair.last().unwrap() - pair.first().unwrap() == 16384)
        );
    }
}
