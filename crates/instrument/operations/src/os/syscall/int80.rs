//! System calls by `int 0x80`, the entry of 32-bit programs on x86.

use measure::{Bench, Failure, Result};
use sys::interrupt::{InterruptEntry, NO_ENTRY};
use workloads::repeat::repeat;

/// The entry, or why it is missing.
pub fn entry() -> Result<InterruptEntry> {
    InterruptEntry::probe()?.map_err(|ended| match ended {
        NO_ENTRY => Failure::skipped(
            "int 0x80 is not answered: this kernel has no entry for 32-bit programs",
            "boot with ia32_emulation=on, a kernel built with CONFIG_IA32_EMULATION",
        ),
        _ => Failure::skipped(
            "int 0x80 is not answered: a filter of system calls forbids it",
            "run without the filter, such as that of a container",
        ),
    })
}

/// getpid by `int 0x80`.
pub(super) fn getpid(bench: &mut Bench<'_>, own: isize) -> Result<()> {
    let entry = entry()?;
    repeat(bench, |_| Ok(entry.getpid() == own))
}

/// getppid by `int 0x80`.
pub(super) fn getppid(bench: &mut Bench<'_>, parent: isize) -> Result<()> {
    let entry = entry()?;
    repeat(bench, |_| Ok(entry.getppid() == parent))
}
