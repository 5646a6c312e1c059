//! Transfers of one size, each confirmed when its last byte has come.

use super::bandwidth::SEGMENT;
use super::far::{Entry, Service, put};
use super::messages::Messages;
use super::option::{congestion_of, tell_congestion};
use super::{Options, Session, points};
use measure::{Actors, Area, Bench, Failure, How, Operation, Point};
use quantity::Quantity;
use record::Plot;
use sys::tcp_info;

/// Sizes of transfers in bytes: what R0 has, every fourth octave.
const SIZES: [u64; 4] = [2 << 10, 64 << 10, 1 << 20, 32 << 20];

/// Transfers by size.
pub static OPERATION: Operation = Operation {
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
    payload_bytes: |point| point.number("bytes").ok(),
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
         ([network.round_trip.tcp path=remote bytes=64] + {bytes} bytes × 1e9 ns/s / [network.bandwidth.tcp path=remote])",
    ],
    evidence: &[
        "answers = 1: every transfer was confirmed by its own last byte",
        "bytes.received_per_sent = 1: the other end read every byte that was written",
        "little was sent again",
        "undisturbed",
    ],
    bounds: &[
        "< 32 bytes/cycle × [clock.frequency of=core]: no core copies a payload in and out at more than 32 bytes in a cycle",
    ],
    plot: Some(|| Plot::logarithmic("bytes", "bytes of a transfer", Quantity::Size)),
    run,
    ..Operation::NEW
};

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let bytes = bench.point().number("bytes")?;
    let session = Session::tcp(bench, Service::Confirm { bytes }, Options::MESSAGES)?;
    let mut messages = Messages::new(usize::try_from(bytes).unwrap_or(usize::MAX), bench.seed());
    let mut sent = 0;
    bench.each_beside(session.far_clock(), &mut || {
        let message = messages.next();
        put(session.near(), message)?;
        let mut answer = [0];
        session.near().read_all(&mut answer)?;
        sent += message.len() as u64;
        Ok(u64::from(Some(&answer[0]) == message.last()))
    })?;
    let info = tcp_info::read(session.near())?;
    let congestion = congestion_of(session.near());
    sys::inet::end_sending(session.near())?;
    let ledger = session.join()?;
    tell_congestion(bench, congestion, &ledger);
    bench.count(
        "bytes.received_per_sent",
        ledger.get(Entry::Bytes) as f64,
        sent as f64,
    );
    let segments = (sent as f64 / SEGMENT).max(1.0);
    bench.count("retransmissions", f64::from(info.retransmissions), segments);
    Ok(())
}
