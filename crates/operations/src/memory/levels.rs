//! The levels of the memory hierarchy, found from the curve of latencies alone.

use super::latency::LINE;
use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse, counted, term, told_cycles};
use quantity::Quantity;
use record::{Formula, Need, Prediction, Side};
use stats::plateaus::{Plateau, Shape, plateaus};
use sys::chase::{Cycle, LOADS, Order};
use sys::clock::Clock;
use sys::memory::Mapping;

/// Size and latency of each level.
pub static LEVELS: Operation = Operation {
    id: "memory.levels",
    area: Area::Memory,
    title: "levels of the memory hierarchy, found blind",
    one_iteration: "one sweep over working sets from 4 KiB to 64 MiB",
    quantity: Quantity::Latency,
    quantity_of: Some(|point| match point.get("of") {
        Some("size") => Quantity::Size,
        _ => Quantity::Latency,
    }),
    method: "A sweep over working sets, several per octave, finer where the latency rises. The lines of a page are \
             visited one after another in random order, the pages in random order, so that what the TLB costs is \
             shared by 64 loads and the caches alone shape the curve. Every working set lies at another place of a \
             fresh mapping; the least of three is taken, and what a larger set does faster is noise. Plateaus of this \
             curve are the levels; a level ends where the curve is half way to the next on a logarithmic scale. The \
             latency of a level is that of one random cycle of lines in the middle of its plateau. Nothing that the \
             machine says of itself is used.",
    confounds: "A cache that is shared has an effective size at a time, which is what its neighbours leave. Random \
                places of pages make a cache that is indexed by address look smaller than it is, by a sixth or so, \
                where huge pages are not to be had. On a core that is shared with a busy hardware thread caches are \
                halved.",
    sources: &[
        ("R0", "by eye, from a plot of strides"),
        ("R2", "by eye, from a plot"),
        (
            "lmbench",
            "lat_mem_rd with a ratio of 1.5: misses some levels and invents others",
        ),
        ("Cooper and Xu 2018", "strings for caches and for the TLB apart"),
        ("MT4G 2025", "change points"),
    ],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| {
        (1..=MOST_LEVELS)
            .flat_map(|level| ["size", "latency"].map(|of| point(level, of)))
            .collect()
    },
    needs: |_| {
        vec![Need::Memory {
            bytes: 2 * LARGEST as u64,
        }]
    },
    predict,
    witnesses: |_| {
        let mut all = counted(
            "lines.visited",
            1.0,
            1.0,
            "every cycle goes through every line of its working set once",
        );
        all.extend(counted(
            "curve.points",
            50.0,
            1000.0,
            "the curve has several points in every octave",
        ));
        all
    },
    run,
    spend_ns: 1_500_000_000,
    ..Operation::NEW
};

/// Three caches, memory, and one more for machines with a cache beside the processor.
const MOST_LEVELS: usize = 5;

/// The smallest and the largest working set in bytes.
const SMALLEST: usize = 4 << 10;
const LARGEST: usize = 64 << 20;

/// Working sets per octave before the curve is refined.
const PER_OCTAVE: f64 = 4.0;

/// Neighbours are refined where the latency rises by more than this factor …
const RISES: f64 = 1.1;
/// … until they are this close.
const CLOSE: f64 = 1.03;

/// Most points of a curve: a curve that rises everywhere would be refined everywhere.
const MOST_POINTS: usize = 300;

/// Values of one plateau lie within a quarter, it spans half an octave, and the next is a third higher.
const SHAPE: Shape = Shape {
    flat: 1.25,
    long: 1.45,
    step: 1.35,
};

fn point(level: usize, of: &str) -> Point {
    Point::only().with("level", level).with("of", of)
}

fn predict(point: &Point) -> Prediction {
    let level = point.get("level").unwrap_or_default();
    let of_size = point.get("of") == Some("size");
    let formula = match (level, of_size) {
        ("1", true) => Some(Formula::fact("cache.l1d.size")),
        ("2", true) => Some(Formula::fact("cache.l2.size")),
        ("3", true) => Some(Formula::fact("cache.l3.size")),
        ("1", false) => Some(told_cycles(Formula::fact("family.l1_cycles"))),
        ("2", false) => Some(told_cycles(Formula::fact("family.l2_cycles"))),
        ("3", false) => Some(told_cycles(Formula::fact("family.l3_cycles"))),
        ("4", false) => Some(Formula::fact("family.memory_ns")),
        _ => None,
    };
    let terms = formula.map(|formula| term(Side::Hardware, "as the machine tells", formula));
    Prediction {
        from_facts: terms.into_iter().collect(),
        from_parts: Vec::new(),
    }
}

/// The instrument of one sweep.
struct Sweep {
    clock: Clock,
    mapping: Mapping,
    seed: u64,
    lines: u64,
    visited: u64,
}

impl Sweep {
    fn new(seed: u64) -> Result<Self, Failure> {
        let mut mapping = Mapping::private(LARGEST + LARGEST / 4)?;
        mapping.touch(seed);
        Ok(Self {
            clock: Clock::select(),
            mapping,
            seed,
            lines: 0,
            visited: 0,
        })
    }

