//! Load-to-use latency over the working set: one random cycle through all its lines.

use measure::{Area, Bench, Failure, Operation, Point, Rehearse, Work};
use measure::{core_cycles, counted, linear, no_new_pages, term, told_cycles, undisturbed, work_done};
use quantity::{Bytes, Quantity};
use record::{Bound, Formula, Need, Origin, Plot, Prediction, Profile, Side, Term, Witness};
use sys::chase::{Cycle, LOADS, Order};
use sys::huge::{HugeMapping, huge_bytes_of, huge_page_size};
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
    computed_prediction: predict,
    computed_witnesses: witnesses,
    computed_bounds: bounds,
    run,
    spend_ns: 15_000_000,
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

/// What a load costs at the levels that a machine is told to have: every level holds its share of the lines.
fn predict(point: &Point) -> Prediction {
    let size = size_of(point).max(1) as f64;
    let held = |cache: &str| {
        let share = Formula::fact(&format!("cache.{cache}.size")).over(Formula::exactly(size));
        Formula::Minimum {
            of: vec![share, Formula::exactly(1.0)],
        }
    };
    let (first, second, last) = (held("l1d"), held("l2"), held("last"));
    let level = |share: Formula, cycles: &str| told_cycles(share.by(Formula::fact(cycles)));
    let memory = Formula::exactly(1.0)
        .minus(last.clone())
        .by(Formula::fact("family.memory_ns"));
    Prediction {
        from_facts: vec![
            term(
                Side::Hardware,
                "first cache",
                level(first.clone(), "family.l1_cycles"),
            ),
            term(
                Side::Hardware,
                "second cache",
                level(second.clone().minus(first), "family.l2_cycles"),
            ),
            term(
                Side::Hardware,
                "last cache",
                level(last.minus(second), "family.l3_cycles"),
            ),
            term(Side::Hardware, "memory", memory),
        ],
        from_parts: from_levels(size),
    }
}

/// What a load costs by the levels that were found in the same run.
fn from_levels(size: f64) -> Vec<Term> {
    let found = |level: u32, of: &str| Formula::part("memory.levels", &format!("level={level} of={of}"));
    // A cycle that is larger than a cache which lets go of what was longest not used finds nothing of it: the
    // share falls from all to nothing within a tenth of the size.
    let held = |level| {
        let relative = found(level, "size").over(Formula::exactly(size));
        let falls = relative.times(10.0).minus(Formula::exactly(9.0));
        let most = Formula::Minimum {
            of: vec![Formula::exactly(1.0), falls],
        };
        Formula::Maximum {
            of: vec![Formula::exactly(0.0), most],
        }
    };
    let (first, second) = (held(1), held(2));
    let further = Formula::exactly(1.0).minus(second.clone());
    let level = |number, share: Formula| share.by(found(number, "latency"));
    vec![
        term(Side::Hardware, "first level found", level(1, first.clone())),
        term(
            Side::Hardware,
            "second level found",
            level(2, second.minus(first)),
        ),
        term(Side::Hardware, "third level found", level(3, further)),
    ]
}

/// No load is faster than a register.
pub fn bounds(_: &Point) -> Vec<Bound> {
    vec![Bound {
        lower: true,
        formula: core_cycles(Formula::exactly(2.0)),
        because: "no processor gives a loaded value before two cycles have passed".to_owned(),
    }]
}

fn witnesses(point: &Point) -> Vec<Witness> {
    let mut all = loads_done();
    all.extend(counted(
        "lines.visited",
        1.0,
        1.0,
        "the cycle goes through every line of the working set once",
    ));
    all.extend(on_its_pages(point));
    all
}

/// One load per iteration, and nothing that disturbed them.
pub fn loads_done() -> Vec<Witness> {
    let mut all = work_done("every load was done");
    let instructions = sys::chase::instructions_per_load();
    all.push(Witness {
        counter: "instructions".to_owned(),
        origin: Origin::Rehearsal,
        low: instructions - 0.01,
        high: instructions + 0.01,
        positive: true,
        proves: "one load per iteration, 64 of them in a turn of the loop".to_owned(),
        breach: record::Breach::OtherWork,
    });
    all.extend(linear());
    all.extend(undisturbed());
    all.extend(no_new_pages());
    all
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
        let page = huge_page_size()
            .filter(|page| *page == 2 << 20)
            .ok_or_else(no_huge)?;
        let length = size.next_multiple_of(page);
        let mut memory = HugeMapping::touched(length, page, bench.seed())?;
        if memory.huge_bytes().is_some_and(|huge| huge < length) {
            return Err(no_huge());
        }
        let (mapping, start) = memory.parts_mut();
        work(bench, mapping, start, size)?;
        super::room::count_huge(bench, memory.huge_bytes(), length);
    } else {
        let mut mapping = Mapping::private(size)?;
        mapping.touch(bench.seed());
        work(bench, &mut mapping, 0, size)?;
        super::room::count_huge(bench, huge_bytes_of(&mapping), size);
    }
    Ok(())
}

/// That the kernel has or gives none.
pub fn no_huge() -> Failure {
    Failure::skipped(
        "the kernel gave no huge pages of 2 MiB for this memory",
        "allow them (/sys/kernel/mm/transparent_hugepage/enabled: madvise or always), and free memory",
    )
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

/// The memory is on the pages that the point says.
fn on_its_pages(point: &Point) -> Vec<Witness> {
    let (share, proves) = match point.get("pages") {
        Some("2MiB") => (1.0, "all of the memory was on huge pages"),
        _ => (0.0, "none of the memory was on huge pages"),
    };
    let mut all = counted("pages.huge", share, share, proves);
    all.iter_mut().for_each(|witness| witness.positive = false);
    all
}
