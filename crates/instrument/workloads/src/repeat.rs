//! The loop around calls of one task: one iteration after the other, each of which says whether its answer was right.

use measure::{Bench, Result, Work};

/// Batches of iterations; `once` is given the number of the iteration within its batch.
///
/// # Errors
/// When a call fails.
pub fn repeat(bench: &mut Bench<'_>, mut once: impl FnMut(u64) -> sys::Result<bool>) -> Result<()> {
    bench.slope(&mut |n| count_right(n, &mut once))
}

/// The same where the kernel does a part of the work once for a number of iterations: batches hold whole periods.
///
/// # Errors
/// When a call fails.
pub fn repeat_in_periods(
    bench: &mut Bench<'_>,
    period: u64,
    mut once: impl FnMut(u64) -> sys::Result<bool>,
) -> Result<()> {
    bench.batches(Work { period, ..Work::new(&mut |n| count_right(n, &mut once)) })
}

/// The same where the state after each batch must be right, too: one call per batch is within its time.
///
/// # Errors
/// When a call fails.
pub fn repeat_and_check(
    bench: &mut Bench<'_>,
    mut once: impl FnMut(u64) -> sys::Result<bool>,
    is_restored: impl Fn() -> sys::Result<bool>,
) -> Result<()> {
    bench.slope(&mut |n| {
        let right = count_right(n, &mut once)?;
        Ok(if is_restored()? { right } else { 0 })
    })
}

/// Does `n` iterations and counts how many gave the right answer.
///
/// # Errors
/// When a call fails.
#[inline(always)]
pub fn count_right(n: u64, mut once: impl FnMut(u64) -> sys::Result<bool>) -> Result<u64> {
    let mut right = 0;
    for turn in 0..n {
        right += u64::from(once(turn)?);
    }
    Ok(right)
}
