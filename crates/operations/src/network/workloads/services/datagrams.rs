//! Sends numbered datagrams without pause.

use super::{Entry, LONGEST, Ledger, Limits};
use sys::descriptor::Descriptor;

/// Numbers from 1 on, each in a datagram of so many bytes, until the ledger says stop or the limits are reached. One
/// that finds no room or no reader is lost and counts as sent.
///
/// # Errors
/// When the kernel refuses.
pub fn stream(at: &Descriptor, bytes: u32, limits: Limits, ledger: &Ledger) -> sys::Result<()> {
    let mut message = vec![0xa5; bytes.clamp(8, LONGEST) as usize];
    for turn in 0..limits.turns.min(limits.bytes / message.len() as u64) {
        if ledger.get(Entry::Stop) != 0 {
            break;
        }
        if let Some(first) = message.first_chunk_mut() {
            *first = (turn + 1).to_ne_bytes();
        }
        match at.write_all(&message) {
            Err(error) if !error.is_lost() => return Err(error),
            _ => ledger.set(Entry::Turns, turn + 1),
        }
    }
    Ok(())
}
