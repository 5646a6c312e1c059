//! The reach of the translation caches: a line in every page against as many lines side by side.

use super::workloads::quiet::Quiet;
use super::workloads::room;
use super::workloads::sweep::without_noise;
use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse};
use quantity::Quantity;
use record::Need;
use stats::plateaus::{Plateau, Shape, plateaus};
use sys::chase::{Cycle, LOADS, Order};
use sys::memory::Mapping;

/// Entries of each level, and what it costs to go beyond.
pub static TLB: Operation = Operation {
    id: "memory.tlb",
    area: Area::Memory,
    title: "reach of the translation caches (TLB) with base pages, found blind",
    one_iteration: "a load from one of n lines, each in a page of its own",
    quantity: Quantity::Latency,
    quantity_of: Some(|point| match point.get("of") {
        Some("entries") => Quantity::Count,
        _ => Quantity::Latency,
    }),
    method: "A random cycle through n lines in n base pages, each a line further into its page than the one before, so \
             that they fill the first cache evenly; less one through n lines side by side, which lie in the same \
             caches and in few pages. n goes from 16 to 4096 in steps of a sixteenth. The plateaus of the difference \
             are the levels: level=1 costs nothing, level=2 what its latency says above that, level=3 is the walk \
             through the page table. The first level ends where the rise begins, which the straight line through a \
             quarter and three quarters of it tells: with every page beyond, one more of its sets no longer holds all \
             that it is asked for. The second, whose sets are chosen by a hash, ends half way to the walk.",
    revision: 2,
    confounds: "On base pages the lines of a larger set collide in caches that are indexed by address, which side by \
                side they do not: the walk holds some of that. In a virtual machine it goes through two tables. \
                Entries that hold several neighbouring pages make the first level look larger.",
    sources: &[
        (
            "Saavedra and Smith 1995",
            "strides of a page: all in one set of the first cache",
        ),
        ("Cooper and Xu 2018", "strings for caches and for the TLB apart"),
    ],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| {
        let points = [(1, "entries"), (2, "entries"), (2, "latency"), (3, "latency")];
        points.map(|(level, of)| point(level, of)).to_vec()
    },
    needs: |_| needs(BASE),
    // What manuals say of cores since 2015; no machine tells its own by a way that oscope reads.
    predict: &[
        "level=1 of=entries: hardware t0 as manuals say = 72 (×1.5: entries for loads of base pages: 64 (Skylake, Zen 1 to \
         3), 72 (Zen 4), 96 (Golden Cove, Zen 5), 48 (Neoverse))",
        "level=2 of=entries: hardware t0 as manuals say = 2048 (×2: entries of the second level: 1536 (Skylake), 2048 (Ice \
         Lake on, Zen 2 and 3), 3072 (Zen 4), 4096 (Zen 5))",
        "level=2 of=latency: hardware as manuals say = second_translation × cycle_ns",
        "level=3 of=latency: hardware as manuals say = 40 cycles (×1.7: a walk whose entries are in the first and second \
         cache: 20 to 35 cycles; twice that in a guest) × cycle_ns",
    ],
    evidence: &["every line visited"],
    run: |bench| {
        let page = sys::memory::page_size();
        let mut mapping = Mapping::private(BASE.most * (page + LINE))?;
        mapping.touch(bench.seed());
        let place = Place {
            mapping: &mut mapping,
            start: 0,
            page,
        };
        sweep(bench, BASE, place)
    },
    spend_ns: 60_000_000,
    ..Operation::NEW
};

