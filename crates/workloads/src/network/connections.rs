//! Connections from socket() to close().

use super::messages::{Framing, Messages, receive, send};
use super::options::Options;
use super::services::{Counter, Service, UNCOUNTED};
use super::session::{Acceptor, unreachable};
use crate::network::points;
use measure::{Bench, Failure, Timed};
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

/// Bytes of the message that each connection carries.
const BYTES: u32 = 1;

/// One connection from socket() to close(); returns the ticks of the part and whether the echo was correct.
fn connection(
    clock: Clock,
    part: TimedPart,
    to: &Destination,
    message: &[u8],
    counts: &mut ConnectionCounts,
) -> Result<Timed, Failure> {
    let mut answer = [0; BYTES as usize];
    let before_socket = clock.start();
    let socket = inet::tcp_socket(to.is_version_six())?;
    if part != TimedPart::Whole {
        Options::MESSAGES.apply_to(&socket)?;
    }
    let began = clock.start();
    inet::connect(&socket, to).map_err(unreachable)?;
    let connected = clock.stop();
    send(&socket, Framing::Stream, message)?;
    receive(&socket, Framing::Stream, &mut answer)?;
    let answered = clock.stop();
    count_state(&socket, counts)?;
    if matches!(part, TimedPart::Connect | TimedPart::FirstByte) {
        inet::reset_when_closed(&socket)?;
    }
    let closing = clock.start();
    sys::descriptor::close(socket)?;
    let closed = clock.stop();
    counts.made += 1;
    let ticks = match part {
        TimedPart::Connect => connected - began,
        TimedPart::FirstByte => answered - began,
        TimedPart::Close => closed - closing,
        // Without the query of TCP_INFO in between.
        TimedPart::Whole => (answered - before_socket) + (closed - closing),
    };
    Ok(Timed { ticks: Some(ticks), answers: u64::from(answer == message) })
}

fn count_state(socket: &Descriptor, counts: &mut ConnectionCounts) -> Result<(), Failure> {
    let info = tcp_info::read(socket)?;
    counts.established += u64::from(info.state == 1);
    counts.retransmissions += u64::from(info.retransmissions);
    Ok(())
}

/// Connections with one part timed.
pub fn run(bench: &mut Bench<'_>, part: TimedPart) -> Result<(), Failure> {
    let mut acceptor = Acceptor::new(bench, Service::Accept { bytes: BYTES })?;
    let to = Destination::from(acceptor.address());
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    let mut counts = ConnectionCounts::default();
    // The first connection is a barrier: the server is accepting.
    connection(Clock::select(), part, &to, messages.next_message(), &mut counts).map_err(first_failed)?;
    acceptor.until_ended(1)?;
    let time_wait = inet::time_wait_ports();
    bench.each_part_beside(acceptor.clock(), &mut |clock| {
        let timed = connection(clock, part, &to, messages.next_message(), &mut counts)?;
        acceptor.until_ended(counts.made)?;
        Ok(timed)
    })?;
    count(bench, &acceptor, &counts, time_wait);
    acceptor.end()
}

/// Names the first connection in its failure.
fn first_failed(failure: Failure) -> Failure {
    match failure {
        Failure::Failed(reason) => Failure::Failed(format!("the first connection: {reason}")),
        skipped => skipped,
    }
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
        UNCOUNTED => bench.cannot_count("listen.dropped", "the kernel does not count them".to_owned()),
        dropped => bench.count("listen.dropped", dropped as f64, 1.0),
    }
    bench.count("retransmissions", counts.retransmissions as f64, 1.0);
    if let Some((before, after)) = time_wait.zip(inet::time_wait_ports()) {
        bench.count("time_wait.before", before as f64, 1.0);
        bench.count("time_wait.after", after as f64, 1.0);
    }
}

/// accept() of connections that wait in the queue, within one task.
pub fn accept_queued(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let listener = Options::MESSAGES.listen(false).map_err(unreachable)?;
    let to = Destination::from(listener.address());
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    bench.each_part(false, &mut |clock| {
        let socket = inet::tcp_socket(false)?;
        inet::connect(&socket, &to).map_err(unreachable)?;
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

/// Connections whose accept() the server times by its own clock.
const ACCEPTED: u64 = 40;

/// accept() at the server, of connections that it waited for.
pub fn accept_at_server(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut acceptor = Acceptor::new(bench, Service::Accept { bytes: BYTES })?;
    let to = Destination::from(acceptor.address());
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    let (mut counts, mut samples, mut answers) = (ConnectionCounts::default(), Vec::new(), 0);
    let clock = Clock::select();
    bench.watched(|| {
        for turn in 0..=ACCEPTED {
            let part = TimedPart::FirstByte;
            answers += connection(clock, part, &to, messages.next_message(), &mut counts)?.answers;
            acceptor.until_ended(turn + 1)?;
            samples.push(acceptor.counters().get(Counter::AcceptNanos) as f64);
        }
        Ok(())
    })?;
    bench.count("answers", answers as f64, counts.made as f64);
    let accepted = acceptor.counters().get(Counter::Turns);
    bench.count("connections.accepted", accepted as f64, counts.made as f64);
    bench.values(samples.into_iter().skip(1).collect());
    acceptor.end()
}

/// Connections to a server that starts within the interval.
pub fn run_without_barrier(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    let (mut all, mut accepted) = (ConnectionCounts::default(), 0);
    let cpu = bench.peer_cpu();
    bench.each_part(true, &mut |clock| {
        let began = clock.start();
        let mut acceptor = Acceptor::on(cpu, false, Service::Accept { bytes: BYTES })?;
        let to = Destination::from(acceptor.address());
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
