//! TLB reach: loads from one line per page against as many adjacent lines.

use super::quiet_sampler::QuietSampler;
use super::sweep::monotonic;
use super::{LINE, working_set};
use measure::{Bench, Failure, Point, Result, choice, parameters};
use record::Need;
use stats::plateaus::{Plateau, Shape, plateaus};
use sys::chase::{Cycle, LOADS, Order};
use sys::memory::Mapping;

/// The range of a sweep: bytes of a page, increment of the line's offset from page to page, smallest and largest set.
#[derive(Debug, Clone, Copy)]
pub struct SweepRange {
    page: usize,
    offset_step: usize,
    min_pages: usize,
    max_pages: usize,
}

/// Base pages.
pub const BASE: SweepRange = SweepRange { page: 4096, offset_step: LINE, min_pages: 16, max_pages: 4096 };

/// Huge pages.
pub const HUGE: SweepRange = SweepRange {
    page: 2 << 20,
    // One base page more: if the host uses base pages, their translations spread over all sets.
    offset_step: 4096 + LINE,
    min_pages: 4,
    max_pages: 160,
};

/// The factor from one number of pages to the next.
const GROWTH: f64 = 1.06;

/// What a sweep needs.
pub fn needs(reach: SweepRange) -> Vec<Need> {
    let bytes = reach.max_pages as u64 * reach.page as u64;
    vec![Need::Memory { bytes: bytes + bytes / 8 }]
}

const SEEDS: u64 = 3;
const REPEATS: usize = 4;

/// Timed turns of [`LOADS`] loads at most.
const MAX_TURNS: u64 = 64;

/// An L2 TLB hit adds about six cycles to the four of a load.
const SHAPE: Shape = Shape { flat: 1.25, long: 1.45, step: 1.35 };

choice! {
    /// What is found of a level of the TLB.
    pub enum TlbProperty {
        /// How many pages it holds.
        Entries = "entries",
        /// Of a load that it serves, above the first level.
        Latency = "latency",
    }
}

parameters! {
    /// A level of the TLB.
    pub struct TlbLevel {
        /// From 1.
        level: u64,
        /// What is found of it.
        property: TlbProperty,
    }
}

fn point(level: usize, property: TlbProperty) -> Point {
    Point::only().with("level", level).with("property", property.name())
}

/// Entries and miss latencies with base pages.
///
/// # Errors
/// When there is no memory.
pub fn find_entries(bench: &mut Bench<'_>) -> Result<()> {
    let page = sys::memory::page_size();
    let mut mapping = Mapping::private(BASE.max_pages * (page + LINE))?;
    mapping.touch(bench.seed());
    let region = Region { mapping: &mut mapping, start: 0, page };
    sweep(bench, BASE, region)
}

/// The same with huge pages.
///
/// # Errors
/// Skipped where the kernel gives no huge pages.
pub fn find_huge_entries(bench: &mut Bench<'_>) -> Result<()> {
    let page = HUGE.page;
    let (mut memory, length) = working_set::huge(HUGE.max_pages * (page + HUGE.offset_step), bench.seed())?;
    working_set::count_huge(bench, memory.huge_bytes(), length);
    let (mapping, start) = memory.parts_mut();
    let region = Region { mapping, start, page };
    sweep(bench, HUGE, region)
}

fn sweep(bench: &mut Bench<'_>, reach: SweepRange, region: Region<'_>) -> Result<()> {
    let page = region.page;
    let mut sweep = PageSweep { sampler: QuietSampler::calibrate(), region, visited: 0, lines: 0 };
    let start = sweep.sampler.clock.moment();
    let (mut curve, mut lines) = (Vec::new(), reach.min_pages);
    while lines <= reach.max_pages {
        let (mut spread, mut adjacent) = (f64::INFINITY, f64::INFINITY);
        for index in 0..SEEDS {
            let seed = bench.seed() ^ (lines as u64 * SEEDS + index);
            spread = spread.min(sweep.load(lines, page + reach.offset_step, seed)?);
            adjacent = adjacent.min(sweep.load(lines, LINE, seed)?);
        }
        curve.push((lines as f64, spread - adjacent));
        bench.sample_core_state();
        lines = (lines + 1).max((lines as f64 * GROWTH) as usize);
    }
    let load = sweep.load(reach.min_pages, LINE, bench.seed())?;
    // The differences start at zero: adding the cost of a load makes ratios meaningful.
    let latency: Vec<(f64, f64)> = curve.iter().map(|(n, extra)| (*n, load + extra.max(0.0))).collect();
    let mut levels = plateaus(&monotonic(&latency), SHAPE);
    if let [first, second, ..] = levels.as_mut_slice() {
        first.edge = begin_of_rise(&latency, first.height, second.height);
    }
    let tick = sweep.sampler.clock.nanos_per_tick(start, sweep.sampler.clock.moment());
    bench.curve(curve.into_iter().map(|(n, extra)| (n, extra * tick)));
    report_levels(bench, &levels, tick, reach);
    bench.count("lines.visited", sweep.visited as f64, sweep.lines as f64);
    Ok(())
}

