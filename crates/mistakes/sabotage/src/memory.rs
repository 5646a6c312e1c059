//! Working sets that are not as claimed: what `lines.visited`, `pages.huge` and `curve.points` must catch.

use crate::sabotage::give;
use crate::{Caught, Sabotage};
use sys::chase::{Cycle, Order};
use sys::memory::Mapping;
use workloads::memory::chains::walk_chains;
use workloads::memory::chase::walk;

/// Lines of 64 MiB.
const LINES: usize = (64 << 20) / 64;

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.memory.two_lines",
        of: "memory.latency page_size=4KiB bytes=64MiB",
        mistake: "a cycle of two lines is claimed to be 64 MiB (E15, E16)",
        caught_by: Caught::By("lines.visited"),
        run: |bench| {
            let mut mapping = Mapping::private(4096)?;
            mapping.touch(bench.seed());
            let cycle = Cycle::link(&mut mapping, 0, 2, 64, Order::Forward);
            walk(bench, cycle, LINES)?;
            bench.count("pages.huge", 0.0, 1.0);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.memory.shared_chain",
        of: "memory.parallel_loads chains=64 bytes=4MiB",
        mistake: "all chains go through the lines of the first one, which are in a cache",
        caught_by: Caught::By("lines.visited"),
        run: |bench| walk_chains(bench, |chains| chains.share_one_part()),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.memory.latency_in_cache",
        of: "memory.latency.beyond_caches",
        mistake: "the working set is as large as the last-level cache, and is claimed to be beyond it (E16)",
        caught_by: Caught::By("working_set.per_cache"),
        run: |bench| {
            let cache = sys::memory::last_level_cache().unwrap_or(8 << 20);
            let bytes = cache.min(LINES * 64);
            let mut mapping = Mapping::private(bytes)?;
            let cycle = Cycle::link(&mut mapping, 0, bytes / 64, 64, Order::Random(bench.seed()));
            walk(bench, cycle, bytes / 64)?;
            bench.count("working_set.per_cache", bytes as f64, cache as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.memory.base_pages",
        of: "memory.latency page_size=2MiB bytes=64MiB",
        mistake: "memory on base pages is claimed to be on huge pages",
        caught_by: Caught::By("pages.huge"),
        run: |bench| {
            let mut mapping = Mapping::private(64 << 20)?;
            mapping.touch(bench.seed());
            let order = Order::Random(bench.seed());
            let cycle = Cycle::link(&mut mapping, 0, LINES, 64, order);
            walk(bench, cycle, LINES)?;
            let huge = sys::huge::huge_bytes_of(&mapping).unwrap_or(0);
            bench.count("pages.huge", huge as f64, mapping.length() as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.memory.few_points",
        of: "memory.levels level=1 property=capacity",
        mistake: "levels are found from a curve of four points",
        caught_by: Caught::By("curve.points"),
        run: |bench| give(bench, &[("lines.visited", 1.0), ("curve.points", 4.0)], vec![49_152.0]),
        ..Sabotage::NEW
    },
];
