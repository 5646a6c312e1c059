//! What a stream over TCP costs each end: CPU time for its bytes.

use super::windows::Flow;
use super::{bandwidth, points};
use measure::{Bench, Operation, Point};
use quantity::Quantity;

/// CPU time for bytes.
pub static OPERATION: Operation = Operation {
    id: "network.bandwidth.tcp.cpu",
    revision: 3,
    title: "CPU time that a MiB over TCP takes at each end",
    one_iteration: "one MiB of a stream, sent or received",
    quantity: Quantity::Latency,
    method: "As network.bandwidth.tcp: the CPU time of each process between the first window that counts and the last, \
             over the MiB that came meanwhile; that of a peer's thread by its own clock, over all that it sent. Both ends \
             are measured in one go. The end that takes the larger share of its CPU bounds the stream; where neither \
             comes near a whole CPU, they wait for each other.",
    confounds: "The kernel charges what a softirq does to whom it interrupts: over loopback the sender carries a segment \
                into the receiver's queue, and the receiver what its acknowledgements let go.",
    sources: &[(
        "netperf",
        "-c -C: of the whole machine; iperf3: of each end, in per cent",
    )],
    points: |_| all_points(),
    // Each end copies once, the receiver from memory; the way of a segment is the sender's, which carries it into the
    // receiver's queue. On two CPUs the pages to which the sender copies are those that the receiver has just read.
    predict: &[
        "path=loopback: software t0 half of the copies, pages and segments = 524288 bytes × stream_byte",
        "path=loopback: software t1 one copy of the two, and its pages = 524288 bytes × tcp_byte",
        "path=loopback end=receiver: hardware t1 read from memory = 1048576 bytes × byte_from_memory",
        "cpu=other|sibling|node end=sender: hardware t1 lines that the other CPU has read = 1048576 bytes × \
         byte_of_the_other_cpu",
        "path=loopback end=receiver: software t1 this end's part of a segment's way = {0.25 * 1048576 / 65484} × tcp_way",
        "path=loopback end=sender: software t1 this end's part of a segment's way = {0.75 * 1048576 / 65484} × tcp_way",
        "path=remote: software t1 the same end of a stream within this machine = \
         [network.bandwidth.tcp.cpu path=loopback cpu=other end={end}]",
    ],
    evidence: bandwidth::TCP_EVIDENCE,
    run: |bench| bandwidth::run_to(bench, give),
    ..bandwidth::STREAM
};

/// The two ends of a stream, as they are called in points.
const ENDS: [&str; 2] = ["receiver", "sender"];

fn all_points() -> Vec<Point> {
    let places = points::loopback_placements().into_iter().take(2);
    places
        .chain([points::remote()])
        .flat_map(|place| ENDS.map(|end| place.clone().with("end", end)))
        .collect()
}

/// Gives the CPU time of both ends.
fn give(bench: &mut Bench<'_>, flow: &Flow) {
    let mib = (1 << 20) as f64;
    let mut place = points::remote();
    if !points::is_remote(bench.point()) {
        place = points::loopback().with("cpu", bench.point().get("cpu").unwrap_or("same"));
    }
    for (end, nanos) in ENDS.into_iter().zip(flow.cpu_of_a_byte()) {
        let point = place.clone().with("end", end);
        match nanos {
            Some(nanos) => bench.values_at(point, vec![nanos * mib]),
            None => bench.absent(
                point,
                "the CPU time of this end cannot be read",
                "allow clock_gettime for CPU-time clocks",
            ),
        }
    }
}
