//! Sums of what is too long for a fact.

use blake2::{Blake2s256, Digest};

/// Digits of a sum: two of a million texts have the same one with a chance of one in ten million.
const DIGITS: usize = 16;

/// The first digits of the BLAKE2s sum of some bytes.
pub(crate) fn checksum(bytes: &[u8]) -> String {
    let digits: String = Blake2s256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    digits.chars().take(DIGITS).collect()
}
