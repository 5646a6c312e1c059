//! Bandwidth over TCP and UDP: streams by method and number of flows, datagrams, transfers; CPU time per endpoint.

use measure::{Actors, Area, How, Operation, Parameters, Placement, Point, takes};
use quantity::Quantity;
use record::Plot;
use workloads::network::messages::transfers;
use workloads::network::messages::transfers::Transfer;
use workloads::network::points;
use workloads::network::streams::datagrams::{self, Datagrams};
use workloads::network::streams::{self, Stream, StreamCpu, Variant, stream};

/// Measurement time of a stream with both endpoints on one CPU: its rate is steady within a millisecond.
const SPEND_NS: u64 = 60_000_000;

/// Factor for a stream over a network: blocks are rare on a slow link, and buffers take time to fill.
const REMOTE_FACTOR: u64 = 6;

/// Factor for a stream between two CPUs: its rate is steady after 20 to 60 ms.
const TWO_CPUS_FACTOR: u64 = 4;

/// Measurement time of a point.
fn spend_of(point: &Point) -> u64 {
    let factor = if points::is_remote(point) {
        REMOTE_FACTOR
    } else if point.placement().is_some_and(|place| place != Placement::Same) {
        TWO_CPUS_FACTOR
    } else {
        1
    };
    SPEND_NS * factor
}

/// Common to all streams.
const STREAM: Operation = Operation {
    area: Area::Network,
    one_iteration: "bytes received in a window of some milliseconds while the other process sends continuously",
    quantity: Quantity::Bandwidth,
    actors: Actors::TwoProcesses,
    // A network card transmits the program's pages; loopback copies them.
    evidence: &[
        "every block received",
        "same byte count",
        "cpus!=all: bytes.counted_per_given 0.99..1.01 (if consistent): between the snapshots the program counted what the \
         kernel gave it",
        "steady rate",
        "path=loopback method=zerocopy: zerocopy.copied 0.9..64: the kernel reported every call as copied",
        "path=remote method=zerocopy: zerocopy.copied 0..64: the kernel reported every call; near 0: zero copy",
        "few retransmissions",
        "cpus!=all: CPU shares",
        "cpus!=all: sender limits",
    ],
    spend_ns: SPEND_NS,
    spend_of: Some(spend_of),
    ..Operation::VALUES
};

