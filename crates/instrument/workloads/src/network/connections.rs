//! Connections from socket() to close(), which carry a message or a transfer.

use super::messages::{Framing, Messages, receive, send, transfers::Transfer};
use super::options::Options;
use super::services::{Counter, Service, UNCOUNTED, put};
use super::session::{Acceptor, SEGMENT, unreachable};
use crate::network::points;
use measure::{Bench, CpuTime, Failure, Result, Timed};
use std::time::Duration;
use sys::clock::Clock;
use sys::descriptor::Descriptor;
use sys::inet::{self, Destination};
use sys::tcp_info;

/// The timed part of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimedPart {
    /// connect.
    Connect,
    /// close.
    Close,
    /// From connect to the first byte of the answer.
    FirstByte,
    /// From connect to the end of close.
    Whole,
}

/// Counts over the connections of a trial.
#[derive(Default)]
struct ConnectionCounts {
    made: u64,
    established: u64,
    retransmissions: u64,
}

impl ConnectionCounts {
    /// Counts a connection, and what the kernel says of it.
    fn add(&mut self, socket: &Descriptor) -> Result<()> {
        let info = tcp_info::read(socket)?;
        self.made += 1;
        self.established += u64::from(info.state == 1);
        self.retransmissions += u64::from(info.retransmissions);
        Ok(())
    }
}

/// Bytes of the message that each connection carries.
const BYTES: u32 = 1;

/// The failure of connect.
fn not_connected(error: sys::Error, to: &Destination) -> Failure {
    to.address().map_or_else(|| error.into(), |address| unreachable(address)(error))
}

/// One connection from socket() to close(); returns the ticks of the part and whether the echo was correct.
fn connection(
    clock: Clock,
    part: TimedPart,
    to: &Destination,
    message: &[u8],
    counts: &mut ConnectionCounts,
) -> Result<Timed> {
    let mut answer = [0; BYTES as usize];
    let before_socket = clock.start();
    let socket = inet::tcp_socket(to.is_version_six())?;
    if part != TimedPart::Whole {
        Options::MESSAGES.apply_to(&socket)?;
    }
    let began = clock.start();
    inet::connect(&socket, to).map_err(|error| not_connected(error, to))?;
    let connected = clock.stop();
    send(&socket, Framing::Stream, message)?;
    receive(&socket, Framing::Stream, &mut answer)?;
    let answered = clock.stop();
    counts.add(&socket)?;
    if matches!(part, TimedPart::Connect | TimedPart::FirstByte) {
        inet::reset_when_closed(&socket)?;
    }
    let closing = clock.start();
    sys::descriptor::close(socket)?;
    let closed = clock.stop();
    let ticks = match part {
        TimedPart::Connect => connected - began,
        TimedPart::FirstByte => answered - began,
        TimedPart::Close => closed - closing,
        // Without the query of TCP_INFO in between.
        TimedPart::Whole => (answered - before_socket) + (closed - closing),
    };
    Ok(Timed { ticks: Some(ticks), answers: u64::from(answer == message) })
}

/// Connections with one part timed.
pub fn run(bench: &mut Bench<'_>, part: TimedPart) -> Result<()> {
    let mut acceptor = Acceptor::new(bench, Service::Accept { bytes: BYTES })?;
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    let mut counts = ConnectionCounts::default();
    let time_wait = inet::time_wait_ports();
    acceptor
        .each(bench, &mut |clock, to| connection(clock, part, to, messages.next_message(), &mut counts))?;
    count(bench, &acceptor, &counts, time_wait);
    acceptor.end()
}

fn count(bench: &mut Bench<'_>, acceptor: &Acceptor, counts: &ConnectionCounts, time_wait: Option<u64>) {
    let made = counts.made as f64;
    let counters = acceptor.counters();
    let accepted = counters.get(Counter::Turns);
    bench.count("connections.accepted", accepted as f64, made);
    bench.count("connections.reset", counters.get(Counter::Resets) as f64, made);
    bench.count("established", counts.established as f64, made);
    match counters.get(Counter::Dropped) {
        _ if points::is_remote(bench.point()) => {}
        UNCOUNTED => bench.cannot_count("listen.dropped", "the kernel does not count them"),
        dropped => bench.count("listen.dropped", dropped as f64, 1.0),
    }
    bench.count("retransmissions", counts.retransmissions as f64, 1.0);
    if let Some((before, after)) = time_wait.zip(inet::time_wait_ports()) {
        bench.count("time_wait.before", before as f64, 1.0);
        bench.count("time_wait.after", after as f64, 1.0);
    }
}

/// accept() of connections that wait in the queue, within one task.
pub fn accept_queued(bench: &mut Bench<'_>) -> Result<()> {
    let listener = Options::MESSAGES.listen(false).map_err(unreachable(inet::loopback(false)))?;
    let to = Destination::from(listener.address());
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    bench.each_part(CpuTime::Process, &mut |clock| {
        let socket = inet::tcp_socket(false)?;
        inet::connect(&socket, &to).map_err(|error| not_connected(error, &to))?;
        let message = messages.next_message();
        send(&socket, Framing::Stream, message)?;
        let before = clock.start();
        let accepted = listener.accept()?;
        let ticks = Some(clock.stop() - before);
        let mut came = [0; BYTES as usize];
        receive(&accepted, Framing::Stream, &mut came)?;
        inet::reset_when_closed(&socket)?;
        sys::descriptor::close(socket)?;
        let answers = u64::from(came == message);
        Ok(Timed { ticks, answers })
    })
}

