//! Transfers of one size, each confirmed after its last byte: over one connection, or each over a new one.

use super::Messages;
use crate::network::options::Options;
use crate::network::services::{Counter, Service, put};
use crate::network::session::{Acceptor, SEGMENT, Session, unreachable};
use measure::{Bench, Failure, Timed};
use sys::clock::Clock;
use sys::inet::{self, Destination};
use sys::tcp_info;

/// Transfers.
pub fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let session = Session::tcp(bench, Service::Confirm { bytes }, Options::MESSAGES)?;
    let mut messages = Messages::new(usize::try_from(bytes).unwrap_or(usize::MAX), bench.seed());
    let mut sent = 0;
    bench.each_beside(session.server_clock(), &mut || {
        let message = messages.next_message();
        put(session.client(), message)?;
        let mut answer = [0];
        session.client().read_all(&mut answer)?;
        sent += message.len() as u64;
        Ok(u64::from(Some(&answer[0]) == message.last()))
    })?;
    let info = tcp_info::read(session.client())?;
    inet::shutdown_write(session.client())?;
    let counters = session.join_and_count(bench)?;
    bench.count("bytes.received_per_sent", counters.get(Counter::Bytes) as f64, sent as f64);
    let segments = (sent as f64 / SEGMENT).max(1.0);
    bench.count("retransmissions", f64::from(info.retransmissions), segments);
    Ok(())
}

/// What of a transfer over a new connection is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimedPart {
    /// From the first write until the confirmation.
    Transfer,
    /// From socket() until close() has returned.
    Connection,
}

/// What the transfers of a trial sent, and sent again.
#[derive(Default)]
struct Sent {
    connections: u64,
    bytes: u64,
    retransmissions: u64,
}

/// One transfer over a connection of its own.
fn on_new_connection(
    clock: Clock,
    part: TimedPart,
    to: &Destination,
    message: &[u8],
    sent: &mut Sent,
) -> Result<Timed, Failure> {
    let before_socket = clock.start();
    let socket = inet::tcp_socket(to.is_version_six())?;
    Options::MESSAGES.apply_to(&socket)?;
    inet::connect(&socket, to).map_err(unreachable)?;
    let before = clock.start();
    put(&socket, message)?;
    let mut answer = [0];
    socket.read_all(&mut answer)?;
    let confirmed = clock.stop();
    let info = tcp_info::read(&socket)?;
    if part == TimedPart::Transfer {
        inet::reset_when_closed(&socket)?;
    }
    let closing = clock.start();
    sys::descriptor::close(socket)?;
    let closed = clock.stop();
    sent.connections += 1;
    sent.bytes += message.len() as u64;
    sent.retransmissions += u64::from(info.retransmissions);
    let ticks = match part {
        TimedPart::Transfer => confirmed - before,
        // Without the query of TCP_INFO in between.
        TimedPart::Connection => (confirmed - before_socket) + (closed - closing),
    };
    Ok(Timed { ticks: Some(ticks), answers: u64::from(Some(&answer[0]) == message.last()) })
}

/// Transfers, each over a new connection.
pub fn run_on_new_connections(bench: &mut Bench<'_>, part: TimedPart) -> Result<(), Failure> {
    let bytes = bench.point().size("bytes")?;
    let mut acceptor = Acceptor::new(bench, Service::AcceptTransfers { bytes })?;
    let to = Destination::from(acceptor.address());
    let mut messages = Messages::new(usize::try_from(bytes).unwrap_or(usize::MAX), bench.seed());
    let mut sent = Sent::default();
    // The first connection is a barrier: the server is accepting.
    on_new_connection(Clock::select(), part, &to, messages.next_message(), &mut sent)?;
    acceptor.until_ended(1)?;
    bench.each_part_beside(acceptor.clock(), &mut |clock| {
        let timed = on_new_connection(clock, part, &to, messages.next_message(), &mut sent)?;
        acceptor.until_ended(sent.connections)?;
        Ok(timed)
    })?;
    let counters = acceptor.counters();
    let (received, accepted) = (counters.get(Counter::Bytes), counters.get(Counter::Turns));
    bench.count("bytes.received_per_sent", received as f64, sent.bytes as f64);
    bench.count("connections.accepted", accepted as f64, sent.connections as f64);
    let segments = (sent.bytes as f64 / SEGMENT).max(1.0);
    bench.count("retransmissions", sent.retransmissions as f64, segments);
    acceptor.end()
}
