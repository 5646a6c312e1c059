//! Latency of memory on another NUMA node.

use super::latency::LATENCY;
use measure::{Operation, takes};
use workloads::memory::WorkingSet;
use workloads::memory::chase::remote_cycle;

pub static REMOTE: Operation = Operation {
    id: "memory.latency.remote",
    title: "dependent load from memory on another NUMA node",
    method: "As memory.latency with 64 MiB on base pages, first touched by a thread on another node and so allocated there. \
             The node of some pages is queried from the kernel.",
    confounds: "Automatic NUMA balancing (kernel.numa_balancing) may migrate pages to the local node: pages.remote then \
                falls.",
    sources: &[("Intel Memory Latency Checker", "--latency_matrix"), ("lmbench", "lat_mem_rd under numactl")],
    parameters: takes::<WorkingSet>,
    points: &["bytes=64MiB cpu=node"],
    plot: None,
    predict: &[
        "let t0 local = family.memory_ns",
        "let t1 local = [memory.latency page_size=4KiB bytes=64MiB]",
        "hardware remote memory = local × 1.7 (×1.25: remote memory against local: 1.5 to 1.9 times, by sockets and \
         links (Intel Memory Latency Checker))",
    ],
    evidence: &["random cycle", "pages.remote 0.98..1: the pages are on another node than the CPU"],
    run: remote_cycle,
    headline: &[],
    ..LATENCY
};
