//! Bytes per second over TCP and UDP: streams by method and by their number, datagrams, transfers; and what a stream
//! costs each end.

use super::points;
use super::workloads::messages::transfers;
use super::workloads::services::Method;
use super::workloads::streams::{self, ENDS, Way, datagrams, stream};
use measure::{Actors, Area, How, Operation, Placement, Point, Rehearse};
use quantity::Quantity;
use record::Plot;

/// How long a stream is watched whose ends are on one CPU: it is at its pace within a millisecond.
const SPEND_NS: u64 = 60_000_000;

/// A stream over a network is watched so many times longer: blocks come seldom over a slow link, and buffers on the way
/// are full only after a while.
const LONGER_REMOTE: u64 = 6;

/// A stream between two CPUs is watched so many times longer: it comes to its pace within 20 to 60 ms.
const LONGER_APART: u64 = 4;

/// How long a stream of a point is watched.
fn spend_of(point: &Point) -> u64 {
    let longer = if points::is_remote(point) {
        LONGER_REMOTE
    } else if point.placement().is_some_and(|place| place != Placement::Same) {
        LONGER_APART
    } else {
        1
    };
    SPEND_NS * longer
}

/// What all streams have in common.
const STREAM: Operation = Operation {
    area: Area::Network,
    one_iteration: "as much as comes in a window of some milliseconds, while the other process keeps sending",
    quantity: Quantity::Bandwidth,
    actors: Actors::TwoProcesses,
    how: How::Values,
    rehearse: Rehearse::Nothing,
    // A card sends the program's own pages; what stays on this machine is copied.
    evidence: &[
        "every block came",
        "every byte was counted",
        "cpus!=all: bytes.counted_per_given 0.99..1.01 (if consistent): between the two latches the program counted what the \
         kernel gave it",
        "steady stream",
        "path=loopback method=zerocopy: zerocopy.copied 0.9..64: the kernel told of every call, and that it copied after all",
        "path=remote method=zerocopy: zerocopy.copied 0..64: the kernel told of every call; near 0 it sent the program's own \
         pages",
        "little was sent again",
        "cpus!=all: shares of the CPUs",
        "cpus!=all: shares of the time held back",
    ],
    spend_ns: SPEND_NS,
    spend_of: Some(spend_of),
    ..Operation::NEW
};

/// A stream over TCP.
pub static TCP: Operation = Operation {
    id: "network.bandwidth.tcp",
    revision: 3,
    title: "bytes over TCP to another process",
    method: "One process sends blocks of 128 KiB of random bytes without pause, the other reads them whole and looks at \
             three words of each. The receiver's clock and its count stop at the same place at the end of each window \
             (E41), and what it counted between two of them must be what the kernel gave it by its own count. Windows \
             count when the stream has found its pace: from the first on that lies within those of the later half, if it \
             is one of the first quarter and the mean from there on is that of the later half. In the end the receiver \
             reads what is left, and both must have counted the same. With cpu=same, windows in which another program \
             had a part of the CPU are set aside. Between two CPUs a stream is watched four times longer: it comes to \
             its pace within 20 to 60 ms. Congestion is controlled by loss (cubic, or reno where the user \
             may not choose), unless the point says as the system does. cpus=all is a flow for each CPU with both ends \
             on it; a window's count is that of all flows at its end.",
    confounds: "A control of congestion that paces by a clock goes on pacing when another is chosen for a connection that \
                stands already: both ends choose before. With cpu=same sending and receiving add up; on two CPUs they \
                overlap. Loopback has no wire: this is what two copies and the protocol cost, and congestion control that \
                paces by a clock (bbr) is slower. \
                MSG_ZEROCOPY is copied after all on loopback, which the evidence counts. Over path=remote the peer sends.",
    sources: &[
        (
            "R0",
            "transfers of 2 KiB to 32 MiB; see network.bandwidth.transfer",
        ),
        (
            "R2",
            "ten times 1 MB after a first one that is left out: warm-up is assumed",
        ),
        ("R3", "5 GB, the fastest second of them (E31)"),
        (
            "iperf3",
            "128 KiB at a time, the system's congestion control, unpinned",
        ),
        (
            "netperf",
            "TCP_STREAM, counted at the sender unless asked otherwise",
        ),
        ("lmbench", "bw_tcp, unpinned"),
    ],
    points: |_| tcp_points(),
    predict: &[
        "let byte = stream_byte",
        "cpus=all: let t0 byte = stream_byte / cpus.allowed",
        "cpus=all: let t1 byte = 1e9 ns/s / [network.bandwidth.tcp path=loopback cpu=same] / cpus.allowed",
        // On two CPUs both ends work at once, and every line goes from one to the other.
        "cpu=other|sibling|node: let byte = 0.5 × stream_byte + byte_of_the_other_cpu",
        // The copy into the kernel and its pages fall away, and each page is looked up instead.
        "method=sendfile: let t0 byte = 0.6 × stream_byte",
        "method=sendfile: let t1 byte = 0.5 × tcp_byte + {200 / 4096} cycles/byte (×1.8: a page found in the file's tree, \
         held, put into a pipe and taken out, linked to the segment: some 300 instructions) × cycle_ns + tcp_way / 65484 \
         bytes",
        // Copied after all: pages pinned and let go in addition, and the word of the kernel taken.
        "method=zerocopy: let t0 byte = 1.1 × stream_byte",
        "method=zerocopy: let t1 byte = stream_byte + {150 / 4096} cycles/byte (×1.8: a page of the program found and held, \
         and let go: some 200 instructions and 2 locked ones) × cycle_ns",
        "path=loopback: software t0 copies, pages and segments = 1e9 ns/s / byte",
        "path=loopback: software t1 the same in one task, a byte and a segment = 1e9 ns/s / byte",
        // What bounds a stream over a network is a link that nothing here knows of; another method finds the same.
        "path=remote method=*: hardware t1 one plain stream, which fills the link = [network.bandwidth.tcp path=remote]",
    ],
    bounds: &["copies of all cores"],
    headline: &[("path=loopback cpu=same", "TCP stream, same CPU")],
    run: |bench| stream(bench, Way::RIGHT),
    ..STREAM
};

