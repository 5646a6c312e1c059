//! In which order blocks of a file are read.

use measure::{Failure, Point};

/// Offsets of blocks, one after another, from the beginning again when all were given.
#[derive(Debug)]
pub struct Walk {
    offsets: Vec<u64>,
    next: usize,
}

/// An odd step through the words of a seed (SplitMix64).
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A word of a sequence of random ones (SplitMix64: Steele, Lea, Flood 2014).
fn random(seed: u64, index: u64) -> u64 {
    let mut word = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(STEP));
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

impl Walk {
    /// The blocks of a range in the point's order: every block once, or with `access=stride` one of each stride,
    /// beginning a block further in each lap.
    ///
    /// # Errors
    /// When the point names no order that is known.
    pub fn new(point: &Point, begin: u64, bytes: u64, block: u64, seed: u64) -> Result<Self, Failure> {
        let count = (bytes / block).max(1);
        let mut offsets: Vec<u64> = match point.get("access") {
            Some("sequential" | "random") => (0..count).map(|index| begin + index * block).collect(),
            Some("stride") => {
                let step = (point.size("stride")? / block).max(1);
                let laps = (0..step.min(count)).flat_map(|lap| (lap..count).step_by(step as usize));
                laps.map(|index| begin + index * block).collect()
            }
            _ => return Err(Failure::Failed("the point needs an order".to_owned())),
        };
        if point.get("access") == Some("random") {
            // Fisher and Yates: every order is as likely.
            for last in (1..offsets.len()).rev() {
                let other = random(seed, last as u64) % (last as u64 + 1);
                offsets.swap(last, other as usize);
            }
        }
        Ok(Self { offsets, next: 0 })
    }

    /// The offset of the next block.
    #[inline(always)]
    pub fn take(&mut self) -> u64 {
        let offset = self.offsets.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        if self.next >= self.offsets.len() {
            self.next = 0;
        }
        offset
    }

    /// How many blocks there are before they come again.
    pub fn count(&self) -> usize {
        self.offsets.len()
    }

    /// Begins at another block: trials should not all read the same.
    pub fn begin_at(&mut self, seed: u64) {
        self.next = (random(seed, 0) % self.offsets.len().max(1) as u64) as usize;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::DEFAULT;
    use super::*;

    fn lap(order: &Point) -> Vec<u64> {
        let mut walk = Walk::new(order, 1 << 20, 64 << 12, DEFAULT, 7).unwrap();
        (0..walk.count()).map(|_| walk.take()).collect()
    }

    #[test]
    fn every_order_gives_every_block_once() {
        let all = lap(&Point::only().with("access", "sequential"));
        assert_eq!(
            (all.first(), all.get(1), all.len()),
            (Some(&(1 << 20)), Some(&((1 << 20) + 4096)), 64)
        );
        for order in [
            Point::only().with("access", "random"),
            Point::only().with("access", "stride").with("stride", "16KiB"),
        ] {
            let mut other = lap(&order);
            assert_ne!(other, all);
            other.sort_unstable();
            assert_eq!(other, all);
        }
        assert!(Walk::new(&Point::only(), 0, 4096, DEFAULT, 1).is_err());
    }

    #[test]
    fn a_stride_is_kept_within_a_lap() {
        let strided = lap(&Point::only().with("access", "stride").with("stride", "16KiB"));
        assert!(
            strided
                .windows(2)
                .take(15)
                .all(|pair| pair.last().unwrap() - pair.first().unwrap() == 16384)
        );
    }
}
