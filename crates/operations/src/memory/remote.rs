//! Latency of memory on another NUMA node.

use super::latency::{LATENCY, size_of, walk};
use measure::{Bench, Failure, Operation, Point};
use sys::chase::{Cycle, Order};
use sys::memory::{Mapping, page_size};
use workloads::memory::LINE;

/// The declaration.
pub static REMOTE: Operation = Operation {
    id: "memory.latency.remote",
    title: "dependent load from memory on another NUMA node",
    method: "As memory.latency with 64 MiB on base pages, first touched by a thread on another node and so allocated there. \
             The node of some pages is queried from the kernel.",
    confounds: "Automatic NUMA balancing (kernel.numa_balancing) may migrate pages to the local node: pages.remote then \
                falls.",
    sources: &[("Intel Memory Latency Checker", "--latency_matrix"), ("lmbench", "lat_mem_rd under numactl")],
    points: |_| Point::all("bytes=64MiB cpu=node"),
    plot: None,
    predict: &[
        "let t0 local = family.memory_ns",
        "let t1 local = [memory.latency page_size=4KiB bytes=64MiB]",
        "hardware remote memory = local × 1.7 (×1.25: remote memory against local: 1.5 to 1.9 times, by sockets and \
         links (Intel Memory Latency Checker))",
    ],
    evidence: &[
        "dependent loads",
        "lines.visited = 1: the cycle visits every line of the working set once",
        "pages.remote 0.98..1: the pages are on another node than the CPU",
    ],
    run,
    headline: &[],
    ..LATENCY
};

/// Pages whose node is queried.
const QUERIED: usize = 64;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let size = usize::try_from(size_of(bench.point())).unwrap_or(usize::MAX);
    let mut mapping = Mapping::private(size)?;
    let seed = bench.seed();
    sys::thread::beside(bench.peer_cpu(), || mapping.touch(seed), || ())?;
    let here = sys::numa::current_node()?;
    let step = (size / QUERIED).next_multiple_of(page_size()) / 8;
    let (mut queried, mut remote) = (0.0, 0.0);
    for word in mapping.words().iter().step_by(step.max(1)) {
        queried += 1.0;
        remote += f64::from(u8::from(sys::numa::node_of(word)? != here));
    }
    let cycle = Cycle::link(&mut mapping, 0, size / LINE, LINE, Order::Random(seed));
    walk(bench, cycle, size / LINE)?;
    bench.count("pages.remote", remote, queried);
    Ok(())
}
