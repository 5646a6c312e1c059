//! Load-to-use latency over the working set: one random cycle through all its lines.

use super::workloads::room;
use measure::{Area, Bench, Failure, Operation, Point, Rehearse, Work};
use quantity::{Bytes, Quantity};
use record::{Need, Plot, Profile};
use sys::chase::{Cycle, LOADS, Order};
use sys::huge::huge_bytes_of;
use sys::memory::Mapping;

/// A load from a working set, each waiting for the one before.
pub static LATENCY: Operation = Operation {
    id: "memory.latency",
    area: Area::Memory,
    title: "load from a working set of a given size",
    one_iteration: "one load whose address is what the load before it gave",
    method: "The lines of the working set (64 bytes each) are linked to one random cycle (Sattolo), so that no load can \
             begin before the one before it has ended and no prefetcher can tell where it goes. Loads in assembly, \
             64 in a turn. The pages are populated before; every trial has a new mapping and a new cycle. Base \
             pages, or huge ones by madvise; the kernel is asked afterwards which it gave.",
    confounds: "Beyond the reach of the TLB the time holds walks of the page table, as it does for any program that \
                jumps about: huge pages beside it show how much. A cache that is shared with others gives what they \
                leave.",
    sources: &[
        (
            "R0",
            "a random element within the next chunk: falls into a short cycle (E15)",
        ),
        ("R1", "a stride through an array: the prefetcher (E17)"),
        ("R2", "strides, to 64 MiB"),
        ("R3", "random elements, to 256 MiB"),
        ("R4", "a linked list in order (E15)"),
        (
            "lmbench",
            "lat_mem_rd: a stride backward by default, random pages with -t",
        ),
        ("multichase", "a random cycle"),
    ],
    points,
    plot: Some(|| Plot {
        marks: Some("memory.levels".to_owned()),
        ..Plot::logarithmic("size", "size of the working set", Quantity::Size)
    }),
    needs: |point| {
        vec![Need::Memory {
            bytes: 2 * size_of(point),
        }]
    },
    rehearse: Rehearse::CallsAndInstructions,
    // T0: every level that the machine is told to have holds its share of the lines. T1, by the levels found in the same run:
    // a cycle that is larger than a cache which lets go of what was longest not used finds nothing of it, so the share falls
    // from all to nothing within a tenth of the size.
    predict: &[
        "let t0 held(capacity) = min(capacity / {size} bytes, 1)",
        "hardware t0 first cache = held(cache.l1d.size) × family.l1_cycles × cycle_ns",
        "hardware t0 second cache = (held(cache.l2.size) − held(cache.l1d.size)) × family.l2_cycles × cycle_ns",
        "hardware t0 last cache = (held(cache.last.size) − held(cache.l2.size)) × family.l3_cycles × cycle_ns",
        "hardware t0 memory = (1 − held(cache.last.size)) × family.memory_ns",
        "let t1 held(level) = max(0, min(1, 10 × [memory.levels level={level} of=size] / {size} bytes − 9))",
        "hardware t1 first level found = held(1) × [memory.levels level=1 of=latency]",
        "hardware t1 second level found = (held(2) − held(1)) × [memory.levels level=2 of=latency]",
        "hardware t1 third level found = (1 − held(2)) × [memory.levels level=3 of=latency]",
    ],
    evidence: &[
        "dependent loads",
        "lines.visited = 1: the cycle goes through every line of the working set once",
        "pages=2MiB: pages.huge = 1 (quiet): all of the memory was on huge pages",
        "pages=4KiB: pages.huge = 0 (quiet): none of the memory was on huge pages",
    ],
    bounds: &["register"],
    run,
    spend_ns: 15_000_000,
    headline: &[
        ("pages=4KiB size=16KiB", "load from 16 KiB"),
        ("pages=4KiB size=256KiB", "load from 256 KiB"),
        ("pages=4KiB size=4MiB", "load from 4 MiB"),
        ("pages=4KiB size=64MiB", "load from 64 MiB"),
    ],
    ..Operation::NEW
};

