//! Round trips between two processes, to a peer, and within one task.

use super::{Echo, Framing, Message, Messages, length, receive, send};
use crate::network::options::{Congestion, Options};
use crate::network::services::{Counter, QUIT, Service};
use crate::network::session::{Session, unreachable};
use measure::{Bench, CpuTime, Failure, Result, Work, parameters};
use quantity::Bytes;
use sys::descriptor::Descriptor;
use sys::inet::{self, Listener};
use sys::tcp_info::{self, TcpInfo};
use sys::usage::Usage;

/// Bytes up to which a message is one segment, received by one read: half of the initial window.
const ONE_SEGMENT: u64 = 32_768;

/// Segments per round trip, from TCP_INFO.
fn count_segments(bench: &mut Bench<'_>, before: TcpInfo, after: TcpInfo, turns: u64, server: u64) {
    let turns = turns as f64;
    let counts = [
        ("segments.out", after.data_segments_out - before.data_segments_out),
        ("segments.in", after.data_segments_in - before.data_segments_in),
        (
            "segments.without_data",
            (after.segments_out - before.segments_out)
                .saturating_sub(after.data_segments_out - before.data_segments_out),
        ),
    ];
    for (counter, count) in counts {
        bench.count(counter, f64::from(count), turns);
    }
    // Of several segments in flight the last is retransmitted when its acknowledgement is late (tail loss probe, RFC 8985).
    let is_probed = bench.parameters::<Message>().is_ok_and(|message| message.bytes.bytes() > ONE_SEGMENT);
    bench.count(
        "retransmissions",
        f64::from(after.retransmissions) + server as f64,
        if is_probed { turns } else { 1.0 },
    );
}

/// Batches of round trips with an echo service.
fn echoes(bench: &mut Bench<'_>, session: &Session, echo: &mut Echo<'_>) -> Result<()> {
    // Round trips and usage requests alternate on one connection.
    let echo = std::cell::RefCell::new(echo);
    // A peer's usage is not requested.
    let mut others = || -> Result<Usage> { echo.borrow_mut().usage(session.counters()) };
    let others: Option<&mut dyn FnMut() -> Result<Usage>> = match session.is_remote() {
        true => None,
        false => Some(&mut others),
    };
    bench.batches(Work {
        cpu: session.clocks(),
        others,
        ..Work::new(&mut |n| echo.borrow_mut().round_trips(n))
    })
}

/// Round trips over TCP.
///
/// # Errors
/// As [`tcp_with`].
pub fn tcp(bench: &mut Bench<'_>) -> Result<()> {
    tcp_with(bench, Options::MESSAGES)
}

/// Round trips over TCP with these options.
///
/// # Errors
/// When the server cannot be reached, or is lost.
pub fn tcp_with(bench: &mut Bench<'_>, options: Options) -> Result<()> {
    let bytes = length(bench)?;
    let session = Session::tcp(bench, Service::EchoStream { bytes }, options)?;
    let mut echo = Echo::new(session.client(), Framing::Stream, bytes as usize, bench.seed());
    // The first round trip precedes all counts: the server has set its options.
    echo.round_trips(1)?;
    let (before, began) = (tcp_info::read(session.client())?, echo.turns());
    echoes(bench, &session, &mut echo)?;
    let after = tcp_info::read(session.client())?;
    let turns = echo.turns() - began;
    bench.count("no_delay", f64::from(u8::from(inet::no_delay(session.client())?)), 1.0);
    inet::shutdown_write(session.client())?;
    let counters = session.join_and_count(bench)?;
    count_segments(bench, before, after, turns, counters.get(Counter::Retransmissions));
    Ok(())
}

/// Round trips over UDP.
///
/// # Errors
/// As [`tcp_with`].
pub fn udp(bench: &mut Bench<'_>) -> Result<()> {
    let bytes = length(bench)?;
    let session = Session::udp(bench, Service::EchoDatagrams { bytes })?;
    let mut echo = Echo::new(session.client(), Framing::Datagrams, bytes as usize, bench.seed());
    echoes(bench, &session, &mut echo)?;
    session.client().write_all(&[QUIT])?;
    session.join().map(|_| ())
}

/// A connection: its client and its server.
pub type Connection = (Descriptor, Descriptor);

/// Messages within one task, alternating directions, on the connection that is `step` after the last one in their circle.
fn by_one_task(bench: &mut Bench<'_>, framing: Framing, all: &[Connection], step: usize) -> Result<u64> {
    let mut messages = Messages::new(length(bench)? as usize, bench.seed());
    let mut reply = vec![1; messages.bytes()];
    let (mut turns, mut at) = (0, 0);
    bench.slope(&mut |n| {
        let mut correct = 0;
        for _ in 0..n {
            let mut both = true;
            let Some((client, server)) = all.get(at) else { break };
            at += step;
            at -= if at >= all.len() { all.len() } else { 0 };
            for (from, to) in [(client, server), (server, client)] {
                let message = messages.next_message();
                send(from, framing, message)?;
                receive(to, framing, &mut reply)?;
                both &= reply == message;
            }
            correct += u64::from(both);
        }
        turns += n;
        Ok(correct)
    })?;
    Ok(turns)
}

/// TCP round trips within one task.
///
/// # Errors
/// When there is no loopback interface.
pub fn tcp_by_one_task(bench: &mut Bench<'_>) -> Result<()> {
    among(bench, &connect(1)?, 0)
}

