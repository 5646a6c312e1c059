//! Loads by several chains at a time.

use super::chase::REHEARSED;
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