/// A TCP stream.
pub static TCP: Operation = Operation {
    id: "network.bandwidth.tcp",
    revision: 3,
    title: "TCP throughput from another process, 128 KiB writes",
    method: "One process sends 128 KiB blocks of random bytes continuously; the other reads them whole and checks three \
             words of each. The receiver takes clock and byte count together at the end of each window (E41), and its \
             count must equal the kernel's. Windows count once the rate is steady: from the first window within the \
             range of the later half, if it is in the first quarter and the mean from there equals that of the later \
             half. At the end the receiver drains the stream, and both ends must agree on the bytes. With cpu=same, \
             windows in which another program used the CPU are discarded. Between two CPUs a stream is measured four \
             times longer: it is steady after 20 to 60 ms. Loss-based congestion control (cubic, or reno where the user \
             may not choose); congestion=default uses the system's. cpus=all: one flow per CPU with both endpoints on \
             it; a window counts the bytes of all flows.",
    confounds: "Pacing (bbr) persists when congestion control is changed on an established connection: both ends choose it \
                before. With cpu=same sending and receiving add up; on two CPUs they overlap. Loopback has no wire: the \
                cost is two copies and the protocol, and pacing congestion control is slower. MSG_ZEROCOPY falls back \
                to copying on loopback, which the evidence counts. Over path=remote the peer sends.",
    sources: &[
        ("R0, 5.2.3", "transfers of 2 KB to 32 MB; see network.bandwidth.transfer"),
        (
            "R2, 5.2",
            "ten blocks of 1 MB, ten times a round, the first ten of twenty rounds discarded as warm-up",
        ),
        ("R3, 5.3.1", "5 GB, its fastest second by bytes acknowledged (E31)"),
        ("iperf3", "128 KiB at a time, the system's congestion control, unpinned"),
        ("netperf", "TCP_STREAM: the bytes of the sender, whose clock stops when the receiver has closed"),
        ("lmbench", "bw_tcp, unpinned"),
        ("iperf3", "-Z: sendfile"),
        ("netperf", "TCP_SENDFILE: sendfile"),
    ],
    parameters: takes::<Stream>,
    points: &[
        "path=loopback cpu=same|other|sibling|node; path=loopback cpu=other idle=busy|polling; path=loopback cpus=all",
        "path=loopback cpu=same method=sendfile|zerocopy; path=loopback cpu=same congestion=default",
        "path=remote; path=remote method=sendfile|zerocopy",
    ],
    predict: &[
        "let byte = stream_byte",
        "cpus=all: let t0 byte = stream_byte / cpus.allowed",
        "cpus=all: let t1 byte = 1e9 ns/s / [network.bandwidth.tcp path=loopback cpu=same] / cpus.allowed",
        // On two CPUs both ends run in parallel, and every cache line is transferred.
        "cpu=other|sibling|node: let byte = 0.5 × stream_byte + byte_of_the_other_cpu",
        // No copy into the kernel and no page allocation; each page is looked up instead.
        "method=sendfile: let t0 byte = 0.6 × stream_byte",
        "method=sendfile: let t1 byte = 0.5 × tcp_byte + {200 / 4096} cycles/byte (×1.8: a page found in the file's tree, \
         pinned, moved through a pipe, linked to the segment: some 300 instructions) × cycle_ns + tcp_way / 65484 \
         bytes",
        // Copied on loopback, plus pinning and unpinning pages and reading the notification.
        "method=zerocopy: let t0 byte = 1.1 × stream_byte",
        "method=zerocopy: let t1 byte = stream_byte + {150 / 4096} cycles/byte (×1.8: a page of the program pinned \
         and unpinned: some 200 instructions and 2 locked ones) × cycle_ns",
        "path=loopback: software t0 copies, pages and segments = 1e9 ns/s / byte",
        "path=loopback: software t1 bytes and segments, as in one task = 1e9 ns/s / byte",
        // A stream over a network is limited by the link, whose rate is unknown; every method finds the same.
        "path=remote method=*: hardware t1 one plain stream, limited by the link = [network.bandwidth.tcp path=remote]",
    ],
    bounds: &["copies of all cores", "speed of the link"],
    headline: &[("path=loopback cpu=same", "TCP stream, same CPU")],
    run: |bench| stream(bench, Variant::CORRECT),
    ..STREAM
};

