//! Streams, measured in windows.

pub mod acknowledged;
mod bottleneck;
pub mod datagrams;
pub mod first_data;
mod flows;
mod stream;
mod windows;

pub use flows::receive_blocks;
pub use stream::Stream;
pub use windows::Flow;

use super::services::{BLOCK, Blocks, Counter, Method, Service};
use super::session::{SEGMENT, Session};
use crate::network::points;
use flows::Flows;
use measure::{Bench, Failure, Placement, Result, choice, parameters};
use windows::{WINDOWS, Watch};

/// Blocks received before the clock starts, in the method that counts them.
const EARLY: u32 = 100;

/// A variant of the measurement of a stream, for flawed methods and sabotages.
pub struct Variant<'w> {
    /// The sending method, if not that of the point.
    pub method: Option<Method>,
    /// Called before each block is received.
    pub before_block: Option<&'w mut dyn FnMut()>,
    /// Reports the values.
    pub report: fn(&mut Bench<'_>, &Flow),
    /// Whether bytes received before the clock started count.
    pub counts_early: bool,
    /// Windows of the trial's time.
    pub windows: usize,
}

impl Variant<'_> {
    /// The correct one: the rates of all windows.
    pub const CORRECT: Self = Self {
        method: None,
        before_block: None,
        report: |bench, flow| bench.values(flow.rates.clone()),
        counts_early: false,
        windows: WINDOWS,
    };
}

/// Whether both ends share one CPU and wait for no wire, timer or other flow.
fn is_cpu_bound(bench: &Bench<'_>, parameters: Stream) -> bool {
    let is_single = !bench.point().on_all_cpus() && parameters.flows.is_none();
    let is_on_one_cpu = bench.point().placement() == Some(Placement::Same);
    is_on_one_cpu && is_single && parameters.congestion.is_none()
}

/// Measures a stream over TCP.
///
/// # Errors
/// When the server cannot be reached, is lost, or sends wrong data.
pub fn stream(bench: &mut Bench<'_>, mut variant: Variant<'_>) -> Result<()> {
    let seed = bench.seed();
    let parameters: Stream = bench.parameters()?;
    let method = variant.method.unwrap_or(parameters.method);
    let (service, options) = (Service::Source { method, seed }, parameters.options());
    let wanted = parameters.flows.unwrap_or(1) as usize;
    let (session, others) = Session::flows(bench, service, options, wanted)?;
    let others = Flows::start(bench, options, others)?;
    let mut blocks = Blocks::new(seed)?;
    let mut correct = 0;
    if variant.counts_early {
        for _ in 0..EARLY {
            correct += u64::from(blocks.take(session.client())?);
        }
    }
    let watch = Watch::new(&session, true);
    let spend = bench.spend_ns();
    let before_block = &mut variant.before_block;
    let windows = variant.windows;
    let mut flow = bench.watched(|| {
        watch.flow(spend, windows, &mut || {
            if let Some(before_block) = before_block {
                before_block();
            }
            correct += u64::from(blocks.take(session.client())?);
            Ok(blocks.taken() * BLOCK as u64 + others.bytes())
        })
    })?;
    if variant.counts_early {
        flow.count_from_the_beginning();
    }
    if is_cpu_bound(bench, parameters) {
        flow.discard_shared();
    }
    Failure::unless(blocks.last_is_correct(), "the last block has wrong content")?;
    bench.count("answers", correct as f64, blocks.taken() as f64);
    let (flows, totals) = (others.count() + 1, others.end()?);
    bench.count("flows.moved", (totals.moved + 1) as f64, flows as f64);
    let received = windows::end(&session, &mut blocks)?;
    let counters = session.join_and_count(bench)?;
    let sent = counters.get(Counter::Bytes);
    windows::count(bench, &flow, received + totals.received, sent + totals.sent);
    flow.set_peer_usage(&counters);
    bottleneck::count_cpus(bench, &flow);
    bottleneck::count_sender_limits(bench, &counters);
    let retransmitted = counters.get(Counter::Retransmissions) + totals.retransmissions;
    let segments = (sent + totals.sent) as f64 / SEGMENT;
    bench.count("retransmissions", retransmitted as f64, segments);
    let (copied, turns) = (counters.get(Counter::Copied), counters.get(Counter::Turns));
    bench.count("zerocopy.copied", copied as f64, turns as f64);
    (variant.report)(bench, &flow);
    Ok(())
}

choice! {
    /// An end of a stream.
    pub enum Endpoint {
        /// That receives.
        Receiver = "receiver",
        /// That sends.
        Sender = "sender",
    }
}

parameters! {
    /// The CPU time of a stream.
    pub struct StreamCpu {
        /// Whose.
        endpoint: Endpoint,
    }
}

/// Reports the CPU time of both endpoints.
pub fn cpu_of_both_ends(bench: &mut Bench<'_>, flow: &Flow) {
    let mib = (1 << 20) as f64;
    let base = points::path_of(bench.point());
    for (endpoint, nanos) in Endpoint::ALL.iter().zip(flow.cpu_per_byte()) {
        bench.value_or_absent(
            base.clone().with("endpoint", endpoint.name()),
            nanos.map(|nanos| nanos * mib),
            "the CPU time of this endpoint cannot be read",
            "allow clock_gettime for CPU-time clocks",
        );
    }
}