/// Bytes in a line of every processor that oscope knows of; larger lines are visited more than once.
pub const LINE: usize = 64;

/// Working sets in KiB.
fn sizes(profile: Profile) -> &'static [u64] {
    match profile {
        Profile::Quick => &[16, 256, 4 << 10, 64 << 10],
        Profile::Standard => &[
            4,
            16,
            32,
            64,
            128,
            256,
            512,
            1 << 10,
            2 << 10,
            4 << 10,
            8 << 10,
            16 << 10,
            32 << 10,
            64 << 10,
        ],
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
    let point = |kib: &u64| {
        let size = quantity::show_bytes(Bytes::from_bytes(kib << 10));
        Point::only()
            .with("pages", pages)
            .with("size", size.replace(' ', ""))
    };
    sizes.iter().map(point).collect()
}

/// Working sets on huge pages in KiB: beyond the reach of the TLB, and one that needs no page to be huge.
const HUGE: [u64; 4] = [256, 2 << 10, 16 << 10, 64 << 10];

fn points(profile: Profile) -> Vec<Point> {
    let base = of_sizes(BASE, sizes(profile));
    let huge = match profile {
        Profile::Quick => &HUGE[3..],
        _ => &HUGE,
    };
    base.into_iter().chain(of_sizes("2MiB", huge)).collect()
}

/// The name of base pages.
const BASE: &str = "4KiB";

/// The working set of a point in bytes.
pub fn size_of(point: &Point) -> u64 {
    let bytes = point
        .get("size")
        .and_then(|text| quantity::parse_bytes(text).ok());
    bytes.map_or(0, Bytes::bytes)
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    on_pages(bench, |bench, mapping, start, size| {
        let order = Order::Random(bench.seed());
        let cycle = Cycle::link(mapping, start, size / LINE, LINE, order);
        walk(bench, cycle, size / LINE)
    })
}

/// Bytes that are enough where instructions are counted and nothing is timed.
const REHEARSED: usize = 64 << 10;

/// The working set of a trial in bytes, a small one in a rehearsal.
pub fn working_set(bench: &Bench<'_>) -> usize {
    let size = usize::try_from(size_of(bench.point())).unwrap_or(usize::MAX);
    if bench.is_rehearsal() {
        size.min(REHEARSED)
    } else {
        size
    }
}

/// Gives `work` memory on the pages that the point asks for, where it begins and its size; counts what it is on.
fn on_pages(
    bench: &mut Bench<'_>,
    work: impl FnOnce(&mut Bench<'_>, &mut Mapping, usize, usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let size = working_set(bench);
    if bench.point().get("pages") == Some("2MiB") {
        let (mut memory, length) = room::huge(size, bench.seed())?;
        let (mapping, start) = memory.parts_mut();
        work(bench, mapping, start, size)?;
        room::count_huge(bench, memory.huge_bytes(), length);
    } else {
        let mut mapping = Mapping::private(size)?;
        mapping.touch(bench.seed());
        work(bench, &mut mapping, 0, size)?;
        room::count_huge(bench, huge_bytes_of(&mapping), size);
    }
    Ok(())
}

/// Walks a cycle round once, which counts its lines and warms the caches, and then in batches.
pub fn walk(bench: &mut Bench<'_>, cycle: Option<Cycle<'_>>, lines: usize) -> Result<(), Failure> {
    let mut cycle =
        cycle.ok_or_else(|| Failure::Failed("the point needs a size of two lines or more".to_owned()))?;
    bench.count("lines.visited", cycle.distinct() as f64, lines as f64);
    let mut main = |n: u64| Ok(cycle.walk(n / LOADS));
    bench.batches(Work {
        multiple_of: LOADS,
        ..Work::alone(&mut main)
    })
}
