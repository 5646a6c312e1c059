//! Round trips, bandwidth and connections.

use crate::method::FlawedMethod;
use measure::{Actors, Bench, How, Operation, Rehearse, takes};
use operations::bases::{CONNECTION, NETWORK};
use quantity::Quantity;
use record::Gate;
use workloads::network::connections;
use workloads::network::messages::{Message, round_trips};
use workloads::network::streams::{Flow, Variant, stream};

const SOCKETS: Operation =
    Operation { actors: Actors::TwoProcesses, points: &["path=loopback cpu=same"], ..NETWORK };

const STREAM: Operation = Operation {
    how: How::Values,
    quantity: Quantity::Bandwidth,
    rehearse: Rehearse::Nothing,
    spend_ns: 60_000_000,
    one_iteration: "bytes received in a window of some milliseconds",
    evidence: &["every block received", "same byte count"],
    ..SOCKETS
};

/// Nagle on, message in two writes.
pub static TWO_WRITES: FlawedMethod = FlawedMethod {
    wrong: "Nagle's algorithm delays the second part until the first is acknowledged, which the receiver delays",
    right: ("network.round_trip.tcp", "path=loopback cpu=same bytes=64B"),
    card: Operation {
        id: "network.round_trip.tcp.two_writes",
        title: "TCP round trip in two writes with Nagle's algorithm (wrong)",
        one_iteration: "write 32 bytes, write 32 bytes, read the 64-byte reply",
        method: "TCP_NODELAY is not set, and a message is sent in two parts, like header and body: the second waits \
                 for the acknowledgement of the first, which the receiver delays.",
        confounds: "It measures the delayed-acknowledgement timer of TCP, 40 ms in Linux.",
        sources: &[(
            "RFC 896, RFC 1122",
            "Nagle's algorithm and delayed acknowledgements: harmless in one write, not in two",
        )],
        how: How::Each,
        gate: Gate { cpu_share: None, ..Operation::GATE },
        parameters: takes::<Message>,
        points: &["path=loopback cpu=same bytes=64B"],
        evidence: &["answers = 1: every message was echoed unchanged", "undisturbed"],
        run: round_trips::in_two_writes,
        ..SOCKETS
    },
};

/// The fastest window.
pub static PEAK: FlawedMethod = FlawedMethod {
    wrong: "the maximum of several windows is reported (E31): it grows with their number",
    right: ("network.bandwidth.tcp", "path=loopback cpu=same"),
    card: Operation {
        id: "network.bandwidth.tcp.peak",
        title: "TCP throughput of the fastest window (wrong)",
        method: "As network.bandwidth.tcp, but only the fastest window of a trial, of some milliseconds, counts.",
        confounds: "The maximum grows with the number of windows.",
        sources: &[("R3, 5.3.1", "the fastest second of 5 GB, by bytes acknowledged (E31)")],
        points: &["path=loopback cpu=same; path=remote"],
        bounds: &["speed of the link"],
        run: |bench| {
            let report: fn(&mut Bench<'_>, &Flow) =
                |bench, flow| bench.values(vec![flow.rates.iter().copied().fold(0.0, f64::max)]);
            stream(bench, Variant { report, ..Variant::CORRECT })
        },
        ..STREAM
    },
};

/// Bytes received before the clock started.
pub static EARLY: FlawedMethod = FlawedMethod {
    wrong: "bytes received before the clock started count (E41): more than arrived in the measured time",
    right: ("network.bandwidth.tcp", "path=loopback cpu=same"),
    card: Operation {
        id: "network.bandwidth.tcp.before_clock",
        title: "TCP throughput including bytes received before the clock started (wrong)",
        method: "As network.bandwidth.tcp, but bytes received before the clock started count.",
        confounds: "The shorter the interval, the larger the error.",
        sources: &[(
            "R0, 5.2",
            "the clock started at the first data: 22.5 MB/s over a link of 144 Mbit/s (E35, E41)",
        )],
        run: |bench| {
            let counts_early = true;
            stream(bench, Variant { counts_early, ..Variant::CORRECT })
        },
        ..STREAM
    },
};
/// Reference: the server starts within the interval.
pub static NO_BARRIER: FlawedMethod = FlawedMethod {
    wrong: "the start of the server is within the interval (E40): no barrier before the clock starts",
    right: ("network.connection.first_byte", "path=loopback cpu=same"),
    card: Operation {
        id: "network.connection.no_barrier",
        title: "connect to first byte, without a barrier (wrong)",
        one_iteration: "fork an accepting process, connect(), write 1 byte, read the reply",
        method: "The server is started within the interval and may not have called accept() when the connection is made.",
        confounds: "Includes the start of the process, its page faults and its wait for the CPU.",
        sources: &[(
            "R2, 5.3",
            "the reverse: accept() of 2.4 s, probably with the wait until the client was started (E40)",
        )],
        points: &["path=loopback cpu=same"],
        run: connections::run_without_barrier,
        ..CONNECTION
    },
};
