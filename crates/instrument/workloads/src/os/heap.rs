//! Blocks of the C library's heap, replaced one by one, on a new heap or on one with holes, by one thread or one on each CPU.

use super::scaling::cpus;
use super::scaling::object::{Object, Tasks};
use super::scaling::pool::{self, Plan};
use measure::{Bench, Result, choice, parameters};
use quantity::Bytes;
use std::sync::{Mutex, PoisonError};
use sys::heap::Block;
use sys::random;

choice! {
    /// What happened on the heap before.
    pub enum HeapAge {
        /// Nothing.
        New = "new",
        /// Blocks of all sizes came and went, which left holes.
        Old = "old",
    }
}

parameters! {
    /// Blocks of a heap.
    pub struct Allocations {
        /// Of a block.
        bytes: Bytes,
        /// What happened before.
        heap: HeapAge,
    }
}

impl Allocations {
    /// The same of blocks of another size.
    pub fn of_bytes(self, bytes: u64) -> Self {
        Self { bytes: Bytes::from_bytes(bytes), ..self }
    }
}

/// Blocks that live at a time, and the bytes of all of them: so few that they are in a cache.
const MOST_LIVE: usize = 64;
const LIVE_BYTES: usize = 512 << 10;

/// The first free of a block that was mapped makes glibc keep blocks of up to its size in the heap, and the heap from shrinking by
/// less than twice that: see mallopt(3). What follows has then happened already.
const LARGE: usize = 1 << 20;

/// Replacements before their sequence begins again.
const SEQUENCE: u64 = 1 << 12;

/// What makes a heap old: calls on places for blocks, each of which frees the block that is there or allocates one there, so that
/// half of the places are taken in the end; of sizes from 16 bytes to as many powers of two higher.
const AGING_CALLS: u64 = 8192;
const AGING_PLACES: u64 = 2048;
const AGING_POWERS: u64 = 12;

/// Blocks of one size that live, and what happens to them.
pub struct Heap {
    /// Each with the number that is stamped on it.
    live: Vec<(Block, u64)>,
    /// Which is replaced next.
    sequence: Vec<u8>,
    replaced: u64,
    /// The blocks that remain of the past, and one of the size of the others behind them, so that they do not end the heap, which
    /// would shrink and grow then.
    _others: Vec<Block>,
}

impl Heap {
    /// Blocks of this size on the heap of the calling thread.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(Allocations { bytes, heap }: Allocations, seed: u64) -> Result<Self> {
        let bytes = bytes.bytes() as usize;
        let count = (LIVE_BYTES / bytes.max(1)).clamp(1, MOST_LIVE);
        drop(Block::allocate(LARGE)?);
        let mut others = match heap {
            HeapAge::New => Vec::new(),
            HeapAge::Old => grow_old(seed)?,
        };
        let stamped = |number| {
            let mut block = Block::allocate(bytes)?;
            block.stamp(number);
            Ok((block, number))
        };
        let live = (0..count as u64).map(stamped).collect::<sys::Result<Vec<_>>>()?;
        others.push(Block::allocate(bytes)?);
        let draw = |index| (random::word(seed, index) % count as u64) as u8;
        let sequence = (0..SEQUENCE).map(draw).collect();
        Ok(Self { live, sequence, replaced: 0, _others: others })
    }

    /// Frees the next block and allocates another one in its place; whether the one that is freed still had its numbers.
    #[inline(always)]
    fn replace(&mut self) -> sys::Result<bool> {
        let index = self.sequence.get((self.replaced % SEQUENCE) as usize).copied().unwrap_or_default();
        self.replaced += 1;
        let Some((block, number)) = self.live.get_mut(usize::from(index)) else { return Ok(false) };
        let was_whole = block.has(*number);
        block.replace()?;
        *number = self.replaced;
        block.stamp(self.replaced);
        Ok(was_whole)
    }

    /// Does so `n` times; gives how many blocks still had their numbers.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn replace_all(&mut self, n: u64) -> sys::Result<u64> {
        let mut right = 0;
        for _ in 0..n {
            right += u64::from(self.replace()?);
        }
        Ok(right)
    }
}

/// Allocates and frees blocks of many sizes; gives those that remain.
fn grow_old(seed: u64) -> sys::Result<Vec<Block>> {
    let mut places: Vec<Option<Block>> = (0..AGING_PLACES).map(|_| None).collect();
    for call in 0..AGING_CALLS {
        let random = random::word(!seed, call);
        let (index, power, within) = (random % AGING_PLACES, (random >> 16) % AGING_POWERS, random >> 32);
        let least = 16 << power;
        let Some(place) = places.get_mut(index as usize) else { continue };
        *place = match place.take() {
            Some(_) => None,
            None => Some(Block::allocate((least + within % least) as usize)?),
        };
    }
    Ok(places.into_iter().flatten().collect())
}

impl Object for Mutex<Heap> {
    fn operate(&self, n: u64) -> sys::Result<u64> {
        // Each actor has its own heap; the mutex says so to the compiler.
        self.lock().unwrap_or_else(PoisonError::into_inner).replace_all(n)
    }
}

/// Replaces blocks of the point, on every CPU of it.
///
/// # Errors
/// When there is no memory left, or no thread can be made.
pub fn replace_blocks(bench: &mut Bench<'_>) -> Result<()> {
    let allocations = bench.parameters()?;
    replace(bench, allocations)
}

/// The same with other parameters.
///
/// # Errors
/// When there is no memory left, or no thread can be made.
pub fn replace(bench: &mut Bench<'_>, allocations: Allocations) -> Result<()> {
    let seed = bench.seed();
    if bench.is_rehearsal() || !bench.point().on_all_cpus() {
        let mut heap = Heap::new(allocations, seed)?;
        return bench.slope(&mut |n| Ok(heap.replace_all(n)?));
    }
    let cpus = cpus(bench)?;
    let plan = Plan { tasks: Tasks::Threads, is_shared: false, least_each: pool::LEAST_EACH };
    let make = || Ok(Box::new(Mutex::new(Heap::new(allocations, seed)?)) as Box<dyn Object>);
    pool::run(bench, &cpus, plan, &make)
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::{Parameters, Point};

    fn heap(point: &str) -> Heap {
        Heap::new(Allocations::read(&Point::parse(point).unwrap()).unwrap(), 7).unwrap()
    }

    #[test]
    fn every_block_keeps_its_numbers_until_it_is_replaced() {
        for bytes in ["1B", "16B", "1KiB", "64KiB", "1MiB", "64MiB"] {
            for age in ["new", "old"] {
                let mut heap = heap(&format!("bytes={bytes} heap={age}"));
                assert_eq!(heap.replace_all(300), Ok(300), "{bytes} {age}");
            }
        }
    }

    #[test]
    fn blocks_that_share_memory_lose_their_numbers() {
        let mut heap = heap("bytes=64B heap=new");
        for (block, _) in heap.live.iter_mut() {
            block.stamp(u64::MAX);
        }
        assert!(heap.replace_all(64).unwrap() < 64);
    }

    #[test]
    fn an_old_heap_has_blocks_of_half_of_its_places() {
        let blocks = grow_old(7).unwrap().len() as u64;
        assert!((AGING_PLACES / 3..AGING_PLACES * 2 / 3).contains(&blocks), "{blocks}");
    }
}
