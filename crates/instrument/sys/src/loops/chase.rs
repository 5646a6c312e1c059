//! Chains of dependent loads through memory: one cycle over whole lines, so that no load can begin before
//! the one before it has ended.

use crate::arch;
use crate::cycle_length::{LineLayout, follow, round_by_number, round_by_walk};
use crate::memory::{Mapping, long_vec};
use crate::random;

/// Loads in one turn of [`Cycle::walk`], whose loop takes two instructions more.
pub const LOADS: u64 = arch::CHASE_LOADS;

/// A cycle of links, each at the start of a line, within a part of a mapping.
#[derive(Debug)]
pub struct Cycle<'m> {
    mapping: &'m mut Mapping,
    /// Offset of the first line from the start of the mapping, in bytes.
    start: usize,
    lines: usize,
    spacing: usize,
    /// Where the walk is now: an offset from the start of the mapping.
    at: usize,
}

/// In which order a cycle visits its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Every line once, in an order that cannot be foreseen (Sattolo 1986), from this seed.
    Random(u64),
    /// Blocks of this many lines in random order, the lines of a block one after another in random order: what
    /// is paid for a page is shared by all lines of it.
    Blocks(u32, u64),
    /// A random line of the next chunk of this many lines, of the first one behind the last: no permutation, so the walk falls
    /// into a cycle of few lines of each chunk (E15). Kept to show what it costs.
    NextChunk(u32, u64),
    /// From the first to the last.
    Forward,
    /// From the last to the first.
    Backward,
}

impl<'m> Cycle<'m> {
    /// Links `lines` lines that are `spacing` bytes apart, from the offset `start` on. `None` when they do not
    /// lie within the mapping, when there are fewer than two, or when the spacing holds no link.
    pub fn link(
        mapping: &'m mut Mapping,
        start: usize,
        lines: usize,
        spacing: usize,
        order: Order,
    ) -> Option<Self> {
        let end = lines.checked_mul(spacing)?.checked_add(start)?;
        let aligned = spacing.is_multiple_of(size_of::<usize>()) && start.is_multiple_of(size_of::<usize>());
        if lines < 2 || spacing == 0 || !aligned || end > mapping.length() {
            return None;
        }
        write_cycle(mapping, (start, spacing, lines), order)?;
        Some(Self { mapping, start, lines, spacing, at: start })
    }

    /// Links the words at these offsets, in this order, to one cycle. `None` when one does not lie within the
    /// mapping or is not aligned, or when there are fewer than two; they must differ.
    pub fn through(mapping: &'m mut Mapping, offsets: &[usize]) -> Option<Self> {
        let start = *offsets.first()?;
        let base = mapping.bytes_mut().as_mut_ptr() as usize;
        let next = offsets.iter().skip(1).chain(offsets.first());
        for (from, to) in offsets.iter().zip(next) {
            let end = from.checked_add(size_of::<usize>())?;
            let word = mapping.bytes_mut().get_mut(*from..end)?;
            if !from.is_multiple_of(size_of::<usize>()) {
                return None;
            }
            word.copy_from_slice(&(base + to).to_ne_bytes());
        }
        (offsets.len() > 1).then_some(Self { mapping, start, lines: offsets.len(), spacing: 0, at: start })
    }

    /// Number of lines.
    pub fn lines(&self) -> u64 {
        self.lines as u64
    }

    /// Follows `turns` × [`LOADS`] links from where the last walk ended; gives the number of loads done.
    pub fn walk(&mut self, turns: u64) -> u64 {
        // SAFETY: every link within the mapping is the address of another link of it, and the walk begins at one.
        self.at = unsafe { follow(self.mapping, self.at, turns) };
        turns * LOADS
    }

    /// Lines visited before the walk comes back to where it is; never more than there are. All lines have been read
    /// then, and warm those caches that are large enough.
    pub fn distinct(&self) -> u64 {
        let words = self.mapping.words();
        if self.spacing > 0 && self.lines > FEW {
            let place = LineLayout { start: self.start, spacing: self.spacing, lines: self.lines };
            return round_by_number(words, self.at, place);
        }
        round_by_walk(words, self.at, self.lines as u64)
    }
}

