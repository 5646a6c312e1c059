//! Sockets beside `sockperf`, `iperf3`, `ping` and the plain C program, which does as netperf's TCP_RR, UDP_RR and
//! TCP_CRR do: netperf itself is no part of Debian.

use super::comparison::{Comparison, PLAIN, Same, Tool, compare};
use super::reading::Reads;
use programs::package;

/// A client of sockperf with messages of 64 bytes. It prints half of the round trip; its percentiles are exact.
static SOCKPERF: Tool = Tool {
    name: "sockperf",
    package: Some(package("sockperf", "sockperf", "comparison with sockperf")),
    command: "taskset -c {own} sockperf ping-pong -i 127.0.0.1 -p {port} -m 64 -t 2",
    reads: Reads::Behind("percentile 50.000 =", 1e3),
    holds: 0.5,
    ..PLAIN
};

/// A client of iperf3 with the same congestion control and as much at once, counted at the receiver.
static IPERF: Tool = Tool {
    name: "iperf3",
    package: Some(package("iperf3", "iperf3", "comparison with iperf3")),
    command: "taskset -c {own} iperf3 -c 127.0.0.1 -p {port} -t 2 -O 1 -f m -C cubic",
    reads: Reads::LastLine("receiver", " Mbits/sec", 125_000.0),
    same: Same::AtLeast,
    ..PLAIN
};

/// The same on both CPUs.
static IPERF_ON_BOTH: Tool =
    Tool { command: "taskset -c {both} iperf3 -c 127.0.0.1 -p {port} -t 2 -O 1 -f m -C cubic", ..IPERF };

static PING: Tool = Tool {
    name: "ping",
    package: Some(package("iputils-ping", "ping", "comparison with ping")),
    command: "taskset -c {own} ping",
    reads: Reads::Slashed("mdev = ", 1, 1e6),
    ..PLAIN
};

const TCP: &str = "network.round_trip.tcp path=loopback cpu=same bytes=64B";
const TCP_OTHER: &str = "network.round_trip.tcp path=loopback cpu=other bytes=64B";
const UDP: &str = "network.round_trip.udp path=loopback cpu=same bytes=64B";
const CONNECTION: &str = "network.connection.connect_round_trip_close path=loopback cpu=same";

/// All of them.
pub static COMPARISONS: &[Comparison] = &[
    compare(&SOCKPERF, "TCP round trip, 64 bytes, one CPU", TCP, "--tcp")
        .served_by("taskset -c {own} sockperf server -i 127.0.0.1 -p {port} --tcp"),
    compare(&PLAIN, "TCP round trip, 64 bytes, one CPU", TCP, "tcp {own} {own}"),
    compare(&SOCKPERF, "TCP round trip, 64 bytes, two CPUs", TCP_OTHER, "--tcp")
        .served_by("taskset -c {peer} sockperf server -i 127.0.0.1 -p {port} --tcp"),
    compare(&PLAIN, "TCP round trip, 64 bytes, two CPUs", TCP_OTHER, "tcp {own} {peer}"),
    compare(&SOCKPERF, "UDP round trip, 64 bytes, one CPU", UDP, "")
        .served_by("taskset -c {own} sockperf server -i 127.0.0.1 -p {port}"),
    compare(&PLAIN, "UDP round trip, 64 bytes, one CPU", UDP, "udp {own} {own}"),
    compare(
        &PLAIN,
        "TCP round trip beside a stream, 64 bytes, two CPUs",
        "network.round_trip.loaded path=loopback cpu=other protocol=tcp bytes=64B",
        "tcp-loaded {own} {peer}",
    ),
    compare(
        &PLAIN,
        "UDP round trip beside a stream, 64 bytes, two CPUs",
        "network.round_trip.loaded path=loopback cpu=other protocol=udp bytes=64B",
        "udp-loaded {own} {peer}",
    ),
    compare(&PLAIN, "connection, round trip of a byte, close, one CPU", CONNECTION, "crr {own} {own}"),
    compare(&PLAIN, "the same, while the server waits for it", CONNECTION, "crr-waiting {own} {own}"),
    compare(
        &PLAIN,
        "TCP messages both ways within one task, over 1 000 connections",
        "network.round_trip.tcp.among path=loopback bytes=64B connections=1000",
        "tcp-among {own} {own}",
    ),
    compare(
        &PLAIN,
        "connection accepted by one process",
        "network.connection.shared_port path=loopback acceptors=1",
        "shared-port-1 {own} {peer}",
    ),
    compare(
        &PLAIN,
        "connection accepted by one of two that share a port",
        "network.connection.shared_port path=loopback acceptors=2",
        "shared-port-2 {own} {peer}",
    ),
    compare(
        &PLAIN,
        "connection accepted by one of four that share a port",
        "network.connection.shared_port path=loopback acceptors=4",
        "shared-port-4 {own} {peer}",
    ),
    compare(
        &PING,
        "echo request, 56 bytes",
        "network.round_trip.icmp path=loopback bytes=56B",
        "-q -A -c 20000 -s 56 127.0.0.1",
    )
    .differs("a mean of whole microseconds, from the stamp of the request to that of its answer"),
    compare(&IPERF, "TCP stream, one CPU", "network.bandwidth.tcp path=loopback cpu=same", "-P 1")
        .served_by("taskset -c {own} iperf3 -s -B 127.0.0.1 -p {port}"),
    compare(&IPERF, "TCP stream, two CPUs", "network.bandwidth.tcp path=loopback cpu=other", "-P 1")
        .served_by("taskset -c {peer} iperf3 -s -B 127.0.0.1 -p {port}"),
    compare(&IPERF_ON_BOTH, "2 TCP flows, two CPUs", "network.bandwidth.flows path=loopback flows=2", "-P 2")
        .served_by("taskset -c {both} iperf3 -s -B 127.0.0.1 -p {port}"),
    compare(&IPERF_ON_BOTH, "4 TCP flows, two CPUs", "network.bandwidth.flows path=loopback flows=4", "-P 4")
        .served_by("taskset -c {both} iperf3 -s -B 127.0.0.1 -p {port}"),
];
