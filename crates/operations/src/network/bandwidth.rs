//! Bytes per second over TCP and UDP: streams by method, and datagrams.

use super::far::{BLOCK, Blocks, Entry, Method, Service};
use super::flows::{self, Flows};
use super::option::{congestion_of, tell_congestion};
use super::windows::{self, Flow, Watch};
use super::{Congestion, Options, Session, limits, points};
use measure::{Actors, Area, Bench, Failure, How, Operation, Placement, Point, Rehearse};
use quantity::Quantity;

/// How long a stream is watched whose ends are on one CPU: it is at its pace within a millisecond.
pub(super) const SPEND_NS: u64 = 60_000_000;

/// A stream over a network is watched so many times longer: blocks come seldom over a slow link, and buffers on the way
/// are full only after a while.
const LONGER_REMOTE: u64 = 6;

/// A stream between two CPUs is watched so many times longer: it comes to its pace within 20 to 60 ms.
const LONGER_APART: u64 = 4;

/// How long a stream of a point is watched.
pub(super) fn spend_of(point: &Point) -> u64 {
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
pub(super) const STREAM: Operation = Operation {
    area: Area::Network,
    one_iteration: "as much as comes in a window of some milliseconds, while the other process keeps sending",
    quantity: Quantity::Bandwidth,
    actors: Actors::TwoProcesses,
    how: How::Values,
    rehearse: Rehearse::Nothing,
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
    evidence: TCP_EVIDENCE,
    bounds: &["copies of all cores"],
    run: run_tcp,
    ..STREAM
};

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
        let sizes = [1_472, 8_192];
        sizes
            .map(|bytes| points::loopback_same().with("bytes", bytes))
            .to_vec()
    },
    // How many are lost nothing here says.
    predict: &[
        "software t0 a datagram's way, nothing lost = {bytes} bytes × 1e9 ns/s / (udp_message × cycle_ns)",
        "software t1 a datagram's way and its bytes by one task, nothing lost = \
         1e9 ns/s / (udp_way / {bytes} bytes + udp_byte)",
    ],
    evidence: &[
        "answers = 1: every datagram that came had the right length and a number above the one before",
        "datagrams.received_per_sent 0.0001..1: no more came than were sent",
        "steady stream",
        "shares of the CPUs",
    ],
    bounds: &["copies of all cores"],
    run: run_udp,
    ..STREAM
};

/// A card sends the program's own pages; what stays on this machine is copied.
pub(super) const TCP_EVIDENCE: &[&str] = &[
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
];

/// Bytes of data in the largest segment over loopback: its MTU of 65 536 less headers and time stamps.
pub(super) const SEGMENT: f64 = 65_484.0;

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

/// The method that the point asks for.
fn method_of(point: &Point) -> Method {
    let name = point.get("method").unwrap_or("plain");
    let found = Method::ALL.into_iter().find(|method| method.name() == name);
    found.unwrap_or(Method::Plain)
}

fn options(point: &Point) -> Options {
    Options {
        no_delay: false,
        congestion: match point.get("congestion") {
            Some("default") => Congestion::Default,
            _ => Congestion::ByLoss,
        },
    }
}

/// Blocks that come before the clock runs, where they are to be counted all the same.
const EARLY: u32 = 100;

/// What may differ from the right way to measure a stream, for methods that are wrong.
pub struct Way<'w> {
    /// The method that is used, if it is another than the point says.
    pub method: Option<Method>,
    /// Done before each block is taken.
    pub before_block: &'w mut dyn FnMut(),
    /// Makes values of a stream.
    pub give: fn(&mut Bench<'_>, &Flow),
    /// Whether bytes count that came before the clock ran.
    pub counts_early: bool,
}

/// Measures the rates of a stream as the point says.
pub(super) fn run_tcp(bench: &mut Bench<'_>) -> Result<(), Failure> {
    run_to(bench, |bench, flow| bench.values(flow.rates.clone()))
}

/// The same for other values of a stream.
pub(super) fn run_to(bench: &mut Bench<'_>, give: fn(&mut Bench<'_>, &Flow)) -> Result<(), Failure> {
    let way = Way {
        method: None,
        before_block: &mut || {},
        give,
        counts_early: false,
    };
    stream(bench, way)
}

