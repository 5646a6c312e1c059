//! POSIX timers that are made and deleted, or set and stopped.

use crate::repeat::{repeat, repeat_and_check};
use measure::{Bench, Result};
use std::cell::Cell;
use sys::timer::{Timer, exists};

/// An hour, so that no timer expires.
pub const HOUR_NS: i64 = 3_600_000_000_000;

/// Makes timers, which must be gone when `make` gives their numbers: after each batch the last number is looked for.
///
/// # Errors
/// When a call fails.
pub fn create_and_delete(bench: &mut Bench<'_>, mut make: impl FnMut() -> sys::Result<i32>) -> Result<()> {
    let last = Cell::new(0);
    let once = |_| make().map(|number| last.replace(number) >= 0);
    repeat_and_check(bench, once, || Ok(!exists(last.get())?))
}

/// Sets a timer to this time and to 0 alternately: at least half an hour must be left of each setting, and nothing of a stopped
/// timer.
///
/// # Errors
/// When a call fails.
pub fn set_and_stop(bench: &mut Bench<'_>, nanos: i64) -> Result<()> {
    let timer = Timer::of_alarm()?;
    let mut is_set = false;
    repeat(bench, |_| {
        let left = timer.set(if is_set { 0 } else { nanos })?;
        let is_right = if is_set { left > HOUR_NS / 2 } else { left == 0 };
        is_set = !is_set;
        Ok(is_right)
    })
}