parameters! {
    /// Round trips over one of several connections.
    pub struct Among {
        /// Of each message.
        bytes: Bytes,
        /// How many there are.
        connections: u64,
    }
}

/// Most connections to one address: the client's ends have ports of their own, of which there are 28 232 by default.
const PER_ADDRESS: u64 = 20_000;
/// Most connections: each takes some 10 KiB of the kernel's memory.
const MAX_CONNECTIONS: u64 = 200_000;
/// A prime number, so that each connection comes once before any comes again, and seldom one that was made next to the last.
const STEP: u64 = 7_919;

/// TCP round trips within one task, each over another one of the point's connections.
///
/// # Errors
/// When there is no loopback interface, or a limit on descriptors is reached.
pub fn tcp_among(bench: &mut Bench<'_>) -> Result<()> {
    let connections = bench.parameters::<Among>()?.connections.min(MAX_CONNECTIONS);
    among(bench, &connect(connections)?, (STEP % connections.max(1)) as usize)
}

/// This number of connections: to one port, or where they are many to one of each of the addresses 127.0.0.1, 127.0.0.2, ….
///
/// # Errors
/// As [`tcp_among`].
pub fn connect(connections: u64) -> Result<Vec<Connection>> {
    let unreachable = unreachable(inet::loopback(false));
    let descriptors = 2 * connections + DESCRIPTORS;
    let allowed = sys::limits::raise_descriptors(descriptors);
    if allowed < 2 * connections {
        return Err(Failure::skipped(
            format!(
                "{connections} connections need {descriptors} descriptors, and a process may have {allowed} here"
            ),
            format!(
                "raise the limit: ulimit -Hn {descriptors} (LimitNOFILE=, docker --ulimit nofile={descriptors})"
            ),
        ));
    }
    let listeners = (0..connections.div_ceil(PER_ADDRESS)).map(|number| {
        let listener = Listener::new(inet::loopback_address(number as u8))?;
        Options::MESSAGES.apply_to(listener.descriptor())?;
        Ok(listener)
    });
    let listeners: Vec<Listener> = listeners.collect::<sys::Result<_>>().map_err(&unreachable)?;
    let pair = |number: u64| {
        let listener = listeners.get((number / PER_ADDRESS) as usize);
        let listener = listener.ok_or_else(|| Failure::failed("no socket listens"))?;
        let client = Options::MESSAGES.connect(listener.address()).map_err(&unreachable)?;
        let server = listener.accept()?;
        inet::reset_when_closed(&client)?;
        Ok((client, server))
    };
    (0..connections).map(pair).collect()
}

/// Descriptors of a worker for other things, with plenty to spare.
const DESCRIPTORS: u64 = 256;

/// Round trips over these connections, by steps from one to the next; counts how many of them carried one.
///
/// # Errors
/// When a connection is lost.
pub fn among(bench: &mut Bench<'_>, all: &[Connection], step: usize) -> Result<()> {
    let before = clients(all)?.0;
    let turns = by_one_task(bench, Framing::Stream, all, step)?;
    let (after, used) = clients(all)?;
    let again = all.iter().map(|(_, server)| Ok(tcp_info::read(server)?.retransmissions));
    let again: u32 = again.sum::<sys::Result<u32>>()?;
    count_segments(bench, before, after, turns, u64::from(again));
    bench.count("connections.used", used as f64, turns.min(all.len() as u64) as f64);
    Ok(())
}

/// What the clients' ends have sent and received together, and how many of them sent a message.
fn clients(all: &[Connection]) -> Result<(TcpInfo, u64)> {
    let (mut sum, mut used) = (TcpInfo::default(), 0);
    for (client, _) in all {
        let one = tcp_info::read(client)?;
        sum.data_segments_out += one.data_segments_out;
        sum.data_segments_in += one.data_segments_in;
        sum.segments_out += one.segments_out;
        sum.retransmissions += one.retransmissions;
        used += u64::from(one.data_segments_out > 0);
    }
    Ok((sum, used))
}

/// UDP round trips within one task.
///
/// # Errors
/// As [`tcp_by_one_task`].
pub fn udp_by_one_task(bench: &mut Bench<'_>) -> Result<()> {
    let pair = inet::udp_pair(false).map_err(unreachable(inet::loopback(false)))?;
    by_one_task(bench, Framing::Datagrams, &[(pair.client, pair.server)], 0).map(|_| ())
}

/// 64-byte messages in two writes, with Nagle's algorithm.
///
/// # Errors
/// As [`tcp_with`].
pub fn in_two_writes(bench: &mut Bench<'_>) -> Result<()> {
    let options = Options { no_delay: false, congestion: Congestion::ByLoss };
    let session = Session::tcp(bench, Service::EchoStream { bytes: 64 }, options)?;
    let mut messages = Messages::new(64, bench.seed());
    let mut reply = [0; 64];
    let client = session.client();
    bench.each(CpuTime::with(session.server_clock()), &mut || {
        let message = messages.next_message();
        let (first, second) = message.split_at(32);
        send(client, Framing::Stream, first)?;
        send(client, Framing::Stream, second)?;
        receive(client, Framing::Stream, &mut reply)?;
        Ok(u64::from(reply == message))
    })?;
    inet::shutdown_write(client)?;
    session.join().map(|_| ())
}
