//! Connections of this machine with itself: a file by HTTP, and Unix stream sockets.

use super::connection::CONNECTION;
use measure::{Operation, takes};
use workloads::network::local_connections::{ServedFile, http_requests, unix_connections};

/// Common to both.
const LOCAL: Operation = Operation { bounds: &["floors(5)"], revision: 1, ..CONNECTION };

/// A file by HTTP.
pub static HTTP: Operation = Operation {
    id: "network.http.request",
    title: "HTTP/1.1 request of one file over loopback, a connection per request",
    one_iteration: "socket(), connect(), a GET request, the answer with the whole file until its end, close()",
    method: "The server is a process of oscope: it accepts, reads the request, checks method and path, sends a head with \
             Content-Length and the file, which is in memory and open, by sendfile, and closes the connection. The client \
             compares every byte, untimed.",
    confounds: "A real server parses more, looks the file up for each request, logs, and serves many connections at a time. With \
                keep-alive a request costs a round trip: see network.round_trip.tcp.",
    sources: &[
        ("lmbench", "lat_http: a server of its own, files of a list, a connection per request, unpinned"),
        ("Asterinas", "tcp_loopback_http_bw: bytes per second of lat_http of lmbench, of one file of 64 MiB"),
        ("ApacheBench", "ab -c 1 without -k"),
    ],
    parameters: takes::<ServedFile>,
    points: &[
        "profile=quick: path=loopback cpu=same bytes=1KiB",
        "profile!=quick: path=loopback cpu=same bytes=1KiB|64KiB|1MiB; path=loopback cpu=other bytes=64KiB",
    ],
    predict: &[
        "t0 connection(6, open)",
        "t0 round trip on a new connection",
        "t0 wake-up of the other CPU",
        "software t0 close(), and socket of the server = (fin + accept) × cycle_ns",
        "software t1 complete connection with a byte = \
         [network.connection.connect_round_trip_close path=loopback {placement}]",
        "software file sent and read = {bytes} bytes × stream_byte",
    ],
    evidence: &[
        "answers = 1: the status was 200, and every byte of the file was right",
        "connections.accepted = 1: the server accepted every connection",
        "calls.connect 0.95..1.05: one connect call per iteration",
        "undisturbed",
    ],
    run: http_requests,
    ..LOCAL
};

/// A connection over Unix stream sockets.
pub static UNIX: Operation = Operation {
    id: "network.connection.unix",
    title: "complete Unix stream connection: socket, connect, 1-byte round trip, close",
    one_iteration: "socket(), connect(), write 1 byte, read the reply, close()",
    method: "As network.connection.connect_round_trip_close, over Unix stream sockets at an abstract name that the kernel chooses.",
    confounds: "A name in a file system is looked up by every connect. connect() alone returns before the server accepts.",
    sources: &[("lmbench", "lat_unix_connect: connect and close, a name in /tmp, unpinned")],
    points: &["path=loopback cpu=same|other"],
    predict: &[
        "t0 round trip of messages(unix_message)",
        // The server's accept and close do not wait.
        "software sockets made, connected, accepted, freed = path(6000, 60) (×1.6: five more calls; three sockets and two \
         descriptors allocated, linked, looked up by name, and freed) × cycle_ns",
        "software t1 system calls of a round trip = 2 × [syscall.unix.self]",
        "software t1 two hand-offs = 2 × [switch.process.eventfd {placement}]",
    ],
    evidence: &[
        "answers = 1: the message was echoed unchanged over this connection",
        "connections.accepted = 1: the server accepted every connection and saw its end",
        "calls.connect 0.95..1.05: one connect call per iteration",
        "undisturbed",
    ],
    // Both processes call one after the other, four of the calls in the server: accept, read, write, close.
    bounds: &["floors(5)", "cpu=same: floors(9)"],
    run: unix_connections,
    ..LOCAL
};
