//! Limits that a process sets for itself.

use crate::{Error, Result};
pub use rustix::process::Resource;
use rustix::process::{Rlimit, getrlimit, setrlimit};

/// Lowers a limit of this process and its future children to this, or leaves it where it is lower already.
///
/// # Errors
/// When the kernel refuses.
pub fn lower(resource: Resource, most: u64) -> Result<()> {
    let now = getrlimit(resource);
    let maximum = now.maximum.map_or(most, |now| now.min(most));
    let current = now.current.map_or(maximum, |now| now.min(maximum));
    let lowered = Rlimit { current: Some(current), maximum: Some(maximum) };
    setrlimit(resource, lowered).map_err(Error::in_call("setrlimit"))
}

/// Raises the soft limit on open descriptors to this, as far as the hard one lets it, and gives what it is then; what is still
/// missing shows when they are opened.
pub fn raise_descriptors(enough: u64) -> u64 {
    let now = getrlimit(Resource::Nofile);
    if now.current.is_some_and(|now| now < enough) {
        let current = Some(now.maximum.map_or(enough, |most| most.min(enough)));
        let _ = setrlimit(Resource::Nofile, Rlimit { current, ..now });
    }
    soft(Resource::Nofile).unwrap_or(u64::MAX)
}

/// Bytes that the stack of the first thread may have; `None` where there is no limit.
pub fn stack() -> Option<u64> {
    soft(Resource::Stack)
}

/// A soft limit of this process; `None` where there is none, or it may not be read.
pub(crate) fn soft(resource: Resource) -> Option<u64> {
    let mut limit = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for writing.
    let result = unsafe { libc::getrlimit64(resource as u32 as _, &raw mut limit) };
    (result == 0 && limit.rlim_cur != u64::MAX).then_some(limit.rlim_cur)
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
            let lowered = lower(Resource::Nofile, 0).is_ok();
            i32::from(lowered && std::io::pipe().is_err() && lower(Resource::Nofile, 100).is_ok())
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
