//! Random words from a seed: SplitMix64 (Steele, Lea, Flood 2014), so that no compression shortens them; and the kernel's
//! randomness for keys.

pub mod vdso;

use crate::{Error, Result, arch};
use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

/// The odd step from one word of the sequence to the next.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The word behind this one, for those who keep the last.
#[inline(always)]
pub(crate) fn next(last: u64) -> u64 {
    word(last, 0)
}

/// The next number below a limit, even over all of them but for one part in 2³².
#[inline(always)]
pub(crate) fn below(last: &mut u64, limit: u64) -> u64 {
    *last = next(*last);
    ((*last >> 32) * limit) >> 32
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

/// Two words from the kernel's source of randomness, by one `getrandom`.
///
/// # Errors
/// When the call is denied, or gives fewer bytes (errno 0).
#[inline(always)]
pub fn words_from_kernel() -> Result<[u64; 2]> {
    let mut words = [0_u64; 2];
    let bytes = size_of_val(&words);
    // SAFETY: the words live through the call, which fills them.
    let filled =
        unsafe { arch::try_syscall::<{ libc::SYS_getrandom }, _>([words.as_mut_ptr() as usize, bytes, 0]) }?;
    if filled == bytes { Ok(words) } else { Err(Error { call: "getrandom", errno: 0 }) }
}

/// Fills the bytes from the kernel's source of randomness, by one `getrandom`.
///
/// # Errors
/// When the call is denied, or gives fewer bytes (errno 0).
#[inline(always)]
pub fn fill_by_one_call(bytes: &mut [u8]) -> Result<()> {
    let arguments = [bytes.as_mut_ptr() as usize, bytes.len(), 0];
    // SAFETY: the bytes live through the call, which fills at most their length.
    is_filled(unsafe { arch::try_syscall::<{ libc::SYS_getrandom }, _>(arguments) }?, bytes)
}

#[inline(always)]
fn is_filled(filled: usize, bytes: &[u8]) -> Result<()> {
    if filled == bytes.len() { Ok(()) } else { Err(Error { call: "getrandom", errno: 0 }) }
}

/// Fills the bytes from the kernel's source of randomness.
///
/// # Errors
/// When the call is denied.
pub fn fill(bytes: &mut [u8]) -> Result<()> {
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match getrandom(rest, GetRandomFlags::empty()) {
            Ok(given) => filled += given,
            Err(Errno::INTR) => {}
            Err(error) => return Err(Error::in_call("getrandom")(error)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_the_published_generator() {
        let first = [0, 1, 2].map(|index| word(1_234_567, index));
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn randomness_differs() {
        let (mut one, mut other) = ([0; 32], [0; 32]);
        fill(&mut one).unwrap();
        fill(&mut other).unwrap();
        assert_ne!(one, other);
    }
}
