//! Working sets that are not as claimed: what `lines.visited`, `pages.huge` and `curve.points` must catch.

use crate::sabotage::give;
use crate::{Caught, Sabotage};
use sys::chase::{Cycle, Order};
use sys::memory::Mapping;
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
