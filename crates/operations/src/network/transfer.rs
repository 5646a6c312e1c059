//! Transfers of one size, each confirmed when its last byte has come.

use super::bandwidth::few_retransmissions;
use super::far::{Entry, Service, put};
use super::messages::Messages;
use super::option::{congestion_of, tell_congestion};
use super::parts::{SEGMENT, TCP as TCP_PARTS};
use super::stream_parts::byte_of_a_stream;
use super::{Options, Session, points};
use crate::os::exchange::hand_off;
use measure::{Actors, Area, Bench, Failure, How, Operation, Point, measured_cycle, term};
use measure::{counted, told_cycles, undisturbed, work_done};
use quantity::Quantity;
use record::{Bound, Formula, Plot, Prediction, Side, Witness};
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
    computed_prediction: predict,
    computed_witnesses: witnesses,
    computed_bounds: |_| {
        vec![Bound {
            lower: false,
            formula: Formula::exactly(32.0 * 1e9).over(measured_cycle()),
            because: "no core copies a payload in and out at more than 32 bytes in a cycle".to_owned(),
        }]
    },
    plot: Some(|| Plot::logarithmic("bytes", "bytes of a transfer", Quantity::Size)),
    run,
    ..Operation::NEW
};

fn witnesses(_: &Point) -> Vec<Witness> {
    let mut all = work_done("every transfer was confirmed by its own last byte");
    let proves = "the other end read every byte that was written";
    all.extend(counted("bytes.received_per_sent", 1.0, 1.0, proves));
    all.push(few_retransmissions());
    all.extend(undisturbed());
    all
}

/// To another machine: a round trip and the bytes at the rate of a stream, both as measured.
fn predict_remote(bytes: f64) -> Prediction {
    let trip = Formula::part(
        "network.round_trip.tcp",
        &points::remote().with("bytes", 64).text(),
    );
    let rate = Formula::part("network.bandwidth.tcp", &points::remote().text());
    let nanos = trip.plus(Formula::exactly(bytes * 1e9).over(rate));
    let name = "a round trip, and the bytes at a stream's pace";
    Prediction {
        from_facts: Vec::new(),
        from_parts: vec![term(
            Side::Hardware,
            name,
            Formula::exactly(bytes * 1e9).over(nanos),
        )],
    }
}

fn predict(point: &Point) -> Prediction {
    let bytes = points::bytes(point);
    if points::is_remote(point) {
        return predict_remote(bytes);
    }
    let segments = (bytes / SEGMENT).ceil() + 1.0;
    let copies = Formula::cited(
        2.0 / 8.0,
        2.0,
        "rep movsb from the second cache into pages that come from the last: 6 to 12 bytes a cycle, each way",
    );
    let cycles = TCP_PARTS
        .message
        .formula()
        .times(segments)
        .plus(copies.times(bytes));
    let told = told_cycles(cycles);
    // What does not fit a second cache beside its copy goes by memory.
    let byte = if bytes > (2 << 20) as f64 {
        byte_of_a_stream()
    } else {
        TCP_PARTS.byte()
    };
    let parts = TCP_PARTS
        .way()
        .times(segments)
        .plus(byte.times(bytes))
        .plus(hand_off(point, "switch.process.eventfd", 2.0).formula);
    let rate = |name: &str, nanos: Formula| {
        vec![term(
            Side::Software,
            name,
            Formula::exactly(bytes * 1e9).over(nanos),
        )]
    };
    Prediction {
        from_facts: rate("segments and copies", told),
        from_parts: rate("segments and bytes by one task, and two hand-offs", parts),
    }
}

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
