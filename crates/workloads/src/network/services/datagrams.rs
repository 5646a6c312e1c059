//! Sends numbered datagrams continuously.

use super::counters::{Counter, Counters};
use super::messages::{Limits, MAX_MESSAGE};
use sys::descriptor::Descriptor;

/// Datagrams of `bytes` bytes numbered from 1, until stopped or the limits are reached. A dropped one counts as sent.
///
/// # Errors
/// When a call fails.
pub fn stream(at: &Descriptor, bytes: u32, limits: Limits, counters: &Counters) -> sys::Result<()> {
    let mut message = vec![0xa5; bytes.clamp(8, MAX_MESSAGE) as usize];
    for turn in 0..limits.turns.min(limits.bytes / message.len() as u64) {
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
    Ok(())
}
