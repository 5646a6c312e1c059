//! An IPC namespace of one's own, so that no object of System V outlives the process that made it.

use crate::{Error, Result};

/// Leaves the IPC namespace for a new one. What was made in the old one cannot be reached any more, and what is
/// made in the new one lives no longer than this process and its children, however they end.
/// An ordinary user gets one together with a user namespace, in which only this process is.
///
/// # Errors
/// When neither is allowed.
pub(crate) fn enter_private() -> Result<()> {
    // SAFETY: the call takes an integer; this process shares nothing by System V that it could lose.
    let enter = |flags| unsafe { libc::unshare(flags) };
    if enter(libc::CLONE_NEWIPC) == 0 || enter(libc::CLONE_NEWIPC | libc::CLONE_NEWUSER) == 0 {
        return Ok(());
    }
    Err(Error::last("unshare"))
}
