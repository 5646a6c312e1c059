//! A message to another program and back, over TCP, UDP and Unix sockets; the same calls by one task; and ping.

use super::points::{self, SMALL};
use super::workloads::messages::{echo_requests, round_trips};
use crate::exchange::{self, UnixStreams};
use measure::{Actors, Area, Operation, Point};

const ROUND_TRIP: Operation = Operation {
    area: Area::Network,
    one_iteration: "send a message, take the one that the other process sends back, compare it",
    confounds: "Placement is everything: on another CPU both ends are woken from idle, which says more of the CPU than \
                of the network. Loopback has no card, no interrupt and no wire: the sender's own CPU carries the \
                message into the receiver's queue before its call returns. Tools report half of a round trip (sockperf, \
                qperf) or the whole (netperf).",
    actors: Actors::TwoProcesses,
    revision: 2,
    ..Operation::NEW
};

/// A message of 64 bytes at every placement, other sizes on one CPU, and once by version 6.
fn sizes(others: &[&str]) -> Vec<Point> {
    let small = |point: Point| point.with("bytes", SMALL);
    let mut all: Vec<Point> = points::loopback_placements().into_iter().map(small).collect();
    all.extend(
        others
            .iter()
            .map(|bytes| points::loopback_same().with("bytes", bytes)),
    );
    all.push(small(points::loopback_same()).with("ip", 6));
    all.push(small(points::remote()));
    all.extend(others.iter().map(|bytes| points::remote().with("bytes", bytes)));
    all
}

/// Over TCP.
pub static TCP: Operation = Operation {
    id: "network.round_trip.tcp",
    revision: 3,
    title: "round trip of a message over TCP",
    method: "A connection between two processes, TCP_NODELAY set at both ends and looked up afterwards. Each message \
             begins otherwise than the one before and is compared byte by byte when it comes back. One segment with \
             data must go each way, and none twice: TCP_INFO counts them.",
    sources: &[
        (
            "R0",
            "64 bytes to another machine, TCP_NODELAY not set (its reference method is beside)",
        ),
        ("R2", "56 bytes, beside ping"),
        ("R3", "one byte, timed by tcpdump until the acknowledgement (E42)"),
        ("netperf", "TCP_RR: one byte, unpinned unless asked"),
        ("sockperf", "ping-pong: half of the round trip"),
        ("lmbench", "lat_tcp, unpinned"),
    ],
    points: |_| sizes(&["1B", "1KiB", "16KiB", "64KiB"]),
    predict: &[
        "path=loopback: t0 messages of one task(tcp_message)",
        "path=loopback: t0 hand-offs between processes(2)",
        // On the line through the two sizes of one task; what does not fit one segment takes the way through the protocol
        // again.
        "let short = [network.round_trip.tcp.self path=loopback bytes=64B]",
        "let long = [network.round_trip.tcp.self path=loopback bytes=16KiB]",
        "bytes=..64: let alone = short",
        "bytes=16KiB: let alone = long",
        "bytes=65..16383: let alone = short + {(bytes - 64) / (16384 - 64)} × (long − short)",
        "bytes=16385..: let alone = short + {(bytes - 64) / (16384 - 64)} × (long − short) + {ceil(bytes / 65484) - 1} × \
         short",
        "path=loopback: software t1 the calls of both sides and the protocol, by one task = alone",
        "path=loopback: software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
        "path=remote: t1 round trip over the network([network.round_trip.tcp path=loopback cpu=same bytes={bytes}])",
    ],
    // Half of the window with which a connection begins is one segment that comes by one read. On every wire a segment has
    // 1 220 bytes: the least MTU of version 6 less headers. A long message goes and comes in as many pieces as the wire makes
    // of it.
    evidence: &[
        "path=loopback bytes=..32768: round trips on one machine(2.2, 2, 2)",
        "path=loopback bytes=..32768: segments(1)",
        "path=loopback bytes=..32768: nothing was sent again",
        "path=loopback bytes=32769..: round trips on one machine(12, 8, 12)",
        "path=loopback bytes=32769..: segments(6)",
        "path=loopback bytes=32769..: little was sent again",
        "path=remote: every message came back",
        "path=remote bytes=..1220: calls: write 1, read 1",
        "path=remote bytes=..1220: sleeps of the near end(1.5)",
        "path=remote bytes=1221..: sleeps of the near end(128)",
        "path=remote: segments({ceil(bytes / 1220) + 1})",
        "path=remote: nothing was sent again",
        "no_delay = 1: both ends sent small segments at once: TCP_NODELAY was set",
    ],
    bounds: &["calls of a round trip"],
    headline: &[
        ("path=loopback cpu=same bytes=64B", "TCP round trip, same CPU"),
        ("path=loopback cpu=other bytes=64B", "TCP round trip, other CPU"),
    ],
    run: round_trips::tcp,
    ..ROUND_TRIP
};

