//! Sends blocks of known content without pause, by several methods, and takes them.

use super::{Entry, Ledger, Limits, fill, fill_and_tell, put};
use serde::{Deserialize, Serialize};
use sys::descriptor::Descriptor;
use sys::footprint::Footprint;
use sys::kernel_time::raw_nanos;
use sys::send_file::MemoryFile;
use sys::usage::CpuClock;
use sys::zero_copy::ZeroCopy;

/// Bytes of a block: what iperf3 hands to the kernel at once.
pub const BLOCK: usize = 128 << 10;

/// Blocks that differ: every second one is the same, so that one that is lost or doubled is seen at once, and both fit
/// a second cache.
const DIFFERENT: usize = 2;

/// How blocks are handed to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By write, which copies them.
    Plain,
    /// By sendfile from a file in memory, whose pages are sent themselves.
    SendFile,
    /// By send with MSG_ZEROCOPY, which sends the program's own pages where it can.
    ZeroCopy,
}

impl Method {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Plain, Self::SendFile, Self::ZeroCopy];

    /// Its name as a parameter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::SendFile => "sendfile",
            Self::ZeroCopy => "zerocopy",
        }
    }
}

/// The blocks, one after the other.
fn content(seed: u64) -> sys::Result<Footprint> {
    Footprint::new(DIFFERENT * BLOCK, seed)
}

fn block(all: &Footprint, turn: u64) -> &[u8] {
    let start = (turn % DIFFERENT as u64) as usize * BLOCK;
    all.bytes().get(start..start + BLOCK).unwrap_or_default()
}

/// Sends blocks until the other end is gone, the ledger says so, or the limits are reached.
///
/// # Errors
/// When the kernel refuses a call for another reason than that nobody reads any more.
pub fn stream(
    at: &Descriptor,
    method: Method,
    seed: u64,
    limits: Limits,
    ledger: &Ledger,
) -> sys::Result<()> {
    let all = content(seed)?;
    let file = match method {
        Method::SendFile => Some(MemoryFile::new(all.bytes())?),
        Method::Plain | Method::ZeroCopy => None,
    };
    let mut zero_copy = match method {
        Method::ZeroCopy => Some(ZeroCopy::new(at)?),
        Method::Plain | Method::SendFile => None,
    };
    let began = (CpuClock::THREAD.nanos(), raw_nanos());
    for turn in 0..limits.turns.min(limits.bytes / BLOCK as u64) {
        if ledger.get(Entry::Stop) != 0 {
            break;
        }
        let bytes = block(&all, turn);
        let start = (turn % DIFFERENT as u64) * BLOCK as u64;
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
        ledger.set(Entry::Turns, turn + 1);
        ledger.set(Entry::Bytes, (turn + 1) * BLOCK as u64);
    }
    if let Some(zero_copy) = &mut zero_copy {
        ledger.set(Entry::Copied, zero_copy.finish(at)?);
    }
    tell_times(began, ledger);
    tell_kernel_counts(at, ledger)?;
    ledger.tell_usage();
    Ok(())
}

/// How long it sent, and how much of that it had the CPU; nothing where CPU time cannot be read.
fn tell_times((cpu, wall): (Option<i64>, i64), ledger: &Ledger) {
    let used = CpuClock::THREAD
        .nanos()
        .zip(cpu)
        .map(|(now, then)| now.abs_diff(then));
    if let Some(used) = used {
        ledger.set(Entry::Nanos, raw_nanos().abs_diff(wall));
        ledger.set(Entry::CpuNanos, used);
    }
}

/// What the kernel counted of the connection: what was sent again, and what held the sender back.
fn tell_kernel_counts(at: &Descriptor, ledger: &Ledger) -> sys::Result<()> {
    let info = sys::tcp_info::read(at)?;
    ledger.set(Entry::Retransmissions, u64::from(info.retransmissions));
    ledger.set(Entry::BusyMicros, info.busy_us);
    ledger.set(Entry::WindowMicros, info.receive_window_limited_us);
    ledger.set(Entry::BufferMicros, info.send_buffer_limited_us);
    Ok(())
}

/// The end that takes the blocks.
pub struct Blocks {
    expected: Footprint,
    buffer: Vec<u8>,
    taken: u64,
}

impl Blocks {
    /// Expects the blocks of this seed.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new(seed: u64) -> sys::Result<Self> {
        Ok(Self {
            expected: content(seed)?,
            buffer: vec![1; BLOCK],
            taken: 0,
        })
    }

    /// Reads a block; whether it begins and ends as the next one does and is right at one word between.
    ///
    /// # Errors
    /// When the stream ends in the block (errno 0), or the kernel refuses.
    #[inline(always)]
    pub fn take(&mut self, from: &Descriptor) -> sys::Result<bool> {
        self.take_and_tell(from, |_| ())
    }

    /// The same, and tells how many bytes came as they come, for who counts at any moment and not between two blocks.
    ///
    /// # Errors
    /// As [`Blocks::take`].
    #[inline(always)]
    pub fn take_and_tell(&mut self, from: &Descriptor, tell: impl Fn(usize)) -> sys::Result<bool> {
        if fill_and_tell(from, &mut self.buffer, tell)? != BLOCK {
            return Err(super::TORN);
        }
        let expected = block(&self.expected, self.taken);
        self.taken += 1;
        let place = 8 * ((self.taken.wrapping_mul(0x9e37_79b9) as usize) % (BLOCK / 8));
        let same = |at: usize| {
            let word = self.buffer.get(at..at + 8);
            word.is_some() && word == expected.get(at..at + 8)
        };
        Ok(same(0) & same(place) & same(BLOCK - 8))
    }

    /// Whether the last block is what was sent, byte by byte.
    pub fn last_is_right(&self) -> bool {
        self.taken > 0 && self.buffer == block(&self.expected, self.taken - 1)
    }

    /// Blocks taken so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Reads what is left of the stream, without looking at it; gives how many bytes that was.
    ///
    /// # Errors
    /// When the kernel refuses.
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
