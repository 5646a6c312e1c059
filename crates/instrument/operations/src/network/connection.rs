//! Connections: connect, first byte, close, and all of it, as a program sees them.

use measure::{Actors, How, Operation, Rehearse};
use workloads::network::connections::{self, ServerPart, TimedPart};

/// Common to connections.
pub const CONNECTION: Operation = Operation {
    confounds: "Loopback: no wire; the SYN is answered within the call that sends it. Every trial has its own listening port, \
                so that connections in TIME_WAIT take no ports of other trials, and the backlog is large enough that no \
                SYN is retransmitted.",
    actors: Actors::TwoProcesses,
    how: How::Each,
    spend_ns: 8_000_000,
    points: &["path=loopback cpu=same|other; path=loopback cpu=other idle=busy|polling; path=remote"],
    evidence: &[
        "answers = 1: the message was echoed unchanged over this connection",
        "connections.accepted = 1: the server accepted every connection and saw its end",
        "established = 1: each connection was established when connect() returned",
        "calls.connect 0.95..1.05: one connect call per iteration",
        "retransmissions = 0 (noise): no SYN was retransmitted: the backlog had room",
        "path=loopback: listen.dropped = 0 (quiet): the listening socket dropped no connection",
        "undisturbed",
    ],
    bounds: &["floor"],
    revision: 2,
    ..super::COMMON
};

/// connect().
pub static CONNECT: Operation = Operation {
    id: "network.connection.connect",
    title: "TCP connect()",
    one_iteration: "connect() of a new socket to an accepting process",
    method: "Only connect() is timed, not socket(). It returns when the SYN-ACK arrives, sent by the kernel before accept(). \
             Then a 1-byte round trip, and a reset, which leaves no TIME_WAIT; the next iteration starts when the \
             server is done.",
    sources: &[
        ("R0, 5.3.1", "connect(), loopback and remote, 100 times"),
        ("R3, 5.4.1", "first to last packet of the setup by tcpdump: see network.acknowledge.handshake"),
        ("lmbench", "lat_connect: connect and close, unpinned"),
        ("libMicro", "connection -c: connect alone, without blocking, 256 at a time"),
    ],
    predict: &[
        "connection(1, open)",
        "wake-up of the other CPU",
        "path=remote: hardware t1 round trip of the SYN, from ping = [network.round_trip.icmp path=remote bytes=56B]",
    ],
    headline: &[("path=loopback cpu=same", "TCP connect")],
    run: |bench| connections::run(bench, TimedPart::Connect),
    ..CONNECTION
};

/// close().
pub static CLOSE: Operation = Operation {
    id: "network.connection.close",
    title: "close() of a TCP connection",
    one_iteration: "close() of a connection after a 1-byte round trip",
    method: "Only close() is timed: it sends the FIN and returns before the server sees the end of the stream. The port \
             stays in TIME_WAIT; their number before and after is in the evidence.",
    sources: &[
        ("R0, 5.3.1", "close(), loopback and remote, 100 times"),
        ("R2, 5.3", "close() timed at the server: see network.connection.close.server"),
        ("R3, 5.4.1", "first to last packet of the teardown by tcpdump: see network.acknowledge.handshake"),
    ],
    predict: &[
        "cpu!=other|sibling|node: connection(1, fin)",
        // The other end closes on its own CPU.
        "cpu=other|sibling|node: connection(1, 0.5 × fin)",
        "wake-up of the other CPU",
    ],
    run: |bench| connections::run(bench, TimedPart::Close),
    ..CONNECTION
};

/// Time to first byte.
pub static FIRST_BYTE: Operation = Operation {
    id: "network.connection.first_byte",
    title: "connect to first byte of the reply",
    one_iteration: "connect(), write 1 byte, read the 1-byte reply",
    method: "From before connect() until the reply is read: the server must have accepted and read. The socket is created \
             before and reset afterwards.",
    sources: &[
        ("R2, 5.3", "accept() at the server, 2.4 s: probably it waits for its client to be started (E40)"),
        ("curl", "time_connect and time_starttransfer of a request"),
    ],
    predict: &[
        "connection(2, open)",
        "round trip on a new connection",
        "wake-up of the other CPU",
        "path=loopback: software t1 accept: connection dequeued, socket and descriptor allocated = \
         accept × cycle_ns",
        "t1 round trip of the first byte",
    ],
    run: |bench| connections::run(bench, TimedPart::FirstByte),
    ..CONNECTION
};

