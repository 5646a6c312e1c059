//! Round trips while a stream runs between the same ends (bufferbloat).

use measure::{Actors, How, Operation, Rehearse, takes};
use record::{Gate, Need};
use workloads::network::messages::loaded::{self, Loaded};

/// A round trip beside a stream.
pub static LOADED: Operation = Operation {
    id: "network.round_trip.loaded",
    title: "round trip of a message while a TCP stream runs (bufferbloat)",
    one_iteration: "send a message, receive its echo from the other process, compare, while a stream runs from that end to this one",
    how: How::Values,
    rehearse: Rehearse::Nothing,
    method: "As network.round_trip.tcp or .udp, with four processes: a source of 128 KiB blocks where the echo server is, and their \
             receiver where the client is, over a connection of their own. Replies and stream share their direction. The stream runs \
             for a quarter of the trial before the first timed round trip. Each round trip is timed by itself; after each the client \
             reads how many bytes of the stream were received. The receiver checks three words of each block.",
    confounds: "Over loopback there is no queue of an interface: what is added is the wait for a CPU on which an end of the stream \
                runs, mostly in a system call. On path=remote it is the queue of the slowest link as well. Loss-based congestion \
                control fills that queue; a stream with pacing (bbr) would leave it shorter.",
    sources: &[
        ("flent", "rrul and tcp_download: ping, UDP and TCP round trips beside several netperf streams"),
        ("netperf", "TCP_RR started beside TCP_MAERTS by a script"),
        ("iperf3", "prints the round-trip time that TCP_INFO of the stream itself has"),
    ],
    // The stream takes the CPU of the client, and is meant to.
    actors: Actors::TwoProcesses,
    gate: Gate { cpu_share: None, involuntary: false, ..Operation::GATE },
    needs: |_| vec![Need::Pinning],
    parameters: takes::<Loaded>,
    points: &[
        "profile=quick: path=loopback cpu=other protocol=tcp bytes=64B",
        "profile!=quick: path=loopback cpu=same|other protocol=tcp|udp bytes=64B",
        "path=remote protocol=tcp|udp bytes=64B",
    ],
    tail: &["path=loopback cpu=same|other protocol=tcp|udp bytes=64B"],
    predict: &[
        "path=loopback protocol=tcp: t0 messages within one task(tcp_message)",
        "path=loopback protocol=udp: t0 messages within one task(udp_message)",
        "path=loopback: t0 hand-offs between processes(2)",
        "cpu=same protocol=tcp: software t1 the round trip without a stream = [network.round_trip.tcp path=loopback cpu=same bytes=64B]",
        "cpu=other protocol=tcp: software t1 the round trip without a stream, both CPUs awake = \
         [network.round_trip.tcp path=loopback cpu=other idle=busy bytes=64B]",
        "cpu=same protocol=udp: software t1 the round trip without a stream = [network.round_trip.udp path=loopback cpu=same bytes=64B]",
        "cpu=other protocol=udp: software t1 the round trip without a stream, both CPUs awake = \
         [network.round_trip.udp path=loopback cpu=other idle=busy bytes=64B]",
        // A wake-up of a task that slept preempts the stream's, which leaves the kernel first.
        "path=loopback: software the rest of the block that the stream's task is at, half of it at each end = \
         131072 bytes × stream_byte",
        // The queue of the path is unknown: the ratio says what it adds.
        "path=remote protocol=tcp: hardware t1 the round trip without a stream = [network.round_trip.tcp path=remote bytes=64B]",
        "path=remote protocol=udp: hardware t1 the round trip without a stream = [network.round_trip.udp path=remote bytes=64B]",
    ],
    evidence: &[
        "echoes.correct = 1: every reply was that of the message sent last",
        "stream.moved = 1 (if consistent): bytes of the stream were received in every tenth of the time",
        "same byte count",
    ],
    bounds: &["calls of a round trip"],
    spend_ns: 300_000_000,
    revision: 1,
    run: loaded::run,
    ..super::COMMON
};
