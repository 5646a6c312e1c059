//! Reads of a working set that no cache of this machine holds much of.

use super::single::run_single;
use super::spec::{BLOCK, MEMORY, REHEARSED};
use crate::memory::working_set::largest;
use measure::{Bench, Failure, Result};
use quantity::{Bytes, show_bytes};
use sys::bandwidth::{Action, Blocks, Content, Method};

/// A working set is at least as many times the last-level cache.
const CACHES: usize = 4;

/// Bytes of a working set beyond the caches, at most a quarter of the available memory; as many in a rehearsal as given.
///
/// # Errors
/// Skipped where that is less than four times the reported last-level cache.
pub fn working_set(bench: &Bench<'_>, rehearsed: usize) -> Result<usize> {
    if bench.is_rehearsal() {
        return Ok(rehearsed);
    }
    let cache = sys::memory::last_level_cache().unwrap_or(0);
    let wanted = (CACHES * cache).max(MEMORY as usize);
    largest(wanted.next_multiple_of(BLOCK), wanted)
}

/// Counts how many times the reported last-level cache a working set is.
pub fn count_caches(bench: &mut Bench<'_>, size: usize) {
    match sys::memory::last_level_cache() {
        Some(cache) => bench.count("working_set.per_cache", size as f64, cache as f64),
        None => bench.cannot_count(
            "working_set.per_cache",
            format!("the kernel reports no cache; {} were read", show_bytes(Bytes::from_bytes(size as u64))),
        ),
    }
}

/// Reads a multiple of the reported last-level cache, by the widest vectors.
///
/// # Errors
/// Skipped where that is more than a quarter of the available memory.
pub fn read(bench: &mut Bench<'_>) -> Result<()> {
    let size = working_set(bench, REHEARSED)?;
    let shape = (size, size.min(BLOCK));
    let made = Blocks::new(Action::Read, Method::Widest, shape, Content::Random, bench.seed())?;
    let blocks = made.ok_or_else(|| Failure::failed("no vectors to read with"))?;
    run_single(bench, blocks, size)?;
    count_caches(bench, size);
    Ok(())
}
