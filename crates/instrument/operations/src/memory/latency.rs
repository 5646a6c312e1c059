//! Load-to-use latency by working set: a random cycle through all its lines.

use super::{LOADS, by_working_set};
use measure::{Operation, takes};
use workloads::memory::chase::{RandomLoads, random_cycle};

/// Dependent loads from a working set.
///
/// T1 is made of the levels measured in the same run: a cycle larger than an LRU cache never hits it. Pages lie at random in
/// the sets of a cache beyond L1, so that some sets are full before the others: with 8 to 16 ways the share falls from all to
/// nothing between 0.65 and 1.35 times the capacity (Poisson).
pub static LATENCY: Operation = Operation {
    id: "memory.latency",
    title: "dependent load from a working set, random access",
    method: "The 64-byte lines of the working set are linked into one random cycle (Sattolo): each load depends on the \
             previous one, and no prefetcher can predict the next. Loads in assembly, 64 per turn. Pages are populated \
             first; every trial has a new mapping and a new cycle. Base pages, or huge pages by madvise; smaps tells \
             which the kernel used.",
    confounds: "Beyond the TLB reach the time includes page-table walks, as in any program with random access: compare \
                huge pages. A shared cache has the capacity that its other users leave.",
    sources: &[
        ("R0, 4.2.1", "a random element of the next chunk: a short cycle (E15)"),
        ("R1, 3 RAM access", "integers of an array in a loop; in which order is not said"),
        ("R2, 4.1", "strides, regions of 1 KB to 64 MB, each access timed (E07)"),
        ("R3, 4.1.1", "a random element of the next chunk, 1 KB to 256 MB (E15)"),
        (
            "R4, 5.1",
            "a linked list of about two million nodes in reverse order, probably each access timed (E07) and nodes in \
             order (E17)",
        ),
        (
            "lmbench",
            "lat_mem_rd: by default a stride, forward in version 3 and backward in 2; random pages with -t",
        ),
        (
            "multichase",
            "by default one line of every four (-s), in random order within windows of 64 pages (-T)",
        ),
        ("libMicro", "memrand: in spite of its name a stride of 1 KiB backward through 128 MiB"),
    ],
    parameters: takes::<RandomLoads>,
    points: &[
        "profile=quick: page_size=4KiB bytes=16KiB|256KiB|4MiB|64MiB; page_size=2MiB bytes=64MiB",
        "profile=standard: page_size=4KiB bytes=4KiB|16KiB|32KiB|64KiB|128KiB|256KiB|512KiB|1MiB|2MiB|4MiB|8MiB|16MiB|32MiB|64MiB",
        "profile=thorough: page_size=4KiB bytes=1KiB|2KiB|4KiB|8KiB|16KiB|24KiB|32KiB|48KiB|64KiB|96KiB|128KiB|192KiB|256KiB|384KiB|512KiB|768KiB|1MiB\
         |1536KiB|2MiB|3MiB|4MiB|6MiB|8MiB|12MiB|16MiB|24MiB|32MiB|48MiB|64MiB|96MiB|128MiB|256MiB|512MiB|1GiB",
        "profile!=quick: page_size=2MiB bytes=256KiB|2MiB|16MiB|64MiB",
    ],
    plot: Some(by_working_set),
    predict: &[
        "hardware t0 L1 = from_l1({bytes} bytes)",
        "hardware t0 L2 = from_l2({bytes} bytes)",
        "hardware t0 last-level cache = from_l3({bytes} bytes)",
        "hardware t0 memory = from_memory({bytes} bytes)",
        "page_size=4KiB: hardware t0 page-table walks = max(0, 1 − second_tlb × 4096 bytes / {bytes} bytes) \
         × page_walk × cycle_ns",
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
        "random cycle",
        "page_size=2MiB: pages.huge = 1 (quiet): all of the memory was on huge pages",
        "page_size=4KiB: pages.huge = 0 (quiet): none of the memory was on huge pages",
    ],
    run: random_cycle,
    spend_ns: 15_000_000,
    headline: &[
        ("page_size=4KiB bytes=16KiB", "load from 16 KiB"),
        ("page_size=4KiB bytes=256KiB", "load from 256 KiB"),
        ("page_size=4KiB bytes=4MiB", "load from 4 MiB"),
        ("page_size=4KiB bytes=64MiB", "load from 64 MiB"),
    ],
    channels: &[
        ("page_size=4KiB bytes=256KiB", "load from 256 KiB"),
        ("page_size=4KiB bytes=4MiB", "load from 4 MiB"),
        ("page_size=4KiB bytes=64MiB", "load from 64 MiB"),
    ],
    ..LOADS
};
