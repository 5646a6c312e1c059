//! Sockets beside `sockperf`, `iperf3`, `ping` and the plain C program, which does as netperf's TCP_RR, UDP_RR and
//! TCP_CRR do: netperf itself is no part of Debian.

use super::peers::{Peer, Same, Table, plain};
use super::reading::Reads;
use programs::Package;

/// All of them.
pub static TABLE: Table = Table {
    area: "network",
    packages: &[
        Package {
            name: "sockperf",
            programs: &["sockperf"],
            tests: "comparison with sockperf",
            is_server: false,
        },
        Package { name: "iperf3", programs: &["iperf3"], tests: "comparison with iperf3", is_server: false },
        Package {
            name: "iputils-ping",
            programs: &["ping"],
            tests: "comparison with ping",
            is_server: false,
        },
    ],
    peers: PEERS,
};

/// A program on a CPU, which the kernel ends when whoever started it is gone.
macro_rules! on {
    ($cpu:literal, $($word:literal),+) => {
        &["setpriv", "--pdeathsig", "KILL", "taskset", "-c", $cpu, $($word),+]
    };
}

/// A server of sockperf on a CPU.
macro_rules! sockperf_server {
    ($cpu:literal $(, $more:literal)*) => {
        on!($cpu, "sockperf", "server", "-i", "127.0.0.1", "-p", "{port}" $(, $more)*)
    };
}

/// A client of sockperf on the own CPU, with messages of 64 bytes.
macro_rules! sockperf_client {
    ($($more:literal),*) => {
        on!(
            "{own}", "sockperf", "ping-pong", "-i", "127.0.0.1", "-p", "{port}", "-m", "64", "-t", "2" $(, $more)*
        )
    };
}

/// sockperf prints half of the round trip; its percentiles are exact.
const SOCKPERF: Peer =
    Peer { tool: "sockperf", reads: Reads::Behind("percentile 50.000 =", 1e3), holds: 0.5, ..Peer::NEW };

/// iperf3 on given CPUs: a client with a number of flows, or a server.
macro_rules! iperf {
    (client $cpu:literal, $flows:literal) => {
        on!(
            $cpu,
            "iperf3",
            "-c",
            "127.0.0.1",
            "-p",
            "{port}",
            "-t",
            "2",
            "-O",
            "1",
            "-f",
            "m",
            "-C",
            "cubic",
            "-P",
            $flows
        )
    };
    (server $cpu:literal) => {
        on!($cpu, "iperf3", "-s", "-B", "127.0.0.1", "-p", "{port}")
    };
}

/// iperf3 with the same congestion control and as much at once, counted at the receiver.
const IPERF: Peer = Peer {
    tool: "iperf3",
    reads: Reads::LastLine("receiver", " Mbits/sec", 125_000.0),
    same: Same::AtLeast,
    ..Peer::NEW
};

const PEERS: &[Peer] = &[
    Peer {
        what: "TCP round trip, 64 bytes, one CPU",
        ours: "network.round_trip.tcp path=loopback cpu=same bytes=64B",
        server: sockperf_server!("{own}", "--tcp"),
        command: sockperf_client!("--tcp"),
        ..SOCKPERF
    },
    plain(
        "TCP round trip, 64 bytes, one CPU",
        "network.round_trip.tcp path=loopback cpu=same bytes=64B",
        &["{plain}", "tcp", "{own}", "{own}"],
        Same::Yes,
    ),
    Peer {
        what: "TCP round trip, 64 bytes, two CPUs",
        ours: "network.round_trip.tcp path=loopback cpu=other bytes=64B",
        server: sockperf_server!("{peer}", "--tcp"),
        command: sockperf_client!("--tcp"),
        ..SOCKPERF
    },
    plain(
        "TCP round trip, 64 bytes, two CPUs",
        "network.round_trip.tcp path=loopback cpu=other bytes=64B",
        &["{plain}", "tcp", "{own}", "{peer}"],
        Same::Yes,
    ),
    Peer {
        what: "UDP round trip, 64 bytes, one CPU",
        ours: "network.round_trip.udp path=loopback cpu=same bytes=64B",
        server: sockperf_server!("{own}"),
        command: sockperf_client!(),
        ..SOCKPERF
    },
    plain(
        "UDP round trip, 64 bytes, one CPU",
        "network.round_trip.udp path=loopback cpu=same bytes=64B",
        &["{plain}", "udp", "{own}", "{own}"],
        Same::Yes,
    ),
    plain(
        "connection, round trip of a byte, close, one CPU",
        "network.connection.connect_round_trip_close path=loopback cpu=same",
        &["{plain}", "crr", "{own}", "{own}"],
        Same::Yes,
    ),
    plain(
        "the same, while the server waits for it",
        "network.connection.connect_round_trip_close path=loopback cpu=same",
        &["{plain}", "crr-waiting", "{own}", "{own}"],
        Same::Yes,
    ),
    Peer {
        what: "echo request, 56 bytes",
        ours: "network.round_trip.icmp path=loopback bytes=56B",
        tool: "ping",
        command: on!("{own}", "ping", "-q", "-A", "-c", "20000", "-s", "56", "127.0.0.1"),
        reads: Reads::Slashed("mdev = ", 1, 1e6),
        same: Same::No("a mean of whole microseconds, from the stamp of the request to that of its answer"),
        ..Peer::NEW
    },
    Peer {
        what: "TCP stream, one CPU",
        ours: "network.bandwidth.tcp path=loopback cpu=same",
        server: iperf!(server "{own}"),
        command: iperf!(client "{own}", "1"),
        ..IPERF
    },
    Peer {
        what: "TCP stream, two CPUs",
        ours: "network.bandwidth.tcp path=loopback cpu=other",
        server: iperf!(server "{peer}"),
        command: iperf!(client "{own}", "1"),
        ..IPERF
    },
    Peer {
        what: "2 TCP flows, two CPUs",
        ours: "network.bandwidth.flows path=loopback flows=2",
        server: iperf!(server "{both}"),
        command: iperf!(client "{both}", "2"),
        ..IPERF
    },
    Peer {
        what: "4 TCP flows, two CPUs",
        ours: "network.bandwidth.flows path=loopback flows=4",
        server: iperf!(server "{both}"),
        command: iperf!(client "{both}", "4"),
        ..IPERF
    },
];
