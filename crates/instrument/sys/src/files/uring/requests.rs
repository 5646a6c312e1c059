//! Reads and writes of files by io_uring at a queue depth: a new request is submitted for each that is complete.

use super::registered::Registered;
use super::{
    COMPLETION, ENTRIES, ENTRY, GET_EVENTS, HEAD, MASK, MAX_OPERATIONS, RESULT, Ring, SUBMISSION, TAIL, WORD,
    word,
};
use crate::descriptor::Descriptor;
use crate::memory::Mapping;
use crate::{Error, Result, arch};
use std::sync::atomic::Ordering;

/// Most requests in flight.
pub const MAX_DEPTH: u32 = 256;

/// The direction of a request: its operation code (linux/io_uring.h, Linux 5.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Direction {
    /// `IORING_OP_READ`.
    Read = 22,
    /// `IORING_OP_WRITE`.
    Write = 23,
}

impl Direction {
    /// `IORING_OP_READ_FIXED` and `IORING_OP_WRITE_FIXED`, with the flag `IOSQE_FIXED_FILE`.
    const fn of_registered(self) -> u32 {
        const FIXED_FILE: u32 = 1 << 8;
        match self {
            Self::Read => 4 | FIXED_FILE,
            Self::Write => 5 | FIXED_FILE,
        }
    }
}

/// How a ring gets requests and gives completions.
#[derive(Debug, Clone, Copy)]
pub enum RingMethod<'f> {
    /// Buffers by address, files by descriptor; interrupts announce completions.
    Plain,
    /// Buffers and these files are registered.
    Registered(&'f [&'f Descriptor]),
    /// As plain, but the kernel polls the device for completions while the program waits (`IORING_SETUP_IOPOLL`).
    Polled,
}

/// `IORING_SETUP_IOPOLL`.
const IOPOLL: u32 = 1;

/// A request for one block of a file.
#[derive(Debug, Clone, Copy)]
pub struct Request<'f> {
    /// The file.
    pub file: &'f Descriptor,
    /// Whether it reads or writes.
    pub direction: Direction,
    /// Where in the file.
    pub offset: u64,
}

/// Where an entry keeps descriptor, offset, address and length, in bytes.
const FILE: usize = 4;
const OFFSET: usize = 8;
const ADDRESS: usize = 16;
const LENGTH: usize = 24;
/// Where it keeps the index of a registered buffer.
const BUFFER: usize = 40;

/// The requests in flight, and their buffers.
#[derive(Debug)]
pub struct Requests {
    ring: Ring,
    buffers: Mapping,
    registered: Option<Registered>,
    block: usize,
    depth: usize,
}

/// What became of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Done {
    /// Requests for which a whole block was read or written, and was right.
    pub right: u64,
    /// Calls that were made.
    pub calls: u64,
    /// Most requests that were in flight at once.
    pub deepest: u32,
}

impl Requests {
    /// For requests of `block` bytes, at most `depth` (to [`MAX_DEPTH`]) at once.
    ///
    /// # Errors
    /// When the kernel denies io_uring.
    pub fn new(block: usize, depth: u32) -> Result<Self> {
        Self::with(RingMethod::Plain, block, depth)
    }

    /// The same by another method.
    ///
    /// # Errors
    /// When the kernel denies io_uring, or the limit on locked memory is reached.
    pub fn with(method: RingMethod<'_>, block: usize, depth: u32) -> Result<Self> {
        let depth = depth.clamp(1, MAX_DEPTH);
        let flags = if matches!(method, RingMethod::Polled) { IOPOLL } else { 0 };
        let ring = Ring::with_entries(depth.max(MAX_OPERATIONS), flags)?;
        let depth = depth as usize;
        let (registered, mut buffers) = match method {
            RingMethod::Registered(files) => {
                let (registered, buffers) = Registered::new(&ring, (block, depth), files)?;
                (Some(registered), buffers)
            }
            _ => (None, Mapping::private(block * depth)?),
        };
        buffers.touch(1);
        Ok(Self { ring, buffers, registered, block, depth })
    }

    /// Makes one request for the first buffer, by its address and the file's descriptor even where both are registered; gives its
    /// errno, 0 for success. No other request may be in flight.
    ///
    /// # Errors
    /// When the kernel refuses the call.
    pub fn try_plain(&mut self, request: &Request<'_>) -> Result<i32> {
        self.put(request, 0, false);
        self.enter(1, 1)?;
        let answer = self.take().map_or(0, |(_, result)| result.cast_signed());
        Ok(answer.min(0).wrapping_neg())
    }

    /// Most requests in flight.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Bytes of a request.
    pub(super) fn block(&self) -> usize {
        self.block
    }

    /// The buffer of this number; empty beyond the last.
    pub fn buffer(&mut self, slot: usize) -> &mut [u8] {
        let block = self.block;
        self.buffers.bytes_mut().get_mut(slot * block..(slot + 1) * block).unwrap_or_default()
    }

    /// Puts a request into the queue, for this buffer; the kernel gets it with the next call.
    pub(super) fn put(&mut self, request: &Request<'_>, slot: usize, is_by_index: bool) {
        let plain = (request.direction as u32, request.file.number().cast_unsigned());
        let (address, (code, file)) = match &self.registered {
            None => (self.buffer(slot).as_mut_ptr() as u64, plain),
            Some(registered) if is_by_index => (
                registered.address(slot * self.block),
                (request.direction.of_registered(), registered.index(request.file)),
            ),
            Some(registered) => (registered.address(slot * self.block), plain),
        };
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
        put(0, code);
        put(FILE, file);
        put_long(OFFSET, request.offset);
        put_long(ADDRESS, address);
        put(LENGTH, self.block as u32);
        put(LENGTH + 4, 0);
        put_long(8 * WORD, slot as u64);
        put(BUFFER, slot as u32);
        tail.store(place.wrapping_add(1), Ordering::Release);
    }

