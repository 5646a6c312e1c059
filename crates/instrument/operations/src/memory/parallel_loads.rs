//! Loads of several chains at a time: how many lines a core has in flight.

use super::LOADS;
use measure::{Operation, Parameters, takes};
use quantity::Quantity;
use record::{Need, Plot};
use workloads::memory::chains::{InFlight, IndependentChains, independent_chains, lines_in_flight};

/// Loads by independent chains.
pub static PARALLEL_LOADS: Operation = Operation {
    id: "memory.parallel_loads",
    title: "load from a working set by n independent chains, on huge pages",
    one_iteration: "one load of one of the chains; each depends on the previous load of its chain",
    method: "The working set is divided into as many parts as there are chains; the lines of each part are linked into one random \
             cycle. One thread follows all chains by turns, 64 loads per turn of the loop: up to 8 chains have their addresses in \
             registers, more of them in memory (two more instructions for each load). Huge pages (THP), so that page-table walks \
             do not limit it. The time of a load falls with the chains until the core has no room for another line in flight: \
             time with one chain / time with 64 chains is that number.",
    confounds: "Within L2, where a load takes some 15 cycles, two more instructions for each load limit it as well: the number \
                found there is a lower bound. A core that prefetches adjacent lines has more lines in flight than loads.",
    sources: &[
        ("lmbench", "par_mem: up to 16 chains; prints the ratio only"),
        ("tinymembench", "dual random read: two loads at once; both results go into the next two addresses"),
        ("multichase", "-c parallel2 to parallel10: chains of one thread"),
    ],
    parameters: takes::<IndependentChains>,
    points: &[
        "profile=quick: chains=1|64 bytes=4MiB|64MiB",
        "profile=standard: chains=1|4|16|64 bytes=256KiB|4MiB|64MiB",
        "profile=thorough: chains=1|2|4|8|16|32|64 bytes=256KiB|4MiB|64MiB",
    ],
    needs: |point| {
        let bytes = IndependentChains::read(point).map_or(0, |chains| chains.bytes.bytes());
        vec![Need::Memory { bytes: 2 * bytes }]
    },
    plot: Some(|| Plot::logarithmic("chains", "independent chains", Quantity::Count)),
    predict: &[
        "let t0 one = from_l1({bytes} bytes) + from_l2({bytes} bytes) + from_l3({bytes} bytes) + from_memory({bytes} bytes)",
        "chains!=1: let t1 one = [memory.parallel_loads chains=1 bytes={bytes}]",
        "let lines = 20 (×1.6: entries in the queue of misses of L1: 12 on Skylake, 16 on Golden Cove, 22 to 24 on Zen \
         (optimization manuals))",
        "let issue = 1.5 cycles (×2: up to three instructions and two accesses of L1 for each load, and the loads of a busy \
         queue repeated) × cycle_ns",
        "chains=1: hardware t0 latency = one",
        "chains=1 bytes=4MiB: hardware t1 latency, with small pages = [memory.latency page_size=4KiB bytes=4MiB]",
        "chains=1 bytes!=4MiB: hardware t1 latency = [memory.latency page_size=2MiB bytes={bytes}]",
        "chains=2..: hardware latency shared by the chains = max(max(one / {chains}, one / lines), issue)",
    ],
    evidence: &[
        "answers = 1: every load was executed",
        "lines.visited = 1: the chains together visit every line of the working set once",
        "chains=..8: instructions {66 / 64 - 0.01}..{66 / 64 + 0.01}: one load per iteration, 64 per turn of the loop",
        "chains=16..: instructions {194 / 64 - 0.01}..{194 / 64 + 0.01}: a load of the address, the load, and a store",
        "linear",
        "undisturbed",
        "no new pages",
        "pages.huge = 1 (quiet): all of the memory was on huge pages",
    ],
    bounds: &["> 0.25 cycles × cycle_ns: no core executes more than four loads per cycle"],
    run: independent_chains,
    spend_ns: 8_000_000,
    ..LOADS
};

/// Lines in flight as a number.
pub static LINES_IN_FLIGHT: Operation = Operation {
    id: "memory.lines_in_flight",
    title: "cache lines that a core has in flight, by loads of independent chains",
    one_iteration: "one curve of the time of a load by 1, 2, 4 … 64 chains",
    quantity: Quantity::Count,
    method: "As memory.parallel_loads, with all numbers of chains in one trial: the fastest of twelve walks of 4096 loads for each, \
             repeated while the core was shared. The value is the time with one chain divided by the shorter of those with 32 and 64 \
             chains. Where the time with 64 is below 87 % of that with 32, the curve has no end, and the value is absent.",
    confounds: "With many chains the addresses are in memory: two more instructions for each load. A core that prefetches adjacent lines \
                has more lines in flight than loads. A queue of memory that others fill ends the curve earlier.",
    sources: &[
        ("lmbench", "par_mem: up to 16 chains; prints the ratio only"),
        ("Intel Memory Latency Checker", "none: bandwidth by delay, and no number of lines"),
    ],
    parameters: takes::<InFlight>,
    points: &["profile!=thorough: bytes=64MiB", "profile=thorough: bytes=4MiB|64MiB"],
    needs: |point| {
        let bytes = InFlight::read(point).map_or(0, |memory| memory.bytes.bytes());
        vec![Need::Memory { bytes: 2 * bytes }]
    },
    predict: &[
        "hardware lines in flight = 20 (×1.6: entries in the queue of misses of L1: 12 on Skylake, 16 on Golden Cove, 22 to 24 on Zen \
                (optimization manuals))",
    ],
    evidence: &[
        "lines.visited = 1: the chains together visit every line of the working set once",
        "curve.points = 7: every number of chains was timed",
        "pages.huge = 1 (quiet): all of the memory was on huge pages",
    ],
    bounds: &[
        "> 0.9: a load is in flight",
        "< 128: no more than twice as many lines as chains, with adjacent ones",
    ],
    run: lines_in_flight,
    spend_ns: 300_000_000,
    area: LOADS.area,
    ..Operation::VALUES
};
