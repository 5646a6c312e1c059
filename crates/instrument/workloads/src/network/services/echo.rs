//! Echoes messages of a stream, or datagrams, or reads without an answer.

use super::counters::{Counter, Counters};
use super::messages::{ASK_USAGE, Limits, MAX_MESSAGE, QUIT, TRUNCATED, fill, put};
use sys::descriptor::Descriptor;

fn buffer(bytes: u32) -> Vec<u8> {
    vec![0; bytes.clamp(1, MAX_MESSAGE) as usize]
}

/// Turns that the limits allow for messages that are read and written.
fn turns(limits: Limits, message: &[u8]) -> u64 {
    limits.turns_of(2 * message.len() as u64)
}

/// Records the usage if the message requests it, just before the echo; whether it did.
#[inline(always)]
fn serve_usage(message: &[u8], counters: &Counters) -> bool {
    let requests_usage = message.first() == Some(&ASK_USAGE);
    if requests_usage {
        counters.record_usage();
    }
    requests_usage
}

/// Segments retransmitted by this end; none if not TCP.
fn retransmissions(at: &Descriptor) -> u64 {
    sys::tcp_info::read(at).map_or(0, |info| u64::from(info.retransmissions))
}

/// Messages of one length on a stream.
///
/// # Errors
/// When a call fails, or the stream ends within a message.
pub fn stream(at: &Descriptor, bytes: u32, limits: Limits, counters: &Counters) -> sys::Result<()> {
    let mut message = buffer(bytes);
    for turn in 0..turns(limits, &message) {
        match fill(at, &mut message)? {
            0 => break,
            came if came < message.len() => return Err(TRUNCATED),
            _ => {}
        }
        if serve_usage(&message, counters) {
            counters.set(Counter::Retransmissions, retransmissions(at));
        }
        put(at, &message)?;
        counters.set(Counter::Turns, turn + 1);
    }
    counters.set(Counter::Retransmissions, retransmissions(at));
    Ok(())
}

/// Messages of one length on a stream, none of which is answered by this end; the kernel acknowledges each at once.
///
/// # Errors
/// As [`stream`].
pub fn none(at: &Descriptor, bytes: u32, limits: Limits, counters: &Counters) -> sys::Result<()> {
    let mut message = buffer(bytes);
    sys::inet::set_quick_acknowledgements(at)?;
    for turn in 0..turns(limits, &message) {
        match fill(at, &mut message)? {
            0 => break,
            came if came < message.len() => return Err(TRUNCATED),
            _ => sys::inet::set_quick_acknowledgements(at)?,
        }
        counters.set(Counter::Turns, turn + 1);
    }
    counters.set(Counter::Retransmissions, retransmissions(at));
    Ok(())
}

/// Datagrams of at most `bytes` bytes.
///
/// # Errors
/// When a call fails.
pub fn datagrams(at: &Descriptor, bytes: u32, limits: Limits, counters: &Counters) -> sys::Result<()> {
    let mut message = buffer(bytes);
    for turn in 0..turns(limits, &message) {
        let came = sys::Error::check("read", at.read(&mut message))?;
        let message = message.get(..came).unwrap_or_default();
        if message.first() == Some(&QUIT) {
            break;
        }
        serve_usage(message, counters);
        at.write_all(message)?;
        counters.set(Counter::Turns, turn + 1);
    }
    Ok(())
}
