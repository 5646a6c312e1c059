//! Questions on the network.

use super::question::{Question, ratio, side};

/// In the order in which they are asked.
pub(super) const ALL: &[Question] = &[
    Question {
        id: "ping",
        asks: "Does ping tell what a round trip between programs takes?",
        derivations: &[ratio(
            side(
                "a round trip between programs",
                "network.round_trip.tcp",
                "path=loopback cpu=same bytes=64B",
            ),
            side("ping", "network.round_trip.icmp", "path=loopback bytes=56B"),
            "over loopback, where nothing is on its way: the kernel answers ping itself, and no program wakes",
        )],
    },
    Question {
        id: "network_adds",
        asks: "What does the network add to a round trip?",
        derivations: &[ratio(
            side("a round trip to the other machine", "network.round_trip.tcp", "path=remote bytes=64B"),
            side("one on this machine", "network.round_trip.tcp", "path=loopback cpu=same bytes=64B"),
            "on this machine both ends share a CPU, and nobody is woken by an interrupt of a card",
        )],
    },
    Question {
        id: "network_stream",
        asks: "How much less than within this machine goes over the network?",
        derivations: &[ratio(
            side("a stream within this machine", "network.bandwidth.tcp", "path=loopback cpu=other"),
            side("one to the other machine", "network.bandwidth.tcp", "path=remote"),
            "what bounds it is the slower of the link and of the slower end",
        )],
    },
    Question {
        id: "network_flows",
        asks: "Do several flows carry more over the network than one?",
        derivations: &[ratio(
            side("a set of four flows", "network.bandwidth.flows", "path=remote flows=4"),
            side("one flow", "network.bandwidth.flows", "path=remote flows=1"),
            "more where a window or the CPU of one flow is what bounds it, the same where the link is",
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
            "both by one CPU; a stream copies every byte twice, so that half of a copy's bandwidth is the most",
        )],
    },
    Question {
        id: "stream_end",
        asks: "Which end bounds a stream over loopback?",
        derivations: &[ratio(
            side("receiving a MiB", "network.bandwidth.tcp.cpu", "path=loopback cpu=other endpoint=receiver"),
            side("sending it", "network.bandwidth.tcp.cpu", "path=loopback cpu=other endpoint=sender"),
            "CPU time of each end; where neither comes near a whole CPU, the ends wait for each other to wake",
        )],
    },
];
