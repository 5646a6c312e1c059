//! Children of a parent with memory: what the parent holds, and how a child is known to have ended as it was told.

use measure::{Failure, Point};
use sys::memory::Mapping;
use sys::process::{Ended, wait_for};

/// Touched memory of the parent that a point asks for; 0 where it asks for none.
pub fn resident_bytes(point: &Point) -> u64 {
    point.size("resident").unwrap_or(0)
}

/// The parent's touched memory on base pages, each page unlike the others; `None` for a parent without.
pub fn resident(point: &Point, seed: u64) -> Result<Option<Mapping>, Failure> {
    let bytes = usize::try_from(resident_bytes(point)).unwrap_or(usize::MAX);
    if bytes == 0 {
        return Ok(None);
    }
    let mut memory = Mapping::private(bytes)?;
    memory.touch(seed);
    Ok(Some(memory))
}

/// An exit status for this turn: it differs from the last one, and from that of a child that went wrong.
pub fn status_of(turn: &mut i32) -> i32 {
    *turn = (*turn + 1) % 50;
    *turn
}

/// Waits for a child; 1 when it was this one and ended with this status.
pub fn reap(child: i32, status: i32) -> Result<u64, Failure> {
    let (reaped, ended) = wait_for(child)?;
    Ok(u64::from(reaped == child && ended == Ended::Exited(status)))
}
