//! A random cycle of lines that grows: every working set of a sweep from one piece of memory.

use crate::chase::{Cycle, LOADS, Order};
use crate::cycle_length::{LineLayout, follow, round_by_number, round_by_walk};
use crate::memory::Mapping;
use crate::{Result, huge, random};
use std::sync::atomic::Ordering::Relaxed;

/// Bytes of one line.
const LINE: usize = 64;

/// Lines of one block, visited one after another: what the TLB costs is shared by all of them.
const BLOCK: usize = 16;

/// Bytes of one block, the step by which a working set grows.
pub const STEP: usize = BLOCK * LINE;

/// A block is every fourth line of four kilobytes: a processor that fetches the neighbour of a line, too, gains
/// nothing by it.
const SPREAD: usize = 4;

/// Memory of several working sets, each the beginning of the next.
///
/// A block that is added is put behind a block chosen at random. So every cycle of blocks is as likely as any
/// other, and a larger set costs only the links of what is added.
#[derive(Debug)]
pub struct Growing {
    mapping: Mapping,
    /// Where the first block may lie, and how many there are room for.
    start: usize,
    room: usize,
    /// The block at which the current set begins; it goes on behind the last with the first.
    first: usize,
    blocks: usize,
    /// Where the walk is: an offset from the start of the mapping.
    at: usize,
    random: u64,
}

impl Growing {
    /// Memory for sets of at most `bytes` bytes, on huge pages where the kernel gives them. Every page is touched.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(bytes: usize, seed: u64) -> Result<Self> {
        let room = bytes.div_ceil(STEP).next_multiple_of(SPREAD);
        let (mut mapping, start) = huge::advised(room * STEP)?;
        mapping.touch(seed);
        Ok(Self { mapping, start, room, first: 0, blocks: 0, at: start, random: seed })
    }

    /// Begins anew with a set of one block at another place.
    pub fn restart(&mut self) {
        self.first = self.below(self.room);
        self.blocks = 0;
        self.add();
        self.at = self.offset(0, 0);
    }

    /// Adds blocks until the set has this many bytes, as far as there is room; gives the bytes that it has.
    pub fn grow(&mut self, bytes: usize) -> usize {
        while self.blocks * STEP < bytes && self.blocks < self.room {
            self.add();
        }
        self.blocks * STEP
    }

    /// A cycle over single lines instead, from this offset on; the set must be begun anew afterwards.
    pub fn cycle(&mut self, from: usize, bytes: usize, order: Order) -> Option<Cycle<'_>> {
        self.blocks = 0;
        let start = self.start + from;
        Cycle::link(&mut self.mapping, start, bytes / LINE, LINE, order)
    }

    /// Bytes that there is room for.
    pub fn room(&self) -> usize {
        self.room * STEP
    }

    /// Lines of the current set.
    pub fn lines(&self) -> u64 {
        (self.blocks * BLOCK) as u64
    }

    /// Follows `turns` × [`LOADS`] links from where the last walk ended; gives the number of loads done.
    pub fn walk(&mut self, turns: u64) -> u64 {
        if self.blocks == 0 {
            self.restart();
        }
        // SAFETY: every link of the set is the address of another link of it, and the walk begins at one.
        self.at = unsafe { follow(&self.mapping, self.at, turns) };
        turns * LOADS
    }

    /// Lines visited before the walk comes back to where it is; 0 when it does not.
    pub fn distinct(&self) -> u64 {
        if self.blocks < self.room / 8 {
            // A walk is quicker where few of the lines belong to the set.
            return round_by_walk(self.mapping.words(), self.at, self.lines());
        }
        let place = LineLayout { start: self.start, spacing: LINE, lines: self.room * BLOCK };
        round_by_number(self.mapping.words(), self.at, place)
    }

    /// How many bytes of the memory are on huge pages; `None` where /proc does not tell.
    pub fn huge_bytes(&self) -> Option<usize> {
        huge::huge_bytes_of(&self.mapping)
    }

    /// Puts one more block behind one that is there already, its lines in random order.
    fn add(&mut self) {
        let new = self.blocks;
        let mut order: [usize; BLOCK] = std::array::from_fn(|line| line);
        for last in (1..BLOCK).rev() {
            let other = self.below(last + 1);
            order.swap(last, other);
        }
        // The first line of every block is its entrance, so that a block can be found by its number.
        if let Some(entrance) = order.iter().position(|&line| line == 0) {
            order.swap(0, entrance);
        }
        for pair in order.windows(2) {
            if let [from, to] = pair {
                self.link(self.offset(new, *from), self.offset(new, *to));
            }
        }
        let entrance = self.offset(new, 0);
        let last = self.offset(new, order.last().copied().unwrap_or(0));
        // The entrance's second word keeps where the block's last line is: behind it the next block is put.
        let (from, to) = if new == 0 {
            (last, entrance)
        } else {
            let before = self.below(new);
            let exit = self.word(self.offset(before, 0) + 8);
            (exit, self.word(exit).wrapping_sub(self.base()))
        };
        self.set(entrance + 8, last);
        self.link(last, to);
        self.link(from, entrance);
        self.blocks += 1;
    }

    /// Offset of a line of a block from the start of the mapping.
    fn offset(&self, block: usize, line: usize) -> usize {
        let place = (self.first + block) % self.room;
        self.start + place / SPREAD * (SPREAD * STEP) + place % SPREAD * LINE + line * SPREAD * LINE
    }

    fn base(&self) -> usize {
        self.mapping.words().as_ptr() as usize
    }

    fn link(&mut self, from: usize, to: usize) {
        let address = self.base() + to;
        self.set(from, address);
    }

    fn set(&mut self, at: usize, value: usize) {
        let bytes = self.mapping.bytes_mut().get_mut(at..);
        if let Some(word) = bytes.and_then(|bytes| bytes.first_chunk_mut::<{ size_of::<usize>() }>()) {
            *word = value.to_ne_bytes();
        }
    }

    fn word(&self, at: usize) -> usize {
        let word = self.mapping.words().get(at / size_of::<usize>());
        word.map_or(0, |word| word.load(Relaxed) as usize)
    }

    /// A random number below a limit.
    fn below(&mut self, limit: usize) -> usize {
        random::below(&mut self.random, limit as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_one_cycle_through_all_its_lines() {
        let mut growing = Growing::new(64 * STEP, 1).unwrap();
        for _ in 0..3 {
            growing.restart();
            for bytes in [STEP, 2 * STEP, 3 * STEP, 17 * STEP, 64 * STEP] {
                assert_eq!(growing.grow(bytes), bytes);
                assert_eq!(growing.lines() * 64, bytes as u64);
                assert_eq!(growing.distinct(), growing.lines());
                growing.walk(3);
                assert_eq!(growing.distinct(), growing.lines());
            }
        }
    }

    #[test]
    fn a_set_has_no_more_than_there_is_room_for() {
        let mut growing = Growing::new(4 * STEP, 2).unwrap();
        growing.restart();
        assert_eq!(growing.grow(1 << 30), 4 * STEP);
        assert_eq!(growing.distinct(), 64);
    }

    #[test]
    fn sets_of_different_seeds_differ() {
        let ends = [3, 3, 4].map(|seed| {
            let mut growing = Growing::new(64 * STEP, seed).unwrap();
            growing.restart();
            growing.grow(64 * STEP);
            growing.walk(2);
            growing.at - growing.start
        });
        assert!(ends[0] == ends[1] && ends[1] != ends[2], "{ends:?}");
    }
}
