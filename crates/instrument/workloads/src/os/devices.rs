//! Devices that every machine has, and calls that open and close them, timed one without the other.

use measure::{Bench, Failure, Result, Work};
use std::cell::RefCell;
use std::ffi::CStr;
use sys::descriptor::{self, Descriptor};
use sys::path::{self, Access, DEV_NULL};

/// Descriptors that are open at once, at most: far below the usual limit of 1 024.
const MOST: u64 = 800;

/// Opens a device and checks its number.
///
/// # Errors
/// Skipped when it is missing, or another file has its name.
pub fn device(name: &CStr, access: Access) -> Result<Descriptor> {
    let shown = name.to_string_lossy();
    let remedy = "run where /dev is mounted as usual";
    match path::open_device(name, access) {
        Ok(Some(device)) => Ok(device),
        Ok(None) => Err(Failure::skipped(format!("{shown} is not the device of that name"), remedy)),
        Err(error) if error.is_limit() => Err(error.into()),
        Err(error) => Err(Failure::skipped(format!("{shown} cannot be opened: {error}"), remedy)),
    }
}

/// Which of the two calls is timed; the other one is made between batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timed {
    /// open.
    Open,
    /// close.
    Close,
}

/// Opens /dev/null in batches and closes it between them, or the other way round.
///
/// # Errors
/// When a call fails.
pub fn open_or_close(bench: &mut Bench<'_>, access: Access, timed: Timed) -> Result<()> {
    drop(device(DEV_NULL, access)?);
    let held: RefCell<Vec<Descriptor>> = RefCell::new(Vec::with_capacity(MOST as usize));
    let open = |n: u64| -> Result<u64> {
        let mut held = held.borrow_mut();
        let before = held.len() as u64;
        for _ in 0..n {
            held.push(path::open(DEV_NULL, access)?);
        }
        Ok(held.len() as u64 - before)
    };
    let close = |n: u64| -> Result<u64> {
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
            if n > MOST {
                return Err(Failure::failed(format!("a batch of {n} exceeds {MOST} descriptors")));
            }
            close(u64::MAX)?;
            if timed == Timed::Open { Ok(()) } else { open(n).map(|_| ()) }
        }),
        ..Work::new(&mut |n| if timed == Timed::Open { open(n) } else { close(n) })
    })
}