/// Connections of which the server times a part by its own clock.
const ACCEPTED: u64 = 40;

/// What the server times by its own clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerPart {
    /// accept() of a connection that is ready.
    Accept,
    /// accept() with the wait for the client, which pauses before it connects.
    AcceptWithWait,
    /// close() of a connection that the client has closed.
    Close,
}

/// The pause of the client before it connects, where the server's wait for it counts.
const PAUSE: Duration = Duration::from_millis(2);

/// A part of connections at the server, by its clock.
pub fn at_server(bench: &mut Bench<'_>, part: ServerPart) -> Result<()> {
    let (client_part, counter) = match part {
        ServerPart::Accept => (TimedPart::FirstByte, Counter::AcceptNanos),
        ServerPart::AcceptWithWait => (TimedPart::FirstByte, Counter::AcceptWaitNanos),
        // The others reset their connections.
        ServerPart::Close => (TimedPart::Close, Counter::CloseNanos),
    };
    let mut acceptor = Acceptor::new(bench, Service::Accept { bytes: BYTES })?;
    let to = acceptor.destination().clone();
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    let (mut counts, mut samples, mut answers) = (ConnectionCounts::default(), Vec::new(), 0);
    let clock = Clock::select();
    bench.watched(|| {
        for turn in 0..=ACCEPTED {
            if part == ServerPart::AcceptWithWait {
                std::thread::sleep(PAUSE);
            }
            answers += connection(clock, client_part, &to, messages.next_message(), &mut counts)?.answers;
            acceptor.until_ended(turn + 1)?;
            samples.push(acceptor.counters().get(counter) as f64);
        }
        Ok(())
    })?;
    if samples.iter().all(|sample| *sample == 0.0) {
        return Err(Failure::skipped(
            "the program at the peer does not time this part of a connection",
            "start a newer oscope there",
        ));
    }
    bench.count("answers", answers as f64, counts.made as f64);
    let accepted = acceptor.counters().get(Counter::Turns);
    bench.count("connections.accepted", accepted as f64, counts.made as f64);
    bench.values(samples.into_iter().skip(1).collect());
    acceptor.end()
}

/// Connections to a server that starts within the interval.
pub fn run_without_barrier(bench: &mut Bench<'_>) -> Result<()> {
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    let (mut all, mut accepted) = (ConnectionCounts::default(), 0);
    let cpu = bench.peer_cpu();
    bench.each_part(CpuTime::WithChildren, &mut |clock| {
        let began = clock.start();
        let mut acceptor = Acceptor::on(cpu, false, Service::Accept { bytes: BYTES })?;
        let to = acceptor.destination().clone();
        let timed = connection(clock, TimedPart::FirstByte, &to, messages.next_message(), &mut all)?;
        let ticks = clock.stop() - began;
        acceptor.until_ended(1)?;
        accepted += acceptor.counters().get(Counter::Turns);
        Ok(Timed { ticks: Some(ticks), ..timed })
    })?;
    bench.count("connections.accepted", accepted as f64, all.made as f64);
    bench.count("established", all.established as f64, all.made as f64);
    bench.count("retransmissions", all.retransmissions as f64, 1.0);
    Ok(())
}

/// The timed part of a transfer over a new connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferPart {
    /// From the first write until the confirmation.
    Transfer,
    /// From socket() until close() has returned.
    Connection,
}

/// One transfer over a connection of its own.
fn transfer(
    clock: Clock,
    part: TransferPart,
    to: &Destination,
    message: &[u8],
    counts: &mut ConnectionCounts,
) -> Result<Timed> {
    let before_socket = clock.start();
    let socket = inet::tcp_socket(to.is_version_six())?;
    Options::MESSAGES.apply_to(&socket)?;
    inet::connect(&socket, to).map_err(|error| not_connected(error, to))?;
    let before = clock.start();
    put(&socket, message)?;
    let mut answer = [0];
    socket.read_all(&mut answer)?;
    let confirmed = clock.stop();
    counts.add(&socket)?;
    if part == TransferPart::Transfer {
        inet::reset_when_closed(&socket)?;
    }
    let closing = clock.start();
    sys::descriptor::close(socket)?;
    let closed = clock.stop();
    let ticks = match part {
        TransferPart::Transfer => confirmed - before,
        // Without the query of TCP_INFO in between.
        TransferPart::Connection => (confirmed - before_socket) + (closed - closing),
    };
    Ok(Timed { ticks: Some(ticks), answers: u64::from(Some(&answer[0]) == message.last()) })
}

/// Transfers of one size, each over a new connection and confirmed after its last byte.
pub fn transfers(bench: &mut Bench<'_>, part: TransferPart) -> Result<()> {
    let bytes = bench.parameters::<Transfer>()?.bytes.bytes();
    let mut acceptor = Acceptor::new(bench, Service::AcceptTransfers { bytes })?;
    let mut messages = Messages::new(usize::try_from(bytes).unwrap_or(usize::MAX), bench.seed());
    let mut counts = ConnectionCounts::default();
    acceptor.each(bench, &mut |clock, to| transfer(clock, part, to, messages.next_message(), &mut counts))?;
    let sent = counts.made as f64 * messages.bytes() as f64;
    let [received, accepted] =
        [Counter::Bytes, Counter::Turns].map(|counter| acceptor.counters().get(counter) as f64);
    bench.count("bytes.received_per_sent", received, sent);
    bench.count("connections.accepted", accepted, counts.made as f64);
    bench.count("retransmissions", counts.retransmissions as f64, (sent / SEGMENT).max(1.0));
    acceptor.end()
}
