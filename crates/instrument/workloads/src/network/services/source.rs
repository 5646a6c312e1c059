//! Sends blocks of known content continuously, by several methods, and checks them on receipt; or numbered datagrams.

use super::counters::{Counter, Counters};
use super::messages::{Limits, MAX_MESSAGE, TRUNCATED, fill, fill_and_count, put};
use measure::choice;
use serde::{Deserialize, Serialize};
use sys::datagram_batch::DatagramBatch;
use sys::descriptor::Descriptor;
use sys::footprint::Footprint;
use sys::kernel_time::raw_nanos;
use sys::send_file::MemoryFile;
use sys::usage::CpuClock;
use sys::zero_copy::ZeroCopy;

/// Bytes of a block, as iperf3 writes.
pub const BLOCK: usize = 128 << 10;

/// Distinct blocks: they alternate, so that a lost or duplicated one is detected, and both fit L2.
const DISTINCT: usize = 2;

choice! {
    /// The system call that sends blocks.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Method {
        /// write, which copies.
        Plain = "plain",
        /// sendfile from a memory file, without a copy.
        SendFile = "sendfile",
        /// send with MSG_ZEROCOPY, which sends the program's pages where supported.
        ZeroCopy = "zerocopy",
    }
}

/// The content of all distinct blocks.
fn content(seed: u64) -> sys::Result<Footprint> {
    Footprint::new(DISTINCT * BLOCK, seed)
}

fn block(all: &Footprint, turn: u64) -> &[u8] {
    let start = (turn % DISTINCT as u64) as usize * BLOCK;
    all.bytes().get(start..start + BLOCK).unwrap_or_default()
}

/// Sends blocks until the client is gone, the service is stopped, or the limits are reached.
///
/// # Errors
/// When a call fails for another reason than a closed connection.
pub fn stream(
    at: &Descriptor,
    method: Method,
    seed: u64,
    limits: Limits,
    counters: &Counters,
) -> sys::Result<()> {
    let all = content(seed)?;
    let file = (method == Method::SendFile).then(|| MemoryFile::new(all.bytes())).transpose()?;
    let mut zero_copy = (method == Method::ZeroCopy).then(|| ZeroCopy::new(at)).transpose()?;
    let began = (CpuClock::THREAD.nanos(), raw_nanos());
    for turn in 0..limits.turns_of(BLOCK as u64) {
        if counters.get(Counter::Stop) != 0 {
            break;
        }
        let bytes = block(&all, turn);
        let start = (turn % DISTINCT as u64) * BLOCK as u64;
        let sent = match (&file, &mut zero_copy) {
            (Some(file), _) => file.send(at, start, BLOCK),
            (_, Some(zero_copy)) => zero_copy.send(at, bytes),
            _ => put(at, bytes),
        };
        match sent {
            Ok(()) => {}
            Err(error) if error.is_gone() => break,
            Err(error) => return Err(error),
        }
        counters.set(Counter::Turns, turn + 1);
        counters.set(Counter::Bytes, (turn + 1) * BLOCK as u64);
    }
    if let Some(zero_copy) = &mut zero_copy {
        counters.set(Counter::Copied, zero_copy.finish(at)?);
    }
    record_times(began, counters);
    record_kernel_counts(at, counters)?;
    counters.record_usage();
    Ok(())
}

/// Records wall and CPU time; nothing where CPU time cannot be read.
fn record_times((cpu, wall): (Option<i64>, i64), counters: &Counters) {
    let used = CpuClock::THREAD.nanos().zip(cpu).map(|(now, then)| now.abs_diff(then));
    if let Some(used) = used {
        counters.set(Counter::Nanos, raw_nanos().abs_diff(wall));
        counters.set(Counter::CpuNanos, used);
    }
}

/// Records the kernel's counts of the connection: retransmissions and sender limits.
fn record_kernel_counts(at: &Descriptor, counters: &Counters) -> sys::Result<()> {
    let info = sys::tcp_info::read(at)?;
    counters.set(Counter::Retransmissions, u64::from(info.retransmissions));
    counters.set(Counter::BusyMicros, info.busy_us);
    counters.set(Counter::WindowMicros, info.receive_window_limited_us);
    counters.set(Counter::BufferMicros, info.send_buffer_limited_us);
    Ok(())
}

/// Datagrams of `bytes` bytes numbered from 1, until stopped or the limits are reached. A dropped one counts as sent.
///
/// # Errors
/// When a call fails.
pub fn datagrams(at: &Descriptor, bytes: u32, limits: Limits, counters: &Counters) -> sys::Result<()> {
    let mut message = vec![0xa5; bytes.clamp(8, MAX_MESSAGE) as usize];
    for turn in 0..limits.turns_of(message.len() as u64) {
        if counters.get(Counter::Stop) != 0 {
            break;
        }
        if let Some(first) = message.first_chunk_mut() {
            *first = (turn + 1).to_ne_bytes();
        }
        match at.write_all(&message) {
            Err(error) if !error.is_lost() => return Err(error),
            _ => counters.set(Counter::Turns, turn + 1),
        }
    }
    counters.set(Counter::Calls, counters.get(Counter::Turns));
    Ok(())
}

