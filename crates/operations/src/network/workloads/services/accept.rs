//! Accepts connections sequentially.

use super::{Counter, Counters, Limits, MAX_MESSAGE, TRUNCATED, fill, put};
use sys::descriptor::Descriptor;

/// Accepts connections; on each echoes one message and waits for its end.
///
/// # Errors
/// When accept fails, or a call fails for another reason than a reset.
pub fn connections(
    accept: &mut dyn FnMut() -> sys::Result<Descriptor>,
    bytes: u32,
    limits: Limits,
    counters: &Counters,
) -> sys::Result<()> {
    let mut message = vec![0; bytes.min(MAX_MESSAGE) as usize];
    let each = 2 * u64::from(bytes).max(1);
    for turn in 0..limits.turns.min(limits.bytes / each) {
        let connection = accept()?;
        match until_its_end(&connection, &mut message) {
            Ok(()) => counters.add(Counter::Closed, 1),
            Err(error) if error.is_gone() => counters.add(Counter::Resets, 1),
            Err(error) => return Err(error),
        }
        sys::inet::close(connection)?;
        counters.record_usage();
        // Last: the client continues when it sees this count.
        counters.set(Counter::Turns, turn + 1);
    }
    Ok(())
}

fn until_its_end(connection: &Descriptor, message: &mut [u8]) -> sys::Result<()> {
    if !message.is_empty() {
        match fill(connection, message)? {
            0 => return Ok(()),
            came if came < message.len() => return Err(TRUNCATED),
            _ => put(connection, message)?,
        }
    }
    match sys::Error::check("read", connection.read(&mut [0]))? {
        0 => Ok(()),
        _ => Err(TRUNCATED),
    }
}
