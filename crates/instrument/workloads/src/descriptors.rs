//! Calls that open and close files, timed one without the other.

use measure::{Bench, Result, Work};
use std::cell::RefCell;
use sys::descriptor::{self, Descriptor};

/// Descriptors that are open at once, at most: far below the usual limit of 1 024.
pub const MAX_OPEN: u64 = 800;

/// Which of the two calls is timed; the other one is made between batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// open.
    Open,
    /// close.
    Close,
}

/// Opens files in batches and closes them between batches, or the other way round. `prepare` prepares a number of files before
/// they are opened, `open` opens one of them by its number.
///
/// # Errors
/// When a call fails.
pub fn open_or_close(
    bench: &mut Bench<'_>,
    timed: Timed,
    prepare: impl Fn(u64) -> Result<()>,
    open: impl Fn(u64) -> sys::Result<Descriptor>,
) -> Result<()> {
    let held: RefCell<Vec<Descriptor>> = RefCell::new(Vec::with_capacity(MAX_OPEN as usize));
    let open_all = |n: u64| -> Result<u64> {
        let mut held = held.borrow_mut();
        let before = held.len() as u64;
        for number in 0..n {
            held.push(open(number)?);
        }
        Ok(held.len() as u64 - before)
    };
    let close_all = |n: u64| -> Result<u64> {
        let mut held = held.borrow_mut();
        let count = n.min(held.len() as u64);
        for _ in 0..count {
            // Dropping one is more than a close where the standard library checks descriptors.
            held.pop().map_or(Ok(()), descriptor::close)?;
        }
        Ok(count)
    };
    bench.batches(Work {
        before: Some(&mut |n| {
            close_all(u64::MAX)?;
            prepare(n)?;
            if timed == Timed::Open { Ok(()) } else { open_all(n).map(|_| ()) }
        }),
        at_most: MAX_OPEN,
        ..Work::new(&mut |n| if timed == Timed::Open { open_all(n) } else { close_all(n) })
    })
}
