//! Bytes per second of several streams at once, by their number.

use super::bandwidth::{self, few_retransmissions, no_faster_than_the_core, steady};
use super::stream_parts::predict_flows;
use super::{limits, points};
use measure::{Actors, Area, How, Operation, Point, Rehearse, counted, if_consistent, work_done};
use quantity::Quantity;
use record::{Plot, Witness};

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
    computed_prediction: predict_flows,
    computed_witnesses: witnesses,
    computed_bounds: |_| no_faster_than_the_core(),
    plot: Some(|| Plot::logarithmic("flows", "flows at once", Quantity::Count)),
    run: bandwidth::run_tcp,
    ..Operation::NEW
};

fn witnesses(point: &Point) -> Vec<Witness> {
    let mut all = work_done("every block came whole, after the one before, with the right words in it");
    let proves = "both ends of all flows counted the same bytes";
    all.extend(counted("bytes.received_per_sent", 1.0, 1.0, proves));
    let proves = "every flow moved at least a block";
    all.extend(if_consistent(counted("flows.moved", 1.0, 1.0, proves)));
    all.extend(steady());
    all.push(if points::is_remote(point) {
        some_retransmissions()
    } else {
        few_retransmissions()
    });
    all.extend(limits::of_a_stream(point));
    all
}

/// Of a segment: flows that share a link find its rate by losing segments, and what arrives counts.
fn some_retransmissions() -> Witness {
    Witness {
        high: 0.5,
        proves: "the link was shared by loss, not broken: fewer segments were sent again than half of all"
            .to_owned(),
        ..few_retransmissions()
    }
}
