//! A cache line that two CPUs transfer back and forth.

use measure::{Actors, Operation, Rehearse, takes};
use workloads::os::cache_line::{CacheLine, round_trips};

/// A round trip of a cache line.
pub static ROUND_TRIP: Operation = Operation {
    id: "ipc.cache_line.round_trip",
    title: "round trip of a cache line between two CPUs",
    one_iteration: "one increment of a shared word by each of two threads: two transfers of the line",
    method: "Two threads on two CPUs alternately increment a word on a page of its own, one at even values, the other at \
             odd ones. method=cas: both retry compare-and-swap; method=store: each polls by loads until its turn, then \
             stores. The loops have no PAUSE. The other thread counts its turns.",
    confounds: "Two virtual CPUs may share a core or not, and that may change at run time: modes between trials are real. A \
                PAUSE in the polling loop, as in spin locks, changes the result.",
    sources: &[
        ("core-to-core-latency", "compare-and-swap between all pairs, one way"),
        ("lmbench", "none"),
        (
            "stress-ng",
            "--cacheline: processes that change bytes of one line, by several methods; operations per second",
        ),
        (
            "Intel Memory Latency Checker",
            "--c2c_latency: reads of lines that another core holds, clean or modified; no round trip",
        ),
    ],
    actors: Actors::TwoThreads,
    parameters: takes::<CacheLine>,
    points: &["cpu=other|sibling|node method=cas|store"],
    predict: &[
        "cpu!=sibling: let transfer = family.l3_cycles × 1.5 (×1.5: L3 finds the line in the other \
         core and requests it)",
        "cpu=sibling: let transfer = 40 cycles (×2: a machine clear after a sibling's store to a line that \
         was read ahead: 20 to 60 cycles)",
        "method=cas: hardware t0 transfers of the line = 2 × transfer × cycle_ns",
        // With stores each side requests the line twice: for reading, and for ownership.
        "method=store: hardware t0 transfers of the line = 4 × transfer × cycle_ns",
        "method=store: hardware t1 transfers of the line = [ipc.cache_line.round_trip cpu={cpu} method=cas] \
         × 1.4 (×1.5: from 1, where ownership is requested with the read, to 2, as on a Zen 5 (41 to \
         56 ns one way against 21 to 25))",
    ],
    evidence: &[
        "answers = 1: the other thread had incremented the word every time",
        "linear",
        "line.handed_back = 1: the other thread made every second step, so the line changed its owner",
        "placed",
        "undisturbed",
    ],
    bounds: &[
        "> 20 cycles × cycle_ns: two locked operations or two L1 misses take longer on every processor",
    ],
    rehearse: Rehearse::Nothing,
    run: round_trips,
    spend_ns: 10_000_000,
    ..super::COMMON
};