/// The start of a linear rise from one height to another, extrapolated from a quarter and three quarters of it.
///
/// In an LRU cache of `w` ways, adjacent pages fill the sets in turn: at `e + k` pages for `e` entries, `k` sets overflow by
/// one, and each of their `w + 1` pages misses in every round. Misses grow linearly in `k` until all sets overflow, `e / w`
/// pages later; half way would be too far by half of that.
fn begin_of_rise(curve: &[(f64, f64)], low: f64, high: f64) -> Option<f64> {
    let [quarter, three_quarters] = [0.25, 0.75].map(|share| {
        let height = low + (high - low) * share;
        let above = curve.iter().position(|(_, value)| *value >= height)?;
        let below = above.checked_sub(1)?;
        let (&(from, under), &(to, over)) = (curve.get(below)?, curve.get(above)?);
        Some(from + (to - from) * (height - under) / (over - under))
    });
    let (quarter, three_quarters) = (quarter?, three_quarters?);
    Some(quarter - (three_quarters - quarter) / 2.0).filter(|begin| begin.is_finite() && *begin > 0.0)
}

fn report_levels(bench: &mut Bench<'_>, levels: &[Plateau], tick: f64, reach: SweepRange) {
    // With huge pages only the first level ends within reach.
    let deepest = if reach.page == BASE.page { 2 } else { 1 };
    let reason = format!("not found up to {} pages", reach.max_pages);
    let remedy = "expected; no action needed: a TLB level reaches further";
    for level in 1..=deepest {
        let edge = levels.get(level - 1).and_then(|plateau| plateau.edge);
        bench.value_or_absent(point(level, TlbProperty::Entries), edge, &reason, remedy);
        let miss =
            levels.first().zip(levels.get(level)).map(|(first, next)| (next.height - first.height) * tick);
        bench.value_or_absent(point(level + 1, TlbProperty::Latency), miss, &reason, remedy);
    }
}

/// The pages of a sweep: their mapping, start and size.
struct Region<'m> {
    mapping: &'m mut Mapping,
    start: usize,
    page: usize,
}

/// The measurement of loads, and the lines visited.
struct PageSweep<'m> {
    sampler: QuietSampler,
    region: Region<'m>,
    visited: u64,
    lines: u64,
}

impl PageSweep<'_> {
    /// Ticks of a load in a random cycle of lines `distance` bytes apart: the minimum of several walks.
    fn load(&mut self, lines: usize, distance: usize, seed: u64) -> Result<f64> {
        let cycle = Cycle::link(self.region.mapping, self.region.start, lines, distance, Order::Random(seed));
        let mut cycle = cycle.ok_or_else(|| Failure::failed("the lines do not fit into the mapping"))?;
        self.visited += cycle.distinct();
        self.lines += cycle.lines();
        let turns = (2 * cycle.lines() / LOADS).clamp(8, MAX_TURNS);
        let walks = (0..REPEATS).map(|_| self.sampler.per_load(|| cycle.walk(turns)));
        Ok(walks.fold(f64::INFINITY, f64::min))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cost of a load in an LRU cache: 1 for a hit, 2 for a miss.
    fn load(pages: f64, entries: f64, ways: f64) -> f64 {
        let sets = entries / ways;
        let overflowing = (pages - entries).clamp(0.0, sets);
        1.0 + (overflowing * (ways + 1.0) / pages).min(1.0)
    }

    #[test]
    fn rise_begins_at_the_number_of_entries() {
        for (entries, ways) in [(64.0, 4.0), (96.0, 6.0), (72.0, 72.0), (48.0, 48.0)] {
            let mut curve = Vec::new();
            let mut pages = 16.0;
            while pages < 400.0 {
                curve.push((pages, load(pages, entries, ways)));
                pages = (pages * GROWTH).floor().max(pages + 1.0);
            }
            let found = begin_of_rise(&curve, 1.0, 2.0).unwrap();
            assert!((found / entries - 1.0).abs() < 0.05, "{entries} in {ways} ways: {found}");
        }
    }

    #[test]
    fn flat_curve_has_no_rise() {
        assert_eq!(begin_of_rise(&[(16.0, 1.0), (32.0, 1.1)], 1.0, 2.0), None);
        assert_eq!(begin_of_rise(&[(16.0, 2.0)], 1.0, 2.0), None);
    }
}
