//! Messages of streams: whole ones, their limits, and those with a meaning.

use sys::descriptor::Descriptor;

/// Limits of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes read and written in total.
    pub bytes: u64,
    /// Messages, or connections.
    pub turns: u64,
}

impl Limits {
    /// More than any trial on this machine reaches.
    pub const OF_A_TRIAL: Self = Self { bytes: 1 << 42, turns: 1 << 32 };

    /// The turns that they allow, of `bytes` bytes each.
    pub fn turns_of(self, bytes: u64) -> u64 {
        self.turns.min(self.bytes / bytes.max(1))
    }
}

/// The longest echoed message in bytes.
pub const MAX_MESSAGE: u32 = 1 << 20;

/// Dropped connections where the kernel does not count them.
pub const UNCOUNTED: u64 = u64::MAX;

/// First byte of a message that requests the service's usage.
pub const ASK_USAGE: u8 = 254;

/// First byte of a datagram that ends the service.
pub const QUIT: u8 = 255;

/// The error of a stream that ended within a message.
pub const TRUNCATED: sys::Error = sys::Error { call: "read", errno: 0 };

/// Reads until the buffer is full or the stream ends; returns the bytes read.
///
/// # Errors
/// When a read fails.
#[inline(always)]
pub fn fill(from: &Descriptor, buffer: &mut [u8]) -> sys::Result<usize> {
    fill_and_count(from, buffer, |_| ())
}

/// The same; calls `count` with the bytes of each read.
///
/// # Errors
/// When a read fails.
#[inline(always)]
pub fn fill_and_count(from: &Descriptor, buffer: &mut [u8], count: impl Fn(usize)) -> sys::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match sys::Error::check("read", from.read(rest))? {
            0 => break,
            came => {
                filled += came;
                count(came);
            }
        }
    }
    Ok(filled)
}

/// Writes all bytes.
///
/// # Errors
/// When a write fails.
#[inline(always)]
pub fn put(to: &Descriptor, bytes: &[u8]) -> sys::Result<()> {
    let mut left = bytes;
    while !left.is_empty() {
        match sys::Error::check("write", to.write(left))? {
            0 => return Err(TRUNCATED),
            taken => left = left.get(taken..).unwrap_or_default(),
        }
    }
    Ok(())
}
