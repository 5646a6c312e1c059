//! Reads transfers and confirms each by its last byte.

use super::counters::{Counter, Counters};
use super::messages::{Limits, TRUNCATED};
use super::source::BLOCK;
use sys::descriptor::Descriptor;

/// Reads a stream and replies to every `bytes` bytes with the last of them.
///
/// # Errors
/// When a call fails, or the stream ends within a transfer.
pub fn stream(at: &Descriptor, bytes: u64, limits: Limits, counters: &Counters) -> sys::Result<()> {
    let mut buffer = vec![0; BLOCK];
    for turn in 0..limits.turns_of(bytes) {
        let Some(last) = read_transfer(at, bytes, &mut buffer)? else {
            return Ok(());
        };
        if last == super::messages::ASK_USAGE {
            counters.record_usage();
        }
        at.write_all(&[last])?;
        counters.set(Counter::Turns, turn + 1);
        counters.add(Counter::Bytes, bytes.max(1));
    }
    Ok(())
}

/// Reads one transfer; its last byte, or `None` at the end of the stream.
///
/// # Errors
/// When a call fails, or the stream ends within the transfer.
pub fn read_transfer(at: &Descriptor, bytes: u64, buffer: &mut [u8]) -> sys::Result<Option<u8>> {
    let bytes = bytes.max(1);
    let (mut left, mut last) = (bytes, 0);
    while left > 0 {
        let room = usize::try_from(left).unwrap_or(BLOCK).min(buffer.len());
        let into = buffer.get_mut(..room).unwrap_or_default();
        match sys::Error::check("read", at.read(into))? {
            0 if left == bytes => return Ok(None),
            0 => return Err(TRUNCATED),
            came => {
                last = into.get(came - 1).copied().unwrap_or(0);
                left -= came as u64;
            }
        }
    }
    Ok(Some(last))
}