/// Writes the link of every line in this order: of `lines` lines, `spacing` bytes apart, from the offset `start` on. `None` for
/// more lines than have numbers.
pub(crate) fn write_cycle(
    mapping: &mut Mapping,
    (start, spacing, lines): (usize, usize, usize),
    order: Order,
) -> Option<()> {
    let last = u32::try_from(lines).ok()?.checked_sub(1)?;
    let mut write = |successors: &mut dyn Iterator<Item = u32>| {
        let base = mapping.bytes_mut().as_mut_ptr() as usize + start;
        let bytes = mapping.bytes_mut().get_mut(start..).unwrap_or_default();
        for (line, next) in bytes.chunks_mut(spacing).zip(successors) {
            let address = base + next as usize * spacing;
            if let Some(link) = line.first_chunk_mut::<{ size_of::<usize>() }>() {
                *link = address.to_ne_bytes();
            }
        }
    };
    match order {
        Order::Forward => write(&mut (1..=last).chain([0])),
        Order::Backward => write(&mut std::iter::once(last).chain(0..last)),
        Order::Random(seed) => write(&mut sattolo(lines, seed).into_iter()),
        Order::NextChunk(chunk, seed) => write(&mut next_chunk(lines as u64, chunk.max(1), seed)),
        Order::Blocks(block, seed) => write(&mut blocks(lines, block.max(1) as usize, seed).into_iter()),
    }
    Some(())
}

/// Cycles of more lines are followed by the numbers of their lines: a walk through memory would take longer than
/// everything else that a trial does.
const FEW: usize = 1 << 14;

/// From every line to a random one of the next chunk of this many lines; from the last chunk to the first one.
fn next_chunk(lines: u64, chunk: u32, seed: u64) -> impl Iterator<Item = u32> {
    let (mut random, chunk) = (seed, u64::from(chunk));
    (0..lines).map(move |line| {
        let next = (line / chunk + 1) * chunk;
        ((next + random::below(&mut random, chunk)) % lines) as u32
    })
}

/// A random permutation that is one cycle.
pub(crate) fn sattolo(lines: usize, seed: u64) -> Vec<u32> {
    let mut next = long_vec(lines);
    next.extend(0..lines as u32);
    let mut random = seed;
    for line in (1..lines).rev() {
        next.swap(line, random::below(&mut random, line as u64) as usize);
    }
    next
}

/// A cycle through blocks in random order, each block's lines in an order of its own.
fn blocks(lines: usize, block: usize, seed: u64) -> Vec<u32> {
    let order = shuffled(0..lines.div_ceil(block) as u32, seed);
    let visits: Vec<u32> = order
        .into_iter()
        .flat_map(|one| {
            let first = one as usize * block;
            shuffled(first as u32..lines.min(first + block) as u32, random::next(seed ^ u64::from(one)))
        })
        .collect();
    let mut next = vec![0; lines];
    let after = visits.iter().skip(1).chain(visits.first());
    for (from, to) in visits.iter().zip(after) {
        if let Some(slot) = next.get_mut(*from as usize) {
            *slot = *to;
        }
    }
    next
}