    /// Makes `count` requests, with as many in flight as there are buffers. `next` gives the request for a buffer, after it
    /// has composed what is to be written; `is_right` gets buffer, request and content of each that is complete.
    ///
    /// # Errors
    /// When the kernel refuses the call. A request that fails is not right.
    pub fn run<'f>(
        &mut self,
        count: u64,
        mut next: impl FnMut(usize, &mut [u8]) -> Request<'f>,
        mut is_right: impl FnMut(usize, &Request<'f>, &[u8]) -> bool,
    ) -> Result<Done> {
        let (mut done, mut begun, mut ended) = (Done::default(), 0, 0);
        let mut fresh = count.min(self.depth as u64);
        let mut in_flight = Vec::with_capacity(self.depth);
        for slot in 0..fresh as usize {
            let request = next(slot, self.buffer(slot));
            self.put(&request, slot, true);
            in_flight.push(request);
        }
        begun += fresh;
        // Every turn ends at least one request: the kernel waits for one.
        while ended < count {
            done.deepest = done.deepest.max((begun - ended) as u32);
            self.enter(fresh, 1)?;
            done.calls += 1;
            fresh = 0;
            while let Some((slot, result)) = self.take() {
                ended += 1;
                let is_whole = result == self.block as u32;
                let Some(request) = in_flight.get_mut(slot) else { continue };
                done.right += u64::from(is_right(slot, request, self.buffer(slot)) && is_whole);
                if begun < count {
                    *request = next(slot, self.buffer(slot));
                    self.put(request, slot, true);
                    begun += 1;
                    fresh += 1;
                }
            }
        }
        Ok(done)
    }

    /// Tells the kernel of the new entries and waits until this many are complete.
    pub(super) fn enter(&self, fresh: u64, complete: usize) -> Result<()> {
        let number = self.ring.ring.number() as usize;
        let arguments = [number, fresh as usize, complete, GET_EVENTS];
        // SAFETY: the entries name buffers that live as long as the ring, which is dropped before them: requests that
        // are in flight then are waited for or cancelled when its descriptor is closed. No signals are named.
        match unsafe { arch::try_syscall::<{ libc::SYS_io_uring_enter }, _>(arguments) }? {
            taken if taken as u64 == fresh => Ok(()),
            _ => Err(Error { call: "io_uring_enter", errno: libc::EBUSY }),
        }
    }

    /// The next request that is complete: its buffer and the kernel's answer.
    pub(super) fn take(&self) -> Option<(usize, u32)> {
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

    /// Requests of 4 KiB; `None` where the kernel denies io_uring.
    fn requests(depth: u32) -> Option<Requests> {
        let requests = Requests::new(4096, depth);
        let is_allowed = !requests.as_ref().is_err_and(|error| error.is_denied());
        programs::can("io_uring", is_allowed).then(|| requests.unwrap())
    }

    /// A file of this number of blocks.
    fn file(blocks: usize) -> TemporaryFile {
        let mut file = TemporaryFile::new(&std::env::temp_dir()).unwrap();
        file.fill(blocks << 12, 4096, 3).unwrap();
        file
    }

    #[test]
    fn every_block_is_written_and_read_once_at_every_depth() {
        let file = file(512);
        for depth in [1, 4, 64, MAX_DEPTH] {
            let Some(mut requests) = requests(depth) else { return };
            let shift = u64::from(depth) << 21;
            for direction in [Direction::Write, Direction::Read] {
                let mut offset = 0;
                let done = requests
                    .run(
                        512,
                        |_, block| {
                            offset += 4096;
                            file.compose(block, offset - 4096 + shift);
                            if direction == Direction::Read {
                                block.fill(0);
                            }
                            Request { file: file.descriptor(), direction, offset: offset - 4096 }
                        },
                        |_, request, block| file.is_block(block, request.offset + shift),
                    )
                    .unwrap();
                assert_eq!((done.right, done.deepest), (512, depth));
                assert!(done.calls >= 1);
            }
        }
    }

    #[test]
    fn registered_buffers_are_reached_by_their_registration_only() {
        let file = file(64);
        if requests(1).is_none() {
            return;
        }
        let files = [file.descriptor()];
        let mut requests = Requests::with(RingMethod::Registered(&files), 4096, 4).unwrap();
        let request = |offset| Request { file: file.descriptor(), direction: Direction::Read, offset };
        assert_eq!(requests.try_plain(&request(0)).unwrap(), libc::EFAULT);
        let mut offsets = (0..64).map(|block| block << 12);
        let done = requests
            .run(
                64,
                |_, _| request(offsets.next().unwrap()),
                |_, request, block| file.is_block(block, request.offset),
            )
            .unwrap();
        assert_eq!((done.right, done.deepest), (64, 4));
        let other = self::file(1);
        let unregistered = Request { file: other.descriptor(), direction: Direction::Read, offset: 0 };
        assert_eq!(requests.run(1, |_, _| unregistered, |_, _, _| true).unwrap().right, 0);
        let mut plain = Requests::new(4096, 1).unwrap();
        assert_eq!(plain.try_plain(&request(0)).unwrap(), 0);
    }

    #[test]
    fn a_read_beyond_the_end_is_not_right() {
        let file = file(1);
        let Some(mut requests) = requests(2) else { return };
        let beyond = Request { file: file.descriptor(), direction: Direction::Read, offset: 4096 };
        let done = requests.run(2, |_, _| beyond, |_, _, _| true).unwrap();
        assert_eq!(done.right, 0);
    }
}
