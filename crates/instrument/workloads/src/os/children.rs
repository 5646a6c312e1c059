//! Children of a parent with resident memory, and the check of their exit status.

use measure::{Parameters, Point, Result, parameters};
use quantity::Bytes;
use sys::memory::Mapping;
use sys::process::{Ended, wait_for};

parameters! {
    /// Children of a parent.
    pub struct Parent {
        /// Its touched memory.
        resident: Bytes = Bytes::from_bytes(0),
    }
}

/// Touched memory of the parent in bytes; 0 without `resident=`.
pub fn resident_bytes(point: &Point) -> u64 {
    Parent::read(point).map_or(0, |parent| parent.resident.bytes())
}

/// The parent's touched memory on base pages, each page with other contents; `None` without `resident=`.
pub fn resident(point: &Point, seed: u64) -> Result<Option<Mapping>> {
    let bytes = usize::try_from(resident_bytes(point)).unwrap_or(usize::MAX);
    if bytes == 0 {
        return Ok(None);
    }
    let mut memory = Mapping::private(bytes)?;
    memory.touch(seed);
    Ok(Some(memory))
}

/// The exit status of the next child: it differs from the previous one, and from that of a failed child.
pub fn status_of(turn: &mut i32) -> i32 {
    *turn = (*turn + 1) % 50;
    *turn
}

/// Waits for a child; 1 when it was this one and exited with this status.
pub fn reap(child: i32, status: i32) -> Result<u64> {
    let (reaped, ended) = wait_for(child)?;
    Ok(u64::from(reaped == child && ended == Ended::Exited(status)))
}
