//! Takes connections, one after the other.

use super::{Entry, LONGEST, Ledger, Limits, TORN, fill, put};
use sys::descriptor::Descriptor;

/// Takes connections as they are given; on each one message goes back, and its end is waited for.
///
/// # Errors
/// When no connection can be taken, or a call is refused for another reason than a reset.
pub fn connections(
    accept: &mut dyn FnMut() -> sys::Result<Descriptor>,
    bytes: u32,
    limits: Limits,
    ledger: &Ledger,
) -> sys::Result<()> {
    let mut message = vec![0; bytes.min(LONGEST) as usize];
    let each = 2 * u64::from(bytes).max(1);
    for turn in 0..limits.turns.min(limits.bytes / each) {
        let connection = accept()?;
        match until_its_end(&connection, &mut message) {
            Ok(()) => ledger.add(Entry::Ends, 1),
            Err(error) if error.is_gone() => ledger.add(Entry::Resets, 1),
            Err(error) => return Err(error),
        }
        sys::inet::close(connection)?;
        ledger.tell_usage();
        // Last, since whoever waits for this count goes on when it is there.
        ledger.set(Entry::Turns, turn + 1);
    }
    Ok(())
}

fn until_its_end(connection: &Descriptor, message: &mut [u8]) -> sys::Result<()> {
    if !message.is_empty() {
        match fill(connection, message)? {
            0 => return Ok(()),
            came if came < message.len() => return Err(TORN),
            _ => put(connection, message)?,
        }
    }
    match sys::Error::check("read", connection.read(&mut [0]))? {
        0 => Ok(()),
        _ => Err(TORN),
    }
}
