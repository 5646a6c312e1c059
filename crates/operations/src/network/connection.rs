//! Connections: what making, using and ending one takes, as a program sees it.

use super::points;
use super::workloads::connections::{self, Part};
use measure::{Actors, Area, How, Operation, Placement};

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
        "path=remote: hardware t1 round trip of the SYN, as measured by ping = [network.round_trip.icmp path=remote bytes=56B]",
    ],
    headline: &[("path=loopback cpu=same", "TCP connect")],
    run: |bench| connections::run(bench, Part::Connect),
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
    run: |bench| connections::run(bench, Part::Close),
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
        "t1 round trip of the first byte",
    ],
    run: |bench| connections::run(bench, Part::FirstByte),
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
        "t1 round trip of the first byte",
    ],
    bounds: &["floors(5)"],
    run: |bench| connections::run(bench, Part::Whole),
    ..CONNECTION
};

/// Reference: the other side is started within the interval.
pub static UNREADY: Operation = Operation {
    id: "network.connection.no_barrier",
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
    run: connections::run_unready,
    ..CONNECTION
};