/// Complete connections.
pub static WHOLE: Operation = Operation {
    id: "network.connection.connect_round_trip_close",
    title: "complete connection: socket, connect, 1-byte round trip, close",
    one_iteration: "socket(), connect(), write 1 byte, read the reply, close()",
    method: "As netperf TCP_CRR: a new connection per byte, closed by the client. The next one starts when the server is \
             done, which is not timed.",
    sources: &[("netperf", "TCP_CRR, connections per second, unpinned by default")],
    predict: &[
        "connection(4, open)",
        "round trip on a new connection",
        "wake-up of the other CPU",
        "path=loopback: software t1 socket() and accept: sockets and descriptors allocated = 2 × accept × cycle_ns",
        "path=loopback: software t1 close() = fin × cycle_ns",
        "t1 round trip of the first byte",
    ],
    bounds: &["floors(5)"],
    run: |bench| connections::run(bench, TimedPart::Whole),
    ..CONNECTION
};

/// Common to what the server times.
pub const AT_SERVER: Operation = Operation {
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: &["path=loopback cpu=same; path=remote"],
    evidence: &[
        "answers = 1: the message was echoed unchanged over each connection",
        "connections.accepted = 1: the server accepted every connection and saw its end",
        "undisturbed",
    ],
    ..CONNECTION
};

/// accept() by the server's clock.
pub static ACCEPT_AT_SERVER: Operation = Operation {
    id: "network.connection.accept.server",
    title: "accept() of a connection that is ready, timed by the server",
    one_iteration: "accept() by the server, by its own clock",
    method: "Connections one after the other, each with a 1-byte round trip and a reset. The server, here a process or the peer, \
             waits in poll() until a connection is ready and reads its clock (CLOCK_MONOTONIC_RAW) before and after \
             accept(), so the wait for the client is not included. The client asks for the time once the connection \
             has ended; the first connection does not count.",
    confounds: "The time includes one read of the server's clock. The server has just been woken, so accept() runs \
                colder than in network.connection.accept; over path=remote it is the peer's kernel.",
    sources: &[(
        "R2, 5.3",
        "accept(), local and remote, 2 to 3 s: probably with the wait for the client (E40)",
    )],
    predict: &[
        "t0 floors(1)",
        "software t0 connection dequeued, socket and descriptor allocated = accept × cycle_ns",
        "hardware t0 one clock reading = family.rdtscp_cycles × cycle_ns",
        "software t1 accept(), on a server like this machine = [network.connection.accept path=loopback]",
        "software t1 one clock reading = [clock.read.monotonic_raw]",
    ],
    run: |bench| connections::at_server(bench, ServerPart::Accept),
    ..AT_SERVER
};

/// close() by the server's clock.
pub static CLOSE_AT_SERVER: Operation = Operation {
    id: "network.connection.close.server",
    title: "close() of a connection that the client has closed, timed by the server",
    one_iteration: "close() by the server, by its own clock",
    method: "Connections one after the other, each with a 1-byte round trip, closed by the client. The server, here a process or the \
             peer, reads the end of the stream and then its clock (CLOCK_MONOTONIC_RAW) before and after close(). The client asks \
             for the time once the connection has ended; the first connection does not count.",
    confounds: "The time includes one read of the server's clock. The FIN is sent within the call, and over loopback the client's kernel \
                acknowledges it there. The client's port stays in TIME_WAIT.",
    sources: &[(
        "R2, 5.3",
        "close() at the server by gettimeofday, 10 to 16 µs local, 89 to 115 µs remote by its tables, ms by its text (E49); who closes first is not said",
    )],
    predict: &[
        "t0 floors(1)",
        "path=loopback: software FIN sent, received and acknowledged = 0.5 × fin × cycle_ns",
        "path=remote: software FIN sent = 0.25 × fin × cycle_ns",
        "hardware t0 one clock reading = family.rdtscp_cycles × cycle_ns",
        "t1 floors(1)",
        "software t1 one clock reading = [clock.read.monotonic_raw]",
    ],
    run: |bench| connections::at_server(bench, ServerPart::Close),
    ..AT_SERVER
};

/// accept().
pub static ACCEPT: Operation = Operation {
    id: "network.connection.accept",
    title: "accept() of a connection that is ready",
    one_iteration: "accept() of an established connection, which must hold the byte that was sent over it",
    method: "One task connects to its own listening socket over loopback and sends a byte; only the following accept() is timed: \
             it takes the connection from the queue and allocates a socket and a descriptor.",
    confounds: "A server that waits in accept() is also woken: that is within network.connection.first_byte.",
    sources: &[("R2, 5.3", "accept() at the server, 2.4 s: probably with the wait for the client (E40)")],
    actors: Actors::One,
    points: &["path=loopback"],
    predict: &[
        "floors(1)",
        "software connection dequeued, socket and descriptor allocated = accept × cycle_ns",
    ],
    evidence: &[
        "answers = 1: the accepted connection held the byte that was sent over this one",
        "calls.accept4 = 1: one accept per connection",
        "undisturbed",
    ],
    run: connections::accept_queued,
    ..CONNECTION
};
