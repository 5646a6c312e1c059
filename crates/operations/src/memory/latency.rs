//! Load-to-use latency by working set: a random cycle through all its lines.

use measure::{Area, Bench, Failure, Operation, Point, Rehearse, Work};
use quantity::{Bytes, Quantity};
use record::{Need, Plot, Profile};
use sys::chase::{Cycle, LOADS, Order};
use sys::huge::huge_bytes_of;
use sys::memory::Mapping;
use workloads::memory::{LINE, working_set};

/// Dependent loads from a working set.
pub static LATENCY: Operation = Operation {
    id: "memory.latency",
    area: Area::Memory,
    title: "dependent load from a working set, random access",
    one_iteration: "one load whose address is the result of the previous load",
    method: "The 64-byte lines of the working set are linked into one random cycle (Sattolo): each load depends on the \
             previous one, and no prefetcher can predict the next. Loads in assembly, 64 per turn. Pages are populated \
             first; every trial has a new mapping and a new cycle. Base pages, or huge pages by madvise; smaps tells \
             which the kernel used.",
    confounds: "Beyond the TLB reach the time includes page-table walks, as in any program with random access: compare \
                huge pages. A shared cache has the capacity that its other users leave.",
    sources: &[
        ("R0", "a random element of the next chunk: a short cycle (E15)"),
        ("R1", "a stride through an array: prefetched (E17)"),
        ("R2", "strides, to 64 MiB"),
        ("R3", "random elements, to 256 MiB"),
        ("R4", "a linked list in order (E15)"),
        ("lmbench", "lat_mem_rd: a stride backward by default, random pages with -t"),
        ("multichase", "a random cycle"),
    ],
    points,
    plot: Some(|| Plot {
        marks: Some("memory.levels".to_owned()),
        ..Plot::logarithmic("bytes", "size of the working set", Quantity::Size)
    }),
    needs: |point| vec![Need::Memory { bytes: 2 * size_of(point) }],
    rehearse: Rehearse::CallsAndInstructions,
    // T0: every reported level holds its share of the lines. T1, from the levels measured in the same run: a cycle larger than
    // an LRU cache never hits it. Pages lie at random in the sets of a cache beyond L1, so that some sets are full before the
    // others: with 8 to 16 ways the share falls from all to nothing between 0.65 and 1.35 times the capacity (Poisson).
    predict: &[
        "let t0 held(capacity) = min(capacity / {bytes} bytes, 1)",
        "hardware t0 L1 = held(cache.l1d.size) × family.l1_cycles × cycle_ns",
        "hardware t0 L2 = (held(cache.l2.size) − held(cache.l1d.size)) × family.l2_cycles × cycle_ns",
        "hardware t0 last-level cache = (held(cache.owned.size) − held(cache.l2.size)) × family.l3_cycles × cycle_ns",
        "hardware t0 memory = (1 − held(cache.owned.size)) × family.memory_ns",
        "let t1 first = max(0, min(1, 10 × [memory.levels level=1 property=capacity] / {bytes} bytes − 9))",
        "let t1 held(level) = max(first, min(1, 0.5 + 1.4 × (1 − {bytes} bytes \
         / ([memory.levels level={level} property=capacity] or else 1 bytes))))",
        "hardware t1 first level = first × [memory.levels level=1 property=latency]",
        "hardware t1 second level = (held(2) − first) × [memory.levels level=2 property=latency]",
        // Neighbours on the same cache may leave less than two levels' worth of it.
        "hardware t1 third level = max(0, held(3) − held(2)) × ([memory.levels level=3 property=latency] or else 0 ns)",
        "hardware t1 fourth level = max(0, held(4) − max(held(2), held(3))) × ([memory.levels level=4 property=latency] or else 0 ns)",
        "hardware t1 memory = (1 − max(max(held(2), held(3)), held(4))) × ([memory.levels level=5 property=latency] \
         or else [memory.levels level=4 property=latency] or else family.memory_ns)",
        // Where no end of the TLB was found there are no walks to speak of.
        "page_size=4KiB: hardware t1 page-table walks = max(0, 1 − ([memory.tlb level=2 property=entries] \
         or else {bytes / 4096}) × 4096 bytes / {bytes} bytes) × ([memory.tlb level=3 property=latency] or else 0 ns)",
    ],
    evidence: &[
        "dependent loads",
        "lines.visited = 1: the cycle visits every line of the working set once",
        "page_size=2MiB: pages.huge = 1 (quiet): all of the memory was on huge pages",
        "page_size=4KiB: pages.huge = 0 (quiet): none of the memory was on huge pages",
    ],
    bounds: &["register"],
    run,
    spend_ns: 15_000_000,
    headline: &[
        ("page_size=4KiB bytes=16KiB", "load from 16 KiB"),
        ("page_size=4KiB bytes=256KiB", "load from 256 KiB"),
        ("page_size=4KiB bytes=4MiB", "load from 4 MiB"),
        ("page_size=4KiB bytes=64MiB", "load from 64 MiB"),
    ],
    ..Operation::NEW
};

