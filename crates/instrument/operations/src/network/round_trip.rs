//! Round trips over TCP, UDP and Unix sockets; the same calls in one task; ping.

use measure::{Actors, Operation, Parameters, takes};
use quantity::Quantity;
use record::{Need, Plot};
use workloads::exchange::{self, unix_streams};
use workloads::network::messages::round_trips::{self, Among};
use workloads::network::messages::{Message, echo_requests};

const ROUND_TRIP: Operation = Operation {
    plot: Some(|| Plot::logarithmic("bytes", "size of a message", Quantity::Size)),
    one_iteration: "send a message, receive its echo from the other process, compare",
    confounds: "Placement dominates: on another CPU both ends wake from idle. Loopback has no card, interrupt or wire: the \
                sender's CPU queues the message at the receiver before its call returns. Tools report half of the round \
                trip (sockperf, qperf) or all of it (netperf).",
    actors: Actors::TwoProcesses,
    revision: 2,
    parameters: takes::<Message>,
    ..super::COMMON
};

/// Over TCP.
pub static TCP: Operation = Operation {
    id: "network.round_trip.tcp",
    revision: 3,
    title: "TCP round trip of a message",
    method: "A connection between two processes with TCP_NODELAY at both ends, read back afterwards. Consecutive messages \
             differ, and each echo is compared byte by byte. One data segment each way and no retransmission, counted \
             by TCP_INFO.",
    sources: &[
        ("R0, 5.1.1", "64 bytes, loopback and remote; TCP_NODELAY is not mentioned"),
        ("R2, 5.1", "56 bytes, local and remote, beside ping"),
        ("R3, 5.2.1", "one byte, by tcpdump until the acknowledgement (E42)"),
        ("netperf", "TCP_RR: one byte, unpinned by default"),
        ("sockperf", "ping-pong: half of the round trip, unless --full-rtt is given"),
        ("lmbench", "lat_tcp, unpinned"),
    ],
    points: &[
        "path=loopback cpu=same|other|sibling|node bytes=64B; path=loopback cpu=other idle=busy|polling bytes=64B; \
         path=loopback cpu=same bytes=1B|56B|1KiB|16KiB|64KiB; \
         path=loopback cpu=same bytes=64B ip=6; path=remote bytes=64B|1B|56B|1KiB|16KiB|64KiB",
    ],
    predict: &[
        "path=loopback: t0 messages within one task(tcp_message)",
        "path=loopback: t0 hand-offs between processes(2)",
        // On the line through the two sizes measured in one task; each further segment passes the protocol again.
        "let short = [network.round_trip.tcp.self path=loopback bytes=64B]",
        "let long = [network.round_trip.tcp.self path=loopback bytes=16KiB]",
        "bytes=..64: let one_task = short",
        "bytes=16KiB: let one_task = long",
        "bytes=65..16383: let one_task = short + {(bytes - 64) / (16384 - 64)} × (long − short)",
        "bytes=16385..: let one_task = short + {(bytes - 64) / (16384 - 64)} × (long − short) + {ceil(bytes / 65484) - 1} × \
         short",
        "path=loopback: software t1 calls and protocol, as in one task = one_task",
        "path=loopback: software t1 two hand-offs = 2 × [switch.process.eventfd {placement}]",
        "path=remote: t1 round trip over the network([network.round_trip.tcp path=loopback cpu=same bytes={bytes}])",
    ],
    // Half of the initial window is one segment, received by one read. Over any wire a segment has at least 1 220 bytes: the
    // minimum MTU of IPv6 minus headers. A long message is split as the path requires.
    evidence: &[
        "path=loopback bytes=..32768: round trips on one machine(2.2, 2, 2)",
        "path=loopback bytes=..32768: segments(1)",
        "path=loopback bytes=..32768: no retransmissions",
        "path=loopback bytes=32769..: round trips on one machine(12, 8, 12)",
        "path=loopback bytes=32769..: segments(6)",
        "path=loopback bytes=32769..: few retransmissions",
        "path=remote: every message echoed",
        "path=remote bytes=..1220: calls: write 1, read 1",
        "path=remote bytes=..1220: sleeps of the client(1.5)",
        "path=remote bytes=1221..: sleeps of the client(128)",
        "path=remote: segments({ceil(bytes / 1220) + 1})",
        "path=remote: no retransmissions",
        "no_delay = 1: TCP_NODELAY was set at both ends",
    ],
    bounds: &["calls of a round trip"],
    tail: &["path=loopback cpu=same|other bytes=64B"],
    headline: &[
        ("path=loopback cpu=same bytes=64B", "TCP round trip, same CPU"),
        ("path=loopback cpu=other bytes=64B", "TCP round trip, other CPU"),
        ("path=loopback cpu=other idle=busy bytes=64B", "TCP round trip, awake CPU"),
    ],
    channels: &[("path=loopback cpu=same bytes=64B", "TCP round trip")],
    run: round_trips::tcp,
    ..ROUND_TRIP
};

