//! Loads in an order that the prefetcher can foresee, and a walk that goes round a few lines: what reports and
//! tools have called latency.

use super::latency::{LATENCY, LINE, walk, working_set};
use measure::{Area, Bench, Failure, Operation, Point, Reference, Rehearse};
use quantity::Bytes;
use record::Profile;
use sys::chase::{Cycle, Order};
use sys::memory::Mapping;

/// Dependent loads at a fixed stride.
pub static STRIDE: Operation = Operation {
    id: "memory.latency.stride",
    area: Area::Memory,
    title: "dependent loads at a fixed stride: prefetched",
    one_iteration: "one load whose address is what the load before it gave, a stride further on",
    method: "Links through the working set from the first to the last at a fixed stride, or from the last to the first, \
             and round again. Each load waits for the one before, but the prefetcher foresees them: within a page it \
             has the lines there before they are asked for.",
    confounds: "This is no latency of a cache or of memory (E17): it is what walking an array costs. Strides below a line \
                find most loads in the first cache; from a page on each load needs a translation, too, and lines at \
                powers of two collide.",
    sources: &[
        ("R0", "strides of 32, 128, 512 B"),
        ("R1", "a stride through an array (E17)"),
        ("R2", "strides, to 64 MiB"),
        ("lmbench", "lat_mem_rd: backward"),
    ],
    points: stride_points,
    needs: |point| (LATENCY.needs)(point),
    rehearse: Rehearse::CallsAndInstructions,
    evidence: &[
        "dependent loads",
        "lines.visited = 1: the cycle goes through every link of the working set once",
    ],
    bounds: &["register"],
    run: |bench| {
        let stride = usize::try_from(bench.point().size("stride")?).unwrap_or(LINE);
        let order = match bench.point().get("access") {
            Some("backward") => Order::Backward,
            _ => Order::Forward,
        };
        chase(bench, stride, order)
    },
    spend_ns: 12_000_000,
    ..Operation::NEW
};

/// Working sets of the second cache and of memory.
const SIZES: [&str; 2] = ["256KiB", "64MiB"];

/// Strides in bytes.
type Strides = &'static [u64];

fn stride_points(profile: Profile) -> Vec<Point> {
    let all: Strides = &[8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
    // Against the order of addresses the prefetcher goes as well: one stride shows it.
    let (near, far, back): (Strides, Strides, Strides) = match profile {
        Profile::Quick => (&[64], &[64], &[]),
        Profile::Standard => (&[64, 4096], &[8, 64, 512, 4096], &[64]),
        Profile::Thorough => (all, all, all),
    };
    let points = |bytes: &'static str, access: &'static str, strides: Strides| {
        let of = move |stride: &u64| {
            let stride = quantity::exact_size(Bytes::from_bytes(*stride));
            Point::only().with("stride", stride).with("access", access)
        };
        strides.iter().map(move |stride| of(stride).with("bytes", bytes))
    };
    let [cache, memory] = SIZES;
    let forward = points(cache, "forward", near).chain(points(memory, "forward", far));
    let backward = points(memory, "backward", back);
    let nearby = if profile == Profile::Thorough { back } else { &[] };
    forward
        .chain(points(cache, "backward", nearby))
        .chain(backward)
        .collect()
}

/// Random lines, but each within the next 4 KiB.
pub static WITHIN: Operation = Operation {
    id: "memory.latency.short_cycle",
    title: "loads from a random line of the next chunk",
    one_iteration: "one load whose address is what the load before it gave",
    method: "Every line of 64 MiB links to a random one among the 64 that follow it. Each load waits for the one before.",
    confounds: "This is what the method gives, not the latency of memory: see the row of the right one.",
    sources: &[
        ("R0", "a random element within the next chunk"),
        ("R3", "random elements, to 256 MiB"),
    ],
    reference: Some(Reference {
        wrong: "The links are no permutation: the walk falls into a cycle through one line in thirty, always forward (E15).",
        right: ("memory.latency", "page_size=4KiB bytes=64MiB"),
    }),
    points: |_| Point::all("bytes=64MiB"),
    evidence: &["dependent loads"],
    run: |bench| chase(bench, LINE, Order::Within(64, bench.seed())),
    ..STRIDE
};

fn chase(bench: &mut Bench<'_>, stride: usize, order: Order) -> Result<(), Failure> {
    let size = working_set(bench);
    let mut mapping = Mapping::private(size)?;
    mapping.touch(bench.seed());
    let links = size / stride.max(1);
    let cycle = Cycle::link(&mut mapping, 0, links, stride, order);
    walk(bench, cycle, links)
}
