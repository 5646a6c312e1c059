//! Memory latency while the other CPUs read at full rate, at half rate or not at all.

use measure::{Area, Bench, Failure, Operation, Point, Rehearse};
use record::{Gate, Need, Profile};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use sys::bandwidth::{Action, Blocks, Content, Method};
use sys::chase::{Cycle, LOADS, Order};
use sys::clock::Clock;
use sys::memory::Mapping;
use workloads::memory::LINE;
use workloads::memory::threads::Threads;

/// Dependent loads from memory under load.
pub static LATENCY: Operation = Operation {
    id: "memory.loaded_latency",
    area: Area::Memory,
    title: "dependent load from 64 MiB while the other CPUs read memory",
    one_iteration: "one load whose address is the result of the previous load",
    method: "A random cycle through 64 MiB as in memory.latency, while a thread on every other CPU reads its own 64 MiB \
             with the widest vectors: load=full continuously, load=half with pauses as long as the reads, load=idle \
             not at all. Each thread measures its share of time spent reading.",
    confounds: "The load depends on the bandwidth of the other CPUs (memory.bandwidth.read cpus=all). A process that is \
                allowed few of the machine's CPUs cannot saturate its memory channels.",
    sources: &[
        ("Intel Memory Latency Checker", "--loaded_latency: injected delays between reads"),
        ("Arm ASCT", "latency under load"),
    ],
    gate: Gate {
        // Sibling hardware threads are busy by design.
        shared_core: None,
        ..Operation::GATE
    },
    rehearse: Rehearse::Nothing,
    points: |profile| {
        Point::all(match profile {
            Profile::Quick => "load=full",
            _ => "load=idle|half|full",
        })
    },
    needs: |point| {
        let bytes = MEMORY as u64;
        match point.get("load") {
            Some("idle") => vec![Need::Memory { bytes }],
            _ => vec![Need::SecondCpu, Need::Pinning, Need::Memory { bytes: 8 * bytes }],
        }
    },
    predict: &[
        "let t0 idle = family.memory_ns",
        "let t1 idle = [memory.latency page_size=4KiB bytes=64MiB]",
        "let waits(factor, within) = {factor} (×{within}: curves of latency over load are flat at half of the bandwidth and \
         rise to twice at all of it; one CPU of many is far from that (Intel Memory Latency Checker))",
        "load=idle: hardware loaded latency = idle × waits(1, 1.05)",
        "load=half: hardware loaded latency = idle × waits(1.1, 1.15)",
        "load=full: hardware loaded latency = idle × waits(1.3, 1.3)",
    ],
    evidence: &[
        "answers = 1: every load was executed",
        "load=idle: load.share = 0 (if consistent): the other CPUs spent this share of the time reading",
        "load=half: load.share 0.3..0.7 (if consistent): the other CPUs spent this share of the time reading",
        "load=full: load.share 0.9..1 (if consistent): the other CPUs spent this share of the time reading",
        "undisturbed loop",
    ],
    bounds: &["register"],
    run,
    spend_ns: 12_000_000,
    ..Operation::NEW
};

/// Bytes of each actor's memory, of a block, and of all readers' memory at most.
const MEMORY: usize = 64 << 20;
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
    fn read(&self, index: usize, made: Result<Blocks, Failure>, pauses: bool) {
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

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let load = bench.point().get("load").unwrap_or("idle").to_owned();
    let (own, seed) = (bench.cpu(), bench.seed());
    let mut others = sys::cpu::allowed_before_pinning()?;
    others.retain(|&cpu| Some(cpu) != own && load != "idle");
    run_with_readers(bench, &others, load == "half", seed)
}

/// Dependent loads while readers run on these CPUs.
pub fn run_with_readers(
    bench: &mut Bench<'_>,
    others: &[u32],
    pauses: bool,
    seed: u64,
) -> Result<(), Failure> {
    let size = (ALL_READERS / others.len().max(1)).min(MEMORY) / BLOCK * BLOCK;
    let readers = Readers::new(others.len());
    let read = |index: usize, pinned: sys::Result<()>| {
        let memory = || {
            pinned?;
            let seed = seed ^ ((index as u64 + 1) << 32);
            let made = Blocks::new(Action::Read, Method::Widest, (size, BLOCK), Content::Random, seed)?;
            made.ok_or_else(|| Failure::Failed("the processor has no vector instructions".to_owned()))
        };
        readers.read(index, memory(), pauses);
    };
    let quit = || readers.quit.store(true, Ordering::Release);
    sys::thread::beside_all(others, read, quit, || {
        let result = chase(bench, &readers);
        quit();
        result
    })??;
    let (busy, all) = (&readers.busy, &readers.all);
    let all = all.load(Ordering::Acquire).max(1);
    bench.count("load.share", busy.load(Ordering::Acquire) as f64, all as f64);
    Ok(())
}

fn chase(bench: &mut Bench<'_>, readers: &Readers) -> Result<(), Failure> {
    let mut mapping = Mapping::private(MEMORY)?;
    mapping.touch(bench.seed());
    let order = Order::Random(bench.seed());
    let cycle = Cycle::link(&mut mapping, 0, MEMORY / LINE, LINE, order);
    let mut cycle =
        cycle.ok_or_else(|| Failure::Failed("the cycle does not fit into the mapping".to_owned()))?;
    // Meanwhile the readers populate their memory.
    readers.threads.wait()?;
    let mut main = |n: u64| Ok(cycle.walk(n / LOADS));
    readers.threads.batches(bench, LOADS, &mut main)
}
