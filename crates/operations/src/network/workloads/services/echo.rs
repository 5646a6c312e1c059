//! Sends back what came: messages of a stream, or datagrams.

use super::{Entry, LONGEST, Ledger, Limits, QUIT, TELL, TORN, fill, put};
use sys::descriptor::Descriptor;

fn buffer(bytes: u32) -> Vec<u8> {
    vec![0; bytes.clamp(1, LONGEST) as usize]
}

/// Turns that these limits allow to messages of so many bytes, which come and go.
fn turns(limits: Limits, bytes: usize) -> u64 {
    limits.turns.min(limits.bytes / (2 * bytes.max(1) as u64))
}

/// The last thing before a message goes back: one that asks for the usage gets it. Whether it did.
#[inline(always)]
fn look_at(message: &[u8], ledger: &Ledger) -> bool {
    let asks = message.first() == Some(&TELL);
    if asks {
        ledger.tell_usage();
    }
    asks
}

/// Segments that this end sent again; a stream that is no TCP has none.
fn retransmissions(at: &Descriptor) -> u64 {
    sys::tcp_info::read(at).map_or(0, |info| u64::from(info.retransmissions))
}

/// Messages of one length on a stream.
///
/// # Errors
/// When the kernel refuses a call, or the stream ends in the middle of a message.
pub fn stream(at: &Descriptor, bytes: u32, limits: Limits, ledger: &Ledger) -> sys::Result<()> {
    let mut message = buffer(bytes);
    for turn in 0..turns(limits, message.len()) {
        match fill(at, &mut message)? {
            0 => break,
            came if came < message.len() => return Err(TORN),
            _ => {}
        }
        if look_at(&message, ledger) {
            ledger.set(Entry::Retransmissions, retransmissions(at));
        }
        put(at, &message)?;
        ledger.set(Entry::Turns, turn + 1);
    }
    ledger.set(Entry::Retransmissions, retransmissions(at));
    Ok(())
}

/// Datagrams of any length up to one.
///
/// # Errors
/// When the kernel refuses a call.
pub fn datagrams(at: &Descriptor, bytes: u32, limits: Limits, ledger: &Ledger) -> sys::Result<()> {
    let mut message = buffer(bytes);
    for turn in 0..turns(limits, message.len()) {
        let came = sys::Error::check("read", at.read(&mut message))?;
        let message = message.get(..came).unwrap_or_default();
        if message.first() == Some(&QUIT) {
            break;
        }
        look_at(message, ledger);
        at.write_all(message)?;
        ledger.set(Entry::Turns, turn + 1);
    }
    Ok(())
}
