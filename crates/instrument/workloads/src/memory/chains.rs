//! Loads by several chains at a time.

use super::chase::REHEARSED;
use super::quiet_sampler::QuietSampler;
use super::working_set;
use measure::{Bench, Failure, Result, Work, parameters};
use quantity::Bytes;
use sys::chains::{Chains, LOADS};

parameters! {
    /// Chains of dependent loads that do not depend on each other.
    pub struct IndependentChains {
        /// How many.
        chains: u64,
        /// Of the working set of all.
        bytes: Bytes,
    }
}

/// Loads by the chains of the point, on huge pages.
///
/// # Errors
/// Skipped where the kernel allocates no huge pages.
pub fn independent_chains(bench: &mut Bench<'_>) -> Result<()> {
    walk_chains(bench, |_| {})
}

/// The same after `change`.
pub fn walk_chains(bench: &mut Bench<'_>, change: impl Fn(&mut Chains<'_>)) -> Result<()> {
    let IndependentChains { chains, bytes } = bench.parameters()?;
    let size = bytes.bytes() as usize;
    let size = if bench.is_rehearsal() { size.min(REHEARSED) } else { size };
    let (mut memory, length) = working_set::huge(size, bench.seed())?;
    let (mapping, start) = memory.parts_mut();
    let linked = Chains::link(mapping, start, size, chains as usize, bench.seed());
    let mut linked = linked.ok_or_else(|| Failure::failed("no loop for this number of chains or bytes"))?;
    change(&mut linked);
    bench.batches(Work { multiple_of: LOADS, ..Work::new(&mut |n| Ok(linked.walk(n / LOADS))) })?;
    bench.count("lines.visited", linked.distinct() as f64, linked.lines() as f64);
    working_set::count_huge(bench, memory.huge_bytes(), length);
    Ok(())
}

/// Numbers of chains from which the lines in flight follow: each twice the one before.
const CHAINS: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Timed walks for each number, of which the fastest counts, and turns of [`LOADS`] loads in one.
const WALKS: usize = 12;
const TURNS: u64 = 64;

/// Below this share of the time with half as many chains, the time with most chains still falls.
const STILL_FALLS: f64 = 0.87;

parameters! {
    /// Memory whose lines are in flight.
    pub struct InFlight {
        /// Of the working set.
        bytes: Bytes,
    }
}

/// How many lines a core has in flight: the time of a load with one chain, divided by that with as many as gain something.
///
/// # Errors
/// Skipped where the kernel allocates no huge pages.
pub fn lines_in_flight(bench: &mut Bench<'_>) -> Result<()> {
    let size = bench.parameters::<InFlight>()?.bytes.bytes() as usize;
    let (mut memory, length) = working_set::huge(size, bench.seed())?;
    let mut sampler = QuietSampler::calibrate();
    let (mut curve, mut visited, mut lines) = (Vec::new(), 0, 0);
    for chains in CHAINS {
        let (mapping, start) = memory.parts_mut();
        let linked = Chains::link(mapping, start, size, chains, bench.seed());
        let mut linked =
            linked.ok_or_else(|| Failure::failed("no loop for this number of chains or bytes"))?;
        visited += linked.distinct();
        lines += linked.lines();
        let walks = (0..WALKS).map(|_| sampler.per_load(|| linked.walk(TURNS)));
        curve.push((chains as f64, walks.fold(f64::INFINITY, f64::min)));
        bench.sample_core_state();
    }
    bench.count("lines.visited", visited as f64, lines as f64);
    bench.count("curve.points", curve.len() as f64, 1.0);
    working_set::count_huge(bench, memory.huge_bytes(), length);
    let point = bench.point().clone();
    // In tens, so that trials give the same reason.
    let least =
        curve.first().zip(curve.last()).map_or(0.0, |(one, most)| (one.1 / most.1 / 10.0).floor() * 10.0);
    bench.value_or_absent(
        point,
        in_flight(&curve),
        &format!("more than {least}: the time of a load still falls with the number of chains at 64 of them"),
        "expected where a core has more than 64 lines in flight; no action needed",
    );
    Ok(())
}

/// The lines in flight of a curve of times by chains; `None` where the curve does not end in a plateau.
fn in_flight(curve: &[(f64, f64)]) -> Option<f64> {
    let [(_, one), .., (_, half), (_, most)] = curve else { return None };
    (*most > STILL_FALLS * half).then(|| one / most.min(*half))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The curve of a core with room for as many lines.
    fn curve(room: f64) -> Vec<(f64, f64)> {
        CHAINS.map(|chains| (chains as f64, 100.0 / room.min(chains as f64))).to_vec()
    }

    #[test]
    fn lines_in_flight_are_those_that_a_core_has_room_for() {
        for room in [1.0, 12.0, 24.0, 32.0] {
            assert_eq!(in_flight(&curve(room)), Some(room));
        }
        assert_eq!(in_flight(&curve(48.0)), None);
        assert_eq!(in_flight(&curve(64.0)), None);
        assert_eq!(in_flight(&[]), None);
    }
}
