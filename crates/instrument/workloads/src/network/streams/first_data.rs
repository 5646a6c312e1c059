//! Transfers whose clock is started when their first data have been received.

use crate::network::messages::transfers::Transfer;
use crate::network::options::Options;
use crate::network::services::{Counter, Method, Service};
use crate::network::session::Session;
use measure::{Bench, Failure, Result};
use sys::clock::Clock;
use sys::descriptor::Descriptor;

/// Transfers of a trial, each over a connection of its own; the first does not count.
const TRANSFERS: usize = 7;

/// Bytes of a read at most.
const MAX_READ: usize = 64 << 10;

/// Receives transfers from a server that sends continuously; all bytes count, those before the clock started, too.
///
/// # Errors
/// When the server cannot be reached or is lost.
pub fn receive_transfers(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = usize::try_from(bench.parameters::<Transfer>()?.bytes.bytes()).unwrap_or(usize::MAX);
    // At least two reads, so that something is received while the clock runs.
    let mut buffer = vec![0; (bytes / 2).clamp(1, MAX_READ)];
    let clock = Clock::select();
    let (mut rates, mut whole, mut received, mut sent) = (Vec::new(), 0, 0, 0);
    for transfer in 0..TRANSFERS {
        let service = Service::Source { method: Method::Plain, seed: bench.seed() };
        let session = Session::tcp(bench, service, Options::MESSAGES)?;
        let client = session.client();
        let mut came = read(client, &mut buffer)?;
        let start = clock.moment();
        while came < bytes {
            let room = (bytes - came).min(buffer.len());
            came += read(client, buffer.get_mut(..room).unwrap_or_default())?;
        }
        let nanos = clock.moment().nanos_since(start) as f64;
        if transfer > 0 {
            rates.push(came as f64 * 1e9 / nanos.max(1.0));
        }
        whole += u64::from(came == bytes);
        session.ask_to_end()?;
        let mut more = came as u64;
        while let Ok(further @ 1..) = sys::Error::check("read", client.read(&mut buffer)) {
            more += further as u64;
        }
        received += more;
        sent += session.join()?.get(Counter::Bytes);
    }
    bench.count("answers", whole as f64, TRANSFERS as f64);
    bench.count("bytes.received_per_sent", received as f64, sent as f64);
    bench.values(rates);
    Ok(())
}

/// Bytes of one read.
fn read(client: &Descriptor, into: &mut [u8]) -> Result<usize> {
    match sys::Error::check("read", client.read(into))? {
        0 => Err(Failure::failed("the server ended the stream")),
        came => Ok(came),
    }
}
