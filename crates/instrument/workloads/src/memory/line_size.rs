//! The size of a cache line: two adjacent loads at increasing distance.

use super::quiet_sampler::QuietSampler;
use measure::{Bench, Failure, Point, Result, choice, parameters};
use quantity::Bytes;
use sys::chase::{Cycle, LOADS, shuffled};
use sys::memory::Mapping;

/// Distances in bytes.
const DISTANCES: [usize; 6] = [8, 16, 32, 64, 128, 256];

const ADDRESSES: u32 = 512;
const SPACING: usize = 512;

/// Walks of a cycle; the minimum counts.
const REPEATS: usize = 20;

/// The maximum must exceed the minimum by this factor.
const STEP: f64 = 1.2;

choice! {
    /// What is found of a line.
    pub enum LineProperty {
        /// Its size.
        Size = "size",
    }
}

parameters! {
    /// The cost at a distance, or what is found of a line.
    pub struct LineSize {
        /// Of the two loads.
        distance: Option<Bytes> = None,
        /// What is found.
        property: Option<LineProperty> = None,
    }
}

/// The cost of the second load at a distance in bytes.
fn at_distance(bytes: usize) -> Point {
    Point::only().with("distance", format!("{bytes}B"))
}

/// The cost of the second load at each distance, and the first distance that misses.
///
/// # Errors
/// When there is no memory.
pub fn find_line(bench: &mut Bench<'_>) -> Result<()> {
    let mut mapping = Mapping::private(ADDRESSES as usize * SPACING)?;
    mapping.touch(bench.seed());
    let mut sampler = QuietSampler::calibrate();
    let start = sampler.clock.moment();
    let order = shuffled(0..ADDRESSES, bench.seed());
    let (mut costs, mut visited) = (Vec::new(), 0);
    for distance in DISTANCES {
        let addresses = order.iter().map(|address| *address as usize * SPACING);
        let offsets: Vec<usize> = addresses.flat_map(|first| [first, first + distance]).collect();
        let cycle = Cycle::through(&mut mapping, &offsets);
        let mut cycle = cycle.ok_or_else(|| Failure::failed("the addresses do not fit into the mapping"))?;
        visited += cycle.distinct();
        let turns = 2 * u64::from(ADDRESSES) / LOADS;
        let walks = (0..REPEATS).map(|_| sampler.per_load(|| cycle.walk(turns)));
        costs.push(walks.fold(f64::INFINITY, f64::min));
        bench.sample_core_state();
    }
    let tick = sampler.clock.nanos_per_tick(start, sampler.clock.moment());
    for (distance, ticks) in DISTANCES.into_iter().zip(&costs) {
        bench.values_at(at_distance(distance), vec![ticks * tick]);
    }
    bench.value_or_absent(
        Point::only().with("property", LineProperty::Size.name()),
        line(&costs).map(|bytes| bytes as f64),
        "the second load costs the same at every distance up to 256 B",
        "repeat on an idle machine; the line may be longer",
    );
    let linked = 2 * ADDRESSES as usize * DISTANCES.len();
    bench.count("lines.visited", visited as f64, linked as f64);
    Ok(())
}

/// The first distance at which the second load misses.
fn line(costs: &[f64]) -> Option<usize> {
    let minimum = costs.iter().copied().fold(f64::INFINITY, f64::min);
    let maximum = costs.iter().copied().fold(0.0, f64::max);
    let first = costs.iter().position(|cost| *cost > (minimum * maximum).sqrt())?;
    (maximum > minimum * STEP).then(|| DISTANCES.get(first).copied())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_size_is_first_distance_that_misses() {
        assert_eq!(line(&[3.5, 3.6, 3.5, 5.4, 5.3, 5.4]), Some(64));
        assert_eq!(line(&[3.5, 3.6, 5.2, 5.4, 5.3, 5.4]), Some(32));
        assert_eq!(line(&[3.5, 3.6, 3.5, 3.5, 5.3, 5.4]), Some(128));
        assert_eq!(line(&[3.5; 6]), None);
    }
}