/// UDP.
pub static UDP: Operation = Operation {
    id: "network.bandwidth.udp",
    title: "UDP throughput from another process, delivered",
    method: "One process sends numbered datagrams continuously, the other reads them. Delivered bytes count, by the \
             receiver's clock; the share delivered is in the evidence. There is no flow control. batch=: one sendmmsg sends this many \
             datagrams, and one recvmmsg takes those that are there, at most as many. offload=segment: one write has them all, of which \
             the kernel makes datagrams (UDP_SEGMENT), and a read gives those that came together (UDP_GRO).",
    confounds: "The sender uses the CPU for datagrams that are dropped, so that less may be delivered than with a paced \
                sender. On one CPU the receiver is woken by the first datagram of a call and takes it alone: \
                datagrams.received_per_call is near 1 whatever batch= is, and sendmmsg saves the system calls of the sender only. \
                With offload=segment over loopback no datagram is made at all: all pass as one.",
    sources: &[
        ("iperf3", "-u -b 0: datagrams as long as a segment of its control connection, losses reported"),
        ("netperf", "UDP_STREAM: counted at both ends"),
    ],
    parameters: takes::<Datagrams>,
    points: &["path=loopback cpu=same bytes=1472B|8KiB; path=loopback cpu=same bytes=64B|1472B batch=16; \
          path=loopback cpu=same bytes=1472B batch=32 offload=segment"],
    // Losses are not predicted.
    predict: &[
        "offload!=*: software t0 datagrams without loss = {bytes} bytes × 1e9 ns/s / (udp_message × cycle_ns)",
        "let short = [network.round_trip.udp.self path=loopback bytes=64B]",
        "let byte = ([network.round_trip.udp.self path=loopback bytes=8KiB] − short) / {2 * (8192 - 64)} bytes",
        "batch!=*: software t1 datagrams without loss, as in one task = \
         1e9 ns/s / (0.5 × short / {bytes} bytes + byte)",
        "batch=* offload!=*: software t1 the same with calls for several = \
         1e9 ns/s / ((0.5 × short − {2 * (1 - 1 / batch)} × [syscall.floor]) / {bytes} bytes + byte)",
        "offload=*: software t0 one datagram for all, and its bytes = \
         1e9 ns/s / (udp_message × cycle_ns / {bytes * batch} bytes + stream_byte)",
        "offload=*: software t1 one datagram for all, as in one task = 1e9 ns/s / (0.5 × short / {bytes * batch} bytes + byte)",
    ],
    evidence: &DELIVERED,
    bounds: &["copies of all cores"],
    run: datagrams::run,
    ..STREAM
};

/// What is counted of datagrams.
const DELIVERED: [&str; 6] = [
    "answers = 1: every datagram received had the right length and an ascending number",
    "datagrams.received_per_sent 0.0001..1: no more were received than sent",
    "batch=*: datagrams.sent_per_call {0.9 * batch}..{batch}: a call sent several datagrams",
    "offload=segment: datagrams.received_per_call {0.5 * batch}..{batch}: a read gave the datagrams of a write together",
    "steady rate",
    "CPU shares",
];

/// CPU time per datagram.
pub static UDP_CPU: Operation = Operation {
    id: "network.bandwidth.udp.cpu",
    title: "CPU time per UDP datagram delivered, at each endpoint",
    one_iteration: "one datagram of a stream, sent or received; what the sender spends on datagrams that are lost is included",
    quantity: Quantity::Latency,
    method: "As network.bandwidth.udp: CPU time of each process between the first and last counted window, per datagram received.",
    confounds: "Over loopback the sender delivers a datagram into the receiver's queue within its call. The share of lost datagrams is in \
                the evidence.",
    sources: &[("netperf", "-c -C with UDP_STREAM: of the whole machine")],
    parameters: takes::<Datagrams>,
    points: &[
        "path=loopback cpu=same bytes=1472B endpoint=receiver|sender; path=loopback cpu=same bytes=1472B batch=16 \
         endpoint=receiver|sender",
    ],
    predict: &[
        "software t0 half of the way = 0.5 × udp_message × cycle_ns",
        "software t1 the receiver is woken for each = [switch.process.eventfd cpu=same]",
        "let way = 0.5 × [network.round_trip.udp.self path=loopback bytes=64B]",
        "batch!=*: software t1 half of the way, as in one task = 0.5 × way",
        "batch=*: software t1 half of the way, with calls for several = 0.5 × way − {1 - 1 / batch} × [syscall.floor]",
    ],
    evidence: &DELIVERED,
    bounds: &[
        "batch!=*: floor",
        "batch=*: > 100 cycles × cycle_ns: a datagram is copied, and passes a queue",
    ],
    run: datagrams::run_cpu,
    ..STREAM
};

