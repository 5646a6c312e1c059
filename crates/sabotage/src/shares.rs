//! Shares of CPUs and of time that are of another interval: what the witnesses of what bounds a stream must catch.

use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Point};
use std::time::Instant;
use sys::usage::CpuClock;
use workloads::network::options::Options;
use workloads::network::services::{BLOCK, Blocks, Counter, Counters, Method, Service};
use workloads::network::session::Session;

/// Blocks of the stream, of which the last tenth is timed.
const ALL: u32 = 200;
const TIMED: u32 = ALL / 10;

/// The mistake of all of them.
const MISTAKE: &str = "what was used since the stream began is divided by the time of its last tenth (E41)";

/// The reported time of the whole stream, in nanoseconds.
#[derive(Clone, Copy)]
enum Whole {
    Receiver,
    Sender,
    /// The time with data in flight.
    Busy,
}

impl Whole {
    /// Read when the stream is over.
    fn nanos(self, cpu: [Option<i64>; 2], counters: &Counters<'_>) -> f64 {
        let [receiver, sender] = cpu.map(|nanos| nanos.unwrap_or(0) as f64);
        match self {
            Self::Receiver => receiver,
            Self::Sender => sender,
            Self::Busy => counters.get(Counter::BusyMicros) as f64 * 1e3,
        }
    }
}

/// Moves a stream, and tells a share of its whole by the time of its last tenth.
fn by_its_last_tenth(bench: &mut Bench<'_>, counter: &str, whole: Whole) -> Result<(), Failure> {
    let (method, seed) = (Method::Plain, bench.seed());
    let session = Session::tcp(bench, Service::Source { method, seed }, Options::MESSAGES)?;
    let mut blocks = Blocks::new(seed)?;
    let mut right = 0;
    let mut timed = Instant::now();
    for left in (0..ALL).rev() {
        right += u32::from(blocks.take(session.client())?);
        if left == TIMED {
            timed = Instant::now();
        }
    }
    let nanos = timed.elapsed().as_nanos() as f64;
    let far = session.server_clock().and_then(CpuClock::nanos);
    let cpu = [CpuClock::THREAD.nanos(), far];
    session.ask_to_end()?;
    let received = u64::from(ALL) * BLOCK as u64 + blocks.drain(session.client())?;
    let counters = session.join()?;
    bench.count("answers", f64::from(right), f64::from(ALL));
    let sent = counters.get(Counter::Bytes) as f64;
    bench.count("bytes.received_per_sent", received as f64, sent);
    bench.count("bytes.counted_per_given", 1.0, 1.0);
    bench.count("steady", 1.0, 1.0);
    bench.count("retransmissions", 0.0, 1.0);
    bench.count(counter, whole.nanos(cpu, &counters), nanos);
    bench.values(vec![1e9; 15]);
    Ok(())
}

fn plain() -> Vec<Point> {
    vec![Point::only().with("path", "loopback").with("cpu", "same")]
}

const STREAM: Sabotage =
    Sabotage { of: "network.bandwidth.tcp", points: |_| plain(), mistake: MISTAKE, ..Sabotage::NEW };

/// CPU time of the receiver.
pub static RECEIVER: Sabotage = Sabotage {
    id: "sabotage.network.receivers_cpu",
    caught_by: Caught::By("cpu.receiver"),
    run: |bench| by_its_last_tenth(bench, "cpu.receiver", Whole::Receiver),
    ..STREAM
};

/// CPU time of the sender.
pub static SENDER: Sabotage = Sabotage {
    id: "sabotage.network.senders_cpu",
    caught_by: Caught::By("cpu.sender"),
    run: |bench| by_its_last_tenth(bench, "cpu.sender", Whole::Sender),
    ..STREAM
};

/// Time in which the window held data back.
pub static WINDOW: Sabotage = Sabotage {
    id: "sabotage.network.window",
    caught_by: Caught::By("limited.window"),
    run: |bench| by_its_last_tenth(bench, "limited.window", Whole::Busy),
    ..STREAM
};

/// Time in which there was no room for data.
pub static BUFFER: Sabotage = Sabotage {
    id: "sabotage.network.buffer",
    caught_by: Caught::By("limited.buffer"),
    run: |bench| by_its_last_tenth(bench, "limited.buffer", Whole::Busy),
    ..STREAM
};
