//! Working sets that are not what they are called: what `lines.visited`, `pages.huge` and `curve.points` must catch.

use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Point, Work};
use sys::chase::{Cycle, LOADS, Order};
use sys::memory::Mapping;

fn of_memory(pages: &str) -> Vec<Point> {
    vec![Point::only().with("page_size", pages).with("bytes", "64MiB")]
}

/// Lines of 64 MiB.
const LINES: usize = (64 << 20) / 64;

fn walked(bench: &mut Bench<'_>, cycle: Option<Cycle<'_>>) -> Result<(), Failure> {
    let mut cycle = cycle.ok_or_else(|| Failure::Failed("the lines do not fit".to_owned()))?;
    bench.count("lines.visited", cycle.distinct() as f64, LINES as f64);
    let mut main = |n: u64| Ok(cycle.walk(n / LOADS));
    bench.batches(Work { multiple_of: LOADS, ..Work::new(&mut main) })
}

/// Two lines.
pub static TWO_LINES: Sabotage = Sabotage {
    id: "sabotage.memory.two_lines",
    of: "memory.latency",
    points: |_| of_memory("4KiB"),
    mistake: "a ring of two lines is called 64 MiB (E15, E16)",
    caught_by: Caught::By("lines.visited"),
    run: |bench| {
        let mut mapping = Mapping::private(4096)?;
        mapping.touch(bench.seed());
        let cycle = Cycle::link(&mut mapping, 0, 2, 64, Order::Forward);
        walked(bench, cycle)?;
        bench.count("pages.huge", 0.0, 1.0);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Base pages for huge ones.
pub static BASE_PAGES: Sabotage = Sabotage {
    id: "sabotage.memory.base_pages",
    of: "memory.latency",
    points: |_| of_memory("2MiB"),
    mistake: "memory on base pages is called memory on huge pages",
    caught_by: Caught::By("pages.huge"),
    run: |bench| {
        let mut mapping = Mapping::private(64 << 20)?;
        mapping.touch(bench.seed());
        let order = Order::Random(bench.seed());
        let cycle = Cycle::link(&mut mapping, 0, LINES, 64, order);
        walked(bench, cycle)?;
        let huge = sys::huge::huge_bytes_of(&mapping).unwrap_or(0);
        bench.count("pages.huge", huge as f64, mapping.length() as f64);
        Ok(())
    },
    ..Sabotage::NEW
};

/// A curve of a few points.
pub static FEW_POINTS: Sabotage = Sabotage {
    id: "sabotage.memory.few_points",
    of: "memory.levels",
    points: |_| vec![Point::only().with("level", 1).with("property", "capacity")],
    mistake: "levels are found from a curve of four points",
    caught_by: Caught::By("curve.points"),
    run: |bench| {
        bench.values(vec![49_152.0]);
        bench.count("lines.visited", 1.0, 1.0);
        bench.count("curve.points", 4.0, 1.0);
        Ok(())
    },
    ..Sabotage::NEW
};
