//! What only the first process of a machine does: mounts, orphans, power.

use crate::{Error, Result};
use rustix::mount::{MountFlags, mount};
use rustix::process::{WaitOptions, wait};
use rustix::system::{RebootCommand, reboot};
use std::path::Path;

/// Whether this process is the first of its machine or container.
pub fn is_first() -> bool {
    std::process::id() == 1
}

/// Mounts a file system of the kernel's own, such as `proc`.
///
/// # Errors
/// When the kernel has none of this kind or refuses.
pub fn mount_kernel_file_system(kind: &str, at: &Path) -> Result<()> {
    mount(kind, at, kind, MountFlags::empty(), None).map_err(Error::in_call("mount"))
}

/// Waits for all children that have ended, its own and those that lost their parent.
pub fn reap_children() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

/// Switches the machine off. Does nothing where this is not the machine's first process.
pub fn power_off() {
    if is_first() {
        rustix::fs::sync();
        // A kernel that cannot switch off restarts, which ends an emulator too.
        let _ = reboot(RebootCommand::PowerOff);
        let _ = reboot(RebootCommand::Restart);
    }
}
