//! Echo requests that the kernel answers itself.

use super::messages::Messages;
use super::points;
use super::session::unreachable;
use measure::{Area, Bench, Failure, Operation, Work};
use std::net::{IpAddr, Ipv4Addr};
use sys::icmp::Echo;

/// Bytes that ping sends unless asked otherwise.
const BYTES: u64 = 56;

/// Ping.
pub static OPERATION: Operation = Operation {
    id: "network.round_trip.icmp",
    area: Area::Network,
    title: "round trip of an echo request (ping)",
    one_iteration: "send an echo request with 56 bytes, take the answer, compare it",
    method: "A datagram socket for ICMP where net.ipv4.ping_group_range lets the group have one, a raw socket as root \
             otherwise. Every request has other content and a number, and the answer must have both. On loopback the \
             kernel answers within the call that sends: nobody sleeps, no other process is woken.",
    confounds: "It is not what a program sees of a round trip (E42): no other program takes part, so there is no hand-off \
                of the CPU in it, and routers answer it with less haste than they forward.",
    sources: &[
        (
            "ping",
            "prints whole microseconds below a millisecond with three digits; sleeps between requests",
        ),
        ("R0", "ping beside TCP, called its lower bound"),
        ("R2", "ping beside TCP"),
        ("R3", "ping taken as the prediction of TCP (E33)"),
    ],
    points: |_| {
        vec![
            points::loopback().with("bytes", BYTES),
            points::remote().with("bytes", BYTES),
        ]
    },
    // Over a network it is the part itself: nothing here knows the way.
    predict: &[
        "path=loopback: floors(2)",
        "path=loopback: software down and up, twice = path(8500, 36) (×1.6: a request allocated, summed, given headers \
         (1400); down to the interface and up in the softirq (2000); answered: route looked up, copied, summed, sent \
         (2700); up again, socket found, queued (1500); taken, freed (900)) × cycle_ns",
    ],
    evidence: &[
        "answers = 1: every answer had the number and the content of its request",
        "linear",
        "calls: write 1, read 1",
        "path=loopback: switches 0..0.05 (if consistent): the answer was there before it was waited for",
        "path=remote: switches 0..1.5 (if consistent): it was waited for at most once",
        "undisturbed",
    ],
    bounds: &["floors(2)"],
    run,
    ..Operation::NEW
};

/// What would help where no socket for ICMP may be had.
fn may_not(error: sys::Error) -> Failure {
    if error.is_denied() {
        Failure::skipped(
            format!("{error}: this user may not send echo requests"),
            "run as root, or let your group: sysctl net.ipv4.ping_group_range='0 2147483647'",
        )
    } else {
        unreachable(error)
    }
}

/// Whom to ask: this machine, or the peer.
fn destination(bench: &Bench<'_>) -> Result<Ipv4Addr, Failure> {
    if !points::is_remote(bench.point()) {
        return Ok(Ipv4Addr::LOCALHOST);
    }
    match super::remote::address(bench.peer()?)? {
        IpAddr::V4(address) => Ok(address),
        IpAddr::V6(_) => Err(Failure::skipped(
            "the peer is reached by version 6, and ping is sent by version 4",
            "name the peer by its address of version 4",
        )),
    }
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = usize::try_from(bench.point().number("bytes")?).unwrap_or(BYTES as usize);
    let id = std::process::id() as u16;
    let mut echo = Echo::new(destination(bench)?, bytes, id).map_err(may_not)?;
    let mut messages = Messages::new(bytes, bench.seed());
    let mut main = |n| {
        let mut right = 0;
        for _ in 0..n {
            right += u64::from(echo.once(messages.next())?);
        }
        Ok(right)
    };
    bench.batches(Work::alone(&mut main))
}
