//! A cache line that two threads on two CPUs transfer back and forth.

use measure::{Bench, Failure, Result, Work, choice, parameters};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::memory::Mapping;
use sys::usage::CpuClock;

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

choice! {
    /// How a line is taken.
    pub enum Taking {
        /// By a compare-and-swap.
        Cas = "cas",
        /// By a load and a store.
        Store = "store",
    }
}

parameters! {
    /// Round trips of a cache line.
    pub struct CacheLine {
        /// How it is taken.
        method: Taking,
    }
}

/// Times round trips of a line between the CPU of the caller and that of the point.
///
/// # Errors
/// When no thread can be made, or the other one is lost.
pub fn round_trips(bench: &mut Bench<'_>) -> Result<()> {
    let swap = bench.parameters::<CacheLine>()?.method == Taking::Cas;
    let (page, turns) = (Mapping::private(1)?, AtomicU64::new(0));
    let Some(word) = page.words().first() else {
        return Err(Failure::failed("mmap gave no page"));
    };
    let mut even = 0;
    sys::thread::beside(
        bench.peer_cpu(),
        || {
            let mut odd = 1;
            while turn(word, odd, swap).is_ok() {
                odd += 2;
            }
            turns.store(odd / 2, Ordering::Release);
        },
        || {
            let result = bench.batches(Work {
                cpu: vec![CpuClock::PROCESS],
                ..Work::new(&mut |n| {
                    for _ in 0..n {
                        if let Err(seen) = turn(word, even, swap) {
                            let reason = format!("the line did not come back: {seen} for {even}");
                            return Err(Failure::Failed(reason));
                        }
                        even += 2;
                    }
                    Ok(n)
                })
            });
            // The last turn is the other thread's: it must be over before QUIT.
            for _ in 0..MAX_POLLS {
                if result.is_err() || word.load(Ordering::Acquire) == even {
                    break;
                }
            }
            word.store(QUIT, Ordering::Release);
            result
        },
    )??;
    bench.count("line.handed_back", turns.load(Ordering::Acquire) as f64, (even / 2) as f64);
    Ok(())
}
