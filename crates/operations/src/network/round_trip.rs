//! A message to another program and back, over TCP, UDP and Unix sockets; and the same calls by one task.

use super::bandwidth::few_retransmissions;
use super::echo::{Echo, Kind};
use super::far::{Entry, QUIT, Service};
use super::option::{congestion_of, tell_congestion};
use super::parts::{Protocol, SMALL, TCP as TCP_PARTS, UDP as UDP_PARTS, at_least};
use super::remote_parts::over_the_network;
use super::{Options, Session, points};
use crate::os::exchange::{self, Expected, UnixStreams, expected};
use measure::work_done;
use measure::{Actors, Area, Bench, Failure, Operation, Point, Work, counted, if_consistent};
use record::{Origin, Prediction, Witness};
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

/// What is expected of the near end alone, whose other end is on another machine.
fn by_the_near_end(calls: &[(&'static str, f64)]) -> Vec<Witness> {
    let mut all = work_done("every message came back as it went, byte by byte, each after the one before");
    // A long message goes and comes in as many pieces as the wire makes of it.
    if !calls.is_empty() {
        all.extend(measure::calls(calls));
    }
    let most = if calls.is_empty() { 128.0 } else { 1.5 };
    let proves = "the near end slept only until its answer came";
    // Whoever serves the network device may take the CPU from it besides.
    all.extend(if_consistent(counted("switches.voluntary", 0.0, most, proves)));
    all
}

/// The prediction of a protocol, by the path of the point.
fn predict(point: &Point, parts: &Protocol, operation: &str) -> Prediction {
    match points::is_remote(point) {
        true => over_the_network(point, parts, operation),
        false => parts.predict(point),
    }
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
    computed_prediction: |point| predict(point, &TCP_PARTS, "network.round_trip.tcp"),
    computed_witnesses: tcp_witnesses,
    computed_bounds: at_least,
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
    computed_prediction: |point| predict(point, &UDP_PARTS, "network.round_trip.udp"),
    computed_witnesses: |point| match points::is_remote(point) {
        true => by_the_near_end(&[("write", 1.0), ("read", 1.0)]),
        false => in_turns(point, &[("write", 2.0, 2.0), ("read", 2.0, 2.0)], (1.95, 2.2)),
    },
    computed_bounds: at_least,
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
    computed_bounds: at_least,
    run: exchange::round_trips::<UnixStreams>,
    ..ROUND_TRIP
};

fn in_turns(point: &Point, calls: &'static [(&'static str, f64, f64)], switches: (f64, f64)) -> Vec<Witness> {
    let all = Expected {
        calls,
        switches,
        processes: 2,
        linear: true,
    };
    expected(point, &all)
}

/// Bytes up to which a message is one segment and comes by one read: half of the window with which a connection
/// begins.
const ONE_SEGMENT: f64 = 32_768.0;

/// Bytes that fit a segment on every wire: the least MTU of version 6 less headers.
const ONE_WIRE_SEGMENT: f64 = 1_220.0;

fn tcp_witnesses(point: &Point) -> Vec<Witness> {
    let mut all = if points::is_remote(point) {
        let mut all = match points::bytes(point) > ONE_WIRE_SEGMENT {
            true => by_the_near_end(&[]),
            false => by_the_near_end(&[("write", 1.0), ("read", 1.0)]),
        };
        all.extend(segments((points::bytes(point) / ONE_WIRE_SEGMENT).ceil() + 1.0));
        all
    } else if points::bytes(point) > ONE_SEGMENT {
        let mut all = in_turns(point, &[("write", 2.0, 8.0), ("read", 2.0, 12.0)], (1.95, 12.0));
        all.extend(segments(6.0));
        all.retain(|witness| witness.counter != "retransmissions");
        all.push(few_retransmissions());
        all
    } else {
        let mut all = in_turns(point, &[("write", 2.0, 2.0), ("read", 2.0, 2.0)], (1.95, 2.2));
        all.extend(segments(1.0));
        all
    };
    let proves = "both ends sent small segments at once: TCP_NODELAY was set";
    all.extend(counted("no_delay", 1.0, 1.0, proves));
    all
}

/// One segment with data each way, up to `most`, and none sent again.
pub(super) fn segments(most: f64) -> Vec<Witness> {
    let there = "each message went as a segment of its own";
    let back = "each answer came as a segment of its own, and none was kept or invented";
    let mut all = if_consistent(counted("segments.out", 0.999, most + 0.001, there));
    all.extend(if_consistent(counted("segments.in", 0.999, most + 0.001, back)));
    all.push(no_retransmissions());
    all
}

/// No segment was sent twice.
pub fn no_retransmissions() -> Witness {
    Witness {
        counter: "retransmissions".to_owned(),
        origin: Origin::Trial,
        low: 0.0,
        high: 0.0,
        positive: false,
        proves: "no segment was lost and sent again".to_owned(),
        breach: record::Breach::Noise,
    }
}

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
    let is_probed = points::bytes(bench.point()) > ONE_SEGMENT;
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