/// CPU time per MiB.
pub static CPU: Operation = Operation {
    id: "network.bandwidth.tcp.cpu",
    revision: 3,
    title: "CPU time per MiB over TCP, at each endpoint",
    one_iteration: "one MiB of a stream, sent or received",
    quantity: Quantity::Latency,
    method: "As network.bandwidth.tcp: CPU time of each process between the first and last counted window, per MiB \
             received; of a peer's thread by its own clock, per MiB sent. Both endpoints are measured together. The one \
             with the larger CPU share limits the stream; if neither is near a whole CPU, they wait for each other.",
    confounds: "Softirq time is charged to the interrupted task: over loopback the sender delivers a segment into the \
                receiver's queue, and the receiver what its acknowledgements release.",
    sources: &[("netperf", "-c -C: of the whole machine"), ("iperf3", "of each endpoint, in percent")],
    parameters: takes::<StreamCpu>,
    points: &["path=loopback cpu=same|other endpoint=receiver|sender; path=remote endpoint=receiver|sender"],
    // Each end copies once, the receiver from memory; the sender processes a segment up to the receiver's queue. On two CPUs the
    // sender copies to pages that the receiver has just read.
    predict: &[
        "path=loopback: software t0 half of the copies, pages and segments = 524288 bytes × stream_byte",
        "path=loopback: software t1 one of two copies, and its pages = 524288 bytes × tcp_byte",
        "path=loopback endpoint=receiver: hardware t1 read from memory = 1048576 bytes × byte_from_memory",
        "cpu=other|sibling|node endpoint=sender: hardware t1 lines last read by the other CPU = 1048576 bytes × \
         byte_of_the_other_cpu",
        "path=loopback endpoint=receiver: software t1 this endpoint's share of the protocol = {0.25 * 1048576 / 65484} × tcp_way",
        "path=loopback endpoint=sender: software t1 this endpoint's share of the protocol = {0.75 * 1048576 / 65484} × tcp_way",
        "path=remote: software t1 the same endpoint over loopback = \
         [network.bandwidth.tcp.cpu path=loopback cpu=other endpoint={endpoint}]",
    ],
    run: |bench| {
        let report = streams::cpu_of_both_ends;
        stream(bench, Variant { report, ..Variant::CORRECT })
    },
    ..STREAM
};

/// Parallel streams.
pub static FLOWS: Operation = Operation {
    id: "network.bandwidth.flows",
    title: "total TCP throughput of parallel flows",
    one_iteration: "bytes received over all flows in a window of some milliseconds while all send continuously",
    method: "As network.bandwidth.tcp with n parallel flows, each between two processes on one CPU: the first on the \
             worker's CPU, the others round-robin on the following ones. A window counts the bytes of all flows. Over \
             path=remote each flow has a process here and a thread of the peer, round-robin on the CPUs; all flows \
             belong to one session.",
    confounds: "Two hardware threads of one core are slower than two cores. Flows that share a CPU alternate by scheduler \
                slices of milliseconds, and a window ends when the worker runs.",
    sources: &[
        ("iperf3", "-P: flows of one process, one thread each since 3.16"),
        ("netperf", "several processes at once, started by a script"),
    ],
    // `cpus=all` of the stream has one for each CPU.
    parameters: takes::<Stream>,
    points: &["path=loopback|remote flows=1|2|4|8"],
    predict: &[
        "let used = min({flows}, cpus.allowed)",
        "path=loopback: software t0 copies, pages and segments per CPU = 1e9 ns/s / (stream_byte / used)",
        "path=loopback: software t1 one flow per CPU in use = \
         [network.bandwidth.tcp path=loopback cpu=same] × used",
        // Over a network all flows together reach what one flow reaches, if that saturates the link.
        "path=remote: hardware t1 one plain stream, limited by the link = [network.bandwidth.tcp path=remote]",
    ],
    // CPU shares of several flows are not added up; over loopback the CPUs are the limit, and a full receive window only means
    // that the receiver waits for its CPU. Flows that share a link find its rate by loss.
    evidence: &[
        "every block received",
        "bytes.received_per_sent = 1: both ends of all flows counted the same bytes",
        "flows.moved = 1 (if consistent): every flow transferred at least a block",
        "steady rate",
        "path=loopback: few retransmissions",
        "path=remote: retransmissions 0..0.5 (noise): the link was shared by loss, not broken: less than half of the \
         segments were retransmitted",
        "flows=1: CPU shares",
        "flows=1: sender limits",
        "path=remote flows!=1: sender limits",
    ],
    bounds: &["copies of all cores", "speed of the link"],
    plot: Some(|| Plot::logarithmic("flows", "parallel flows", Quantity::Count)),
    run: |bench| stream(bench, Variant::CORRECT),
    ..STREAM
};

