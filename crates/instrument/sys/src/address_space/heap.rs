//! Blocks of the C library's heap: malloc and free.

use crate::random::STEP;
use crate::{Error, Result};
use std::hint::black_box;
use std::ptr::NonNull;

/// Bytes of a block at least: two numbers.
pub const LEAST: usize = 16;

const NO_MEMORY: Error = Error { call: "malloc", errno: libc::ENOMEM };

/// A block by malloc, which free takes back when it is dropped.
#[derive(Debug)]
pub struct Block {
    /// Absent where there was no memory for another block in its place.
    start: Option<NonNull<u8>>,
    bytes: usize,
}

#[inline(always)]
fn malloc(bytes: usize) -> Option<NonNull<u8>> {
    // SAFETY: the call has no preconditions.
    let start = unsafe { libc::malloc(bytes) };
    // Opaque, so that the compiler does not remove a block that it finds unused.
    NonNull::new(black_box(start).cast())
}

impl Block {
    /// A block of as many bytes, at least [`LEAST`].
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn allocate(bytes: usize) -> Result<Self> {
        let bytes = bytes.max(LEAST);
        let start = malloc(bytes);
        if start.is_some() { Ok(Self { start, bytes }) } else { Err(NO_MEMORY) }
    }

    /// Frees it, and allocates another one of its size in its place.
    ///
    /// # Errors
    /// When there is no memory left.
    #[inline(always)]
    pub fn replace(&mut self) -> Result<()> {
        self.free();
        self.start = malloc(self.bytes);
        if self.start.is_some() { Ok(()) } else { Err(NO_MEMORY) }
    }

    #[inline(always)]
    fn free(&mut self) {
        if let Some(start) = self.start.take() {
            // SAFETY: malloc gave the block, and nothing uses it any more.
            unsafe { libc::free(start.as_ptr().cast()) };
        }
    }

    /// Where its first and its last number are.
    #[inline(always)]
    fn ends(&self) -> Option<[*mut u64; 2]> {
        let first = self.start?.as_ptr();
        Some([first.cast(), first.wrapping_add(self.bytes - 8).cast()])
    }

    /// Writes a number to its first bytes, and another one that follows from it to its last.
    #[inline(always)]
    pub fn stamp(&mut self, number: u64) {
        if let Some([first, last]) = self.ends() {
            // SAFETY: both lie within the block, which belongs to `self`.
            unsafe {
                first.write_unaligned(number);
                last.write_unaligned(number.wrapping_mul(STEP));
            }
        }
    }

    /// Whether both are still as [`Block::stamp`] wrote them for this number.
    #[inline(always)]
    pub fn has(&self, number: u64) -> bool {
        self.ends().is_some_and(|[first, last]| {
            // SAFETY: as above; callers have stamped it.
            let found = unsafe { [first.read_unaligned(), last.read_unaligned()] };
            found[0] == number && found[1] == number.wrapping_mul(STEP)
        })
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.free();
    }
}

// SAFETY: any thread may use and free a block.
unsafe impl Send for Block {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_keep_their_numbers_until_they_are_freed() {
        for bytes in [1, 16, 17, 1000, 64 << 10, 64 << 20] {
            let mut blocks: Vec<Block> = (0..3).map(|_| Block::allocate(bytes).unwrap()).collect();
            blocks.iter_mut().zip(7..).for_each(|(block, number)| block.stamp(number));
            for (block, number) in blocks.iter().zip(7..) {
                assert!(block.has(number) && !block.has(number + 1), "{bytes}");
            }
        }
    }

    #[test]
    fn a_last_byte_that_changed_is_found() {
        let mut block = Block::allocate(100).unwrap();
        block.stamp(5);
        // SAFETY: within the block.
        unsafe { *block.start.unwrap().as_ptr().add(99) ^= 1 };
        assert!(!block.has(5));
    }

    #[test]
    fn more_than_the_address_space_is_an_error() {
        let failed = Block::allocate(isize::MAX as usize - 4096).map(|_| ());
        assert_eq!(failed, Err(NO_MEMORY));
    }

    #[test]
    fn a_block_that_could_not_be_replaced_has_no_numbers() {
        let mut block = Block::allocate(64).unwrap();
        block.stamp(3);
        assert_eq!(block.replace(), Ok(()));
        block.stamp(4);
        assert!(block.has(4));
        block.bytes = isize::MAX as usize - 4096;
        assert_eq!(block.replace(), Err(NO_MEMORY));
        block.stamp(5);
        assert!(!block.has(5));
    }
}
