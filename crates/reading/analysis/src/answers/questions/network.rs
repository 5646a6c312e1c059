//! Questions on the network.

use super::question::{Question, ratio, side};

/// In the order in which they are asked.
pub(super) const ALL: &[Question] = &[
    Question {
        id: "ping",
        asks: "Does ping measure a round trip between programs?",
        derivations: &[ratio(
            side(
                "a round trip between programs",
                "network.round_trip.tcp",
                "path=loopback cpu=same bytes=64B",
            ),
            side("ping", "network.round_trip.icmp", "path=loopback bytes=56B"),
            "over loopback, without a link: the kernel answers ping itself and wakes no program",
        )],
    },
    Question {
        id: "connect_in_round_trips",
        asks: "How many round trips does a connect take on one machine?",
        derivations: &[ratio(
            side("connect", "network.connection.connect", "path=loopback cpu=same"),
            side("a round trip of 64 B", "network.round_trip.tcp", "path=loopback cpu=same bytes=64B"),
            "over loopback connect wakes no program, and makes a socket at the server; a round trip wakes two programs",
        )],
    },
    Question {
        id: "connect_in_round_trips_remote",
        asks: "How many round trips does a connect to another machine take?",
        derivations: &[ratio(
            side("connect", "network.connection.connect", "path=remote"),
            side("a round trip of 64 B", "network.round_trip.tcp", "path=remote bytes=64B"),
            "the SYN and its answer are a round trip that wakes no program of the server",
        )],
    },
    Question {
        id: "close_in_round_trips",
        asks: "How many round trips does a close take on one machine?",
        derivations: &[ratio(
            side("close", "network.connection.close", "path=loopback cpu=same"),
            side("a round trip of 64 B", "network.round_trip.tcp", "path=loopback cpu=same bytes=64B"),
            "close sends the FIN and does not wait; over loopback the FIN is received within the call",
        )],
    },
    Question {
        id: "close_in_round_trips_remote",
        asks: "How many round trips does a close of a connection to another machine take?",
        derivations: &[ratio(
            side("close", "network.connection.close", "path=remote"),
            side("a round trip of 64 B", "network.round_trip.tcp", "path=remote bytes=64B"),
            "close sends the FIN and does not wait",
        )],
    },
    Question {
        id: "network_adds",
        asks: "What does the network add to a round trip?",
        derivations: &[ratio(
            side("a round trip to the other machine", "network.round_trip.tcp", "path=remote bytes=64B"),
            side("one on this machine", "network.round_trip.tcp", "path=loopback cpu=same bytes=64B"),
            "on this machine both ends share a CPU, and there is no interrupt of a network card",
        )],
    },
    Question {
        id: "network_stream",
        asks: "How much lower is throughput over the network than within this machine?",
        derivations: &[ratio(
            side("a stream within this machine", "network.bandwidth.tcp", "path=loopback cpu=other"),
            side("one to the other machine", "network.bandwidth.tcp", "path=remote"),
            "the bottleneck is the link or the slower end",
        )],
    },
    Question {
        id: "network_flows",
        asks: "Do several flows have more throughput over the network than one?",
        derivations: &[ratio(
            side("a set of four flows", "network.bandwidth.flows", "path=remote flows=4"),
            side("one flow", "network.bandwidth.flows", "path=remote flows=1"),
            "more where the window or the CPU of one flow is the bottleneck, the same where the link is",
        )],
    },
    Question {
        id: "protocol",
        asks: "What do TCP and IP add to a round trip on one machine?",
        derivations: &[ratio(
            side("a round trip over TCP", "network.round_trip.tcp", "path=loopback cpu=same bytes=64B"),
            side("one over a Unix socket", "network.round_trip.unix", "path=loopback cpu=same bytes=64B"),
            "a Unix socket wakes its sender once more than it needs to, which makes up for part of the protocol",
        )],
    },
    Question {
        id: "stream",
        asks: "How far is a stream over loopback from what memory allows?",
        derivations: &[ratio(
            side("copying memory", "memory.bandwidth.copy", "method=widest bytes=128MiB cpus=1"),
            side("a stream over TCP", "network.bandwidth.tcp", "path=loopback cpu=same"),
            "both on one CPU; a stream copies every byte twice, so half of the copy bandwidth is the upper limit",
        )],
    },
    Question {
        id: "stream_end",
        asks: "Which end is the bottleneck of a stream over loopback?",
        derivations: &[ratio(
            side("receiving a MiB", "network.bandwidth.tcp.cpu", "path=loopback cpu=other endpoint=receiver"),
            side("sending it", "network.bandwidth.tcp.cpu", "path=loopback cpu=other endpoint=sender"),
            "CPU time of each end; where neither comes near a whole CPU, the ends wait for each other to wake",
        )],
    },
];