/// Working sets in KiB.
fn sizes(profile: Profile) -> &'static [u64] {
    match profile {
        Profile::Quick => &[16, 256, 4 << 10, 64 << 10],
        Profile::Standard => {
            &[4, 16, 32, 64, 128, 256, 512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10]
        }
        Profile::Thorough => &[
            1,
            2,
            4,
            8,
            16,
            24,
            32,
            48,
            64,
            96,
            128,
            192,
            256,
            384,
            512,
            768,
            1 << 10,
            1536,
            2 << 10,
            3 << 10,
            4 << 10,
            6 << 10,
            8 << 10,
            12 << 10,
            16 << 10,
            24 << 10,
            32 << 10,
            48 << 10,
            64 << 10,
            96 << 10,
            128 << 10,
            256 << 10,
            512 << 10,
            1 << 20,
        ],
    }
}

/// Points of these sizes.
fn of_sizes(pages: &str, sizes: &[u64]) -> Vec<Point> {
    let bytes = |kib: &u64| quantity::exact_size(Bytes::from_bytes(kib << 10));
    let point = |kib| Point::only().with("page_size", pages).with("bytes", bytes(kib));
    sizes.iter().map(point).collect()
}

/// Working sets on huge pages in KiB: one within the TLB reach of base pages, the others beyond.
const HUGE: [u64; 4] = [256, 2 << 10, 16 << 10, 64 << 10];

fn points(profile: Profile) -> Vec<Point> {
    let base = of_sizes(BASE, sizes(profile));
    let huge = match profile {
        Profile::Quick => &HUGE[3..],
        _ => &HUGE,
    };
    base.into_iter().chain(of_sizes("2MiB", huge)).collect()
}

/// The size of base pages as a parameter.
const BASE: &str = "4KiB";

/// The working set of a point in bytes.
pub fn size_of(point: &Point) -> u64 {
    point.size("bytes").unwrap_or(0)
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    on_pages(bench, |bench, mapping, start, size| {
        let order = Order::Random(bench.seed());
        let cycle = Cycle::link(mapping, start, size / LINE, LINE, order);
        walk(bench, cycle, size / LINE)
    })
}

/// Bytes of the working set in a rehearsal, which counts instructions.
const REHEARSED: usize = 64 << 10;

/// The working set of a trial in bytes; smaller in a rehearsal.
pub fn working_set(bench: &Bench<'_>) -> usize {
    let size = usize::try_from(size_of(bench.point())).unwrap_or(usize::MAX);
    if bench.is_rehearsal() { size.min(REHEARSED) } else { size }
}

/// Calls `work` with memory on the pages of the point, its start and its size; counts huge pages.
fn on_pages(
    bench: &mut Bench<'_>,
    work: impl FnOnce(&mut Bench<'_>, &mut Mapping, usize, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let size = working_set(bench);
    if bench.point().get("page_size") == Some("2MiB") {
        let (mut memory, length) = working_set::huge(size, bench.seed())?;
        let (mapping, start) = memory.parts_mut();
        work(bench, mapping, start, size)?;
        working_set::count_huge(bench, memory.huge_bytes(), length);
    } else {
        let mut mapping = Mapping::private(size)?;
        mapping.touch(bench.seed());
        work(bench, &mut mapping, 0, size)?;
        working_set::count_huge(bench, huge_bytes_of(&mapping), size);
    }
    Ok(())
}

/// Walks a cycle once, which counts its lines and warms the caches, and then in batches.
pub fn walk(bench: &mut Bench<'_>, cycle: Option<Cycle<'_>>, lines: usize) -> Result<(), Failure> {
    let mut cycle =
        cycle.ok_or_else(|| Failure::Failed("the point needs at least two lines (bytes=128B)".to_owned()))?;
    bench.count("lines.visited", cycle.distinct() as f64, lines as f64);
    let mut main = |n: u64| Ok(cycle.walk(n / LOADS));
    bench.batches(Work { multiple_of: LOADS, ..Work::new(&mut main) })
}