/// The same on huge pages.
pub static HUGE: Operation = Operation {
    id: "memory.tlb.huge",
    title: "reach of the translation caches (TLB) with pages of 2 MiB, found blind",
    one_iteration: "a load from one of n lines, each in a huge page of its own",
    method: "As memory.tlb, on 160 huge pages that madvise gave, each line 4 KiB and 64 B further into its page: only the first level ends there. Its second level and \
             the walk are further than there is sense in taking memory.",
    confounds: "A host may have put a guest's huge pages on small ones: then the processor keeps translations of small \
                pages, and the first level ends where that of memory.tlb does, or goes on as far as the second level. \
                Such a reach says how the host backs its guest's memory, and not what the processor can.",
    points: |_| [point(1, "entries"), point(2, "latency")].to_vec(),
    needs: |_| needs(BIG),
    predict: &[
        "of=entries: hardware t0 as manuals say = 45 (×1.5: entries for loads of pages of 2 MiB: 32 (Intel since Haswell), \
         64 and more (Zen, shared with base pages))",
        "of=latency: hardware as manuals say = second_translation × cycle_ns",
    ],
    run: |bench| {
        let page = BIG.page;
        let (mut memory, length) = room::huge(BIG.most * (page + BIG.further), bench.seed())?;
        room::count_huge(bench, memory.huge_bytes(), length);
        let (mapping, start) = memory.parts_mut();
        let place = Place { mapping, start, page };
        sweep(bench, BIG, place)
    },
    ..TLB
};

/// Bytes of a page, how much further each line lies in its page than the one before, and pages of the smallest and
/// the largest set.
#[derive(Debug, Clone, Copy)]
struct Reach {
    page: usize,
    further: usize,
    least: usize,
    most: usize,
}

const BASE: Reach = Reach {
    page: 4096,
    further: LINE,
    least: 16,
    most: 4096,
};
const BIG: Reach = Reach {
    page: 2 << 20,
    // A small page, too: where the host has small ones behind, their translations are spread over all sets.
    further: 4096 + LINE,
    least: 4,
    most: 160,
};

/// The factor between the pages of neighbouring sets.
const FINER: f64 = 1.06;

fn needs(reach: Reach) -> Vec<Need> {
    let bytes = reach.most as u64 * reach.page as u64;
    vec![Need::Memory {
        bytes: bytes + bytes / 8,
    }]
}

const PLACES: u64 = 3;
const REPEATS: usize = 4;

/// Turns of [`LOADS`] loads that are timed at most.
const MOST_TURNS: u64 = 64;

/// The second level of a TLB costs some six cycles above the four of a load.
const SHAPE: Shape = Shape {
    flat: 1.25,
    long: 1.45,
    step: 1.35,
};

fn point(level: usize, of: &str) -> Point {
    Point::only().with("level", level).with("of", of)
}

fn sweep(bench: &mut Bench<'_>, reach: Reach, place: Place<'_>) -> Result<(), Failure> {
    let page = place.page;
    let mut pages = Pages {
        quiet: Quiet::new(),
        place,
        visited: 0,
        lines: 0,
    };
    let born = pages.quiet.clock.moment();
    let (mut curve, mut lines) = (Vec::new(), reach.least);
    while lines <= reach.most {
        let (mut apart, mut packed) = (f64::INFINITY, f64::INFINITY);
        for place in 0..PLACES {
            let seed = bench.seed() ^ (lines as u64 * PLACES + place);
            apart = apart.min(pages.load(lines, page + reach.further, seed)?);
            packed = packed.min(pages.load(lines, LINE, seed)?);
        }
        curve.push((lines as f64, apart - packed));
        bench.sample_core_state();
        lines = (lines + 1).max((lines as f64 * FINER) as usize);
    }
    let load = pages.load(reach.least, LINE, bench.seed())?;
    // The cost of a load makes ratios of the differences, which begin at nothing.
    let above: Vec<(f64, f64)> = curve
        .iter()
        .map(|(n, extra)| (*n, load + extra.max(0.0)))
        .collect();
    let mut levels = plateaus(&without_noise(&above), SHAPE);
    if let [first, second, ..] = levels.as_mut_slice() {
        first.edge = begin_of_rise(&above, first.height, second.height);
    }
    let tick = pages.quiet.clock.nanos_per_tick(born, pages.quiet.clock.moment());
    bench.curve(curve.into_iter().map(|(n, extra)| (n, extra * tick)));
    tell(bench, &levels, tick, reach);
    bench.count("lines.visited", pages.visited as f64, pages.lines as f64);
    Ok(())
}

