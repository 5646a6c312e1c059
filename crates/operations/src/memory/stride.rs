//! Reference methods of latency: loads that the prefetcher predicts, and a cycle of few lines.

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
    title: "dependent load at a fixed stride (prefetched)",
    one_iteration: "one load whose address is the result of the previous load, a stride further",
    method: "A cycle through the working set at a fixed stride, forward or backward. Each load depends on the previous \
             one, but the prefetcher predicts them: within a page the lines arrive before they are loaded.",
    confounds: "This is not the latency of a cache or of memory (E17) but the cost of traversing an array. Strides below a \
                line mostly hit L1; from 4 KiB on each load also needs a translation, and powers of two conflict in \
                the cache.",
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
        "lines.visited = 1: the cycle visits every link of the working set once",
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

/// Working sets in L2 and in memory.
const SIZES: [&str; 2] = ["256KiB", "64MiB"];

/// Strides in bytes.
type Strides = &'static [u64];

fn stride_points(profile: Profile) -> Vec<Point> {
    let all: Strides = &[8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
    // The prefetcher also runs backward: one stride shows it.
    let (in_cache, in_memory, back): (Strides, Strides, Strides) = match profile {
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
    let forward = points(cache, "forward", in_cache).chain(points(memory, "forward", in_memory));
    let backward = points(memory, "backward", back);
    let backward_in_cache = if profile == Profile::Thorough { back } else { &[] };
    forward
        .chain(points(cache, "backward", backward_in_cache))
        .chain(backward)
        .collect()
}

/// Random lines within the next 4 KiB.
pub static SHORT_CYCLE: Operation = Operation {
    id: "memory.latency.short_cycle",
    title: "dependent load from a random line of the next 4 KiB",
    one_iteration: "one load whose address is the result of the previous load",
    method: "Every line of 64 MiB links to a random one of the next 64. Each load depends on the previous one.",
    confounds: "This is the result of the method, not memory latency: see the correct operation.",
    sources: &[
        ("R0", "a random element of the next chunk"),
        ("R3", "random elements, to 256 MiB"),
    ],
    reference: Some(Reference {
        wrong: "The links are not a permutation: the walk enters a cycle of about one line in thirty, always forward (E15).",
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
