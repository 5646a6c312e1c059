//! What holds a stream back: the CPU of either end, the receiver's window, the room of the sender.

use super::far::{Entry, Ledger};
use super::points;
use super::windows::Flow;
use measure::{Bench, Point};
use record::{Origin, Witness};

/// Counters, of which the analysis makes a sentence; each is a share of the time.
const RECEIVER: &str = "cpu.receiver";
const SENDER: &str = "cpu.sender";
const WINDOW: &str = "limited.window";
const BUFFER: &str = "limited.buffer";

/// A share of one CPU or of the time may be off by what two clocks differ.
const MOST: f64 = 1.1;

fn share(counter: &str, proves: &str) -> Witness {
    Witness {
        counter: counter.to_owned(),
        origin: Origin::Trial,
        low: 0.0,
        high: MOST,
        positive: false,
        proves: proves.to_owned(),
        breach: record::Breach::IfConsistent,
    }
}

/// Shares of CPU time of both ends of one flow.
pub fn of_cpus() -> [Witness; 2] {
    [
        share(RECEIVER, "the receiver had no more than one CPU"),
        share(SENDER, "the sender had no more than one CPU"),
    ]
}

/// All of them, of a stream over TCP. Of several flows nobody adds up the CPUs, which are what bounds those within this
/// machine, where a window that is full only says that the receiver waits for its CPU.
pub fn of_a_stream(point: &Point) -> Vec<Witness> {
    if has_several(point) && !points::is_remote(point) {
        return Vec::new();
    }
    let cpus = of_cpus().into_iter().filter(|_| !has_several(point));
    let held_back = [
        share(
            WINDOW,
            "the receiver's window held data back for no more than all of the time, by the sender's kernel",
        ),
        share(
            BUFFER,
            "the sender's socket lacked room for no more than all of the time, by its kernel",
        ),
    ];
    cpus.chain(held_back).collect()
}

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
