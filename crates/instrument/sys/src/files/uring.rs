//! The smallest use of io_uring: operations that do nothing, submitted and reaped by one call; and reads and writes.

use crate::descriptor::Descriptor;
use crate::memory::Mapping;
use crate::{Error, Result, arch};
use std::sync::atomic::{AtomicU32, Ordering};

pub mod full_queue;
mod registered;
pub mod requests;
pub mod scheduled;

/// Most operations in one call.
pub const MAX_OPERATIONS: u32 = 64;

/// Words of `struct io_uring_params` (linux/io_uring.h), and where in it is what is needed.
const PARAMETERS: usize = 30;
const FLAGS: usize = 2;
const FEATURES: usize = 5;
const SUBMISSION: usize = 10;
const COMPLETION: usize = 20;
/// Within either: the offsets of head, tail and mask, and of the array or the entries.
const HEAD: usize = 0;
const TAIL: usize = 1;
const MASK: usize = 2;
const ARRAY: usize = 6;
const ENTRIES: usize = 5;

/// Both rings are in one mapping (Linux 5.4).
const ONE_MAPPING: u32 = 1;
const RINGS: u64 = 0;
const SUBMITTED: u64 = 0x1000_0000;
/// Bytes of an entry of either queue.
const ENTRY: usize = 64;
const RESULT: usize = 16;
/// Where an entry keeps the word that comes back with its result: byte 32.
const WORD: usize = 4;
const GET_EVENTS: usize = 1;

/// The word at this byte of a ring or a queue.
#[inline(always)]
fn word(memory: &Mapping, at: usize) -> &AtomicU32 {
    let words = memory.short_words();
    words.get(at / 4).unwrap_or(&words[0])
}

/// A pair of queues to the kernel; gone when dropped.
#[derive(Debug)]
pub struct Ring {
    rings: Mapping,
    entries: Mapping,
    ring: Descriptor,
    offsets: [u32; PARAMETERS],
}

impl Ring {
    /// New queues for at most [`MAX_OPERATIONS`] operations at once.
    ///
    /// # Errors
    /// When the kernel denies it, has none, or is older than 5.4 (errno 0).
    pub fn new() -> Result<Self> {
        Self::with_entries(MAX_OPERATIONS, 0)
    }

    /// The same for at most `entries` operations at once, with these flags of its setup.
    fn with_entries(entries: u32, flags: u32) -> Result<Self> {
        let mut offsets = [0_u32; PARAMETERS];
        offsets[FLAGS] = flags;
        let arguments = [entries as usize, offsets.as_mut_ptr() as usize];
        // SAFETY: the parameters are as long as the kernel's structure; the call makes a new descriptor.
        let ring = unsafe { Descriptor::from_syscall::<{ libc::SYS_io_uring_setup }, _>(arguments) }?;
        if offsets[FEATURES] & ONE_MAPPING == 0 {
            return Err(Error { call: "io_uring_setup", errno: libc::ENOSYS });
        }
        let (submitted, completed) = (offsets[0] as usize, offsets[1] as usize);
        let array_end = offsets[SUBMISSION + ARRAY] as usize + 4 * submitted;
        let entries_end = offsets[COMPLETION + ENTRIES] as usize + RESULT * completed;
        let ring = Self {
            rings: Mapping::of_kernel(&ring, RINGS, array_end.max(entries_end))?,
            entries: Mapping::of_kernel(&ring, SUBMITTED, ENTRY * submitted)?,
            ring,
            offsets,
        };
        for index in 0..offsets[0] {
            word(&ring.rings, ring.at(SUBMISSION, ARRAY) + 4 * index as usize)
                .store(index, Ordering::Relaxed);
        }
        Ok(ring)
    }

    fn at(&self, queue: usize, what: usize) -> usize {
        self.offsets[queue + what] as usize
    }

    /// Submits `count` operations that do nothing and waits for all of them, by one call; gives how many came back
    /// with success and with the word that they were given.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn do_nothing(&self, count: u32, first_word: u32) -> Result<u64> {
        let count = count.min(MAX_OPERATIONS);
        let tail = word(&self.rings, self.at(SUBMISSION, TAIL));
        let mask = word(&self.rings, self.at(SUBMISSION, MASK)).load(Ordering::Relaxed);
        let first = tail.load(Ordering::Relaxed);
        for index in 0..count {
            let entry = ENTRY * (first.wrapping_add(index) & mask) as usize;
            // The rest of an entry is zero, which is what an operation that does nothing is made of.
            let given = word(&self.entries, entry + 8 * WORD);
            given.store(first_word.wrapping_add(index), Ordering::Relaxed);
        }
        tail.store(first.wrapping_add(count), Ordering::Release);
        let number = self.ring.number() as usize;
        let arguments = [number, count as usize, count as usize, GET_EVENTS];
        // SAFETY: the entries are as many as said and name no memory; no signals are named.
        let taken = unsafe { arch::try_syscall::<{ libc::SYS_io_uring_enter }, _>(arguments) }?;
        let right = self.reap(first_word);
        Ok(if taken == count as usize { right } else { 0 })
    }

    /// Takes all that is complete; gives how many succeeded in the order of their words.
    #[inline(always)]
    fn reap(&self, first_word: u32) -> u64 {
        let head = word(&self.rings, self.at(COMPLETION, HEAD));
        let tail = word(&self.rings, self.at(COMPLETION, TAIL)).load(Ordering::Acquire);
        let mask = word(&self.rings, self.at(COMPLETION, MASK)).load(Ordering::Relaxed);
        let first = head.load(Ordering::Relaxed);
        let mut right = 0;
        for index in 0..tail.wrapping_sub(first).min(2 * MAX_OPERATIONS) {
            let slot = (first.wrapping_add(index) & mask) as usize;
            let at = self.at(COMPLETION, ENTRIES) + RESULT * slot;
            let came = word(&self.rings, at).load(Ordering::Relaxed);
            let result = word(&self.rings, at + 8).load(Ordering::Relaxed);
            right += u64::from(came == first_word.wrapping_add(index) && result == 0);
        }
        head.store(tail, Ordering::Release);
        right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_submitted_comes_back() {
        let ring = match Ring::new() {
            Err(error) if error.is_denied() => return,
            ring => ring.unwrap(),
        };
        for (count, word) in [(1, 7), (32, 100), (MAX_OPERATIONS, u32::MAX - 3), (1, 0), (5, 9)] {
            for _ in 0..10 {
                assert_eq!(ring.do_nothing(count, word), Ok(u64::from(count)));
            }
        }
    }
}
