//! What holds a stream back: the CPU of either end, the receiver's window, the room of the sender.

use super::windows::Flow;
use crate::network::workloads::services::{Entry, Ledger};
use measure::{Bench, Point};

/// Counters, of which the analysis makes a sentence; each is a share of the time.
const RECEIVER: &str = "cpu.receiver";
const SENDER: &str = "cpu.sender";
const WINDOW: &str = "limited.window";
const BUFFER: &str = "limited.buffer";

fn has_several(point: &Point) -> bool {
    point.on_all_cpus() || point.get("flows").is_some_and(|flows| flows != "1")
}

/// Tells what the ends had of their CPUs.
pub fn tell_cpus(bench: &mut Bench<'_>, flow: &Flow) {
    if has_several(bench.point()) {
        return;
    }
    for (counter, share) in [RECEIVER, SENDER].into_iter().zip(flow.cpu_shares()) {
        if let Some(share) = share {
            bench.count(counter, share, 1.0);
        }
    }
}

/// Tells what the sender's kernel counted; nothing where it keeps no such count.
pub fn tell_kernel_counts(bench: &mut Bench<'_>, ledger: &Ledger<'_>) {
    let busy = ledger.get(Entry::BusyMicros) as f64;
    if busy > 0.0 {
        bench.count(WINDOW, ledger.get(Entry::WindowMicros) as f64, busy);
        bench.count(BUFFER, ledger.get(Entry::BufferMicros) as f64, busy);
    }
}
