//! A message to another program and back, over TCP, UDP and Unix sockets; and the same calls by one task.

use super::echo::{Echo, Kind};
use super::far::{Entry, QUIT, Service};
use super::option::{congestion_of, tell_congestion};
use super::points::SMALL;
use super::{Options, Session, points};
use crate::os::exchange::{self, UnixStreams};
use measure::{Actors, Area, Bench, Failure, Operation, Point, Work};
use sys::inet;
use sys::tcp_info::{self, TcpInfo};
use sys::usage::Usage;

const ROUND_TRIP: Operation = Operation {
    area: Area::Network,
    one_iteration: "send a message, take the one that the other process sends back, compare it",
    confounds: "Placement is everything: on another CPU both ends are woken from idle, which says more of the CPU than \
                of the network. Loopback has no card, no interrupt and no wire: the sender's own CPU carries the \
                message into the receiver's queue before its call returns. Tools report half of a round trip (sockperf, \
                qperf) or the whole (netperf).",
    actors: Actors::TwoProcesses,
    revision: 2,
    ..Operation::NEW
};

/// A message of 64 bytes at every placement, other sizes on one CPU, and once by version 6.
fn sizes(others: &[u64]) -> Vec<Point> {
    let small = |point: Point| point.with("bytes", SMALL);
    let mut all: Vec<Point> = points::loopback_placements().into_iter().map(small).collect();
    all.extend(
        others
            .iter()
            .map(|bytes| points::loopback_same().with("bytes", bytes)),
    );
    all.push(small(points::loopback_same()).with("family", 6));
    all.push(small(points::remote()));
    all.extend(others.iter().map(|bytes| points::remote().with("bytes", bytes)));
    all
}

/// Over TCP.
pub static TCP: Operation = Operation {
    id: "network.round_trip.tcp",
    revision: 3,
    title: "round trip of a message over TCP",
    method: "A connection between two processes, TCP_NODELAY set at both ends and looked up afterwards. Each message \
             begins otherwise than the one before and is compared byte by byte when it comes back. One segment with \
             data must go each way, and none twice: TCP_INFO counts them.",
    sources: &[
        (
            "R0",
            "64 bytes to another machine, TCP_NODELAY not set (its reference method is beside)",
        ),
        ("R2", "56 bytes, beside ping"),
        ("R3", "one byte, timed by tcpdump until the acknowledgement (E42)"),
        ("netperf", "TCP_RR: one byte, unpinned unless asked"),
        ("sockperf", "ping-pong: half of the round trip"),
        ("lmbench", "lat_tcp, unpinned"),
    ],
    points: |_| sizes(&[1, 1024, 16_384, 65_536]),
    predict: &[
        "path=loopback: t0 messages of one task(tcp_message)",
        "path=loopback: t0 hand-offs between processes(2)",
        // On the line through the two sizes of one task; what does not fit one segment takes the way through the protocol
        // again.
        "let short = [network.round_trip.tcp.self path=loopback bytes=64]",
        "let long = [network.round_trip.tcp.self path=loopback bytes=16384]",
        "bytes=..64: let alone = short",
        "bytes=16384: let alone = long",
        "bytes=65..16383: let alone = short + {(bytes - 64) / (16384 - 64)} × (long − short)",
        "bytes=16385..: let alone = short + {(bytes - 64) / (16384 - 64)} × (long − short) + {ceil(bytes / 65484) - 1} × \
         short",
        "path=loopback: software t1 the calls of both sides and the protocol, by one task = alone",
        "path=loopback: software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
        "path=remote: t1 round trip over the network([network.round_trip.tcp path=loopback cpu=same bytes={bytes}])",
    ],
    // Half of the window with which a connection begins is one segment that comes by one read. On every wire a segment has
    // 1 220 bytes: the least MTU of version 6 less headers. A long message goes and comes in as many pieces as the wire makes
    // of it.
    evidence: &[
        "path=loopback bytes=..32768: round trips on one machine(2.2, 2, 2)",
        "path=loopback bytes=..32768: segments(1)",
        "path=loopback bytes=..32768: nothing was sent again",
        "path=loopback bytes=32769..: round trips on one machine(12, 8, 12)",
        "path=loopback bytes=32769..: segments(6)",
        "path=loopback bytes=32769..: little was sent again",
        "path=remote: every message came back",
        "path=remote bytes=..1220: calls: write 1, read 1",
        "path=remote bytes=..1220: sleeps of the near end(1.5)",
        "path=remote bytes=1221..: sleeps of the near end(128)",
        "path=remote: segments({ceil(bytes / 1220) + 1})",
        "path=remote: nothing was sent again",
        "no_delay = 1: both ends sent small segments at once: TCP_NODELAY was set",
    ],
    bounds: &["calls of a round trip"],
    run: run_tcp,
    ..ROUND_TRIP
};

