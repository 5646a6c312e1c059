//! The size of a cache line: two loads near each other, at growing distance.

use super::workloads::quiet::Quiet;
use measure::{Area, Bench, Failure, How, Operation, Point, Rehearse};
use quantity::Quantity;
use sys::chase::{Cycle, LOADS, shuffled};
use sys::memory::Mapping;

/// Where the second of two loads begins to cost.
pub static LINE_SIZE: Operation = Operation {
    id: "memory.line_size",
    area: Area::Memory,
    title: "size of a line of the first cache, found blind",
    one_iteration: "a load from one of 1024 places, and a second one at a distance from it",
    quantity: Quantity::Latency,
    quantity_of: Some(|point| match point.get("of") {
        Some("size") => Quantity::Size,
        _ => Quantity::Latency,
    }),
    method: "1024 places 512 B apart in random order, each followed by a second one at a fixed distance: one cycle of \
             dependent loads. The places collide in an eighth of the first cache and lie in the second. While both \
             are in one line the second load finds it; from the distance at which it does not, every load goes to \
             the second cache. Each distance is a point; the size is the first distance whose cost is above the \
             geometric mean of the least and the largest.",
    confounds: "Lines of 512 B or more are not found. A processor that fetches pairs of lines does so into the \
                second cache, where all of them are already: this is why the set lies there and not in memory, where \
                the same experiment gives 128 or 512.",
    sources: &[(
        "R0",
        "one pass through untouched memory: faults and prefetch (E14)",
    )],
    how: How::Values,
    rehearse: Rehearse::Nothing,
    points: |_| {
        let distances = DISTANCES.map(|bytes| Point::only().with("distance", bytes));
        distances
            .into_iter()
            .chain([Point::only().with("of", "size")])
            .collect()
    },
    predict: &["of=size: hardware t0 as the machine tells = cache.l1d.line"],
    evidence: &["every line visited"],
    run,
    spend_ns: 10_000_000,
    ..Operation::NEW
};

/// Distances in bytes.
const DISTANCES: [usize; 6] = [8, 16, 32, 64, 128, 256];

const PLACES: u32 = 1024;
const APART: usize = 512;

/// Times that the cycle is walked; the least counts.
const REPEATS: usize = 20;

/// The largest cost is above the least by this factor, or there is no step.
const STEP: f64 = 1.2;

fn run(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let mut mapping = Mapping::private(PLACES as usize * APART)?;
    mapping.touch(bench.seed());
    let mut quiet = Quiet::new();
    let born = quiet.clock.moment();
    let order = shuffled(0..PLACES, bench.seed());
    let (mut costs, mut visited) = (Vec::new(), 0);
    for distance in DISTANCES {
        let places = order.iter().map(|place| *place as usize * APART);
        let offsets: Vec<usize> = places.flat_map(|place| [place, place + distance]).collect();
        let cycle = Cycle::through(&mut mapping, &offsets);
        let mut cycle = cycle.ok_or_else(|| Failure::Failed("the places do not fit".to_owned()))?;
        visited += cycle.distinct();
        let turns = 2 * u64::from(PLACES) / LOADS;
        let walks = (0..REPEATS).map(|_| quiet.per_load(|| cycle.walk(turns)));
        costs.push(walks.fold(f64::INFINITY, f64::min));
        bench.sample_core_state();
    }
    let tick = quiet.clock.nanos_per_tick(born, quiet.clock.moment());
    for (distance, ticks) in DISTANCES.iter().zip(&costs) {
        bench.values_at(Point::only().with("distance", distance), vec![ticks * tick]);
    }
    let size = Point::only().with("of", "size");
    match line(&costs) {
        Some(bytes) => bench.values_at(size, vec![bytes as f64]),
        None => bench.absent(
            size,
            "the second load costs the same at every distance to 256 B",
            "try it again on a quieter machine; the line may be longer",
        ),
    }
    let asked = 2 * PLACES as usize * DISTANCES.len();
    bench.count("lines.visited", visited as f64, asked as f64);
    Ok(())
}

/// The first distance at which the second load costs.
fn line(costs: &[f64]) -> Option<usize> {
    let least = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let most = costs.iter().copied().fold(0.0, f64::max);
    let first = costs.iter().position(|cost| *cost > (least * most).sqrt())?;
    (most > least * STEP).then(|| DISTANCES.get(first).copied())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_ends_where_the_second_load_costs() {
        assert_eq!(line(&[3.5, 3.6, 3.5, 5.4, 5.3, 5.4]), Some(64));
        assert_eq!(line(&[3.5, 3.6, 5.2, 5.4, 5.3, 5.4]), Some(32));
        assert_eq!(line(&[3.5, 3.6, 3.5, 3.5, 5.3, 5.4]), Some(128));
        assert_eq!(line(&[3.5; 6]), None);
    }
}
