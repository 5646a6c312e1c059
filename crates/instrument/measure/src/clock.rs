//! The time of a batch, by the clock of the trigger.

use crate::Failure;
pub(crate) use oscope_trigger::{Clock, MachineClock};

/// Ticks of a batch.
///
/// # Errors
/// When the clock went back.
pub(crate) fn elapsed(start: i64, stop: i64) -> Result<i64, Failure> {
    match stop.checked_sub(start) {
        Some(ticks) if ticks >= 0 => Ok(ticks),
        _ => Err(Failure::failed(format!("the clock went back during a batch, from tick {start} to {stop}"))),
    }
}
