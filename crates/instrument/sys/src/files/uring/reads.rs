//! Reads of a file by io_uring at a queue depth: a new read is submitted for each that is complete.

use super::{
    COMPLETION, ENTRIES, ENTRY, GET_EVENTS, HEAD, MASK, MAX_OPERATIONS, RESULT, Ring, SUBMISSION, TAIL, WORD,
    word,
};
use crate::descriptor::Descriptor;
use crate::memory::Mapping;
use crate::{Error, Result, arch};
use std::sync::atomic::Ordering;

/// `IORING_OP_READ` (linux/io_uring.h, Linux 5.6).
const READ: u32 = 22;

/// Where an entry keeps descriptor, offset, address and length, in bytes.
const FILE: usize = 4;
const OFFSET: usize = 8;
const ADDRESS: usize = 16;
const LENGTH: usize = 24;

/// The reads in flight, and their buffers.
#[derive(Debug)]
pub struct Reads {
    ring: Ring,
    buffers: Mapping,
    block: usize,
    /// The offset that is read into each buffer.
    offsets: Vec<u64>,
}

/// What became of reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Reads that gave a whole block which was right.
    pub right: u64,
    /// Calls that were made.
    pub calls: u64,
    /// Most reads that were in flight at once.
    pub deepest: u32,
}

impl Reads {
    /// For reads of `block` bytes, at most `depth` (to 64) at once.
    ///
    /// # Errors
    /// When the kernel denies io_uring.
    pub fn new(block: usize, depth: u32) -> Result<Self> {
        let depth = depth.clamp(1, MAX_OPERATIONS);
        let mut buffers = Mapping::private(block * depth as usize)?;
        buffers.touch(1);
        Ok(Self { ring: Ring::new()?, buffers, block, offsets: vec![0; depth as usize] })
    }

    /// Puts a read of this offset into the queue, into this buffer; the kernel sees it with the next call.
    fn put(&mut self, file: &Descriptor, slot: usize, offset: u64) {
        if let Some(place) = self.offsets.get_mut(slot) {
            *place = offset;
        }
        let address = self.buffers.bytes_mut().as_mut_ptr() as u64 + (slot * self.block) as u64;
        let ring = &self.ring;
        let tail = word(&ring.rings, ring.at(SUBMISSION, TAIL));
        let mask = word(&ring.rings, ring.at(SUBMISSION, MASK)).load(Ordering::Relaxed);
        let place = tail.load(Ordering::Relaxed);
        let entry = ENTRY * (place & mask) as usize;
        let put = |at: usize, value: u32| word(&ring.entries, entry + at).store(value, Ordering::Relaxed);
        let put_long = |at: usize, value: u64| {
            put(at, value as u32);
            put(at + 4, (value >> 32) as u32);
        };
        put(0, READ);
        put(FILE, file.number() as u32);
        put_long(OFFSET, offset);
        put_long(ADDRESS, address);
        put(LENGTH, self.block as u32);
        put(LENGTH + 4, 0);
        put_long(8 * WORD, slot as u64);
        tail.store(place.wrapping_add(1), Ordering::Release);
    }

    /// Reads the blocks at `count` offsets, with as many in flight as there are buffers; `is_right` looks at each
    /// block with its offset.
    ///
    /// # Errors
    /// When the kernel refuses the call. A read that fails is not right.
    pub fn run(
        &mut self,
        file: &Descriptor,
        count: u64,
        mut offset: impl FnMut() -> u64,
        is_right: impl Fn(&[u8], u64) -> bool,
    ) -> Result<Done> {
        let depth = self.offsets.len() as u64;
        let (mut done, mut begun, mut ended) = (Done::default(), 0, 0);
        let mut fresh = count.min(depth);
        for slot in 0..fresh {
            self.put(file, slot as usize, offset());
        }
        begun += fresh;
        // Every turn ends at least one read: the kernel waits for one.
        while ended < count {
            done.deepest = done.deepest.max((begun - ended) as u32);
            self.enter(fresh)?;
            done.calls += 1;
            fresh = 0;
            while let Some((slot, result)) = self.take() {
                ended += 1;
                let at = self.offsets.get(slot).copied().unwrap_or(0);
                let bytes = self.buffers.bytes().get(slot * self.block..(slot + 1) * self.block);
                let whole = result == self.block as u32;
                done.right += u64::from(whole && bytes.is_some_and(|bytes| is_right(bytes, at)));
                if begun < count {
                    self.put(file, slot, offset());
                    begun += 1;
                    fresh += 1;
                }
            }
        }
        Ok(done)
    }

    /// Tells the kernel of the new entries and waits for at least one that is complete.
    fn enter(&self, fresh: u64) -> Result<()> {
        let number = self.ring.ring.number() as usize;
        let arguments = [number, fresh as usize, 1, GET_EVENTS];
        // SAFETY: the entries name buffers that live as long as the ring, which is dropped before them: reads that
        // are in flight then are waited for or cancelled when its descriptor is closed. No signals are named.
        match unsafe { arch::try_syscall::<{ libc::SYS_io_uring_enter }, _>(arguments) }? {
            taken if taken as u64 == fresh => Ok(()),
            _ => Err(Error { call: "io_uring_enter", errno: libc::EBUSY }),
        }
    }

    /// The next read that is complete: its buffer and the kernel's answer.
    fn take(&self) -> Option<(usize, u32)> {
        let ring = &self.ring;
        let head = word(&ring.rings, ring.at(COMPLETION, HEAD));
        let tail = word(&ring.rings, ring.at(COMPLETION, TAIL)).load(Ordering::Acquire);
        let mask = word(&ring.rings, ring.at(COMPLETION, MASK)).load(Ordering::Relaxed);
        let first = head.load(Ordering::Relaxed);
        if first == tail {
            return None;
        }
        let at = ring.at(COMPLETION, ENTRIES) + RESULT * (first & mask) as usize;
        let slot = word(&ring.rings, at).load(Ordering::Relaxed) as usize;
        let result = word(&ring.rings, at + 8).load(Ordering::Relaxed);
        head.store(first.wrapping_add(1), Ordering::Release);
        Some((slot, result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporary::TemporaryFile;

    /// Reads of 4 KiB; `None` where the kernel denies io_uring.
    fn reads(depth: u32) -> Option<Reads> {
        let reads = Reads::new(4096, depth);
        let is_allowed = !reads.as_ref().is_err_and(|error| error.is_denied());
        programs::can("io_uring", is_allowed).then(|| reads.unwrap())
    }

    #[test]
    fn every_block_is_read_once_at_every_depth() {
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        file.fill(64 << 12, 4096, 3).unwrap();
        for depth in [1, 4, 64] {
            let Some(mut reads) = reads(depth) else { return };
            let mut next = 0;
            let done = reads
                .run(
                    file.descriptor(),
                    64,
                    || {
                        next += 4096;
                        next - 4096
                    },
                    |bytes, at| file.is_block(bytes, at),
                )
                .unwrap();
            assert_eq!((done.right, done.deepest), (64, depth));
            assert!(done.calls >= 1);
        }
    }

    #[test]
    fn a_read_beyond_the_end_is_not_right() {
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        file.fill(4096, 4096, 3).unwrap();
        let Some(mut reads) = reads(2) else { return };
        let done = reads.run(file.descriptor(), 2, || 4096, |_, _| true).unwrap();
        assert_eq!(done.right, 0);
    }
}
