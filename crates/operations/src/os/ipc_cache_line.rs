//! A cache line that two CPUs transfer back and forth.

use measure::{Actors, Area, Bench, Failure, Operation, Point, Work};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::memory::Mapping;
use sys::usage::CpuClock;

/// A round trip of a cache line.
pub static ROUND_TRIP: Operation = Operation {
    id: "ipc.cache_line.round_trip",
    area: Area::Os,
    title: "round trip of a cache line between two CPUs",
    one_iteration: "one increment of a shared word by each of two threads: two transfers of the line",
    method: "Two threads on two CPUs alternately increment a word on a page of its own, one at even values, the other at \
             odd ones. method=cas: both retry compare-and-swap; method=store: each polls by loads until its turn, then \
             stores. The loops have no PAUSE. The other thread counts its turns.",
    confounds: "Two virtual CPUs may share a core or not, and that may change at run time: modes between trials are real. A \
                PAUSE in the polling loop, as in spin locks, changes the result.",
    sources: &[
        ("core-to-core-latency", "compare-and-swap between all pairs, one way"),
        ("lmbench", "the line ping-pong of its latest additions"),
        ("stress-ng", "--cacheline, --c2clat"),
    ],
    actors: Actors::TwoThreads,
    points: |_| Point::all("cpu=other|sibling|node method=cas|store"),
    predict: &[
        "cpu!=sibling: let transfer = family.l3_cycles × 1.5 (×1.5: L3 finds the line in the other \
         core and requests it)",
        "cpu=sibling: let transfer = 40 cycles (×2: a machine clear after a sibling's store to a line that \
         was read ahead: 20 to 60 cycles)",
        "method=cas: hardware t0 transfers of the line = 2 × transfer × cycle_ns",
        // With stores each side requests the line twice: for reading, and for ownership.
        "method=store: hardware t0 transfers of the line = 4 × transfer × cycle_ns",
        "method=store: hardware t1 transfers of the line = [ipc.cache_line.round_trip cpu={cpu} method=cas] \
         × 1.4 (×1.5: from 1, where ownership is requested with the read, to 2, as on a Zen 5 (41 to \
         56 ns one way against 21 to 25))",
    ],
    evidence: &[
        "answers = 1: the other thread had incremented the word every time",
        "linear",
        "line.handed_back = 1: the other thread made every second step, so the line changed its owner",
        "placed",
        "undisturbed",
    ],
    bounds: &[
        "> 20 cycles × cycle_ns: two locked operations or two L1 misses take longer on every processor",
    ],
    rehearse: measure::Rehearse::Nothing,
    run: |bench| {
        let peer = bench.peer_cpu();
        between(bench, peer)
    },
    spend_ns: 10_000_000,
    ..Operation::NEW
};

/// The value that ends the other thread; no count reaches it.
const QUIT: u64 = u64::MAX;

/// Most polls for one turn: several seconds.
const MAX_POLLS: u64 = 1 << 32;

/// Increments the word from `from`; gives its value if it never was `from`.
#[inline(always)]
fn turn(word: &AtomicU64, from: u64, swap: bool) -> Result<(), u64> {
    let mut seen = from;
    for _ in 0..MAX_POLLS {
        if swap {
            match word.compare_exchange(from, from + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Ok(()),
                Err(now) => seen = now,
            }
        } else {
            seen = word.load(Ordering::Acquire);
            if seen == from {
                word.store(from + 1, Ordering::Release);
                return Ok(());
            }
        }
        if seen == QUIT {
            break;
        }
    }
    Err(seen)
}

/// Times round trips between the CPU of the caller and another.
///
/// # Errors
/// When no thread can be made, or the other one is lost.
pub fn between(bench: &mut Bench<'_>, peer: Option<u32>) -> Result<(), Failure> {
    let swap = bench.point().get("method") == Some("cas");
    let (page, turns) = (Mapping::private(1)?, AtomicU64::new(0));
    let Some(word) = page.words().first() else {
        return Err(Failure::Failed("mmap gave no page".to_owned()));
    };
    let respond = || {
        let mut odd = 1;
        while turn(word, odd, swap).is_ok() {
            odd += 2;
        }
        turns.store(odd / 2, Ordering::Release);
    };
    let mut even = 0;
    sys::thread::beside(peer, respond, || {
        let mut main = |n| {
            for _ in 0..n {
                if let Err(seen) = turn(word, even, swap) {
                    let reason = format!("the line did not come back: {seen} for {even}");
                    return Err(Failure::Failed(reason));
                }
                even += 2;
            }
            Ok(n)
        };
        let result = bench.batches(Work { cpu: vec![CpuClock::PROCESS], ..Work::new(&mut main) });
        // The last turn is the other thread's: it must be over before QUIT.
        for _ in 0..MAX_POLLS {
            if result.is_err() || word.load(Ordering::Acquire) == even {
                break;
            }
        }
        word.store(QUIT, Ordering::Release);
        result
    })??;
    bench.count("line.handed_back", turns.load(Ordering::Acquire) as f64, (even / 2) as f64);
    Ok(())
}
