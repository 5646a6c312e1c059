//! Every two CPUs: the way of a cache line between them, and whether they share a core.

use measure::{Actors, Operation, Rehearse};
use quantity::Quantity;
use record::{Gate, Need};
use workloads::os::pairs::{cache_lines, cores};

/// Common to what is measured of every two CPUs.
const PAIRS: Operation = Operation {
    actors: Actors::TwoThreads,
    rehearse: Rehearse::Nothing,
    // Pairs work at the same time, hardware threads of one core among them.
    gate: Gate { cpu_share: None, involuntary: false, shared_core: None },
    needs: |_| vec![Need::SecondCpu, Need::Pinning],
    pairs: true,
    ..Operation { area: super::COMMON.area, ..Operation::VALUES }
};

/// Round trips of a cache line.
pub static CACHE_LINE: Operation = Operation {
    id: "pairs.cache_line",
    title: "round trip of a cache line between every two CPUs",
    one_iteration: "one round trip of a cache line between two CPUs: the median over the pairs of CPUs",
    method: "A thread on every CPU. In each round all of them are in disjoint pairs, as in a tournament, and every pair does 700 \
             round trips at the same time as the others: each polls by loads until its turn, then stores. A trial takes up to \
             20000 pairs, from a random round on. The record keeps the value of each pair.",
    confounds: "Pairs share the interconnect while they work. Each line lies in the memory of the CPU with the lower number. A \
                virtual CPU may move to another core during the run.",
    sources: &[
        (
            "core-to-core-latency",
            "compare-and-swap between all pairs one after the other, half a round trip, the mean",
        ),
        ("Arm ASCT", "the same as a heat map"),
        (
            "multichase",
            "pingpong -l, -u or -x: all pairs one after the other, one way, the best of five samples, with pauses between polls",
        ),
    ],
    predict: &[
        "hardware t0 transfers of the line = 4 × 1.5 (×1.5: L3 finds the line in the other core and requests it) × \
         family.l3_cycles × cycle_ns",
        "hardware t1 the same for one pair = [ipc.cache_line.round_trip cpu=other method=store] × 1 (×1.3: other pairs are \
         nearer or further)",
    ],
    evidence: &[
        "answers = 1: every pair has a time",
        "line.handed_back = 1: the second CPU of each pair made every second step, so the line changed its owner",
        "cpus.working = 1: every thread was on a CPU of its own",
        "undisturbed",
    ],
    bounds: &[
        "> 20 cycles × cycle_ns: two locked operations or two L1 misses take longer on every processor",
    ],
    headline: &[("", "cache line, every pair")],
    headline_from_cpus: 3,
    run: cache_lines,
    ..PAIRS
};

/// Cores that are shared.
pub static CORE: Operation = Operation {
    id: "pairs.core",
    title: "slowdown of a loop that fills a core beside the same on another CPU",
    one_iteration: "200000 independent additions beside the same on another CPU, divided by their time alone: the median over the \
                    CPUs of the most that another CPU slows them down",
    quantity: Quantity::Ratio,
    method: "As pairs.cache_line. In each pair the first thread times independent additions alone while the other one polls, then \
             beside the same on the other CPU, seven times each, alternating. Hardware threads of one core share its units for \
             additions, whether the kernel reports them or not; two cores share none.",
    confounds: "Another guest on the core slows both loops down, the one as the other. A virtual CPU may move to another core \
                during the run. With hardware threads that the kernel reports the value is that of siblings.",
    sources: &[
        ("lstopo", "what the kernel reports"),
        ("core-to-core-latency", "none: siblings may be seen by their latency in its matrix"),
    ],
    predict: &[
        "hardware t0 sharing of a core = 1 (×1.9: cores of their own, or hardware threads that share the units for additions)",
    ],
    evidence: &[
        "answers = 1: every pair has a ratio",
        "line.handed_back = 1: the second CPU of each pair began its loop every time",
        "cpus.working = 1: every thread was on a CPU of its own",
        "undisturbed",
    ],
    bounds: &["> 0.5: no loop takes half of its time because another CPU works"],
    run: cores,
    ..PAIRS
};
