//! Several chains of dependent loads at a time, which do not depend on each other: as many loads in flight as chains.

use crate::arch::{CHASE_LOADS, chains_2, chains_4, chains_8, chains_16, chains_32, chains_64, chase};
use crate::chase::{Order, write_cycle};
use crate::cycle_length::{LineLayout, round_by_number};
use crate::memory::Mapping;
use crate::random;

/// Loads in one turn of [`Chains::walk`].
pub const LOADS: u64 = CHASE_LOADS;

/// Bytes of a line.
const LINE: usize = 64;

/// Chains of which the addresses are kept in registers at most.
const IN_REGISTERS: usize = 8;

/// Instructions of a turn with this number of chains: a load for each link, of many chains two more, and the two of the loop.
pub fn instructions(chains: usize) -> u64 {
    LOADS * if chains > IN_REGISTERS { 3 } else { 1 } + 2
}

/// Chains through parts of a mapping that do not overlap, each a random cycle through all lines of its part.
#[derive(Debug)]
pub struct Chains<'m> {
    mapping: &'m mut Mapping,
    /// Where the first part begins, in bytes from the start of the mapping.
    start: usize,
    /// Lines of a part.
    lines: usize,
    run: Run,
    /// Where each chain is now: an address in its part.
    places: Vec<*const u8>,
}

/// A loop in assembly.
type Run = unsafe extern "C" fn(*mut *const u8, u64);

/// One chain, as the others are called.
unsafe extern "C" fn one_chain(places: *mut *const u8, turns: u64) {
    // SAFETY: the caller vouches for the place and its links.
    unsafe { *places = chase(*places, turns) };
}

fn run(chains: usize) -> Option<Run> {
    Some(match chains {
        1 => one_chain,
        2 => chains_2,
        4 => chains_4,
        8 => chains_8,
        16 => chains_16,
        32 => chains_32,
        64 => chains_64,
        _ => return None,
    })
}

impl<'m> Chains<'m> {
    /// Links `chains` chains through `size` bytes from the offset `start` on. `None` where there is no loop for this number of
    /// chains, where a part has less than two lines, or where the bytes do not lie within the mapping.
    pub fn link(
        mapping: &'m mut Mapping,
        start: usize,
        size: usize,
        chains: usize,
        seed: u64,
    ) -> Option<Self> {
        let (run, lines) = (run(chains)?, size / LINE / chains);
        let base = mapping.bytes_mut().as_mut_ptr() as usize;
        let end = start.checked_add(size)?;
        if lines < 2 || !start.is_multiple_of(LINE) || end > mapping.length() {
            return None;
        }
        let mut places = Vec::new();
        for part in (0..chains).map(|chain| start + chain * lines * LINE) {
            let order = Order::Random(random::next(seed ^ part as u64));
            write_cycle(mapping, (part, LINE, lines), order)?;
            places.push((base + part) as *const u8);
        }
        Some(Self { mapping, start, lines, run, places })
    }

    /// Follows `turns` × [`LOADS`] links, alternating between the chains; gives the number of loads done.
    pub fn walk(&mut self, turns: u64) -> u64 {
        if turns > 0 {
            // SAFETY: there are as many places as the loop has chains, each the address of a link in the mapping, and every
            // link is the address of another one.
            unsafe { (self.run)(self.places.as_mut_ptr(), turns) };
        }
        turns * LOADS
    }

    /// Lines that all chains together visit before they come back to where they are; those of a chain that is not in its own
    /// part are not counted.
    pub fn distinct(&self) -> u64 {
        let (words, base) = (self.mapping.words(), self.mapping.start() as usize);
        let chains = self.places.iter().enumerate().map(|(chain, place)| {
            let start = self.start + chain * self.lines * LINE;
            let layout = LineLayout { start, spacing: LINE, lines: self.lines };
            round_by_number(words, (*place as usize).wrapping_sub(base), layout)
        });
        chains.sum()
    }

    /// Lines of all chains.
    pub fn lines(&self) -> u64 {
        (self.lines * self.places.len()) as u64
    }

    /// Sends all chains through the part of the first one: a mistake that [`Chains::distinct`] must find.
    pub fn share_one_part(&mut self) {
        let first = self.places.first().copied();
        self.places.iter_mut().for_each(|place| *place = first.unwrap_or(*place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAINS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

    #[test]
    fn every_line_belongs_to_one_chain() {
        let mut mapping = Mapping::private(1 << 20).unwrap();
        for chains in CHAINS {
            let mut all = Chains::link(&mut mapping, 4096, 512 << 10, chains, 7).unwrap();
            assert_eq!((all.lines(), all.distinct()), (8192, 8192), "{chains}");
            assert_eq!(all.walk(3), 3 * LOADS);
            assert_eq!(all.distinct(), 8192, "{chains}");
            all.share_one_part();
            assert_eq!(all.distinct(), 8192 / chains as u64, "{chains}");
        }
    }

    #[test]
    fn every_chain_goes_as_far_as_the_others() {
        let mut mapping = Mapping::private(1 << 20).unwrap();
        for chains in CHAINS {
            // Two lines for each load of a turn: after two turns, every chain is where it began.
            let mut all = Chains::link(&mut mapping, 0, 2 * LOADS as usize * LINE, chains, 3).unwrap();
            let begin = all.places.clone();
            all.walk(1);
            assert!(all.places.iter().zip(&begin).all(|(now, then)| now != then), "{chains}");
            all.walk(1);
            assert_eq!(all.places, begin, "{chains}");
        }
    }

    #[test]
    fn chains_that_do_not_fit_are_rejected() {
        let mut mapping = Mapping::private(8192).unwrap();
        for (start, size, chains) in
            [(0, 8192, 3), (0, 8192, 128), (4096, 8192, 2), (8, 4096, 2), (0, 4096, 64)]
        {
            assert!(Chains::link(&mut mapping, start, size, chains, 1).is_none(), "{start} {size} {chains}");
        }
    }
}
