//! The kernel's own times: from a segment to its acknowledgement, by captured packets and by TCP_INFO. They are no
//! round trips of programs, and have names of their own (E42).

use super::points;
use super::workloads::acknowledgements::{self, BETWEEN};
use measure::{Actors, Area, How, Operation, Rehearse};

const KERNEL: Operation = Operation {
    area: Area::Network,
    actors: Actors::TwoProcesses,
    how: How::Values,
    rehearse: Rehearse::Nothing,
    ..Operation::NEW
};

/// By the kernel's own estimate.
pub static TCP_INFO: Operation = Operation {
    id: "network.acknowledge.tcp_info",
    title: "round-trip time as TCP itself keeps it",
    one_iteration: "64 round trips of 64 bytes, after which TCP_INFO is asked",
    method: "tcpi_rtt (smoothed over the last few segments) and tcpi_min_rtt of a connection over which messages go to \
             and fro. The clock runs from a segment's departure to the arrival of what acknowledges it: here the \
             answer itself, so the far program's part is in it and the near one's wake-up is not.",
    confounds: "Whole microseconds: a value of 5 means 5 to 6. It is no round trip of a program (E42), and where the far \
                kernel acknowledges at once it leaves the far program out as well.",
    sources: &[
        (
            "iperf3",
            "shows it of a connection that is full, which is the time in the queue",
        ),
        ("ss", "-i shows both of every connection"),
    ],
    points: |_| {
        ["smoothed", "minimum"]
            .map(|statistic| points::loopback_same().with("statistic", statistic))
            .to_vec()
    },
    predict: &[
        "software t0 two messages and one switch = (2 × tcp_message + 1500 cycles (×2: one switch: some 1 500 \
         instructions)) × cycle_ns",
        "software t1 a round trip without the near side's wake-up and two of its calls = \
         [network.round_trip.tcp path=loopback cpu=same bytes=64B] − ([switch.process.eventfd cpu={cpu}] + 2 × \
         [syscall.floor])",
    ],
    evidence: &["answers = 1: every message came back as it went", "undisturbed"],
    run: acknowledgements::by_tcp_info,
    ..KERNEL
};

/// By captured packets.
pub static PACKETS: Operation = Operation {
    id: "network.acknowledge.packets",
    title: "from a segment to its acknowledgement, by captured packets",
    one_iteration: "a connection that is made, carries round trip of one byte, and is ended",
    method: "A packet socket sees the segments of one port on loopback, stamped in nanoseconds by the kernel where they \
             come in. From the SYN to its answer, from the first data to what acknowledges it, from the FIN to what \
             acknowledges that. Stamps are switched on 20 ms and one connection before the first that counts, and must \
             lie in order between two readings of the clock, the second before any packet is read.",
    confounds: "Capturing takes part of what is measured: each segment is copied to the socket (E43). The first two are \
                answered by the kernel without a program; the FIN's acknowledgement waits until the far program closes \
                its end and travels with that.",
    sources: &[
        (
            "R3",
            "tcpdump -n, from the segment to its acknowledgement, called a round trip (E42)",
        ),
        (
            "tcpdump, Wireshark",
            "the same with microseconds unless asked for nanoseconds",
        ),
    ],
    points: |_| {
        BETWEEN
            .map(|between| points::loopback_same().with("segment", between))
            .to_vec()
    },
    predict: &[
        "segment=syn: software up, answered, down, up = path(4500, 35) (×1.6: a SYN taken from the queue and up to TCP (1200), \
         shown to the capture (400), a request made, a route looked up, the answer built (2200), down to where it is \
         stamped (700)) × cycle_ns",
        "segment=data|fin: software up, answered, down, up = path(3300, 24) (×1.6: a segment taken from the queue, up to TCP, \
         queued, its reader woken (1800), shown to the capture (400), the acknowledgement built (400), down to where it is \
         stamped (700)) × cycle_ns",
        "segment=fin: software t0 the far program wakes = 1500 cycles (×2: one switch: some 1 500 instructions) × cycle_ns",
        "segment=fin: software t1 a hand-off = [switch.process.eventfd cpu={cpu}]",
        "segment=fin: t1 floors(2)",
        "segment=fin: software t1 the far program reads the end and closes: half of what close() does goes before its segment = \
         0.5 × fin × cycle_ns",
    ],
    evidence: &[
        "answers = 1: all six stamps of a connection were seen, in order and between two readings of the clock",
        "connections.accepted = 1: the other process accepted as many connections as were made",
        "undisturbed",
    ],
    run: acknowledgements::by_packets,
    ..KERNEL
};
