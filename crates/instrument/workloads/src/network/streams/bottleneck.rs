//! The bottleneck of a stream: the CPU of either end, the receive window, the send buffer.

use super::stream::Stream;
use super::windows::Flow;
use crate::network::services::{Counter, Counters};
use measure::{Bench, Parameters, Point};

/// Counters that the analysis evaluates; each is a share of the time.
const RECEIVER: &str = "cpu.receiver";
const SENDER: &str = "cpu.sender";
const WINDOW: &str = "limited.window";
const BUFFER: &str = "limited.buffer";

fn has_parallel_flows(point: &Point) -> bool {
    let flows = Stream::read(point).ok().and_then(|stream| stream.flows);
    point.on_all_cpus() || flows.is_some_and(|flows| flows != 1)
}

/// Counts the CPU shares of both ends.
pub fn count_cpus(bench: &mut Bench<'_>, flow: &Flow) {
    if has_parallel_flows(bench.point()) {
        return;
    }
    for (counter, share) in [RECEIVER, SENDER].into_iter().zip(flow.cpu_shares()) {
        if let Some(share) = share {
            bench.count(counter, share, 1.0);
        }
    }
}

/// Counts the sender limits of the kernel, where it keeps them.
pub fn count_sender_limits(bench: &mut Bench<'_>, counters: &Counters<'_>) {
    let busy = counters.get(Counter::BusyMicros) as f64;
    if busy > 0.0 {
        bench.count(WINDOW, counters.get(Counter::WindowMicros) as f64, busy);
        bench.count(BUFFER, counters.get(Counter::BufferMicros) as f64, busy);
    }
}
