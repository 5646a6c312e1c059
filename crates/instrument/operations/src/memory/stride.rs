//! Loads at a fixed stride, by stride and working set.

use super::LOADS;
use measure::{Operation, takes};
use workloads::memory::chase::{StridedLoads, cycle_at_stride};

/// Dependent loads at a fixed stride.
pub static STRIDE: Operation = Operation {
    id: "memory.latency.stride",
    title: "dependent load at a fixed stride (prefetched)",
    one_iteration: "one load whose address is the result of the previous load, a stride further",
    method: "A cycle through the working set at a fixed stride, forward or backward. Each load depends on the previous \
             one, but the prefetcher predicts them: within a page the lines arrive before they are loaded.",
    confounds: "This is not the latency of a cache or of memory (E17) but the cost of traversing an array. Strides below a \
                line mostly hit L1; from 4 KiB on each load also needs a translation, and powers of two conflict in \
                the cache.",
    sources: &[
        (
            "R0, 4.2.3",
            "strides of 32, 128 and 512, by the code of 4.2.1 probably elements, which are pointers",
        ),
        ("R1, 3 RAM access", "integers of an array in a loop; in which order is not said"),
        ("R2, 4.1", "strides, regions of 1 KB to 64 MB, each access timed (E07)"),
        ("lmbench", "lat_mem_rd: forward in version 3, though its page says backward; backward in version 2"),
    ],
    // lmbench's figure: a curve over the working set for each stride. The prefetcher also runs backward: few points show it.
    parameters: takes::<StridedLoads>,
    points: &[
        "profile=quick: stride=64B access=forward bytes=256KiB|64MiB",
        "profile=standard: stride=8B access=forward bytes=64MiB; \
         stride=64B|512B|4KiB access=forward bytes=16KiB|256KiB|4MiB|64MiB; \
         stride=64B access=backward bytes=64MiB",
        "profile=thorough: stride=8B|16B|32B|64B|128B|256B|512B|1KiB|2KiB|4KiB access=forward \
         bytes=16KiB|64KiB|256KiB|1MiB|4MiB|16MiB|64MiB; \
         stride=8B|64B|512B access=forward bytes=1KiB|2KiB|4KiB|8KiB|32KiB|128KiB|512KiB|2MiB|8MiB|32MiB; \
         stride=64B access=forward bytes=128MiB; \
         stride=8B|16B|32B|64B|128B|256B|512B|1KiB|2KiB|4KiB access=backward bytes=256KiB|64MiB",
    ],
    plot: Some(super::by_working_set),
    // Prefetchers follow the distance of an instruction's loads, but not into the next page (Intel's and AMD's optimization
    // manuals): the first load of a page waits, and the others come at the rate at which lines can be read.
    predict: &[
        "let share = {min(stride, 64) / 64}",
        "let begin = {min(1, max(stride, 64) / 4096)}",
        "let t0 lookup = family.l1_cycles × cycle_ns",
        "let t0 latency = from_l1({bytes} bytes) + from_l2({bytes} bytes) + from_l3({bytes} bytes) + from_memory({bytes} bytes)",
        "let t0 prefetched = latency / 12 (×2: twelve lines in flight: the fill buffers of an L1 cache, ten to sixteen from \
         Haswell to Golden Cove)",
        "let t1 lookup = [memory.latency page_size=4KiB bytes=16KiB]",
        // One line of each page: these few lines collide in L1 and L2, whose sets are chosen by the bits within a page, and the
        // hash of a shared cache spreads them.
        "bytes=16MiB.. stride=4KiB: let t1 latency = [memory.levels level=3 property=latency] \
         + ([memory.tlb level=3 property=latency] or else 0 ns)",
        "bytes=..4MiB stride=4KiB: let t1 latency = [memory.latency page_size=4KiB bytes={bytes}]",
        "stride!=4KiB: let t1 latency = [memory.latency page_size=4KiB bytes={bytes}]",
        "bytes=..16KiB: let t1 prefetched = lookup",
        "bytes=16385..256KiB: let t1 prefetched = 64 bytes × 1e9 ns/s / [memory.bandwidth.read method=widest bytes=256KiB cpus=1]",
        "bytes=262145..4MiB: let t1 prefetched = 64 bytes × 1e9 ns/s / [memory.bandwidth.read method=widest bytes=4MiB cpus=1]",
        "bytes=4194305..: let t1 prefetched = 64 bytes × 1e9 ns/s / [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
        "hardware first line of a page = begin × share × latency",
        "hardware lines prefetched, or hits in L1 = (1 − begin × share) × max(lookup, share × prefetched)",
    ],
    evidence: &["dependent loads", "lines.visited = 1: the cycle visits every link of the working set once"],
    run: cycle_at_stride,
    ..LOADS
};
