//! A buffer of random words that is read as a whole, so that it is known how much of the caches it takes.

use crate::memory::Mapping;
use crate::{Result, random};

/// Memory of random words whose sum is known; every page of it is resident.
#[derive(Debug)]
pub struct Footprint {
    memory: Mapping,
    bytes: usize,
    sum: u64,
}

impl Footprint {
    /// `bytes` bytes, a multiple of 8, from this seed; 0 is allowed.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(bytes: usize, seed: u64) -> Result<Self> {
        let mut memory = Mapping::private(bytes)?;
        let mut sum = 0_u64;
        for (word, index) in memory.bytes_mut().chunks_exact_mut(8).take(bytes / 8).zip(0..) {
            let random = random::word(seed, index);
            word.copy_from_slice(&random.to_ne_bytes());
            sum = sum.wrapping_add(random);
        }
        Ok(Self { memory, bytes, sum })
    }

    /// Its length in bytes.
    pub fn length(&self) -> usize {
        self.bytes
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        self.memory.bytes().get(..self.bytes).unwrap_or_default()
    }

    /// Puts a number in the place of the first word; its sum is another then.
    pub fn stamp(&mut self, number: u64) {
        if let Some(first) = self.memory.bytes_mut().first_chunk_mut() {
            *first = number.to_ne_bytes();
        }
    }

    /// Reads every word, from the first to the last; whether their sum is what it was when they were written.
    #[inline(never)]
    pub fn is_whole(&self) -> bool {
        sum(self.bytes()) == self.sum
    }
}

/// The sum of the words in these bytes, modulo 2⁶⁴. The vectors of the base architecture do it: 16 to 32 bytes
/// a cycle when the bytes are near.
fn sum(bytes: &[u8]) -> u64 {
    let words = std::hint::black_box(bytes).as_chunks::<8>().0;
    words.iter().fold(0, |sum, word| sum.wrapping_add(u64::from_ne_bytes(*word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::resident_pages;

    #[test]
    fn every_page_is_there_and_no_word_is_missed() {
        let mut footprint = Footprint::new(3 * 4096 + 64, 7).unwrap();
        assert_eq!(resident_pages(footprint.memory.start() as usize, footprint.memory.length()), Ok(4));
        for at in [0, 4096, 3 * 4096 + 63] {
            assert!(footprint.is_whole());
            footprint.memory.bytes_mut()[at] ^= 1;
            assert!(!footprint.is_whole(), "a change at {at} was not seen");
            footprint.memory.bytes_mut()[at] ^= 1;
        }
        assert!(footprint.is_whole());
    }

    #[test]
    fn a_stamp_is_the_first_word_and_nothing_else() {
        let [mut one, same] = [0, 0].map(|_| Footprint::new(64, 3).unwrap());
        one.stamp(42);
        assert_eq!(one.bytes()[..8], 42_u64.to_ne_bytes());
        assert_eq!(one.bytes()[8..], same.bytes()[8..]);
    }

    #[test]
    fn seeds_give_different_words_and_nothing_is_whole_too() {
        let [one, same, other] = [1, 1, 2].map(|seed| Footprint::new(64, seed).unwrap());
        assert_eq!(one.bytes(), same.bytes());
        assert_ne!(one.bytes(), other.bytes());
        assert!(one.bytes().iter().any(|&byte| byte != 0));
        let none = Footprint::new(0, 1).unwrap();
        assert!(none.is_whole() && none.length() == 0 && none.bytes().is_empty());
    }
}
