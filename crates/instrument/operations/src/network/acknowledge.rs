//! The kernel's own times from a segment to its acknowledgement, by captured packets and by TCP_INFO: not the round trips
//! that programs see (E42).

use measure::{Actors, Area, Operation, takes};
use workloads::network::acknowledgements;
use workloads::network::acknowledgements::{Acknowledgements, Handshake, KernelTimes};

const KERNEL: Operation =
    Operation { area: Area::Network, actors: Actors::TwoProcesses, ..Operation::VALUES };

/// The kernel's estimate.
pub static TCP_INFO: Operation = Operation {
    id: "network.acknowledge.tcp_info",
    title: "TCP's own round-trip time (TCP_INFO)",
    one_iteration: "64 round trips of 64 bytes, then TCP_INFO",
    method: "tcpi_rtt (smoothed over the last segments) and tcpi_min_rtt of a connection with ping-pong messages: the time \
             from sending a segment to receiving its acknowledgement. Here the reply carries it, so the server's time \
             is included and the client's wake-up is not.",
    confounds: "Whole microseconds: a value of 5 means 5 to 6. Not the round trip of a program (E42); where the remote kernel \
                acknowledges immediately, the server's time is not included either.",
    sources: &[
        ("iperf3", "-J reports the smoothed one for a saturated connection: the queueing delay"),
        ("ss", "-i shows both for every connection"),
    ],
    parameters: takes::<KernelTimes>,
    points: &["path=loopback cpu=same statistic=smoothed|minimum; path=remote statistic=smoothed|minimum"],
    predict: &[
        "path=loopback: software t0 two messages and one switch = (2 × tcp_message + 1500 cycles (×2: one switch: some 1 500 \
         instructions)) × cycle_ns",
        "path=loopback: software t1 round trip minus the client's wake-up and two calls = \
         [network.round_trip.tcp path=loopback cpu=same bytes=64B] − ([switch.process.eventfd {placement}] + 2 × \
         [syscall.floor])",
        "path=remote: hardware t1 round trip minus two calls = [network.round_trip.tcp path=remote bytes=64B] − 2 × [syscall.floor]",
    ],
    evidence: &["answers = 1: every message was echoed unchanged", "undisturbed"],
    run: acknowledgements::by_tcp_info,
    ..KERNEL
};

/// Single bytes.
pub static PACED: Operation = Operation {
    id: "network.acknowledge.paced",
    title: "time from a TCP segment of 1 byte to its acknowledgement, one each millisecond",
    one_iteration: "one segment of 1 byte, after a pause of 1 ms",
    method: "One byte is sent each millisecond, 13 over each connection. The program at the other end reads every byte, sends no \
             reply, and sets TCP_QUICKACK before each read, so that the kernel acknowledges every byte by a segment of its own. A \
             packet socket captures them at this end with nanosecond timestamps of the kernel. The first does not count.",
    confounds: "After a pause of 1 ms the kernel's path is cold and the CPU may have slept. Linux acknowledges the first 16 segments of \
                a connection as they arrive, later ones only when the program reads, in spite of TCP_QUICKACK: those would \
                include its wake-up. Timestamps are taken when the kernel queues a received packet; tcpdump takes them when the \
                packet is copied, after the work that the previous one caused: 9 to 21 µs against 1.6 to 2.8 here (Zen 5 guest). \
                Capturing adds to the time (E43). Not the round trip of a program (E42).",
    sources: &[(
        "R3, 5.2.1",
        "1 byte each millisecond, acknowledged at once, by tcpdump, called the round trip (E42)",
    )],
    points: &["path=loopback cpu=same; path=remote"],
    predict: &[
        // As network.acknowledge.packets, after a pause.
        "path=loopback: software receive, reply, send, receive = cold_path(3300) × cycle_ns",
        "path=remote: hardware t1 ping (answered by the kernel, too), minus two calls = \
         [network.round_trip.icmp path=remote bytes=56B] − 2 × [syscall.floor]",
    ],
    evidence: &[
        "answers = 1: each segment and its acknowledgement were captured",
        "messages.read = 1: the program at the other end read every message",
        "undisturbed",
    ],
    run: acknowledgements::paced,
    ..KERNEL
};