fn tcp_points() -> Vec<Point> {
    let mut all = points::loopback_placements();
    all.push(points::loopback().with("cpus", "all"));
    let same = points::loopback_same;
    let methods = [Method::SendFile, Method::ZeroCopy];
    all.extend(methods.map(|method| same().with("method", method.name())));
    all.push(same().with("congestion", "default"));
    all.push(points::remote());
    all.extend(methods.map(|method| points::remote().with("method", method.name())));
    all
}

fn cpu_points() -> Vec<Point> {
    let places = points::loopback_placements().into_iter().take(2);
    places
        .chain([points::remote()])
        .flat_map(|place| ENDS.map(|end| place.clone().with("endpoint", end)))
        .collect()
}

/// A stream of datagrams.
pub static UDP: Operation = Operation {
    id: "network.bandwidth.udp",
    title: "bytes that arrive by UDP from another process",
    method: "One process sends numbered datagrams without pause, the other reads them; what arrives counts, by the \
             receiver's clock. How many were lost is beside it as evidence: nothing holds the sender back.",
    confounds: "The sender takes the CPU for datagrams that nobody has room for, so that what arrives may be less than a \
                sender that waits would bring.",
    sources: &[
        (
            "iperf3",
            "-u -b 0: datagrams of 1460 bytes or as asked, lost ones told",
        ),
        ("netperf", "UDP_STREAM: counted at both ends"),
    ],
    points: |_| {
        let sizes = ["1472B", "8KiB"];
        sizes
            .map(|bytes| points::loopback_same().with("bytes", bytes))
            .to_vec()
    },
    // How many are lost nothing here says.
    predict: &[
        "software t0 a datagram's way, nothing lost = {bytes} bytes × 1e9 ns/s / (udp_message × cycle_ns)",
        "let short = [network.round_trip.udp.self path=loopback bytes=64B]",
        "let byte = ([network.round_trip.udp.self path=loopback bytes=8KiB] − short) / {2 * (8192 - 64)} bytes",
        "software t1 a datagram's way and its bytes by one task, nothing lost = \
         1e9 ns/s / (0.5 × short / {bytes} bytes + byte)",
    ],
    evidence: &[
        "answers = 1: every datagram that came had the right length and a number above the one before",
        "datagrams.received_per_sent 0.0001..1: no more came than were sent",
        "steady stream",
        "shares of the CPUs",
    ],
    bounds: &["copies of all cores"],
    run: datagrams::run,
    ..STREAM
};

