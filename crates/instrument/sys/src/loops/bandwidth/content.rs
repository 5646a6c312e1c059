//! What blocks hold.

use super::method::Action;
use crate::random;

/// What the memory holds before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Random words, none of them zero.
    Random,
    /// Zeros, which are also what is written.
    Zeros,
}

/// The words of a block.
pub(super) fn words(block: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let chunks = block.chunks_exact(8);
    chunks.map(|chunk| chunk.first_chunk().map_or(0, |bytes| u64::from_ne_bytes(*bytes)))
}

/// Fills a block with words and gives their sum. Numbers are small integers, whose sums and products are exact.
pub(super) fn fill(block: &mut [u8], (content, action): (Content, Action), seed: u64) -> u64 {
    let (mut word, mut sum) = (seed, 0_u64);
    for chunk in block.chunks_exact_mut(8) {
        // A Weyl sequence of an odd step, multiplied: every word differs, and none is zero.
        word = word.wrapping_add(random::STEP);
        let random = word.wrapping_mul(0xd134_2543_de82_ef95);
        let value = match content {
            Content::Random if action.is_float() => f64::from((random >> 44) as u32 | 1).to_bits(),
            Content::Random => random | 1,
            Content::Zeros => 0,
        };
        sum = sum.wrapping_add(value);
        if let Some(bytes) = chunk.first_chunk_mut() {
            *bytes = value.to_ne_bytes();
        }
    }
    sum
}