/// Where a straight rise from one height to another begins, by its quarter and its three quarters.
///
/// In a cache of `w` ways that forgets what was unused for longest, pages side by side fill the sets in turn: at
/// `e + k` pages for `e` entries, `k` sets hold one too many, and each of their `w + 1` pages misses in every round.
/// The misses rise in proportion to `k` until all sets are full, a `w`-th further; half way is too far by half of that.
fn begin_of_rise(curve: &[(f64, f64)], low: f64, high: f64) -> Option<f64> {
    let crossing = |share: f64| {
        let height = low + (high - low) * share;
        let above = curve.iter().position(|(_, value)| *value >= height)?;
        let below = above.checked_sub(1)?;
        let (&(from, under), &(to, over)) = (curve.get(below)?, curve.get(above)?);
        Some(from + (to - from) * (height - under) / (over - under))
    };
    let (quarter, three_quarters) = (crossing(0.25)?, crossing(0.75)?);
    Some(quarter - (three_quarters - quarter) / 2.0).filter(|begin| begin.is_finite() && *begin > 0.0)
}

/// Bytes of a line.
const LINE: usize = super::latency::LINE;

fn tell(bench: &mut Bench<'_>, levels: &[Plateau], tick: f64, reach: Reach) {
    let height = |level: usize| levels.get(level - 1).map(|plateau| plateau.height);
    let above = |level| Some((height(level)? - height(1)?) * tick);
    // Of huge pages only the end of the first level is within reach.
    let deepest = if reach.page == BASE.page { 2 } else { 1 };
    for level in 1..=deepest {
        let edge = levels.get(level - 1).and_then(|plateau| plateau.edge);
        put(bench, point(level, "entries"), edge, reach);
        put(bench, point(level + 1, "latency"), above(level + 1), reach);
    }
}

fn put(bench: &mut Bench<'_>, point: Point, value: Option<f64>, Reach { most, .. }: Reach) {
    match value {
        Some(value) => bench.values_at(point, vec![value]),
        None => bench.absent(
            point,
            &format!("the curve to {most} pages does not go so far"),
            "expected; no action needed: a level of it reaches further",
        ),
    }
}

/// Where the pages begin, and how large they are.
struct Place<'m> {
    mapping: &'m mut Mapping,
    start: usize,
    page: usize,
}

/// Lines in pages, and what was walked.
struct Pages<'m> {
    quiet: Quiet,
    place: Place<'m>,
    visited: u64,
    lines: u64,
}

impl Pages<'_> {
    /// Ticks of a load in a random cycle of lines so far apart, the least of some walks.
    fn load(&mut self, lines: usize, apart: usize, seed: u64) -> Result<f64, Failure> {
        let cycle = Cycle::link(
            self.place.mapping,
            self.place.start,
            lines,
            apart,
            Order::Random(seed),
        );
        let mut cycle = cycle.ok_or_else(|| Failure::Failed("the lines do not fit".to_owned()))?;
        self.visited += cycle.distinct();
        self.lines += cycle.lines();
        let turns = (2 * cycle.lines() / LOADS).clamp(8, MOST_TURNS);
        let walks = (0..REPEATS).map(|_| self.quiet.per_load(|| cycle.walk(turns)));
        Ok(walks.fold(f64::INFINITY, f64::min))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// What a load costs in a cache of so many entries and ways, in which a miss costs one more than the one of a hit.
    fn load(pages: f64, entries: f64, ways: f64) -> f64 {
        let sets = entries / ways;
        let too_full = (pages - entries).clamp(0.0, sets);
        1.0 + (too_full * (ways + 1.0) / pages).min(1.0)
    }

    #[test]
    fn the_first_level_ends_where_its_sets_begin_to_overflow() {
        for (entries, ways) in [(64.0, 4.0), (96.0, 6.0), (72.0, 72.0), (48.0, 48.0)] {
            let mut curve = Vec::new();
            let mut pages = 16.0;
            while pages < 400.0 {
                curve.push((pages, load(pages, entries, ways)));
                pages = (pages * FINER).floor().max(pages + 1.0);
            }
            let found = begin_of_rise(&curve, 1.0, 2.0).unwrap();
            assert!(
                (found / entries - 1.0).abs() < 0.05,
                "{entries} in {ways} ways: {found}"
            );
        }
    }

    #[test]
    fn a_curve_that_never_rises_has_no_end() {
        assert_eq!(begin_of_rise(&[(16.0, 1.0), (32.0, 1.1)], 1.0, 2.0), None);
        assert_eq!(begin_of_rise(&[(16.0, 2.0)], 1.0, 2.0), None);
    }
}