/// A range in random order (Fisher and Yates).
pub fn shuffled(range: std::ops::Range<u32>, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = range.collect();
    let mut random = seed;
    for last in (1..order.len()).rev() {
        order.swap(last, random::below(&mut random, last as u64 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct(lines: usize, spacing: usize, order: Order) -> u64 {
        let mut mapping = Mapping::private(lines * spacing).unwrap();
        Cycle::link(&mut mapping, 0, lines, spacing, order).unwrap().distinct()
    }

    #[test]
    fn every_line_is_visited_once_before_any_is_visited_again() {
        for order in [
            Order::Forward,
            Order::Backward,
            Order::Random(1),
            Order::Random(2),
            Order::Blocks(64, 2),
            Order::Blocks(7, 3),
        ] {
            for lines in [2, 3, 64, 1000] {
                assert_eq!(distinct(lines, 64, order), lines as u64, "{order:?}");
            }
        }
        assert_eq!(distinct(100, 4096 + 64, Order::Random(3)), 100);
    }

    #[test]
    fn a_walk_round_the_cycle_ends_where_it_began() {
        let mut mapping = Mapping::private(1 << 20).unwrap();
        let lines = 3 * LOADS as usize;
        let mut cycle = Cycle::link(&mut mapping, 4096, lines, 64, Order::Random(5)).unwrap();
        assert_eq!(cycle.walk(1), LOADS);
        assert_ne!(cycle.at, 4096);
        assert_eq!(cycle.walk(2), 2 * LOADS);
        assert_eq!(cycle.at, 4096);
    }

    #[test]
    fn random_steps_into_the_next_chunk_come_round_after_few_passes() {
        let mut mapping = Mapping::private(1 << 20).unwrap();
        let (elements, chunk) = (1 << 17, 32);
        let mut cycle = Cycle::link(&mut mapping, 0, elements, 8, Order::NextChunk(chunk, 5)).unwrap();
        cycle.walk(elements as u64);
        let chunks = elements as u64 / u64::from(chunk);
        let found = cycle.distinct();
        assert!(found.is_multiple_of(chunks) && (1..=32).contains(&(found / chunks)), "{found}");
    }

    #[test]
    fn every_element_links_to_the_chunk_behind_its_own() {
        let links: Vec<u32> = next_chunk(64, 16, 7).collect();
        for (element, to) in links.iter().enumerate() {
            assert_eq!(*to as usize / 16, (element / 16 + 1) % 4, "{element}");
        }
    }

    #[test]
    fn following_by_number_finds_what_a_walk_finds() {
        let lines = 2 * FEW;
        for (start, spacing) in [(0, 64), (4096, 192)] {
            let mut mapping = Mapping::private(start + lines * spacing).unwrap();
            let order = Order::Random(start as u64);
            let mut cycle = Cycle::link(&mut mapping, start, lines, spacing, order).unwrap();
            cycle.walk(9);
            assert_eq!(cycle.distinct(), lines as u64);
            // A link that is cut short leaves lines out, one that leads nowhere never comes back.
            let at = cycle.at;
            let base = cycle.mapping.bytes_mut().as_ptr() as usize;
            for (to, expected) in [(base + at, 1), (base + at + 8, 0), (0, 0)] {
                let link = cycle.mapping.bytes_mut().get_mut(at..at + 8).unwrap();
                link.copy_from_slice(&to.to_ne_bytes());
                assert_eq!(cycle.distinct(), expected);
            }
        }
        assert_eq!(distinct(lines, 64, Order::Forward), lines as u64);
        assert_eq!(distinct(lines + 1, 64, Order::Backward), lines as u64 + 1);
    }

    #[test]
    fn a_cycle_goes_through_the_places_that_it_is_given() {
        let mut mapping = Mapping::private(4096).unwrap();
        let offsets = [0, 8, 1024, 64, 4088];
        assert_eq!(Cycle::through(&mut mapping, &offsets).unwrap().distinct(), 5);
        for wrong in [&[0, 4096][..], &[0, 4], &[4, 64], &[0], &[]] {
            assert!(Cycle::through(&mut mapping, wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn cycles_that_do_not_fit_are_rejected() {
        let mut mapping = Mapping::private(4096).unwrap();
        for (start, lines, spacing) in
            [(0, 65, 64), (64, 64, 64), (0, 1, 64), (0, 8, 0), (0, 8, 12), (4, 8, 64)]
        {
            assert!(Cycle::link(&mut mapping, start, lines, spacing, Order::Forward).is_none());
        }
    }

    #[test]
    fn orders_differ_by_seed() {
        assert_ne!(sattolo(100, 1), sattolo(100, 2));
        assert_eq!(sattolo(100, 1), sattolo(100, 1));
    }
}
