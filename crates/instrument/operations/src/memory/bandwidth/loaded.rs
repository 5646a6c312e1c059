//! Memory latency while the other CPUs read at full rate, at half rate or not at all.

use measure::{Operation, Parameters, Rehearse, takes};
use record::{Gate, Need};
use workloads::memory::bandwidth::loaded::{LoadedLatency, MEMORY, OtherCpus, chase_beside_readers};

/// Dependent loads from memory under load.
pub static LATENCY: Operation = Operation {
    id: "memory.loaded_latency",
    title: "dependent load from 64 MiB while the other CPUs read memory",
    one_iteration: "one load whose address is the result of the previous load",
    method: "A random cycle through 64 MiB as in memory.latency, while a thread on every other CPU reads its own 64 MiB \
             with the widest vectors: load=full continuously, load=half with pauses as long as the reads, load=idle \
             not at all. Each thread measures its share of time spent reading.",
    confounds: "The load depends on the bandwidth of the other CPUs (memory.bandwidth.read cpus=all). A process that is \
                allowed few of the machine's CPUs cannot saturate its memory channels.",
    sources: &[
        ("Intel Memory Latency Checker", "--loaded_latency: injected delays between reads"),
        ("Arm ASCT", "latency under load"),
    ],
    gate: Gate {
        // Sibling hardware threads are busy by design.
        shared_core: None,
        ..Operation::GATE
    },
    rehearse: Rehearse::Nothing,
    points: &["profile=quick: load=full", "profile!=quick: load=idle|half|full"],
    parameters: takes::<LoadedLatency>,
    needs: |point| {
        let bytes = MEMORY as u64;
        match LoadedLatency::read(point) {
            Ok(LoadedLatency { load: OtherCpus::Idle }) => vec![Need::Memory { bytes }],
            _ => vec![Need::SecondCpu, Need::Pinning, Need::Memory { bytes: 8 * bytes }],
        }
    },
    predict: &[
        "let t0 idle = family.memory_ns",
        "let t1 idle = [memory.latency page_size=4KiB bytes=64MiB]",
        "let waits(factor, within) = {factor} (×{within}: curves of latency over load are flat at half of the bandwidth and \
         rise to twice at all of it; one CPU of many is far from that (Intel Memory Latency Checker))",
        "load=idle: hardware loaded latency = idle × waits(1, 1.05)",
        "load=half: hardware loaded latency = idle × waits(1.1, 1.15)",
        "load=full: hardware loaded latency = idle × waits(1.3, 1.3)",
    ],
    evidence: &[
        "answers = 1: every load was executed",
        "load=idle: load.share = 0 (if consistent): the other CPUs spent this share of the time reading",
        "load=half: load.share 0.3..0.7 (if consistent): the other CPUs spent this share of the time reading",
        "load=full: load.share 0.9..1 (if consistent): the other CPUs spent this share of the time reading",
        "undisturbed loop",
    ],
    bounds: &["register"],
    run: chase_beside_readers,
    ..crate::memory::COMMON
};