/// Sizes of transfers: those of R0, 5.2.3, and two between them.
pub const EVERY_SIZE: &str = "profile=thorough: \
                              path=loopback cpu=same bytes=2KiB|8KiB|32KiB|64KiB|128KiB|512KiB|1MiB|2MiB|8MiB|32MiB; \
                              path=remote bytes=2KiB|8KiB|32KiB|64KiB|128KiB|512KiB|1MiB|2MiB|8MiB|32MiB";

/// Transfers.
pub static TRANSFER: Operation = Operation {
    id: "network.bandwidth.transfer",
    revision: 2,
    title: "TCP transfer until the receiver confirms it",
    one_iteration: "write the transfer, wait for the 1-byte confirmation of its last byte",
    quantity: Quantity::Bandwidth,
    method: "Over an established connection one process writes a transfer, the other reads it and replies with its last \
             byte, which differs each time. The sender's clock runs from before the first write until the reply, so only \
             bytes moved within that time count (E41). Bandwidth is the transfer size over this time; short transfers \
             are dominated by the round trip.",
    confounds: "The connection is warm: its congestion window is open, unlike that of a new connection \
                (network.bandwidth.transfer.cold).",
    sources: &[
        (
            "R0, 5.2",
            "2 KB to 32 MB, loopback and remote, the clock started at the first data received, which probably count (E41)",
        ),
        ("R2, 5.2", "ten blocks of 1 MB, ten times a round, the first ten of twenty rounds discarded"),
        ("netperf", "TCP_RR with a long request: the same, unpinned"),
    ],
    actors: Actors::TwoProcesses,
    how: How::Each,
    parameters: takes::<Transfer>,
    points: &[
        "profile!=thorough: path=loopback cpu=same bytes=2KiB|8KiB|32KiB|64KiB|512KiB|1MiB|8MiB|32MiB",
        "profile!=thorough: path=remote bytes=2KiB|8KiB|32KiB|64KiB|512KiB|1MiB|8MiB|32MiB",
        EVERY_SIZE,
    ],
    payload_bytes: |point| Transfer::read(point).ok().map(|all| all.bytes.bytes()),
    predict: &[
        "definitions of a transfer",
        "path=loopback: software t0 segments and copies = {bytes} bytes × 1e9 ns/s / ((segments × tcp_message + {bytes} \
         bytes × stream_copy) × cycle_ns)",
        "path=loopback: software t1 segments and bytes as in one task, two hand-offs = {bytes} bytes × 1e9 ns/s / \
         (segments × tcp_way + {bytes} bytes × byte + 2 × [switch.process.eventfd {placement}])",
        "path=remote: hardware t1 round trip, and bytes at the rate of a stream = {bytes} bytes × 1e9 ns/s / \
         ([network.round_trip.tcp path=remote bytes=64B] + {bytes} bytes × 1e9 ns/s / [network.bandwidth.tcp path=remote])",
    ],
    evidence: &[
        "answers = 1: every transfer was confirmed by its own last byte",
        "bytes.received_per_sent = 1: the receiver read every byte written",
        "few retransmissions",
        "undisturbed",
    ],
    bounds: &[
        "< 32 bytes/cycle × [clock.frequency clock=core]: no core copies a payload in and out at more than 32 bytes per cycle",
        "speed of the link",
    ],
    plot: Some(|| Plot::logarithmic("bytes", "size of a transfer", Quantity::Size)),
    run: transfers::run,
    ..super::COMMON
};
