//! Both halves of a round trip by one task, which is the round trip without the switches.

use super::echo::{Kind, receive, send};
use super::messages::Messages;
use super::points::SMALL;
use super::round_trip::{length, tell_segments};
use super::session::unreachable;
use super::{Options, points};
use measure::{Area, Bench, Failure, Operation, Point};
use sys::descriptor::Descriptor;
use sys::{inet, tcp_info};

const ALONE: Operation = Operation {
    area: Area::Network,
    one_iteration: "one message there and one back by the same task, which has both ends: four calls",
    confounds: "Nobody waits and nobody is woken; the acknowledgement of the one travels with the other, as it does \
                between two processes.",
    sources: &[(
        "netperf",
        "none: it does not take the calls apart from the switches",
    )],
    evidence: &[
        "answers = 1: every message came as it went, byte by byte, each after the one before",
        "linear",
        "calls: write 2, read 2",
        "undisturbed",
    ],
    bounds: &["floors(4)"],
    ..Operation::NEW
};

/// TCP by one task.
pub static TCP_SELF: Operation = Operation {
    id: "network.round_trip.tcp.self",
    revision: 2,
    title: "both halves of a round trip over TCP in one task",
    method: "A task has both ends of a connection over loopback: it writes at one and reads at the other, then the \
             other way. It is the round trip without the switches.",
    points: |_| alone(16_384),
    predict: &[
        "bytes=..64: messages of one task(tcp_message)",
        "bytes=65..: t0 messages of one task(tcp_message)",
        "bytes=65..: software t1 the same with a short message = [network.round_trip.tcp.self path=loopback bytes=64]",
        "bytes=65..: software t1 copies, and pages for them = socket_copies({bytes - 64}) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every message came as it went, byte by byte, each after the one before",
        "linear",
        "calls: write 2, read 2",
        "undisturbed",
        "segments(1)",
        "nothing was sent again",
    ],
    run: run_tcp_alone,
    ..ALONE
};

/// UDP by one task.
pub static UDP_SELF: Operation = Operation {
    id: "network.round_trip.udp.self",
    title: "both halves of a round trip over UDP in one task",
    method: "A task has two connected UDP sockets: it writes at one and reads at the other, then the other way. It is \
             the round trip without the switches.",
    points: |_| alone(8_192),
    predict: &[
        "bytes=..64: messages of one task(udp_message)",
        "bytes=65..: t0 messages of one task(udp_message)",
        "bytes=65..: software t1 the same with a short message = [network.round_trip.udp.self path=loopback bytes=64]",
        "bytes=65..: software t1 copies, and pages for them = socket_copies({bytes - 64}) × cycle_ns",
    ],
    run: run_udp_alone,
    ..ALONE
};

fn alone(longer: u64) -> Vec<Point> {
    [SMALL, longer]
        .map(|bytes| points::loopback().with("bytes", bytes))
        .to_vec()
}

/// Messages that one task sends and takes, in both directions in turns.
fn by_one_task(
    bench: &mut Bench<'_>,
    kind: Kind,
    near: &Descriptor,
    far: &Descriptor,
) -> Result<u64, Failure> {
    let mut messages = Messages::new(length(bench)? as usize, bench.seed());
    let mut into = vec![1; messages.bytes()];
    let mut turns = 0;
    bench.slope(&mut |n| {
        let mut right = 0;
        for _ in 0..n {
            let mut both = true;
            for (from, to) in [(near, far), (far, near)] {
                let message = messages.next();
                send(from, kind, message)?;
                receive(to, kind, &mut into)?;
                both &= into == message;
            }
            right += u64::from(both);
        }
        turns += n;
        Ok(right)
    })?;
    Ok(turns)
}

fn run_tcp_alone(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let listener = Options::MESSAGES.listen(false).map_err(unreachable)?;
    let near = Options::MESSAGES
        .connect(listener.address())
        .map_err(unreachable)?;
    let far = listener.accept()?;
    let before = tcp_info::read(&near)?;
    let turns = by_one_task(bench, Kind::Stream, &near, &far)?;
    let (after, again) = (tcp_info::read(&near)?, tcp_info::read(&far)?.retransmissions);
    tell_segments(bench, before, after, turns, u64::from(again));
    inet::reset_when_closed(&near)?;
    Ok(())
}

fn run_udp_alone(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let pair = inet::udp_pair(false).map_err(unreachable)?;
    by_one_task(bench, Kind::Datagrams, &pair.near, &pair.far).map(|_| ())
}
