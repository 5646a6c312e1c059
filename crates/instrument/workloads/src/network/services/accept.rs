//! Accepts connections sequentially.

use super::confirm;
use super::counters::{Counter, Counters};
use super::messages::{Limits, MAX_MESSAGE, TRUNCATED, fill, put};
use super::source::BLOCK;
use sys::descriptor::Descriptor;
use sys::kernel_time::raw_nanos;

/// Accepts the next connection.
pub type Accept<'a> = &'a mut dyn FnMut() -> sys::Result<Descriptor>;

/// Accepts connections; on each echoes one message and waits for its end.
///
/// # Errors
/// When accept fails, or a call fails for another reason than a reset.
pub fn connections(accept: Accept<'_>, bytes: u32, limits: Limits, counters: &Counters) -> sys::Result<()> {
    let mut message = vec![0; bytes.min(MAX_MESSAGE) as usize];
    each(accept, limits.turns_of(2 * u64::from(bytes)), counters, &mut |connection| {
        until_its_end(connection, &mut message)
    })
}

/// Accepts connections; on each reads transfers of `bytes` bytes, confirms each by its last byte, and waits for the end.
///
/// # Errors
/// As [`connections`].
pub fn transfers(accept: Accept<'_>, bytes: u64, limits: Limits, counters: &Counters) -> sys::Result<()> {
    let mut buffer = vec![0; BLOCK];
    each(accept, limits.turns_of(bytes), counters, &mut |connection| {
        while let Some(last) = confirm::read_transfer(connection, bytes, &mut buffer)? {
            connection.write_all(&[last])?;
            counters.add(Counter::Bytes, bytes.max(1));
        }
        Ok(())
    })
}

/// Accepts up to `turns` connections, sequentially, and serves each.
pub(super) fn each(
    accept: Accept<'_>,
    turns: u64,
    counters: &Counters,
    serve: &mut dyn FnMut(&Descriptor) -> sys::Result<()>,
) -> sys::Result<()> {
    for turn in 0..turns {
        let connection = accept()?;
        match serve(&connection) {
            Ok(()) => counters.add(Counter::Closed, 1),
            Err(error) if error.is_gone() => counters.add(Counter::Resets, 1),
            Err(error) => return Err(error),
        }
        let before = raw_nanos();
        sys::descriptor::close(connection)?;
        counters.set(Counter::CloseNanos, u64::try_from(raw_nanos() - before).unwrap_or(0));
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