/// Over UDP.
pub static UDP: Operation = Operation {
    id: "network.round_trip.udp",
    title: "round trip of a message over UDP",
    method: "Two connected UDP sockets of two processes. Each datagram begins otherwise than the one before and is \
             compared byte by byte when it comes back; one that is lost ends the trial, for nobody sends it again.",
    sources: &[
        ("netperf", "UDP_RR: one byte, unpinned unless asked"),
        ("sockperf", "ping-pong: half of the round trip"),
        ("lmbench", "lat_udp, unpinned"),
    ],
    points: |_| sizes(&["1B", "1KiB", "8KiB"]),
    predict: &[
        "path=loopback: t0 messages of one task(udp_message)",
        "path=loopback: t0 hand-offs between processes(2)",
        "let short = [network.round_trip.udp.self path=loopback bytes=64B]",
        "let long = [network.round_trip.udp.self path=loopback bytes=8KiB]",
        "bytes=..64: let alone = short",
        "bytes=8KiB: let alone = long",
        "bytes=65..8191: let alone = short + {(bytes - 64) / (8192 - 64)} × (long − short)",
        "path=loopback: software t1 the calls of both sides and the protocol, by one task = alone",
        "path=loopback: software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
        "path=remote: t1 round trip over the network([network.round_trip.udp path=loopback cpu=same bytes={bytes}])",
        // A frame of Ethernet carries 1 480 bytes of a datagram and its header of eight.
        "path=remote bytes=1473..: software t1 further fragments of the datagram, both ways = \
         {2 * (ceil((bytes + 8) / 1480) - 1)} × path(3000, 18) (×1.8: a fragment allocated, filled, given headers (900); \
         through IP, the queue of the interface and up again in the softirq (1500); held until the others have come (600)) \
         × cycle_ns",
    ],
    evidence: &[
        "path=loopback: round trips on one machine(2.2, 2, 2)",
        "path=remote: every message came back",
        "path=remote: calls: write 1, read 1",
        "path=remote: sleeps of the near end(1.5)",
    ],
    bounds: &["calls of a round trip"],
    headline: &[("path=loopback cpu=same bytes=64B", "UDP round trip, same CPU")],
    run: round_trips::udp,
    ..ROUND_TRIP
};

/// Over Unix stream sockets.
pub static UNIX: Operation = Operation {
    id: "network.round_trip.unix",
    title: "round trip of a message over a pair of Unix stream sockets",
    method: "As network.round_trip.tcp over two connected Unix stream sockets, which spares the protocols: what is \
             between the two is what TCP and IP cost.",
    sources: &[("lmbench", "lat_unix, unpinned")],
    points: |_| vec![points::loopback_same().with("bytes", SMALL)],
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 what the calls do = 2 × unix_message × cycle_ns",
        "software t1 the same with one byte = [ipc.unix_stream.round_trip cpu=same]",
    ],
    evidence: &[
        "every word came back",
        "switches of both sides(1.6, 4.2)",
        "calls of both sides: write 2, read 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    bounds: &["floors(4)"],
    run: exchange::round_trips::<UnixStreams>,
    ..ROUND_TRIP
};

const ALONE: Operation = Operation {
    area: Area::Network,
    one_iteration: "one message there and one back by the same task, which has both ends: four calls",
    confounds: "Nobody waits and nobody is woken; the acknowledgement of the one travels with the other, as it does \
                between two processes.",
    sources: &[(
        "netperf",
        "none: it does not take the calls apart from the switches",
    )],
    evidence: &[
        "answers = 1: every message came as it went, byte by byte, each after the one before",
        "linear",
        "calls: write 2, read 2",
        "undisturbed",
    ],
    bounds: &["floors(4)"],
    ..Operation::NEW
};

