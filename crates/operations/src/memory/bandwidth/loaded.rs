//! Latency of memory while the other CPUs read as much as they can, half as much, or nothing.

use crate::memory::workloads::helpers::Helpers;
use measure::{Area, Bench, Failure, Operation, Point, Rehearse};
use record::{Gate, Need, Profile};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use sys::bandwidth::{Action, Blocks, Content, Method};
use sys::chase::{Cycle, LOADS, Order};
use sys::clock::Clock;
use sys::memory::Mapping;

/// A load from memory, each waiting for the one before, beside busy CPUs.
pub static LATENCY: Operation = Operation {
    id: "memory.loaded_latency",
    area: Area::Memory,
    title: "load from memory while the other CPUs read",
    one_iteration: "one load whose address is what the load before it gave",
    method: "A random cycle through 64 MiB as in memory.latency, while a thread on every other CPU reads 64 MiB of \
             its own by the widest vectors: with load=full without pause, with load=half as long as it then waits, \
             with load=idle not at all. The threads time their own reading.",
    confounds: "What the other CPUs can read decides how heavy the load is: memory.bandwidth.read with cpus=all says \
                how much that is. A machine with few of many CPUs to use does not fill its memory's channels.",
    sources: &[
        (
            "Intel Memory Latency Checker",
            "--loaded_latency: by delay between reads",
        ),
        ("Arm ASCT", "latency under load"),
    ],
    gate: Gate {
        // The others are busy by design, on whatever hardware threads they are.
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
        "load=idle: hardware a load and its wait for others = idle × waits(1, 1.05)",
        "load=half: hardware a load and its wait for others = idle × waits(1.1, 1.15)",
        "load=full: hardware a load and its wait for others = idle × waits(1.3, 1.3)",
    ],
    evidence: &[
        "answers = 1: every load was done",
        "load=idle: load.share = 0 (if consistent): the other CPUs read for the share of time that is said",
        "load=half: load.share 0.3..0.7 (if consistent): the other CPUs read for the share of time that is said",
        "load=full: load.share 0.9..1 (if consistent): the other CPUs read for the share of time that is said",
        "linear",
        "undisturbed",
        "no new pages",
    ],
    bounds: &["register"],
    run,
    spend_ns: 12_000_000,
    ..Operation::NEW
};

/// Memory of each actor in bytes, of its blocks, and of all readers together at most.
const MEMORY: usize = 64 << 20;
const BLOCK: usize = 64 << 10;
const ALL_READERS: usize = 448 << 20;

/// Bytes in a line.
const LINE: usize = 64;

/// What the readers share with the leader.
struct Readers {
    helpers: Helpers,
    quit: AtomicBool,
    /// Ticks spent reading and in all, of all readers.
    busy: AtomicU64,
    all: AtomicU64,
}

/// A turn longer than the shortest by this factor was interrupted: the batch beside it is set aside for the CPU
/// time that is missing, and the turn does not count as load.
const INTERRUPTED: i64 = 8;

impl Readers {
    fn new(readers: usize) -> Self {
        Self {
            helpers: Helpers::new(readers),
            quit: AtomicBool::default(),
            busy: AtomicU64::default(),
            all: AtomicU64::default(),
        }
    }

    /// Reads until told to end; `rests` says whether it waits as long as it read.
    fn read(&self, index: usize, made: Result<Blocks, Failure>, rests: bool) {
        let Some(mut blocks) = self.helpers.arrive(made) else {
            return;
        };
        let (clock, mut usual) = (Clock::select(), i64::MAX);
        let (mut busy, mut all) = (0, 0);
        while !self.quit.load(Ordering::Acquire) {
            self.helpers.muster.answer(index);
            let start = clock.start();
            std::hint::black_box(blocks.run(1));
            let read = clock.stop();
            let took = read - start;
            usual = usual.min(took);
            // A reader that lost its CPU is not to rest for as long: it did not read.
            let until = read + if rests { took.min(INTERRUPTED * usual) } else { 0 };
            while clock.start() < until {
                std::hint::spin_loop();
            }
            let turn = clock.stop() - start;
            if turn < 2 * INTERRUPTED * usual {
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
    beside(bench, &others, load == "half", seed)
}

/// The chase beside readers on these CPUs.
pub fn beside(bench: &mut Bench<'_>, others: &[u32], rests: bool, seed: u64) -> Result<(), Failure> {
    let size = (ALL_READERS / others.len().max(1)).min(MEMORY) / BLOCK * BLOCK;
    let readers = Readers::new(others.len());
    let read = |index: usize, pinned: sys::Result<()>| {
        let memory = || {
            pinned?;
            let seed = seed ^ ((index as u64 + 1) << 32);
            let made = Blocks::new(Action::Read, Method::Widest, (size, BLOCK), Content::Random, seed)?;
            made.ok_or_else(|| Failure::Failed("the processor has no vectors".to_owned()))
        };
        readers.read(index, memory(), rests);
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
    let mut cycle = cycle.ok_or_else(|| Failure::Failed("the memory has no place for a cycle".to_owned()))?;
    // The readers make their memory ready meanwhile.
    readers.helpers.wait()?;
    let mut main = |n: u64| Ok(cycle.walk(n / LOADS));
    readers.helpers.batches(bench, LOADS, &mut main)
}
