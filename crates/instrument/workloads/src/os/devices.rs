//! Devices that every machine has, and calls that open and close them, timed one without the other.

pub use crate::descriptors::Timed;

use crate::descriptors::open_or_close;
use measure::{Bench, Failure, Result};
use std::ffi::CStr;
use sys::descriptor::Descriptor;
use sys::path::{self, Access, DEV_NULL};

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

/// Opens /dev/null in batches and closes it between them, or the other way round.
///
/// # Errors
/// When a call fails.
pub fn open_or_close_null(bench: &mut Bench<'_>, access: Access, timed: Timed) -> Result<()> {
    drop(device(DEV_NULL, access)?);
    open_or_close(bench, timed, |_| Ok(()), |_| path::open(DEV_NULL, access))
}
