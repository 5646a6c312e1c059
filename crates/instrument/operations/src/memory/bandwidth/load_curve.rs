//! Latency of memory over the bandwidth that the other CPUs achieve.

use measure::{Area, Operation, Parameters, takes};
use quantity::Quantity;
use record::{Need, Plot};
use workloads::memory::bandwidth::MEMORY;
use workloads::memory::bandwidth::load_curve::{CurveProperty, LoadCurve, load_curve};

/// A curve by mix of reads and writes.
pub static LOAD_CURVE: Operation = Operation {
    id: "memory.load_curve",
    area: Area::Memory,
    title: "latency of memory over achieved bandwidth, by mix of reads and writes",
    one_iteration: "one curve: dependent loads from four times the last-level cache at sixteen rates of traffic",
    method: "One thread loads from a random cycle through four times the last-level cache that the kernel reports, at least 128 MiB, \
             on huge pages where available; a thread on every other CPU processes blocks of 64 KiB of its own memory, which together \
             is as large, with pauses behind each block from 64 times its time to none. mix=reads: sums; 3to1: additions of two \
             arrays into a third; 2to1: copies; 1to1: updates in place; nontemporal: non-temporal stores. Bandwidth is that of the \
             bus: bytes of blocks whose answer was right, times the reads and writes of the bus for each, and the lines of the loads. \
             Medians of nine windows of 1.2 ms per rate in which every thread had its CPU. unloaded: latency without traffic; loaded: at the highest rate; peak: the \
             highest bandwidth; knee: the bandwidth at which latency exceeds by a quarter the median of the four lowest rates, at two \
             rates or more up to the highest.",
    confounds: "The bytes of the bus follow from the instructions: a processor that recognises full-line stores reads less. A process \
                that is allowed few of the machine's CPUs cannot saturate its memory channels: then there is no knee. Neighbours on the \
                machine use the same channels.",
    sources: &[
        (
            "Intel Memory Latency Checker",
            "--loaded_latency: injected delays; 183 MiB for each thread's reads and as many for its writes (v3.11b)",
        ),
        (
            "Mess 2024",
            "curves of latency over bandwidth by reads and writes, bandwidth from hardware counters",
        ),
        ("multichase", "multiload -c chaseload"),
        ("Arm ASCT", "loaded latency"),
        ("Arm ASCT", "peak-bandwidth, by reads and writes"),
    ],
    parameters: takes::<LoadCurve>,
    quantity_of: Some(|point| match LoadCurve::read(point) {
        Ok(LoadCurve { property: CurveProperty::Unloaded | CurveProperty::Loaded, .. }) => Quantity::Latency,
        _ => Quantity::Bandwidth,
    }),
    points: &[
        "profile=quick: mix=reads property=unloaded|loaded|peak|knee",
        "profile=standard: mix=reads|1to1 property=unloaded|loaded|peak|knee",
        "profile=thorough: mix=reads|3to1|2to1|1to1|nontemporal property=unloaded|loaded|peak|knee",
    ],
    needs: |_| vec![Need::SecondCpu, Need::Pinning, Need::Memory { bytes: 2 * MEMORY }],
    predict: &[
        "let t0 idle = family.memory_ns",
        "let t1 idle = [memory.latency.beyond_caches]",
        "property=unloaded: hardware latency of memory = idle",
        "property=loaded: hardware latency at the highest rate = idle × 1.3 (×1.4: curves rise to twice where the bandwidth is saturated; \
         one CPU of many is far from that (Intel Memory Latency Checker))",
        "let t0 read = by_latency(family.memory_ns)",
        "let written = stored(read)",
        "mix=reads: let t0 one = read",
        "mix=reads: let t1 one = [memory.bandwidth.read method=widest bytes=128MiB cpus=1]",
        "mix=3to1: let t0 one = 4 / (2 / read + 1 / written)",
        "mix=3to1: let t1 one = 4 / 3 × [memory.bandwidth.add method=widest bytes=192MiB cpus=1]",
        "mix=2to1: let t0 one = 3 × in_sequence(read, written)",
        "mix=2to1: let t1 one = 3 × [memory.bandwidth.copy method=widest bytes=128MiB cpus=1]",
        "mix=1to1: let t0 one = 2 × written",
        "mix=1to1: let t1 one = 2 × [memory.bandwidth.update method=widest bytes=128MiB cpus=1]",
        "mix=nontemporal: let t0 one = stored_nontemporally(read)",
        "mix=nontemporal: let t1 one = [memory.bandwidth.write method=nontemporal bytes=128MiB cpus=1]",
        "let all = on_all_cpus(one) × (cpus.allowed − 1) / cpus.allowed",
        "property=peak: hardware bandwidth of all other CPUs = all",
        "property=knee: hardware most of the bandwidth = all × 0.8 (×1.4: latency rises from 60 to 95 % of the saturated \
         bandwidth on (Mess 2024))",
    ],
    evidence: &[
        "lines.visited = 1: the cycle visits every line of its region once",
        "working_set.per_cache 4..1000000: the region is at least four times the last-level cache",
        "curve.points = 16: every rate was measured",
        "rates.with_traffic = 1 (if consistent): at every rate but the first the other CPUs processed blocks",
        "windows.whole 0.6..1 (noise): in these windows every thread had its CPU",
        "blocks.wrong = 0: every block of the other CPUs had the right answer",
        "property=knee: rates.above_knee 2..15: from the knee on, latency is higher at two rates or more",
        "property=knee: knee.of_peak 0..1: the knee is not beyond the highest bandwidth of its curve",
    ],
    bounds: &[
        "property=unloaded|loaded: > 2 cycles × cycle_ns: no processor returns a loaded value in less than two cycles",
        "property=peak|knee: < 128 bytes/cycle × hertz × cpus.allowed: no core loads or stores more than two vectors of 64 bytes \
         per cycle",
        "property=knee: < [memory.load_curve mix={mix} property=peak]: no rate is beyond the highest bandwidth",
    ],
    curve: Some(|| Plot::logarithmic("bandwidth", "achieved bandwidth of the bus", Quantity::Bandwidth)),
    run: load_curve,
    spend_ns: 250_000_000,
    ..Operation::VALUES
};
