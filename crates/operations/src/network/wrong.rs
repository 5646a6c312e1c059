//! Methods of the reports that are wrong, each beside the right one.

use super::points::{self, SMALL};
use super::workloads::messages::round_trips;
use super::workloads::streams::{Flow, Way, stream};
use measure::{Actors, Area, Bench, How, Operation, Reference, Rehearse};
use quantity::Quantity;

const WRONG: Operation = Operation {
    area: Area::Network,
    actors: Actors::TwoProcesses,
    points: |_| vec![points::loopback_same()],
    ..Operation::NEW
};

const STREAM: Operation = Operation {
    how: How::Values,
    quantity: Quantity::Bandwidth,
    rehearse: Rehearse::Nothing,
    spend_ns: 60_000_000,
    one_iteration: "as much as comes in a window of some milliseconds",
    evidence: &["every block came", "every byte was counted"],
    ..WRONG
};

/// Nagle on, and a message that goes in two parts.
pub static TWO_WRITES: Operation = Operation {
    id: "network.round_trip.tcp.two_writes",
    title: "round trip over TCP with Nagle on, in two writes (wrong)",
    one_iteration: "write the first half of 64 bytes, then the second, take the answer",
    method: "TCP_NODELAY is not set, as nothing sets it in R0, and a message goes in two parts, as a header and a body \
             do: the second waits for the acknowledgement of the first, which the other end delays in the hope of an \
             answer to send it with.",
    confounds: "It measures two timers of TCP, 40 ms in Linux.",
    sources: &[(
        "R0",
        "round trips without TCP_NODELAY; in one write it does no harm, in two it does",
    )],
    reference: Some(Reference {
        wrong: "Nagle's algorithm holds the second part back until the first is acknowledged, which the receiver delays",
        right: ("network.round_trip.tcp", "path=loopback cpu=same bytes=64B"),
    }),
    how: How::Each,
    gate: record::Gate {
        cpu_share: None,
        ..Operation::GATE
    },
    points: |_| vec![points::loopback_same().with("bytes", SMALL)],
    evidence: &["answers = 1: every message came back as it went", "undisturbed"],
    run: round_trips::in_two_writes,
    ..WRONG
};

/// The best window.
pub static PEAK: Operation = Operation {
    id: "network.bandwidth.tcp.peak",
    title: "bytes over TCP in the fastest window of a stream (wrong)",
    method: "As network.bandwidth.tcp; only the fastest window of a trial counts, as R3's fastest second of 5 GB.",
    confounds: "The more windows, the larger the largest.",
    sources: &[("R3", "the peak second of a stream (E31)")],
    reference: Some(Reference {
        wrong: "the best of several is chosen after the run (E31): it grows with the number of windows",
        right: ("network.bandwidth.tcp", "path=loopback cpu=same"),
    }),
    run: |bench| {
        let give: fn(&mut Bench<'_>, &Flow) =
            |bench, flow| bench.values(vec![flow.rates.iter().copied().fold(0.0, f64::max)]);
        stream(bench, Way { give, ..Way::RIGHT })
    },
    ..STREAM
};

/// Bytes from before the clock.
pub static EARLY: Operation = Operation {
    id: "network.bandwidth.tcp.before_clock",
    title: "bytes over TCP, counted from before the clock runs (wrong)",
    method: "As network.bandwidth.tcp, but what had come before the clock was started is counted with what comes after.",
    confounds: "The shorter the interval, the larger the mistake.",
    sources: &[("R0", "22.5 MB/s over a link of 18 MB/s (E35, E41)")],
    reference: Some(Reference {
        wrong: "bytes count that came before the clock ran (E41): more than came in the time that it divides by",
        right: ("network.bandwidth.tcp", "path=loopback cpu=same"),
    }),
    run: |bench| {
        let counts_early = true;
        stream(
            bench,
            Way {
                counts_early,
                ..Way::RIGHT
            },
        )
    },
    ..STREAM
};