    /// Ticks of a load in a working set of this size at some place of the mapping.
    fn load(&mut self, size: usize, order: fn(u64) -> Order) -> Result<f64, Failure> {
        self.seed = self
            .seed
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let page = sys::memory::page_size();
        let room = (self.mapping.length() - size) / page;
        let start = (self.seed >> 33) as usize % (room + 1) * page;
        let cycle = Cycle::link(&mut self.mapping, start, size / LINE, LINE, order(self.seed));
        let mut cycle =
            cycle.ok_or_else(|| Failure::Failed(format!("a working set of {size} bytes has no place")))?;
        // Going round once warms the caches, too.
        self.visited += cycle.distinct();
        self.lines += cycle.lines();
        let turns = (cycle.lines() / LOADS).clamp(LEAST_TURNS, MOST_TURNS);
        let mut least = f64::INFINITY;
        for _ in 0..REPEATS {
            let start = self.clock.start();
            let loads = cycle.walk(turns);
            least = least.min((self.clock.stop() - start) as f64 / loads as f64);
        }
        Ok(least)
    }

    /// The least of working sets at several places.
    fn least(&mut self, size: usize, order: fn(u64) -> Order) -> Result<f64, Failure> {
        let places = if size <= SMALL { PLACES } else { 1 };
        (0..places).try_fold(f64::INFINITY, |least, _| Ok(self.load(size, order)?.min(least)))
    }
}

/// Turns of [`LOADS`] loads that are timed at least (a microsecond or more) and at most.
const LEAST_TURNS: u64 = 16;
const MOST_TURNS: u64 = 400;

/// Times that one cycle is walked.
const REPEATS: usize = 3;

/// Working sets up to this size are tried at several places: larger ones hold pages enough to be all alike.
const SMALL: usize = 4 << 20;
const PLACES: usize = 3;

/// Lines in a page of 4 KiB.
const BLOCK: u32 = 64;

fn blocks(seed: u64) -> Order {
    Order::Blocks(BLOCK, seed)
}

type Curve = Vec<(f64, f64)>;

/// The curve over all sizes, coarse first and then finer where it rises.
fn curve(sweep: &mut Sweep) -> Result<Curve, Failure> {
    let octaves = (LARGEST as f64 / SMALLEST as f64).log2();
    let mut curve: Curve = Vec::with_capacity(MOST_POINTS);
    for step in 0..=(octaves * PER_OCTAVE) as u32 {
        let size = SMALLEST as f64 * (f64::from(step) / PER_OCTAVE).exp2();
        curve.push((size, sweep.least(size as usize, blocks)?));
    }
    for _ in 0..MOST_POINTS {
        let Some(between) = steepest(&curve) else { break };
        if curve.len() >= MOST_POINTS {
            break;
        }
        let place = curve.partition_point(|pair| pair.0 < between);
        curve.insert(place, (between, sweep.least(between as usize, blocks)?));
    }
    Ok(curve)
}

/// The middle of the first gap across which the latency rises and which is wide enough to be looked into.
fn steepest(curve: &[(f64, f64)]) -> Option<f64> {
    let steps = curve.windows(2).filter_map(|pair| match pair {
        [(left, low), (right, high)] => Some((right / left, high / low, (left * right).sqrt())),
        _ => None,
    });
    let open = steps.filter(|(gap, rise, _)| *gap > CLOSE && *rise > RISES);
    open.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(.., middle)| middle)
}

/// The curve as it would be without what noise has added: no working set is slower than a larger one.
fn without_noise(mut curve: Curve) -> Curve {
    let mut least = f64::INFINITY;
    for pair in curve.iter_mut().rev() {
        least = least.min(pair.1);
        pair.1 = least;
    }
    curve
}

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut sweep = Sweep::new(bench.seed())?;
    let born = sweep.clock.moment();
    let curve = bench.watched(|| curve(&mut sweep))?;
    let points = curve.len();
    let levels = plateaus(&without_noise(curve), SHAPE);
    for level in 1..=MOST_LEVELS {
        let found = levels.get(level - 1);
        let latency = found.map(|plateau| latency(&mut sweep, plateau)).transpose()?;
        let tick = sweep.clock.nanos_per_tick(born, sweep.clock.moment());
        let size = found.and_then(|plateau| plateau.edge);
        put(bench, point(level, "size"), size);
        put(bench, point(level, "latency"), latency.map(|ticks| ticks * tick));
    }
    bench.count("lines.visited", sweep.visited as f64, sweep.lines as f64);
    bench.count("curve.points", points as f64, 1.0);
    Ok(())
}

fn put(bench: &mut Bench<'_>, point: Point, value: Option<f64>) {
    match value {
        Some(value) => bench.values_at(point, vec![value]),
        None => bench.absent(
            point,
            "the curve has no further level, or its last has no end below the largest working set",
            "nothing is amiss; --profile thorough sweeps larger working sets",
        ),
    }
}

/// Ticks of a load in one random cycle in the middle of a plateau.
fn latency(sweep: &mut Sweep, plateau: &Plateau) -> Result<f64, Failure> {
    let end = plateau.edge.map_or(plateau.last, |edge| edge.min(plateau.last));
    let middle = (plateau.first * end).sqrt();
    (0..PLACES).try_fold(f64::INFINITY, |least, _| {
        Ok(sweep
            .load(middle as usize / LINE * LINE, Order::Random)?
            .min(least))
    })
}
