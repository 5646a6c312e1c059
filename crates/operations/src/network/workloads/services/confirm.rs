//! Reads transfers and confirms each when its last byte has come.

use super::{BLOCK, Entry, Ledger, Limits, TORN};
use sys::descriptor::Descriptor;

/// Reads a stream; every `bytes` of it are answered by the last of them.
///
/// # Errors
/// When the kernel refuses a call, or the stream ends in the middle of a transfer.
pub fn stream(at: &Descriptor, bytes: u64, limits: Limits, ledger: &Ledger) -> sys::Result<()> {
    let bytes = bytes.max(1);
    let mut buffer = vec![0; BLOCK];
    for turn in 0..limits.turns.min(limits.bytes / bytes) {
        let mut left = bytes;
        let mut last = 0;
        while left > 0 {
            let room = usize::try_from(left).unwrap_or(BLOCK).min(BLOCK);
            let into = buffer.get_mut(..room).unwrap_or_default();
            match sys::Error::check("read", at.read(into))? {
                0 if left == bytes => return Ok(()),
                0 => return Err(TORN),
                came => {
                    last = into.get(came - 1).copied().unwrap_or(0);
                    left -= came as u64;
                }
            }
        }
        if last == super::TELL {
            ledger.tell_usage();
        }
        at.write_all(&[last])?;
        ledger.set(Entry::Turns, turn + 1);
        ledger.add(Entry::Bytes, bytes);
    }
    Ok(())
}
