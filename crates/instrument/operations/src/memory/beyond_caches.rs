//! Latency of memory: dependent loads from a working set that no cache of this machine holds much of.

use super::latency::LATENCY;
use measure::Operation;
use record::Need;
use workloads::memory::bandwidth::MEMORY;
use workloads::memory::chase::cycle_beyond_caches;

pub static BEYOND_CACHES: Operation = Operation {
    id: "memory.latency.beyond_caches",
    title: "dependent load from four times the last-level cache",
    method: "As memory.latency, through four times the last-level cache that the kernel reports, and at least 128 MiB, on huge \
             pages where available. Skipped where that is more than a quarter of the available memory.",
    confounds: "A hypervisor may report the whole cache of a processor of which the guest has a share, or a model's cache that \
                is smaller than the real one: a result below that of larger sets (memory.latency bytes=1GiB) is within a cache. \
                Where the host backs huge pages with small ones, page-table walks count, too.",
    sources: &[
        (
            "Intel Memory Latency Checker",
            "--idle_latency; its buffer had 200 MiB (v3.6), less than the L3 of later servers, and has 2000 (v3.9)",
        ),
        (
            "lmbench",
            "lat_mem_rd with the size that its user chooses; lat_dram_page orders loads by DRAM pages",
        ),
        (
            "multichase",
            "-m SIZE, by default 256 MiB; random within windows of 64 pages unless -T is as large",
        ),
    ],
    parameters: Operation::NEW.parameters,
    points: &[""],
    needs: |_| vec![Need::Memory { bytes: MEMORY }],
    plot: None,
    predict: &[
        "hardware t0 memory = family.memory_ns",
        "hardware t1 as 64 MiB on huge pages, if that exceeds the caches = [memory.latency page_size=2MiB bytes=64MiB]",
    ],
    evidence: &[
        "random cycle",
        "working_set.per_cache 4..1000000: the working set is at least four times the last-level cache",
    ],
    run: cycle_beyond_caches,
    headline: &[],
    ..LATENCY
};