/// Over UDP.
pub static UDP: Operation = Operation {
    id: "network.round_trip.udp",
    title: "round trip of a message over UDP",
    method: "Two connected UDP sockets of two processes. Each datagram begins otherwise than the one before and is \
             compared byte by byte when it comes back; one that is lost ends the trial, for nobody sends it again.",
    sources: &[
        ("netperf", "UDP_RR: one byte, unpinned unless asked"),
        ("sockperf", "ping-pong: half of the round trip"),
        ("lmbench", "lat_udp, unpinned"),
    ],
    points: |_| sizes(&[1, 1024, 8_192]),
    predict: &[
        "path=loopback: t0 messages of one task(udp_message)",
        "path=loopback: t0 hand-offs between processes(2)",
        "let short = [network.round_trip.udp.self path=loopback bytes=64]",
        "let long = [network.round_trip.udp.self path=loopback bytes=8192]",
        "bytes=..64: let alone = short",
        "bytes=8192: let alone = long",
        "bytes=65..8191: let alone = short + {(bytes - 64) / (8192 - 64)} × (long − short)",
        "path=loopback: software t1 the calls of both sides and the protocol, by one task = alone",
        "path=loopback: software t1 two hand-offs = 2 × [switch.process.eventfd cpu={cpu}]",
        "path=remote: t1 round trip over the network([network.round_trip.udp path=loopback cpu=same bytes={bytes}])",
        // A frame of Ethernet carries 1 480 bytes of a datagram and its header of eight.
        "path=remote bytes=1473..: software t1 further fragments of the datagram, there and back = \
         {2 * (ceil((bytes + 8) / 1480) - 1)} × path(3000, 18) (×1.8: a fragment allocated, filled, given headers (900); \
         through IP, the queue of the interface and up again in the softirq (1500); held until the others have come (600)) \
         × cycle_ns",
    ],
    evidence: &[
        "path=loopback: round trips on one machine(2.2, 2, 2)",
        "path=remote: every message came back",
        "path=remote: calls: write 1, read 1",
        "path=remote: sleeps of the near end(1.5)",
    ],
    bounds: &["calls of a round trip"],
    run: run_udp,
    ..ROUND_TRIP
};

/// Over Unix stream sockets.
pub static UNIX: Operation = Operation {
    id: "network.round_trip.unix",
    title: "round trip of a message over a pair of Unix stream sockets",
    method: "As network.round_trip.tcp over two connected Unix stream sockets, which spares the protocols: what is \
             between the two is what TCP and IP cost.",
    sources: &[("lmbench", "lat_unix, unpinned")],
    points: |_| vec![points::loopback_same().with("bytes", SMALL)],
    predict: &[
        "hand-offs between processes(2)",
        "t0 floors(4)",
        "software t0 what the calls do = 2 × unix_message × cycle_ns",
        "software t1 the same with one byte = [ipc.unix_stream.round_trip cpu=same]",
    ],
    evidence: &[
        "every word came back",
        "switches of both sides(1.6, 4.2)",
        "calls of both sides: write 2, read 2",
        "processes(2)",
        "placed",
        "undisturbed",
    ],
    bounds: &["floors(4)"],
    run: exchange::round_trips::<UnixStreams>,
    ..ROUND_TRIP
};

