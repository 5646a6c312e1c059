//! The reach of the translation caches: a line in every page against as many lines side by side.

use super::quiet::Quiet;
use super::sweep::without_noise;
use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse, counted};
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
             through the page table. A level ends where the difference is half way to the next.",
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
    needs: |_| {
        vec![Need::Memory {
            bytes: 2 * MOST as u64 * 4096,
        }]
    },
    witnesses: |_| {
        counted(
            "lines.visited",
            1.0,
            1.0,
            "every cycle goes through every line that it is said to have once",
        )
    },
    run,
    spend_ns: 60_000_000,
    ..Operation::NEW
};

/// Pages of the smallest and the largest set, and the factor between neighbours.
const LEAST: usize = 16;
const MOST: usize = 4096;
const FINER: f64 = 1.06;

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

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let page = sys::memory::page_size();
    let mut mapping = Mapping::private(MOST * (page + LINE))?;
    mapping.touch(bench.seed());
    let mut pages = Pages {
        quiet: Quiet::new(),
        mapping,
        visited: 0,
        lines: 0,
    };
    let born = pages.quiet.clock.moment();
    let (mut curve, mut lines) = (Vec::new(), LEAST);
    while lines <= MOST {
        let (mut apart, mut packed) = (f64::INFINITY, f64::INFINITY);
        for place in 0..PLACES {
            let seed = bench.seed() ^ (lines as u64 * PLACES + place);
            apart = apart.min(pages.load(lines, page + LINE, seed)?);
            packed = packed.min(pages.load(lines, LINE, seed)?);
        }
        curve.push((lines as f64, apart - packed));
        bench.look_at_core();
        lines = (lines + 1).max((lines as f64 * FINER) as usize);
    }
    let load = pages.load(LEAST, LINE, bench.seed())?;
    // The cost of a load makes ratios of the differences, which begin at nothing.
    let above: Vec<(f64, f64)> = curve
        .iter()
        .map(|(n, extra)| (*n, load + extra.max(0.0)))
        .collect();
    let levels = plateaus(&without_noise(&above), SHAPE);
    let tick = pages.quiet.clock.nanos_per_tick(born, pages.quiet.clock.moment());
    bench.curve(curve.into_iter().map(|(n, extra)| (n, extra * tick)));
    tell(bench, &levels, tick);
    bench.count("lines.visited", pages.visited as f64, pages.lines as f64);
    Ok(())
}

/// Bytes of a line.
const LINE: usize = super::latency::LINE;

fn tell(bench: &mut Bench<'_>, levels: &[Plateau], tick: f64) {
    let height = |level: usize| levels.get(level - 1).map(|plateau| plateau.height);
    let above = |level| Some((height(level)? - height(1)?) * tick);
    for level in [1, 2] {
        let edge = levels.get(level - 1).and_then(|plateau| plateau.edge);
        put(bench, point(level, "entries"), edge);
    }
    for level in [2, 3] {
        put(bench, point(level, "latency"), above(level));
    }
}

fn put(bench: &mut Bench<'_>, point: Point, value: Option<f64>) {
    match value {
        Some(value) => bench.values_at(point, vec![value]),
        None => bench.absent(
            point,
            &format!("the curve to {MOST} pages does not go so far"),
            "nothing is amiss: a level of it reaches further",
        ),
    }
}

/// Lines in pages, and what was walked.
struct Pages {
    quiet: Quiet,
    mapping: Mapping,
    visited: u64,
    lines: u64,
}

impl Pages {
    /// Ticks of a load in a random cycle of lines so far apart, the least of some walks.
    fn load(&mut self, lines: usize, apart: usize, seed: u64) -> Result<f64, Failure> {
        let cycle = Cycle::link(&mut self.mapping, 0, lines, apart, Order::Random(seed));
        let mut cycle = cycle.ok_or_else(|| Failure::Failed("the lines do not fit".to_owned()))?;
        self.visited += cycle.distinct();
        self.lines += cycle.lines();
        let turns = (2 * cycle.lines() / LOADS).clamp(8, MOST_TURNS);
        let walks = (0..REPEATS).map(|_| self.quiet.per_load(|| cycle.walk(turns)));
        Ok(walks.fold(f64::INFINITY, f64::min))
    }
}
