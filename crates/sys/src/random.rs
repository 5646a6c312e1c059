//! Random words from a seed: SplitMix64 (Steele, Lea, Flood 2014), so that no compression shortens them.

/// The odd step from one word of the sequence to the next.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The word behind this one, for those who keep the last.
#[inline(always)]
pub fn next(last: u64) -> u64 {
    word(last, 0)
}

/// The word at this index of the sequence that a seed begins.
#[inline(always)]
pub fn word(seed: u64, index: u64) -> u64 {
    mix(seed.wrapping_add(index.wrapping_add(1).wrapping_mul(STEP)))
}

/// Spreads every bit of a word over all bits.
#[inline(always)]
pub fn mix(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_published_generator() {
        let first = [0, 1, 2].map(|index| word(1_234_567, index));
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }
}