/// Whether both ends are on one CPU, and neither waits for a wire, a clock or another flow.
fn is_bound_by_its_cpu(point: &Point) -> bool {
    let is_alone = !point.on_all_cpus() && point.get("flows").is_none();
    let is_here = point.placement() == Some(Placement::Same);
    is_here && is_alone && options(point).congestion == Congestion::ByLoss
}

/// Measures a stream over TCP.
///
/// # Errors
/// When there is no way to the other end, it is lost, or sends something else.
pub fn stream(bench: &mut Bench<'_>, way: Way<'_>) -> Result<(), Failure> {
    let seed = bench.seed();
    let method = way.method.unwrap_or_else(|| method_of(bench.point()));
    let (service, options) = (Service::Source { method, seed }, options(bench.point()));
    let wanted = flows::number(bench.point())?.unwrap_or(1);
    let (session, others) = Session::flows(bench, service, options, wanted)?;
    let beside = Flows::beside(bench, options, others)?;
    let mut blocks = Blocks::new(seed)?;
    let mut right = 0;
    if way.counts_early {
        for _ in 0..EARLY {
            right += u64::from(blocks.take(session.near())?);
        }
    }
    let watch = Watch::new(&session, true);
    let spend = bench.spend_ns();
    let mut flow = bench.watched(|| {
        watch.flow(spend, &mut || {
            (way.before_block)();
            right += u64::from(blocks.take(session.near())?);
            Ok(blocks.taken() * BLOCK as u64 + beside.bytes())
        })
    })?;
    if way.counts_early {
        flow.count_from_the_beginning();
    }
    if is_bound_by_its_cpu(bench.point()) {
        flow.set_shared_aside();
    }
    if !blocks.last_is_right() {
        return Err(Failure::Failed("the last block is not what was sent".to_owned()));
    }
    bench.count("answers", right as f64, blocks.taken() as f64);
    let (flows, elsewhere) = (beside.count() + 1, beside.end()?);
    bench.count("flows.moved", (elsewhere.moved + 1) as f64, flows as f64);
    let received = windows::end(&session, &mut blocks)?;
    let congestion = congestion_of(session.near());
    let ledger = session.join()?;
    tell_congestion(bench, congestion, &ledger);
    let sent = ledger.get(Entry::Bytes);
    windows::tell(bench, &flow, received + elsewhere.received, sent + elsewhere.sent);
    flow.take_usage_of_a_peer(&ledger);
    limits::tell_cpus(bench, &flow);
    limits::tell_kernel_counts(bench, &ledger);
    let again = ledger.get(Entry::Retransmissions) + elsewhere.retransmissions;
    let segments = (sent + elsewhere.sent) as f64 / SEGMENT;
    bench.count("retransmissions", again as f64, segments);
    let (copied, turns) = (ledger.get(Entry::Copied), ledger.get(Entry::Turns));
    bench.count("zerocopy.copied", copied as f64, turns as f64);
    (way.give)(bench, &flow);
    Ok(())
}

fn run_udp(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = u32::try_from(bench.point().number("bytes")?)
        .map_err(|_| Failure::Failed("no datagram is that long".to_owned()))?;
    let session = Session::udp(bench, Service::Datagrams { bytes })?;
    let mut buffer = vec![1; bytes as usize];
    let (mut came, mut right, mut last) = (0_u64, 0_u64, 0);
    let watch = Watch::new(&session, false);
    let spend = bench.spend_ns();
    let flow = bench.watched(|| {
        watch.flow(spend, &mut || {
            session.near().read_all(&mut buffer)?;
            let number = buffer.first_chunk().map_or(0, |first| u64::from_ne_bytes(*first));
            right += u64::from(number > last);
            last = number;
            came += 1;
            Ok(came * u64::from(bytes))
        })
    })?;
    session.ask_to_end()?;
    let ledger = session.join()?;
    bench.count("answers", right as f64, came as f64);
    bench.count(
        "datagrams.received_per_sent",
        came as f64,
        ledger.get(Entry::Turns) as f64,
    );
    windows::tell_pace(bench, &flow);
    limits::tell_cpus(bench, &flow);
    bench.values(flow.rates);
    Ok(())
}
