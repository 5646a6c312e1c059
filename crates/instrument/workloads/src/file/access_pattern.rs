//! Access patterns: the order in which blocks of a file are read.

use crate::test_file::TestFile;
use measure::{Bench, Failure, Result, choice, parameters};
use quantity::Bytes;
use sys::random::word;

choice! {
    /// The order of blocks.
    pub enum Access {
        /// In order.
        Sequential = "sequential",
        /// Each once per lap, in random order.
        Random = "random",
    }
}

choice! {
    /// The order of blocks, also at a stride.
    pub enum FileAccess {
        /// In order.
        Sequential = "sequential",
        /// Each once per lap, in random order.
        Random = "random",
        /// One per stride, each lap one block further.
        Stride = "stride",
    }
}

parameters! {
    /// Reads of the blocks of a file.
    pub struct FileRead {
        /// The order.
        access: FileAccess,
        /// Of the file.
        file_size: Bytes,
        /// From one block to the next, with `access=stride`.
        stride: Option<Bytes> = None,
    }
}

/// In which order blocks are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// In order.
    Sequential,
    /// Each once per lap, in random order.
    Random,
    /// One per this number of bytes, each lap one block further.
    Stride(u64),
}

impl From<Access> for Order {
    fn from(access: Access) -> Self {
        match access {
            Access::Sequential => Self::Sequential,
            Access::Random => Self::Random,
        }
    }
}

impl Order {
    /// The order of a point that may have a stride.
    ///
    /// # Errors
    /// Where the stride is missing, or has no meaning.
    pub fn new(access: FileAccess, stride: Option<Bytes>) -> Result<Self> {
        match (access, stride) {
            (FileAccess::Sequential, None) => Ok(Self::Sequential),
            (FileAccess::Random, None) => Ok(Self::Random),
            (FileAccess::Stride, Some(stride)) => Ok(Self::Stride(stride.bytes())),
            _ => Err(Failure::failed("a point has access=stride and stride=64KiB, or neither")),
        }
    }
}

/// Block offsets in order, cyclic.
#[derive(Debug)]
pub struct AccessPattern {
    offsets: Vec<u64>,
    next: usize,
}

impl AccessPattern {
    /// The blocks of a range in an order.
    pub fn new(order: Order, begin: u64, bytes: u64, block: u64, seed: u64) -> Self {
        let count = (bytes / block).max(1);
        let mut offsets: Vec<u64> = match order {
            Order::Sequential | Order::Random => (0..count).map(|index| begin + index * block).collect(),
            Order::Stride(stride) => {
                let step = (stride / block).max(1);
                let laps = (0..step.min(count)).flat_map(|lap| (lap..count).step_by(step as usize));
                laps.map(|index| begin + index * block).collect()
            }
        };
        if order == Order::Random {
            // Fisher-Yates: all orders are equally likely.
            for last in (1..offsets.len()).rev() {
                let other = word(seed, last as u64) % (last as u64 + 1);
                offsets.swap(last, other as usize);
            }
        }
        Self { offsets, next: 0 }
    }

    /// The blocks of a test file.
    pub fn of_file(bench: &Bench<'_>, order: Order, test_file: &TestFile, block: u64) -> Self {
        Self::new(order, test_file.range.start, test_file.bytes(), block, bench.seed())
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
    use super::*;
    use crate::test_file::BLOCK;

    fn lap(order: Order) -> Vec<u64> {
        let mut pattern = AccessPattern::new(order, 1 << 20, 64 << 12, BLOCK as u64, 7);
        (0..pattern.len()).map(|_| pattern.next_offset()).collect()
    }

    #[test]
    fn every_pattern_visits_every_block_once() {
        let all = lap(Order::Sequential);
        assert_eq!((all.first(), all.get(1), all.len()), (Some(&(1 << 20)), Some(&((1 << 20) + 4096)), 64));
        for order in [Order::Random, Order::Stride(16 << 10)] {
            let mut other = lap(order);
            assert_ne!(other, all);
            other.sort_unstable();
            assert_eq!(other, all);
        }
    }

    #[test]
    fn stride_goes_with_its_order_alone() {
        let stride = Some(Bytes::from_bytes(16 << 10));
        assert_eq!(Order::new(FileAccess::Stride, stride).unwrap(), Order::Stride(16 << 10));
        assert!(
            Order::new(FileAccess::Stride, None).is_err() && Order::new(FileAccess::Random, stride).is_err()
        );
    }

    #[test]
    fn stride_is_constant_within_a_lap() {
        let strided = lap(Order::Stride(16 << 10));
        assert!(
            strided.windows(2).take(15).all(|pair| pair.last().unwrap() - pair.first().unwrap() == 16384)
        );
    }
}