/// TCP by one task.
pub static TCP_SELF: Operation = Operation {
    id: "network.round_trip.tcp.self",
    revision: 2,
    title: "both halves of a round trip over TCP in one task",
    method: "A task has both ends of a connection over loopback: it writes at one and reads at the other, then the \
             other way. It is the round trip without the switches.",
    points: |_| alone("16KiB"),
    predict: &[
        "bytes=..64: messages of one task(tcp_message)",
        "bytes=65..: t0 messages of one task(tcp_message)",
        "bytes=65..: software t1 the same with a short message = [network.round_trip.tcp.self path=loopback bytes=64B]",
        "bytes=65..: software t1 copies, and pages for them = socket_copies({bytes - 64}) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every message came as it went, byte by byte, each after the one before",
        "linear",
        "calls: write 2, read 2",
        "undisturbed",
        "segments(1)",
        "nothing was sent again",
    ],
    run: round_trips::tcp_by_one_task,
    ..ALONE
};

/// UDP by one task.
pub static UDP_SELF: Operation = Operation {
    id: "network.round_trip.udp.self",
    title: "both halves of a round trip over UDP in one task",
    method: "A task has two connected UDP sockets: it writes at one and reads at the other, then the other way. It is \
             the round trip without the switches.",
    points: |_| alone("8KiB"),
    predict: &[
        "bytes=..64: messages of one task(udp_message)",
        "bytes=65..: t0 messages of one task(udp_message)",
        "bytes=65..: software t1 the same with a short message = [network.round_trip.udp.self path=loopback bytes=64B]",
        "bytes=65..: software t1 copies, and pages for them = socket_copies({bytes - 64}) × cycle_ns",
    ],
    run: round_trips::udp_by_one_task,
    ..ALONE
};

fn alone(longer: &str) -> Vec<Point> {
    [SMALL, longer]
        .map(|bytes| points::loopback().with("bytes", bytes))
        .to_vec()
}

/// Bytes that ping sends unless asked otherwise.
const PING_BYTES: &str = "56B";

/// Ping.
pub static ICMP: Operation = Operation {
    id: "network.round_trip.icmp",
    area: Area::Network,
    title: "round trip of an echo request (ping)",
    one_iteration: "send an echo request with 56 bytes, take the answer, compare it",
    method: "A datagram socket for ICMP where net.ipv4.ping_group_range lets the group have one, a raw socket as root \
             otherwise. Every request has other content and a number, and the answer must have both. On loopback the \
             kernel answers within the call that sends: nobody sleeps, no other process is woken.",
    confounds: "It is not what a program sees of a round trip (E42): no other program takes part, so there is no hand-off \
                of the CPU in it, and routers answer it with less haste than they forward.",
    sources: &[
        (
            "ping",
            "prints whole microseconds below a millisecond with three digits; sleeps between requests",
        ),
        ("R0", "ping beside TCP, called its lower bound"),
        ("R2", "ping beside TCP"),
        ("R3", "ping taken as the prediction of TCP (E33)"),
    ],
    points: |_| {
        vec![
            points::loopback().with("bytes", PING_BYTES),
            points::remote().with("bytes", PING_BYTES),
        ]
    },
    // Over a network it is the part itself: nothing here knows the way.
    predict: &[
        "path=loopback: floors(2)",
        "path=loopback: software down and up, twice = path(8500, 36) (×1.6: a request allocated, summed, given headers \
         (1400); down to the interface and up in the softirq (2000); answered: route looked up, copied, summed, sent \
         (2700); up again, socket found, queued (1500); taken, freed (900)) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every answer had the number and the content of its request",
        "linear",
        "calls: write 1, read 1",
        "path=loopback: switches 0..0.05 (if consistent): the answer was there before it was waited for",
        "path=remote: switches 0..1.5 (if consistent): it was waited for at most once",
        "undisturbed",
    ],
    bounds: &["floors(2)"],
    run: echo_requests::run,
    ..Operation::NEW
};
