//! Limits that a process sets for itself.

use crate::{Error, Result};
use rustix::process;

/// What can be limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// Bytes of mapped memory.
    Memory,
    /// Open descriptors.
    Descriptors,
    /// Seconds of CPU time.
    CpuSeconds,
    /// Bytes of a core dump.
    CoreDump,
}

/// Lowers a limit of this process and its future children to this, or leaves it where it is lower already.
///
/// # Errors
/// When the kernel refuses.
pub fn lower(resource: Resource, most: u64) -> Result<()> {
    let which = match resource {
        Resource::Memory => process::Resource::As,
        Resource::Descriptors => process::Resource::Nofile,
        Resource::CpuSeconds => process::Resource::Cpu,
        Resource::CoreDump => process::Resource::Core,
    };
    let now = process::getrlimit(which);
    let maximum = now.maximum.map_or(most, |now| now.min(most));
    set(which, now.current.map_or(maximum, |now| now.min(maximum)), Some(maximum))
        .map_err(Error::of("setrlimit"))
}

/// Raises the soft limit on open descriptors to this, as far as the hard one lets it; what is still missing shows when
/// they are opened.
pub(crate) fn raise_descriptors(enough: u64) {
    let (which, now) = (process::Resource::Nofile, process::getrlimit(process::Resource::Nofile));
    if now.current.is_some_and(|now| now < enough) {
        let _ = set(which, now.maximum.map_or(enough, |most| most.min(enough)), now.maximum);
    }
}

fn set(which: process::Resource, current: u64, maximum: Option<u64>) -> rustix::io::Result<()> {
    let current = Some(current);
    process::setrlimit(which, process::Rlimit { current, maximum })
}

/// Lets a write beyond the largest size of a file (RLIMIT_FSIZE) be an error (EFBIG) instead of the end of this process.
pub fn report_full_files() {
    // SAFETY: no handler of ours is involved.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Lets the kernel end this process (SIGALRM) after this many seconds; zero takes it back. A child that is forked
/// begins without.
pub fn end_after(seconds: u32) {
    // SAFETY: the default action needs no handler, and the other call takes an integer.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(seconds);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Actor, Ended};

    #[test]
    fn a_limit_holds_in_the_process_that_lowers_it() {
        let actor = Actor::spawn(None, || {
            let lowered = lower(Resource::Descriptors, 0).is_ok();
            i32::from(lowered && std::io::pipe().is_err() && lower(Resource::Descriptors, 100).is_ok())
        });
        assert_eq!(actor.unwrap().join().unwrap(), Ended::Exited(1));
    }

    #[test]
    fn a_process_ends_after_its_time() {
        let actor = Actor::spawn(None, || {
            end_after(1);
            std::thread::sleep(std::time::Duration::from_secs(60));
            0
        });
        assert_eq!(actor.unwrap().join().unwrap(), Ended::Killed(libc::SIGALRM));
    }
}
