//! Loops that other tools take for memory bandwidth: sums of words, and blocks that a cache holds.

use super::single::run_single;
use super::spec::BLOCK;
use crate::memory::WorkingSet;
use measure::{Bench, Failure, Parameters, Point, Result};
use std::hint::black_box;
use sys::bandwidth::{Action, Blocks, Content, Method};
use sys::memory::Mapping;

/// Copies the same bytes from one page to another.
///
/// # Errors
/// When there is no memory.
pub fn copy_repeatedly(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = bench.parameters::<WorkingSet>()?.bytes.bytes() as usize;
    let (mut source, mut copy) = (Mapping::private(bytes)?, Mapping::private(bytes)?);
    source.touch(bench.seed());
    bench.slope(&mut |n| {
        let source = source.bytes_mut().get_mut(..bytes).unwrap_or_default();
        let copy = copy.bytes_mut().get_mut(..bytes).unwrap_or_default();
        if let Some(first) = source.first_mut() {
            *first = first.wrapping_add(1);
        }
        for _ in 0..n {
            black_box(&mut *copy).copy_from_slice(black_box(&*source));
        }
        Ok(if copy == source { n } else { 0 })
    })
}

/// Bytes of a buffer that fits the last-level cache.
const SMALL: usize = 8 << 20;

/// Bytes of an array that does not.
pub const LARGE: usize = 64 << 20;

/// Blocks of a buffer that fits the last-level cache, by the C library's function.
///
/// # Errors
/// When there is no memory.
pub fn within_small(bench: &mut Bench<'_>, action: Action, content: Content) -> Result<()> {
    let made = Blocks::new(action, Method::Library, (SMALL, BLOCK), content, bench.seed())?;
    let blocks = made.ok_or_else(|| Failure::failed("the library has no such function"))?;
    run_single(bench, blocks, SMALL)
}

/// The sum of a block's 4-byte words, kept in memory.
fn sum(block: &[u8]) -> u32 {
    let mut sum = 0_u32;
    for chunk in block.chunks_exact(4) {
        let word = chunk.first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes));
        sum = sum.wrapping_add(word);
        black_box(&mut sum);
    }
    sum
}

/// Bytes of the array of a point, and of its blocks.
pub fn array_and_block(point: &Point) -> (usize, usize) {
    let array = WorkingSet::read(point).map_or(LARGE, |set| set.bytes.bytes() as usize);
    (array, array.min(BLOCK))
}

/// Sums the 4-byte words of an array, with the sum in memory.
///
/// # Errors
/// When there is no memory.
pub fn sum_words(bench: &mut Bench<'_>) -> Result<()> {
    let (array, block) = array_and_block(bench.point());
    let mut mapping = Mapping::private(array)?;
    mapping.touch(bench.seed());
    let bytes = &*mapping.bytes_mut();
    let expected: Vec<u32> = bytes.chunks_exact(block).map(sum).collect();
    let mut next = 0;
    bench.slope(&mut |n| {
        let mut answers = 0;
        for _ in 0..n {
            let block = bytes.get(next * block..(next + 1) * block).unwrap_or_default();
            answers += u64::from(expected.get(next) == Some(&sum(block)));
            next = (next + 1) % expected.len();
        }
        Ok(answers)
    })
}