/// CPU time for bytes.
pub static CPU: Operation = Operation {
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
    points: |_| cpu_points(),
    // Each end copies once, the receiver from memory; the way of a segment is the sender's, which carries it into the
    // receiver's queue. On two CPUs the pages to which the sender copies are those that the receiver has just read.
    predict: &[
        "path=loopback: software t0 half of the copies, pages and segments = 524288 bytes × stream_byte",
        "path=loopback: software t1 one copy of the two, and its pages = 524288 bytes × tcp_byte",
        "path=loopback endpoint=receiver: hardware t1 read from memory = 1048576 bytes × byte_from_memory",
        "cpu=other|sibling|node endpoint=sender: hardware t1 lines that the other CPU has read = 1048576 bytes × \
         byte_of_the_other_cpu",
        "path=loopback endpoint=receiver: software t1 this end's part of a segment's way = {0.25 * 1048576 / 65484} × tcp_way",
        "path=loopback endpoint=sender: software t1 this end's part of a segment's way = {0.75 * 1048576 / 65484} × tcp_way",
        "path=remote: software t1 the same end of a stream within this machine = \
         [network.bandwidth.tcp.cpu path=loopback cpu=other endpoint={endpoint}]",
    ],
    run: |bench| {
        let give = streams::cpu_of_both_ends;
        stream(bench, Way { give, ..Way::RIGHT })
    },
    ..STREAM
};

/// Flows at once: from one to more than most machines have CPUs for on a desk; `cpus=all` of the stream is one for each
/// CPU, however many.
const FLOW_COUNTS: [u64; 4] = [1, 2, 4, 8];

/// Streams by their number.
pub static FLOWS: Operation = Operation {
    id: "network.bandwidth.flows",
    title: "bytes over several TCP flows at once, together",
    one_iteration: "as much as comes in a window of some milliseconds over all flows, while all keep sending",
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
    points: |_| {
        let paths = [points::loopback(), points::remote()].into_iter();
        paths
            .flat_map(|path| FLOW_COUNTS.map(|flows| path.clone().with("flows", flows)))
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
    run: |bench| stream(bench, Way::RIGHT),
    ..STREAM
};

/// Sizes of transfers: what R0 has, every fourth octave.
const SIZES: [&str; 4] = ["2KiB", "64KiB", "1MiB", "32MiB"];

/// Transfers by size.
pub static TRANSFER: Operation = Operation {
    id: "network.bandwidth.transfer",
    revision: 2,
    area: Area::Network,
    title: "a transfer over TCP until the other end says that it has it",
    one_iteration: "write so many bytes, wait for the one byte by which the other process confirms the last of them",
    quantity: Quantity::Bandwidth,
    method: "A connection stands. One process writes a transfer, the other reads all of it and answers by its last byte, \
             which is another one each time. The sender's clock runs from before the first byte is written until the \
             answer is read, so nothing is counted that was not on its way while it ran (E41), and no second clock is \
             needed. Bandwidth is the transfer over this time: for short ones it is a round trip.",
    confounds: "The connection is warm: its window is open. A transfer on a new connection pays for that, too.",
    sources: &[
        (
            "R0",
            "2 KiB to 32 MiB by program to another machine, bytes counted from before the clock (E41)",
        ),
        ("R2", "1 MB ten times, after a first one that is left out"),
        ("netperf", "TCP_RR with a long request: the same, unpinned"),
    ],
    actors: Actors::TwoProcesses,
    how: How::Each,
    points: |_| {
        let paths = [points::loopback_same(), points::remote()];
        let all = |path: Point| SIZES.map(|bytes| path.clone().with("bytes", bytes));
        paths.into_iter().flat_map(all).collect()
    },
    payload_bytes: |point| point.size("bytes").ok(),
    predict: &[
        "let segments = {ceil(bytes / 65484) + 1}",
        "path=loopback: software t0 segments and copies = {bytes} bytes × 1e9 ns/s / ((segments × tcp_message + {bytes} \
         bytes × stream_copy) × cycle_ns)",
        // What does not fit a second cache beside its copy goes by memory.
        "bytes=..2MiB: let byte = tcp_byte",
        "bytes=2097153..: let byte = stream_byte",
        "path=loopback: software t1 segments and bytes by one task, and two hand-offs = {bytes} bytes × 1e9 ns/s / \
         (segments × tcp_way + {bytes} bytes × byte + 2 × [switch.process.eventfd cpu={cpu}])",
        "path=remote: hardware t1 a round trip, and the bytes at a stream's pace = {bytes} bytes × 1e9 ns/s / \
         ([network.round_trip.tcp path=remote bytes=64B] + {bytes} bytes × 1e9 ns/s / [network.bandwidth.tcp path=remote])",
    ],
    evidence: &[
        "answers = 1: every transfer was confirmed by its own last byte",
        "bytes.received_per_sent = 1: the other end read every byte that was written",
        "little was sent again",
        "undisturbed",
    ],
    bounds: &[
        "< 32 bytes/cycle × [clock.frequency clock=core]: no core copies a payload in and out at more than 32 bytes in a cycle",
    ],
    plot: Some(|| Plot::logarithmic("bytes", "bytes of a transfer", Quantity::Size)),
    run: transfers::run,
    ..Operation::NEW
};