/// Bytes up to which a message is one segment and comes by one read: half of the window with which a connection
/// begins.
const ONE_SEGMENT: u64 = 32_768;

/// What TCP_INFO counted over so many round trips.
pub(super) fn tell_segments(bench: &mut Bench<'_>, before: TcpInfo, after: TcpInfo, turns: u64, far: u64) {
    let turns = turns as f64;
    let counts = [
        ("segments.out", after.data_segments_out - before.data_segments_out),
        ("segments.in", after.data_segments_in - before.data_segments_in),
        (
            "segments.without_data",
            (after.segments_out - before.segments_out)
                .saturating_sub(after.data_segments_out - before.data_segments_out),
        ),
    ];
    for (counter, count) in counts {
        bench.count(counter, f64::from(count), turns);
    }
    // Of several segments on their way the last is sent again when its acknowledgement is late, lost or not (RFC 8985).
    let is_probed = bench
        .point()
        .number("bytes")
        .is_ok_and(|bytes| bytes > ONE_SEGMENT);
    bench.count(
        "retransmissions",
        f64::from(after.retransmissions) + far as f64,
        if is_probed { turns } else { 1.0 },
    );
}

pub(super) fn length(bench: &Bench<'_>) -> Result<u32, Failure> {
    u32::try_from(bench.point().number("bytes")?)
        .map_err(|_| Failure::Failed("no message is that long".to_owned()))
}

/// Batches of round trips with a service that echoes.
fn echoes(bench: &mut Bench<'_>, session: &Session, echo: &mut Echo<'_>) -> Result<(), Failure> {
    // Both the round trips and the question use the near end, one after the other.
    let echo = std::cell::RefCell::new(echo);
    let mut main = |n| echo.borrow_mut().round_trips(n);
    // A peer's usage is not asked for.
    let mut others = || -> Result<Usage, Failure> { echo.borrow_mut().usage(session.ledger()) };
    let others: Option<&mut dyn FnMut() -> Result<Usage, Failure>> = match session.is_remote() {
        true => None,
        false => Some(&mut others),
    };
    bench.batches(Work {
        main: &mut main,
        before: None,
        control: None,
        multiple_of: 1,
        cpu: session.clocks(),
        side_by_side: false,
        others,
    })
}

fn run_tcp(bench: &mut Bench<'_>) -> Result<(), Failure> {
    tcp_with(bench, Options::MESSAGES)
}

/// Round trips over TCP with these options.
///
/// # Errors
/// When there is no way to the other end, or it is lost.
pub fn tcp_with(bench: &mut Bench<'_>, options: Options) -> Result<(), Failure> {
    let bytes = length(bench)?;
    let session = Session::tcp(bench, Service::EchoStream { bytes }, options)?;
    let mut echo = Echo::new(session.near(), Kind::Stream, bytes as usize, bench.seed());
    // The first one is over before anything is counted: the far end is there and has chosen its options.
    echo.round_trips(1)?;
    let (before, began) = (tcp_info::read(session.near())?, echo.turns());
    echoes(bench, &session, &mut echo)?;
    let after = tcp_info::read(session.near())?;
    let turns = echo.turns() - began;
    bench.count(
        "no_delay",
        f64::from(u8::from(inet::no_delay(session.near())?)),
        1.0,
    );
    let congestion = congestion_of(session.near());
    inet::end_sending(session.near())?;
    let ledger = session.join()?;
    tell_congestion(bench, congestion, &ledger);
    tell_segments(bench, before, after, turns, ledger.get(Entry::Retransmissions));
    Ok(())
}

fn run_udp(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = length(bench)?;
    let session = Session::udp(bench, Service::EchoDatagrams { bytes })?;
    let mut echo = Echo::new(session.near(), Kind::Datagrams, bytes as usize, bench.seed());
    echoes(bench, &session, &mut echo)?;
    session.near().write_all(&[QUIT])?;
    session.join().map(|_| ())
}