/// Over UDP.
pub static UDP: Operation = Operation {
    id: "network.round_trip.udp",
    title: "UDP round trip of a message",
    method: "Two processes with connected UDP sockets. Consecutive datagrams differ, and each echo is compared byte by byte; \
             a lost one fails the trial.",
    sources: &[
        ("netperf", "UDP_RR: one byte, unpinned by default"),
        ("sockperf", "ping-pong: half of the round trip, unless --full-rtt is given"),
        ("lmbench", "lat_udp, unpinned"),
    ],
    points: &[
        "path=loopback cpu=same|other|sibling|node bytes=64B; path=loopback cpu=other idle=busy|polling bytes=64B; \
         path=loopback cpu=same bytes=1B|1KiB|8KiB; \
         path=loopback cpu=same bytes=64B ip=6; path=remote bytes=64B|1B|1KiB|8KiB",
    ],
    predict: &[
        "path=loopback: t0 messages within one task(udp_message)",
        "path=loopback: t0 hand-offs between processes(2)",
        "let short = [network.round_trip.udp.self path=loopback bytes=64B]",
        "let long = [network.round_trip.udp.self path=loopback bytes=8KiB]",
        "bytes=..64: let one_task = short",
        "bytes=8KiB: let one_task = long",
        "bytes=65..8191: let one_task = short + {(bytes - 64) / (8192 - 64)} × (long − short)",
        "path=loopback: software t1 calls and protocol, as in one task = one_task",
        "path=loopback: software t1 two hand-offs = 2 × [switch.process.eventfd {placement}]",
        "path=remote: t1 round trip over the network([network.round_trip.udp path=loopback cpu=same bytes={bytes}])",
        // A frame of Ethernet carries 1 480 bytes of a datagram and its header of eight.
        "path=remote bytes=1473..: software t1 additional fragments of the datagram, both ways = \
         {2 * (ceil((bytes + 8) / 1480) - 1)} × path(3000, 18) (×1.8: a fragment allocated, filled, given headers (900); \
         through IP, the queue of the interface and up again in the softirq (1500); held for reassembly (600)) \
         × cycle_ns",
    ],
    evidence: &[
        "path=loopback: round trips on one machine(2.2, 2, 2)",
        "path=remote: every message echoed",
        "path=remote: calls: write 1, read 1",
        "path=remote: sleeps of the client(1.5)",
    ],
    bounds: &["calls of a round trip"],
    tail: &["path=loopback cpu=same|other bytes=64B"],
    headline: &[("path=loopback cpu=same bytes=64B", "UDP round trip, same CPU")],
    run: round_trips::udp,
    ..ROUND_TRIP
};

/// Over Unix stream sockets.
pub static UNIX: Operation = Operation {
    id: "network.round_trip.unix",
    title: "Unix stream socket round trip of a message",
    method: "As network.round_trip.tcp over a pair of Unix stream sockets: the difference is the cost of TCP and IP.",
    sources: &[("lmbench", "lat_unix, unpinned")],
    points: &["path=loopback cpu=same bytes=64B"],
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 messages = 2 × unix_message × cycle_ns",
        "software t1 the same with 1 byte = [ipc.unix_stream.round_trip cpu=same]",
    ],
    evidence: &["exchange of processes(1.6, 4.2)", "calls of both sides: write 2, read 2"],
    bounds: &["floors(4)"],
    run: |bench| exchange::round_trips(bench, unix_streams),
    ..ROUND_TRIP
};

const SINGLE_TASK: Operation = Operation {
    one_iteration: "one message each way in one task that owns both ends: four calls",
    confounds: "No sleeps and no wake-ups; each message carries the acknowledgement of the previous one, as between two \
                processes.",
    sources: &[("netperf", "none: it does not separate calls from switches")],
    evidence: &[
        "answers = 1: every message was received unchanged and in order",
        "linear",
        "calls: write 2, read 2",
        "undisturbed",
    ],
    bounds: &["floors(4)"],
    parameters: takes::<Message>,
    ..super::COMMON
};

/// TCP in one task.
pub static TCP_SELF: Operation = Operation {
    id: "network.round_trip.tcp.self",
    revision: 2,
    title: "TCP round trip within one task",
    method: "One task owns both ends of a loopback connection: it writes at one and reads at the other, then the other \
             way. The round trip without context switches.",
    points: &["path=loopback bytes=64B|16KiB"],
    predict: &[
        "t0 messages within one task(tcp_message)",
        "bytes=65..: software t1 the same with a short message = [network.round_trip.tcp.self path=loopback bytes=64B]",
        "bytes=65..: software t1 copies and their pages = socket_copies({bytes - 64}) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every message was received unchanged and in order",
        "linear",
        "calls: write 2, read 2",
        "undisturbed",
        "segments(1)",
        "no retransmissions",
    ],
    run: round_trips::tcp_by_one_task,
    ..SINGLE_TASK
};