/// From captured packets.
pub static PACKETS: Operation = Operation {
    id: "network.acknowledge.packets",
    title: "time from a TCP segment to its acknowledgement, from captured packets",
    one_iteration: "one connection: connect, 1-byte round trip, close",
    method: "A packet socket captures the segments of one port, on loopback or on the way to a peer, with nanosecond timestamps of the \
             kernel: from SYN, first data and FIN to their acknowledgements. Timestamping is enabled 20 ms and one \
             connection before the first one counted. All timestamps must be in order between two clock readings, the \
             second taken before any packet is read.",
    confounds: "Capturing adds to the time: each segment is copied to the packet socket (E43). SYN and data are acknowledged \
                by the kernel alone; the acknowledgement of the FIN is sent when the server closes its end.",
    sources: &[
        ("R3, 5.2.1", "tcpdump, segment to acknowledgement, called the round trip (E42)"),
        ("tcpdump, Wireshark", "the same, in microseconds by default"),
    ],
    parameters: takes::<Acknowledgements>,
    points: &["path=loopback cpu=same segment=syn|data|fin; path=remote segment=syn|data|fin"],
    predict: &[
        "path=loopback segment=syn: software receive, reply, send, receive = path(4500, 35) (×1.6: a SYN taken from the queue and up to TCP (1200), \
         copied to the capture (400), request socket, route lookup, SYN-ACK built (2200), sent and \
         timestamped (700)) × cycle_ns",
        "path=loopback segment=data|fin: software receive, reply, send, receive = path(3300, 24) (×1.6: a segment taken from the queue, up to TCP, \
         queued, its reader woken (1800), copied to the capture (400), acknowledgement built (400), sent and timestamped \
         (700)) × cycle_ns",
        "path=loopback segment=fin: software t0 wake-up of the server = 1500 cycles (×2: one switch: some 1 500 instructions) × cycle_ns",
        "path=loopback segment=fin: software t1 hand-off = [switch.process.eventfd {placement}]",
        "path=loopback segment=fin: t1 floors(2)",
        "path=loopback segment=fin: software t1 server reads end of stream and closes: half of close() precedes its segment = \
         0.5 × fin × cycle_ns",
        "path=remote: hardware t1 ping (answered by the kernel, too), minus two calls = \
         [network.round_trip.icmp path=remote bytes=56B] − 2 × [syscall.floor]",
    ],
    evidence: &[
        "answers = 1: all six timestamps of a connection were captured, in order and between two clock readings",
        "connections.accepted = 1: the server accepted every connection",
        "undisturbed",
    ],
    run: acknowledgements::by_packets,
    ..KERNEL
};

/// Setup and teardown.
pub static HANDSHAKE: Operation = Operation {
    id: "network.acknowledge.handshake",
    title: "TCP setup and teardown from the first to the last packet",
    one_iteration: "one connection without data: connect, 1 ms, close",
    method: "As network.acknowledge.packets. phase=setup: from the SYN to the client's acknowledgement of the SYN-ACK. phase=teardown: \
             from the client's FIN to its acknowledgement of the server's FIN, which the server sends when it has read the end of \
             the stream. The connection is open for a millisecond between the two.",
    confounds: "Capturing adds to the time (E43). The teardown includes the wake-up of the server. Its kernel may acknowledge the FIN \
                before the program closes its end: then there are four packets.",
    sources: &[(
        "R3, 5.4.1",
        "tcpdump at the client: connect, 1 ms, close; from the first to the last of three packets, SYN and FIN",
    )],
    parameters: takes::<Handshake>,
    points: &["path=loopback cpu=same phase=setup|teardown; path=remote phase=setup|teardown"],
    predict: &[
        "path=loopback phase=setup: software t0 receive, reply, receive, reply, send = path(7000, 55) (×1.6: as the SYN and its \
         acknowledgement (4500), and the third packet: sent, taken from the queue, a socket made of the request (2500)) × cycle_ns",
        "path=loopback phase=setup: software t1 SYN until its acknowledgement = [network.acknowledge.packets path=loopback cpu=same \
         segment=syn]",
        "path=loopback phase=setup: software t1 third packet = path(1500, 10) (×1.8: the SYN-ACK taken from the queue and up to TCP, the \
         acknowledgement built, sent and timestamped) × cycle_ns",
        "path=loopback phase=teardown: software t0 receive, reply, send, receive = path(4800, 34) (×1.7: as the FIN and its \
         acknowledgement (3300), and the acknowledgement of the other FIN (1500)) × cycle_ns",
        "path=loopback phase=teardown: software t0 wake-up of the server = 1500 cycles (×2: one switch: some 1 500 instructions) × cycle_ns",
        "path=loopback phase=teardown: software t1 FIN until its acknowledgement = [network.acknowledge.packets path=loopback cpu=same \
         segment=fin]",
        "path=loopback phase=teardown: software t1 last packet = path(1500, 10) (×1.8: the FIN taken from the queue and up to TCP, the \
         acknowledgement built, sent and timestamped) × cycle_ns",
        "path=remote: hardware t1 ping (answered by the kernel, too), minus two calls = \
         [network.round_trip.icmp path=remote bytes=56B] − 2 × [syscall.floor]",
    ],
    evidence: &[
        "answers = 1: the four packets of each connection were captured, in order and between two clock readings",
        "connections.accepted = 1: the server accepted every connection",
        "undisturbed",
    ],
    run: acknowledgements::handshakes,
    ..KERNEL
};
