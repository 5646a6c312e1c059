//! Opening a file under nested rulesets of Landlock.

use super::devices::device;
use crate::repeat::count_right;
use measure::{Bench, Failure, Result, parameters};
use sys::landlock::Ruleset;
use sys::path::{self, Access, DEV_NULL};

parameters! {
    /// An open under Landlock.
    pub struct Restricted {
        /// How many rulesets are nested.
        rulesets: u64,
    }
}

/// Opens and closes /dev/null under the rulesets of the point, and counts them afterwards.
///
/// # Errors
/// Skipped where the kernel has no Landlock.
pub fn open_restricted(bench: &mut Bench<'_>) -> Result<()> {
    let Restricted { rulesets } = bench.parameters()?;
    drop(device(DEV_NULL, Access::Read)?);
    let ruleset = Ruleset::new()?;
    for _ in 0..rulesets {
        let is_nested = ruleset.enforce()?;
        let remedy = "run outside of a sandbox that uses Landlock itself: the kernel nests 16 rulesets";
        is_nested.then_some(()).ok_or_else(|| Failure::skipped("no more rulesets can be nested", remedy))?;
    }
    open_and_close_null(bench)?;
    bench.count("landlock.rulesets", ruleset.count_nested()? as f64, 1.0);
    Ok(())
}

/// The loop itself: every open must give the lowest free descriptor, which the first one of each batch finds.
///
/// # Errors
/// When an open is denied.
pub fn open_and_close_null(bench: &mut Bench<'_>) -> Result<()> {
    bench.slope(&mut |n| {
        let lowest = path::open_and_close(DEV_NULL, Access::Read)?;
        count_right(n, |_| Ok(path::open_and_close(DEV_NULL, Access::Read)? == lowest))
    })
}
