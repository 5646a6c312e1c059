//! Connections from their sockets to their ends.

use super::messages::{Kind, Messages, receive, send};
use super::options::Options;
use super::services::{Entry, Service, UNCOUNTED};
use super::session::{Acceptor, unreachable};
use crate::network::points;
use measure::{Bench, Failure, Timed};
use sys::clock::Clock;
use sys::descriptor::Descriptor;
use sys::inet::{self, Destination};
use sys::tcp_info;

/// The part of a connection's life that is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Connect,
    Close,
    FirstByte,
    Whole,
}

/// What is counted over the connections of a trial.
#[derive(Default)]
struct Tally {
    made: u64,
    established: u64,
    retransmissions: u64,
}

/// Bytes of the message that each connection carries.
const BYTES: u32 = 1;

/// One connection from its socket to its end; gives the ticks of the part and whether the answer was right.
fn connection(
    clock: Clock,
    part: Part,
    to: &Destination,
    message: &[u8],
    tally: &mut Tally,
) -> Result<Timed, Failure> {
    let mut answer = [0; BYTES as usize];
    let before_socket = clock.start();
    let socket = inet::tcp_socket(to.is_version_six())?;
    if part != Part::Whole {
        Options::MESSAGES.choose_for(&socket)?;
    }
    let began = clock.start();
    inet::connect(&socket, to).map_err(unreachable)?;
    let connected = clock.stop();
    send(&socket, Kind::Stream, message)?;
    receive(&socket, Kind::Stream, &mut answer)?;
    let answered = clock.stop();
    look_at(&socket, tally)?;
    if matches!(part, Part::Connect | Part::FirstByte) {
        inet::reset_when_closed(&socket)?;
    }
    let closing = clock.start();
    inet::close(socket)?;
    let closed = clock.stop();
    tally.made += 1;
    let ticks = match part {
        Part::Connect => connected - began,
        Part::FirstByte => answered - began,
        Part::Close => closed - closing,
        // Looking at the connection in between is no part of it.
        Part::Whole => (answered - before_socket) + (closed - closing),
    };
    Ok(Timed {
        ticks: Some(ticks),
        answers: u64::from(answer == message),
    })
}

fn look_at(socket: &Descriptor, tally: &mut Tally) -> Result<(), Failure> {
    let info = tcp_info::read(socket)?;
    tally.established += u64::from(info.state == 1);
    tally.retransmissions += u64::from(info.retransmissions);
    Ok(())
}

/// Connections, of each of which a part is timed.
pub fn run(bench: &mut Bench<'_>, part: Part) -> Result<(), Failure> {
    let mut acceptor = Acceptor::new(bench, Service::Accept { bytes: BYTES })?;
    let to = Destination::from(acceptor.address());
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    let mut tally = Tally::default();
    // The first one is a barrier: the other process is there and accepts.
    connection(Clock::select(), part, &to, messages.next(), &mut tally).map_err(lost)?;
    acceptor.until_ended(1)?;
    let resting = inet::time_wait_ports();
    bench.each_part_beside(acceptor.clock(), &mut |clock| {
        let timed = connection(clock, part, &to, messages.next(), &mut tally)?;
        acceptor.until_ended(tally.made)?;
        Ok(timed)
    })?;
    tell(bench, &acceptor, &tally, resting);
    acceptor.end()
}

/// A refusal of the first connection says what is missing.
fn lost(failure: Failure) -> Failure {
    match failure {
        Failure::Failed(reason) => Failure::Failed(format!("the first connection: {reason}")),
        skipped => skipped,
    }
}

fn tell(bench: &mut Bench<'_>, acceptor: &Acceptor, tally: &Tally, resting: Option<u64>) {
    let made = tally.made as f64;
    let ledger = acceptor.ledger();
    let accepted = ledger.get(Entry::Turns);
    bench.count("connections.accepted", accepted as f64, made);
    bench.count("connections.reset", ledger.get(Entry::Resets) as f64, made);
    bench.count("established", tally.established as f64, made);
    match ledger.get(Entry::Dropped) {
        _ if points::is_remote(bench.point()) => {}
        UNCOUNTED => bench.cannot_count("listen.dropped", "the kernel does not tell".to_owned()),
        dropped => bench.count("listen.dropped", dropped as f64, 1.0),
    }
    bench.count("retransmissions", tally.retransmissions as f64, 1.0);
    if let Some((before, after)) = resting.zip(inet::time_wait_ports()) {
        bench.count("time_wait.before", before as f64, 1.0);
        bench.count("time_wait.after", after as f64, 1.0);
    }
}

/// Connections to a process that is started within the interval.
pub fn run_unready(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    let (mut all, mut accepted) = (Tally::default(), 0);
    let cpu = bench.peer_cpu();
    bench.each_part(true, &mut |clock| {
        let began = clock.start();
        let mut acceptor = Acceptor::on(cpu, false, Service::Accept { bytes: BYTES })?;
        let to = Destination::from(acceptor.address());
        let timed = connection(clock, Part::FirstByte, &to, messages.next(), &mut all)?;
        let ticks = clock.stop() - began;
        acceptor.until_ended(1)?;
        accepted += acceptor.ledger().get(Entry::Turns);
        Ok(Timed {
            ticks: Some(ticks),
            ..timed
        })
    })?;
    bench.count("connections.accepted", accepted as f64, all.made as f64);
    bench.count("established", all.established as f64, all.made as f64);
    bench.count("retransmissions", all.retransmissions as f64, 1.0);
    Ok(())
}
