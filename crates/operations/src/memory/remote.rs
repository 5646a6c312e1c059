//! Latency of memory that lies on another node than the CPU.

use super::latency::{LATENCY, LINE, size_of, walk};
use measure::{Bench, Failure, Operation, Placement, Point};
use sys::chase::{Cycle, Order};
use sys::memory::{Mapping, page_size};

/// The declaration.
pub static REMOTE: Operation = Operation {
    id: "memory.latency.remote",
    title: "load from memory on another node",
    method: "As memory.latency with 64 MiB on base pages; the pages were first touched by a thread on a CPU of another \
             node, and so lie there. The kernel is asked for the node of some of them.",
    confounds: "Automatic balancing between nodes (kernel.numa_balancing) brings pages nearer after a while: then the share \
                on the other node falls, and the row says so.",
    sources: &[
        ("Intel Memory Latency Checker", "--latency_matrix"),
        ("lmbench", "lat_mem_rd under numactl"),
    ],
    points: |_| {
        vec![
            Point::only()
                .with("size", "64MiB")
                .with("cpu", Placement::Node.name()),
        ]
    },
    plot: None,
    predict: &[
        "let t0 local = family.memory_ns",
        "let t1 local = [memory.latency pages=4KiB size=64MiB]",
        "hardware memory behind a link = local × 1.7 (×1.25: remote memory against local: 1.5 to 1.9 times, by sockets and \
         links (Intel Memory Latency Checker))",
    ],
    evidence: &[
        "dependent loads",
        "lines.visited = 1: the cycle goes through every line of the working set once",
        "pages.remote 0.98..1: the pages are on another node than the CPU",
    ],
    run,
    headline: &[],
    ..LATENCY
};

/// Pages of which the kernel is asked.
const ASKED: usize = 64;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let size = usize::try_from(size_of(bench.point())).unwrap_or(usize::MAX);
    let mut mapping = Mapping::private(size)?;
    let seed = bench.seed();
    sys::thread::beside(bench.peer_cpu(), || mapping.touch(seed), || ())?;
    let here = sys::numa::node_here()?;
    let step = (size / ASKED).next_multiple_of(page_size()) / 8;
    let (mut asked, mut remote) = (0.0, 0.0);
    for word in mapping.words().iter().step_by(step.max(1)) {
        asked += 1.0;
        remote += f64::from(u8::from(sys::numa::node_of(word)? != here));
    }
    let cycle = Cycle::link(&mut mapping, 0, size / LINE, LINE, Order::Random(seed));
    walk(bench, cycle, size / LINE)?;
    bench.count("pages.remote", remote, asked);
    Ok(())
}
