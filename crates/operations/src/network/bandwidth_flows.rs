//! Bytes per second of several streams at once, by their number.

use super::{bandwidth, points};
use measure::{Actors, Area, How, Operation, Rehearse};
use quantity::Quantity;
use record::Plot;

/// Flows at once: from one to more than most machines have CPUs for on a desk; `cpus=all` of the stream is one for each
/// CPU, however many.
pub const FLOWS: [u64; 4] = [1, 2, 4, 8];

/// Streams by their number.
pub static OPERATION: Operation = Operation {
    id: "network.bandwidth.flows",
    area: Area::Network,
    title: "bytes over several TCP flows at once, together",
    one_iteration: "as much as comes in a window of some milliseconds over all flows, while all keep sending",
    quantity: Quantity::Bandwidth,
    method: "As network.bandwidth.tcp, with so many flows at once, each of two processes on one CPU: the first on the \
             worker's, the others on the CPUs after it in turn, so that more flows than CPUs share them. A window's \
             count is that of all flows at its end. Over path=remote each flow has a process here and a thread of the \
             peer, each on a CPU of its turn; all flows are of one session.",
    confounds: "CPUs that are hardware threads of one core do less together than two cores. Flows that share a CPU take \
                turns by milliseconds of the scheduler, and a window ends when it is the worker's turn.",
    sources: &[
        (
            "iperf3",
            "-P: flows of one process, a thread each since version 3.16",
        ),
        ("netperf", "several processes at once, started by a script"),
    ],
    actors: Actors::TwoProcesses,
    how: How::Values,
    rehearse: Rehearse::Nothing,
    spend_ns: bandwidth::SPEND_NS,
    spend_of: Some(bandwidth::spend_of),
    points: |_| {
        let paths = [points::loopback(), points::remote()].into_iter();
        paths
            .flat_map(|path| FLOWS.map(|flows| path.clone().with("flows", flows)))
            .collect()
    },
    predict: &[
        "let used = min({flows}, cpus.allowed)",
        "path=loopback: software t0 copies, pages and segments on each CPU = 1e9 ns/s / (stream_byte / used)",
        "path=loopback: software t1 one flow on one CPU, on each CPU that has a flow = \
         [network.bandwidth.tcp path=loopback cpu=same] × used",
        // Over a network nothing here knows of they find what one flow finds, if that fills the link.
        "path=remote: hardware t1 one plain stream, which fills the link = [network.bandwidth.tcp path=remote]",
    ],
    // Of several flows nobody adds up the CPUs, which are what bounds those within this machine, where a window that is full
    // only says that the receiver waits for its CPU. Flows that share a link find its rate by losing segments.
    evidence: &[
        "every block came",
        "bytes.received_per_sent = 1: both ends of all flows counted the same bytes",
        "flows.moved = 1 (if consistent): every flow moved at least a block",
        "steady stream",
        "path=loopback: little was sent again",
        "path=remote: retransmissions 0..0.5 (noise): the link was shared by loss, not broken: fewer segments were sent \
         again than half of all",
        "flows=1: shares of the CPUs",
        "flows=1: shares of the time held back",
        "path=remote flows!=1: shares of the time held back",
    ],
    bounds: &["copies of all cores"],
    plot: Some(|| Plot::logarithmic("flows", "flows at once", Quantity::Count)),
    run: bandwidth::run_tcp,
    ..Operation::NEW
};
