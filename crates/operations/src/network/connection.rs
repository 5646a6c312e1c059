//! Connections: what making, using and ending one takes, as a program sees it.

use super::echo::{Kind, receive, send};
use super::far::{Entry, Service, UNCOUNTED};
use super::messages::Messages;
use super::session::{Acceptor, unreachable};
use super::{Options, points};
use measure::{Actors, Area, Bench, Failure, How, Operation, Placement, Timed};
use sys::clock::Clock;
use sys::descriptor::Descriptor;
use sys::inet::{self, Destination};
use sys::tcp_info;

const CONNECTION: Operation = Operation {
    area: Area::Network,
    confounds: "Loopback: no wire, the SYN is answered within the call that sends it. Every trial has a listening port of \
                its own, so that connections that rest in TIME_WAIT never take the ports of another, and the backlog \
                holds all that may wait, so that no SYN is sent twice.",
    actors: Actors::TwoProcesses,
    how: How::Each,
    spend_ns: 8_000_000,
    points: |_| {
        let places = [Placement::Same, Placement::Other];
        let here = places.map(|place| points::loopback().with("cpu", place.name()));
        here.into_iter().chain([points::remote()]).collect()
    },
    evidence: &[
        "answers = 1: the message came back over this connection, as it went",
        "connections.accepted = 1: the other process accepted as many connections as were made, and saw each end",
        "established = 1: each connection was established when connect() returned",
        "calls.connect 0.95..1.05: the kernel was asked to connect once per iteration",
        "retransmissions = 0 (noise): no SYN was sent twice: the backlog had room",
        "path=loopback: listen.dropped = 0 (quiet): no connection was dropped where the other process listens",
        "undisturbed",
    ],
    bounds: &["floor"],
    revision: 2,
    ..Operation::NEW
};

/// connect() alone.
pub static CONNECT: Operation = Operation {
    id: "network.connection.connect",
    title: "connect() until it returns",
    one_iteration: "connect() of a new socket to a process that accepts",
    method: "Only the call is timed, socket() is not. It returns when the SYN was answered, which the kernel does by \
             itself: nobody has accepted yet. Afterwards a message goes there and back and the connection is reset, \
             which leaves no TIME_WAIT; then the other process is waited for.",
    sources: &[
        ("R0", "connect and close to another machine, each timed once"),
        (
            "R3",
            "SYN to ACK by tcpdump (E42): see network.acknowledge.packets",
        ),
        ("lmbench", "lat_connect: connect and close, unpinned"),
    ],
    predict: &[
        "connection(1, open)",
        "wake-up of the other CPU",
        "path=remote: hardware t1 the SYN's way there and back, as ping has it = [network.round_trip.icmp path=remote bytes=56]",
    ],
    run: |bench| run(bench, Part::Connect),
    ..CONNECTION
};

/// close() alone.
pub static CLOSE: Operation = Operation {
    id: "network.connection.close",
    title: "close() of a connection until it returns",
    one_iteration: "close() of a connection over which a message went there and back",
    method: "Only the call is timed: it sends the FIN and returns, the other process finds the end of its stream \
             afterwards. The port rests in TIME_WAIT; how many did before and after is in the evidence.",
    sources: &[
        ("R0", "close to another machine"),
        ("R3", "FIN to ACK by tcpdump (E42)"),
    ],
    predict: &["connection(1, fin)", "wake-up of the other CPU"],
    run: |bench| run(bench, Part::Close),
    ..CONNECTION
};

/// Until the accepted connection answers.
pub static FIRST_BYTE: Operation = Operation {
    id: "network.connection.first_byte",
    title: "from connect() to the first byte of the answer",
    one_iteration: "connect(), send one byte, read the byte that the process sends back that accepted",
    method: "From before connect() until the answer is read: the other process must have accepted and read. The socket \
             is made before and reset afterwards.",
    sources: &[
        (
            "R2",
            "accept at the server's side without a barrier: 2.4 s of waiting for a person (E40)",
        ),
        ("curl", "time_connect and time_starttransfer, of a whole request"),
    ],
    predict: &[
        "connection(2, open)",
        "use of a connection",
        "wake-up of the other CPU",
        "path=loopback: software t1 accept: the connection found, a descriptor and its socket made = \
         (accept + fetched(3000)) × cycle_ns",
        "t1 first byte there and back",
    ],
    run: |bench| run(bench, Part::FirstByte),
    ..CONNECTION
};

/// Whole connections.
pub static WHOLE: Operation = Operation {
    id: "network.connection.connect_round_trip_close",
    title: "a whole connection: connect, one byte there and back, close",
    one_iteration: "socket(), connect(), send one byte, read the answer, close()",
    method: "As netperf's TCP_CRR: a new connection for every byte, ended by the side that began it. The process that \
             accepts is waited for before the next one, outside the interval.",
    sources: &[(
        "netperf",
        "TCP_CRR, connections per second, unpinned unless asked",
    )],
    predict: &[
        "connection(4, open)",
        "use of a connection",
        "wake-up of the other CPU",
        "path=loopback: software t1 socket() and accept: sockets and descriptors made = 2 × (accept + fetched(3000)) × \
         cycle_ns",
        "path=loopback: software t1 close() = fin × cycle_ns",
        "t1 first byte there and back",
    ],
    bounds: &["floors(5)"],
    run: |bench| run(bench, Part::Whole),
    ..CONNECTION
};

/// Reference: the other side is started within the interval.
pub static UNREADY: Operation = Operation {
    id: "network.connection.accept_unready",
    title: "connect and first byte without a barrier (wrong)",
    one_iteration: "fork a process that accepts, connect(), send one byte, read the answer",
    method: "As R2's accept side: the other process is started within the interval, and may not have come to accept() \
             when the connection is made.",
    confounds: "Its start, its first page faults and its place in the queue of the CPU are in the result.",
    sources: &[(
        "R2",
        "2.4 s, most of it until somebody started the client by hand (E40)",
    )],
    reference: Some(measure::Reference {
        wrong: "the start of the other side lies within the interval (E40): no barrier before the clock starts",
        right: ("network.connection.first_byte", "path=loopback cpu=same"),
    }),
    points: |_| vec![points::loopback_same()],
    run: run_unready,
    ..CONNECTION
};

/// The part of a connection's life that is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
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

fn run(bench: &mut Bench<'_>, part: Part) -> Result<(), Failure> {
    let mut acceptor = Acceptor::new(bench, Service::Accept { bytes: BYTES })?;
    let to = Destination::from(acceptor.address());
    let mut messages = Messages::new(BYTES as usize, bench.seed());
    let mut tally = Tally::default();
    // The first one is a barrier: the other process is there and accepts.
    connection(Clock::select(), part, &to, messages.next(), &mut tally).map_err(lost)?;
    acceptor.until_ended(1)?;
    let resting = inet::resting_ports();
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
    if let Some((before, after)) = resting.zip(inet::resting_ports()) {
        bench.count("time_wait.before", before as f64, 1.0);
        bench.count("time_wait.after", after as f64, 1.0);
    }
}

fn run_unready(bench: &mut Bench<'_>) -> Result<(), Failure> {
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