/// The same, `batch` of them by one call.
///
/// # Errors
/// When a call fails.
pub fn datagram_batches(
    at: &Descriptor,
    (bytes, batch): (u32, u32),
    limits: Limits,
    counters: &Counters,
) -> sys::Result<()> {
    let bytes = bytes.clamp(8, MAX_MESSAGE);
    let mut messages = DatagramBatch::new(batch as usize, bytes as usize);
    let (most, mut sent) = (limits.turns_of(u64::from(bytes)), 0);
    while sent < most && counters.get(Counter::Stop) == 0 {
        number(sent + 1, messages.datagrams_mut());
        // A datagram that is refused has its number again in the next call.
        match messages.send(at) {
            Err(error) if !error.is_lost() => return Err(error),
            taken => sent += taken.unwrap_or(0) as u64,
        }
        counters.set(Counter::Turns, sent);
        counters.add(Counter::Calls, 1);
    }
    Ok(())
}

/// The same, `batch` of them by one write, of which the kernel makes datagrams.
///
/// # Errors
/// When a call fails.
pub fn segmented_datagrams(
    at: &Descriptor,
    (bytes, batch): (u32, u32),
    limits: Limits,
    counters: &Counters,
) -> sys::Result<()> {
    let bytes = bytes.clamp(8, MAX_MESSAGE);
    // A write is one datagram of IP at most, and the kernel makes no more of it.
    let batch = batch.clamp(1, MAX_SEGMENTS.min(MAX_WRITE / bytes));
    sys::inet::set_segment_bytes(at, bytes)?;
    let mut messages = vec![0xa5; (bytes * batch) as usize];
    let (most, mut sent) = (limits.turns_of(u64::from(bytes)), 0);
    while sent < most && counters.get(Counter::Stop) == 0 {
        number(sent + 1, messages.chunks_mut(bytes as usize));
        // Datagrams that are refused have their numbers again in the next call.
        match at.write_all(&messages) {
            Err(error) if !error.is_lost() => return Err(error),
            Err(_) => {}
            Ok(()) => sent += u64::from(batch),
        }
        counters.set(Counter::Turns, sent);
        counters.add(Counter::Calls, 1);
    }
    Ok(())
}

/// Writes numbers from this one on into the beginning of datagrams.
fn number<'m>(from: u64, datagrams: impl Iterator<Item = &'m mut [u8]>) {
    for (number, datagram) in (from..).zip(datagrams) {
        if let Some(first) = datagram.first_chunk_mut() {
            *first = u64::to_ne_bytes(number);
        }
    }
}

/// Segments of a write in every kernel that makes them (UDP_MAX_SEGMENTS was 64 until Linux 6.11), and its bytes (RFC 768).
const MAX_SEGMENTS: u32 = 64;
const MAX_WRITE: u32 = 65_507;

/// The receiver of the blocks.
pub struct Blocks {
    expected: Footprint,
    buffer: Vec<u8>,
    taken: u64,
}

impl Blocks {
    /// Expects the blocks of this seed.
    ///
    /// # Errors
    /// When no memory is available.
    pub fn new(seed: u64) -> sys::Result<Self> {
        Ok(Self { expected: content(seed)?, buffer: vec![1; BLOCK], taken: 0 })
    }

    /// Reads a block; whether its first, last and one other word are those of the next block.
    ///
    /// # Errors
    /// When the stream ends within the block (errno 0), or a read fails.
    #[inline(always)]
    pub fn take(&mut self, from: &Descriptor) -> sys::Result<bool> {
        self.take_and_count(from, |_| ())
    }

    /// The same; calls `count` with the bytes of each read.
    ///
    /// # Errors
    /// As [`Blocks::take`].
    #[inline(always)]
    pub fn take_and_count(&mut self, from: &Descriptor, count: impl Fn(usize)) -> sys::Result<bool> {
        if fill_and_count(from, &mut self.buffer, count)? != BLOCK {
            return Err(TRUNCATED);
        }
        let expected = block(&self.expected, self.taken);
        self.taken += 1;
        let middle = 8 * ((self.taken.wrapping_mul(0x9e37_79b9) as usize) % (BLOCK / 8));
        let same = |at: usize| {
            let word = self.buffer.get(at..at + 8);
            word.is_some() && word == expected.get(at..at + 8)
        };
        Ok(same(0) & same(middle) & same(BLOCK - 8))
    }

    /// Whether the last block is correct in every byte.
    pub fn last_is_correct(&self) -> bool {
        self.taken > 0 && self.buffer == block(&self.expected, self.taken - 1)
    }

    /// Blocks received so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Reads the rest of the stream unchecked; returns its bytes.
    ///
    /// # Errors
    /// When a read fails.
    pub fn drain(&mut self, from: &Descriptor) -> sys::Result<u64> {
        let mut all = 0;
        loop {
            match fill(from, &mut self.buffer)? {
                0 => return Ok(all),
                came => all += came as u64,
            }
        }
    }
}