/// One of several connections.
pub static TCP_AMONG: Operation = Operation {
    id: "network.round_trip.tcp.among",
    title: "TCP round trip within one task, over one of n connections",
    one_iteration: "one message each way over another one of the connections: four calls",
    method: "As network.round_trip.tcp.self. All connections stay open, up to 20 000 to one port and further ones to ports of 127.0.0.2 and so on; each round trip is over the one that is \
             7 919 after the last in their circle, so that each comes once before any comes again.",
    confounds: "The connections are found in tables as fast as one is; what costs more is that their sockets are not in the caches. \
                Two descriptors and some 10 KiB of the kernel's memory are needed for each: beyond the limit on descriptors \
                (ulimit -Hn) the point is skipped, as it is where they would take more than a quarter of the free memory.",
    sources: &[("netperf", "none: each instance of TCP_RR has one connection and a process of its own")],
    parameters: takes::<Among>,
    points: &[
        "path=loopback bytes=64B connections=10|1000",
        "profile=thorough: path=loopback bytes=64B connections=10000|100000",
    ],
    predict: &[
        "t0 messages within one task(tcp_message)",
        "software t1 the same over one connection = [network.round_trip.tcp.self path=loopback bytes=64B]",
        "let lines = two_at_once(100)",
        "hardware lines of both sockets that are not in L2 = lines × family.l3_cycles × lost({connections * 6400}, cache.l2.size) × cycle_ns",
        "hardware lines of both sockets that are not in L3 = lines × family.memory_ns × lost({connections * 6400}, cache.l3.size)",
    ],
    evidence: &[
        "answers = 1: every message was received unchanged and in order",
        "connections.used = 1: each connection carried a message before any did so again",
        "linear",
        "calls: write 2, read 2",
        "undisturbed",
        "segments(1)",
        "no retransmissions",
    ],
    needs: |point| {
        let connections = Among::read(point).map_or(0, |among| among.connections);
        vec![Need::Memory { bytes: connections * (16 << 10) }]
    },
    run: round_trips::tcp_among,
    ..SINGLE_TASK
};

/// UDP in one task.
pub static UDP_SELF: Operation = Operation {
    id: "network.round_trip.udp.self",
    title: "UDP round trip within one task",
    method: "One task owns two connected UDP sockets: it writes at one and reads at the other, then the other way. The \
             round trip without context switches.",
    points: &["path=loopback bytes=64B|8KiB"],
    predict: &[
        "bytes=..64: messages within one task(udp_message)",
        "bytes=65..: t0 messages within one task(udp_message)",
        "bytes=65..: software t1 the same with a short message = [network.round_trip.udp.self path=loopback bytes=64B]",
        "bytes=65..: software t1 copies and their pages = socket_copies({bytes - 64}) × cycle_ns",
    ],
    run: round_trips::udp_by_one_task,
    ..SINGLE_TASK
};

/// Ping.
pub static ICMP: Operation = Operation {
    id: "network.round_trip.icmp",
    title: "ICMP echo round trip (ping)",
    one_iteration: "send an echo request with 56 bytes, receive the reply, compare",
    method: "An ICMP datagram socket where net.ipv4.ping_group_range permits it, otherwise a raw socket as root. Consecutive \
             requests differ in content and number, and the reply must match. On loopback the kernel replies within the \
             sending call: no sleep, no wake-up.",
    confounds: "Not the round trip that programs see (E42): no other program is involved, so there is no context switch, and \
                routers reply to it at low priority.",
    sources: &[
        ("ping", "prints microseconds below 1 ms with three digits; sleeps between requests"),
        ("R0, 5.1.2", "ping, taken as the prediction of TCP (E33)"),
        ("R2, 5.1", "ping of 56 bytes beside TCP"),
        ("R3, 5.2.2", "the mean of 100 pings, taken as the estimate of TCP (E33)"),
    ],
    parameters: takes::<Message>,
    points: &["path=loopback|remote bytes=56B"],
    // Over a network ping itself is the part; the path is unknown.
    predict: &[
        "path=loopback: floors(2)",
        "path=loopback: software request and reply through the stack = \
         network({counted[network.round_trip.icmp path=loopback bytes=56B] - 2 * counted[syscall.floor]})",
    ],
    evidence: &[
        "answers = 1: every reply had the number and content of its request",
        "linear",
        "calls: write 1, read 1",
        "path=loopback: switches 0..0.05 (if consistent): the reply was there before the read",
        "path=remote: switches 0..1.5 (if consistent): at most one sleep per reply",
        "undisturbed",
    ],
    bounds: &["floors(2)"],
    run: echo_requests::run,
    ..super::COMMON
};
