//! Dependent loads from memory while the other CPUs read at full rate, at half rate or not at all.

use crate::memory::LINE;
use crate::threads::Threads;
use measure::{Bench, Failure, Result, choice, parameters};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use sys::bandwidth::{Action, Blocks, Content, Method};
use sys::chase::{Cycle, LOADS, Order};
use sys::clock::Clock;
use sys::memory::Mapping;

/// Bytes of each actor's memory.
pub const MEMORY: usize = 64 << 20;
/// Bytes of a block, and of all readers' memory at most.
const BLOCK: usize = 64 << 10;
const ALL_READERS: usize = 448 << 20;

/// State shared by the readers and the measuring thread.
struct Readers {
    threads: Threads,
    quit: AtomicBool,
    /// Ticks of all readers spent reading, and in total.
    busy: AtomicU64,
    all: AtomicU64,
}

/// A turn longer than the shortest by this factor was interrupted and does not count as load; its batch is discarded
/// for missing CPU time.
const INTERRUPTED: i64 = 8;

impl Readers {
    fn new(readers: usize) -> Self {
        Self {
            threads: Threads::new(readers),
            quit: AtomicBool::default(),
            busy: AtomicU64::default(),
            all: AtomicU64::default(),
        }
    }

    /// Reads until `quit`; with `pauses`, each pause is as long as the read before it.
    fn read(&self, index: usize, made: Result<Blocks>, pauses: bool) {
        let Some(mut blocks) = self.threads.ready(made) else {
            return;
        };
        let (clock, mut shortest) = (Clock::select(), i64::MAX);
        let (mut busy, mut all) = (0, 0);
        while !self.quit.load(Ordering::Acquire) {
            self.threads.barrier.arrive(index);
            let start = clock.start();
            std::hint::black_box(blocks.run(1));
            let read = clock.stop();
            let took = read - start;
            shortest = shortest.min(took);
            // Time without the CPU was not spent reading: no pause for it.
            let until = read + if pauses { took.min(INTERRUPTED * shortest) } else { 0 };
            while clock.start() < until {
                std::hint::spin_loop();
            }
            let turn = clock.stop() - start;
            if turn < 2 * INTERRUPTED * shortest {
                busy += took;
                all += turn;
            }
        }
        self.busy.fetch_add(busy.unsigned_abs(), Ordering::AcqRel);
        self.all.fetch_add(all.unsigned_abs(), Ordering::AcqRel);
    }
}

choice! {
    /// What the other CPUs do.
    pub enum OtherCpus {
        /// Nothing.
        Idle = "idle",
        /// They read half of the time.
        Half = "half",
        /// They read all the time.
        Full = "full",
    }
}

parameters! {
    /// Dependent loads under load.
    pub struct LoadedLatency {
        /// What the other CPUs do.
        load: OtherCpus,
    }
}

/// Dependent loads while the other CPUs read at the load of the point.
///
/// # Errors
/// When a reader cannot be made.
pub fn chase_beside_readers(bench: &mut Bench<'_>) -> Result<()> {
    let load = bench.parameters::<LoadedLatency>()?.load;
    let (own, seed) = (bench.cpu(), bench.seed());
    let mut others = sys::cpu::allowed_before_pinning()?;
    others.retain(|&cpu| Some(cpu) != own && load != OtherCpus::Idle);
    run_with_readers(bench, &others, load == OtherCpus::Half, seed)
}

/// Dependent loads while readers run on these CPUs.
fn run_with_readers(bench: &mut Bench<'_>, others: &[u32], pauses: bool, seed: u64) -> Result<()> {
    let size = (ALL_READERS / others.len().max(1)).min(MEMORY) / BLOCK * BLOCK;
    let readers = Readers::new(others.len());
    let quit = || readers.quit.store(true, Ordering::Release);
    sys::thread::beside_all(
        others,
        |index, pinned| {
            let made = pinned.map_err(Failure::from).and_then(|()| {
                let seed = seed ^ ((index as u64 + 1) << 32);
                let made = Blocks::new(Action::Read, Method::Widest, (size, BLOCK), Content::Random, seed)?;
                made.ok_or_else(|| Failure::failed("the processor has no vector instructions"))
            });
            readers.read(index, made, pauses);
        },
        quit,
        || {
            let result = chase(bench, &readers);
            quit();
            result
        },
    )??;
    let (busy, all) = (&readers.busy, &readers.all);
    let all = all.load(Ordering::Acquire).max(1);
    bench.count("load.share", busy.load(Ordering::Acquire) as f64, all as f64);
    Ok(())
}

fn chase(bench: &mut Bench<'_>, readers: &Readers) -> Result<()> {
    let mut mapping = Mapping::private(MEMORY)?;
    mapping.touch(bench.seed());
    let order = Order::Random(bench.seed());
    let cycle = Cycle::link(&mut mapping, 0, MEMORY / LINE, LINE, order);
    let mut cycle = cycle.ok_or_else(|| Failure::failed("the cycle does not fit into the mapping"))?;
    // Meanwhile the readers populate their memory.
    readers.threads.wait()?;
    readers.threads.batches(bench, LOADS, &mut |n| Ok(cycle.walk(n / LOADS)))
}
