//! Shares of CPU and of time over the wrong interval: what the witnesses of a stream's bottleneck must catch.

use crate::sabotage::give;
use crate::{Caught, Sabotage};
use measure::{Bench, Result};
use std::time::Instant;
use sys::usage::CpuClock;
use workloads::network::options::Options;
use workloads::network::services::{BLOCK, Blocks, Counter, Method, Service};
use workloads::network::session::Session;

/// Blocks of the stream, of which the last tenth is timed.
const ALL_BLOCKS: u32 = 200;
const TIMED: u32 = ALL_BLOCKS / 10;

/// What a stream used since it began, in nanoseconds, and the time of its last tenth.
pub(crate) struct Usage {
    receiver: f64,
    sender: f64,
    /// The time with data in flight.
    busy: f64,
    last_tenth: f64,
}

/// Moves a stream to its end, and tells what is right with it.
pub(crate) fn move_stream(bench: &mut Bench<'_>) -> Result<Usage> {
    let (method, seed) = (Method::Plain, bench.seed());
    let session = Session::tcp(bench, Service::Source { method, seed }, Options::MESSAGES)?;
    let mut blocks = Blocks::new(seed)?;
    let mut right = 0;
    let mut timed = Instant::now();
    for left in (0..ALL_BLOCKS).rev() {
        right += u32::from(blocks.take(session.client())?);
        if left == TIMED {
            timed = Instant::now();
        }
    }
    let last_tenth = timed.elapsed().as_nanos() as f64;
    let [receiver, sender] = [Some(CpuClock::THREAD), session.server_clock()]
        .map(|clock| clock.and_then(CpuClock::nanos).unwrap_or(0) as f64);
    session.ask_to_end()?;
    let received = u64::from(ALL_BLOCKS) * BLOCK as u64 + blocks.drain(session.client())?;
    let counters = session.join()?;
    let busy = counters.get(Counter::BusyMicros) as f64 * 1e3;
    bench.count("answers", f64::from(right), f64::from(ALL_BLOCKS));
    bench.count("bytes.received_per_sent", received as f64, counters.get(Counter::Bytes) as f64);
    let counts = [("bytes.counted_per_given", 1.0), ("steady", 1.0), ("retransmissions", 0.0)];
    give(bench, &counts, vec![1e9; 15])?;
    Ok(Usage { receiver, sender, busy, last_tenth })
}

/// Tells a share of the whole stream by the time of its last tenth.
fn by_its_last_tenth(bench: &mut Bench<'_>, counter: &str, whole: fn(&Usage) -> f64) -> Result<()> {
    let usage = move_stream(bench)?;
    bench.count(counter, whole(&usage), usage.last_tenth);
    Ok(())
}

const STREAM: Sabotage = Sabotage {
    of: "network.bandwidth.tcp path=loopback cpu=same",
    mistake: "what was used since the stream began is divided by the time of its last tenth (E41)",
    ..Sabotage::NEW
};

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.network.receivers_cpu",
        caught_by: Caught::By("cpu.receiver"),
        run: |bench| by_its_last_tenth(bench, "cpu.receiver", |usage| usage.receiver),
        ..STREAM
    },
    Sabotage {
        id: "sabotage.network.senders_cpu",
        caught_by: Caught::By("cpu.sender"),
        run: |bench| by_its_last_tenth(bench, "cpu.sender", |usage| usage.sender),
        ..STREAM
    },
    Sabotage {
        id: "sabotage.network.window",
        caught_by: Caught::By("limited.window"),
        run: |bench| by_its_last_tenth(bench, "limited.window", |usage| usage.busy),
        ..STREAM
    },
    Sabotage {
        id: "sabotage.network.buffer",
        caught_by: Caught::By("limited.buffer"),
        run: |bench| by_its_last_tenth(bench, "limited.buffer", |usage| usage.busy),
        ..STREAM
    },
];
