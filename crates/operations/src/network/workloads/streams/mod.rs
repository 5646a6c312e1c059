//! Streams that are watched while they flow.

mod bottleneck;
pub mod datagrams;
mod flows;
mod windows;

pub use windows::Flow;

use super::options::{Congestion, Options};
use super::services::{BLOCK, Blocks, Entry, Method, Service};
use super::session::{SEGMENT, Session};
use crate::network::points;
use flows::Flows;
use measure::{Bench, Failure, Placement, Point};
use windows::Watch;

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
    pub before_block: Option<&'w mut dyn FnMut()>,
    /// Makes values of a stream.
    pub give: fn(&mut Bench<'_>, &Flow),
    /// Whether bytes count that came before the clock ran.
    pub counts_early: bool,
}

impl Way<'_> {
    /// The right one: the rates of all windows.
    pub const RIGHT: Self = Self {
        method: None,
        before_block: None,
        give: |bench, flow| bench.values(flow.rates.clone()),
        counts_early: false,
    };
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
pub fn stream(bench: &mut Bench<'_>, mut way: Way<'_>) -> Result<(), Failure> {
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
            if let Some(before_block) = &mut way.before_block {
                before_block();
            }
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
    let ledger = session.join_and_tell(bench)?;
    let sent = ledger.get(Entry::Bytes);
    windows::tell(bench, &flow, received + elsewhere.received, sent + elsewhere.sent);
    flow.take_usage_of_a_peer(&ledger);
    bottleneck::tell_cpus(bench, &flow);
    bottleneck::tell_kernel_counts(bench, &ledger);
    let again = ledger.get(Entry::Retransmissions) + elsewhere.retransmissions;
    let segments = (sent + elsewhere.sent) as f64 / SEGMENT;
    bench.count("retransmissions", again as f64, segments);
    let (copied, turns) = (ledger.get(Entry::Copied), ledger.get(Entry::Turns));
    bench.count("zerocopy.copied", copied as f64, turns as f64);
    (way.give)(bench, &flow);
    Ok(())
}

/// The two ends of a stream, as they are called in points.
pub const ENDS: [&str; 2] = ["receiver", "sender"];

/// Gives the CPU time of both ends.
pub fn cpu_of_both_ends(bench: &mut Bench<'_>, flow: &Flow) {
    let mib = (1 << 20) as f64;
    let mut place = points::remote();
    if !points::is_remote(bench.point()) {
        place = points::loopback().with("cpu", bench.point().get("cpu").unwrap_or("same"));
    }
    for (end, nanos) in ENDS.into_iter().zip(flow.cpu_of_a_byte()) {
        let point = place.clone().with("endpoint", end);
        match nanos {
            Some(nanos) => bench.values_at(point, vec![nanos * mib]),
            None => bench.absent(
                point,
                "the CPU time of this end cannot be read",
                "allow clock_gettime for CPU-time clocks",
            ),
        }
    }
}
