//! Limits that a process sets for itself, and randomness for keys.

use crate::{Error, Result};

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
        Resource::Memory => libc::RLIMIT_AS,
        Resource::Descriptors => libc::RLIMIT_NOFILE,
        Resource::CpuSeconds => libc::RLIMIT_CPU,
        Resource::CoreDump => libc::RLIMIT_CORE,
    };
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure is valid for writing, then for reading.
    unsafe {
        if libc::getrlimit(which, &raw mut limit) != 0 {
            return Err(Error::last("getrlimit"));
        }
        limit.rlim_max = limit.rlim_max.min(most);
        limit.rlim_cur = limit.rlim_cur.min(limit.rlim_max);
        if libc::setrlimit(which, &raw const limit) != 0 {
            return Err(Error::last("setrlimit"));
        }
    }
    Ok(())
}

/// Lets the kernel end this process (SIGALRM) after so many seconds; zero takes it back. A child that is forked
/// begins without.
pub fn end_after(seconds: u32) {
    // SAFETY: the default action needs no handler, and the other call takes an integer.
    unsafe {
        libc::signal(libc::SIGALRM, libc::SIG_DFL);
        libc::alarm(seconds);
    }
}

/// Fills the bytes from the kernel's source of randomness.
///
/// # Errors
/// When the call is denied.
pub fn random(bytes: &mut [u8]) -> Result<()> {
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        // SAFETY: the slice is valid for so many bytes.
        let given = unsafe { libc::getrandom(rest.as_mut_ptr().cast(), rest.len(), 0) };
        match (usize::try_from(given), Error::last("getrandom")) {
            (Ok(given), _) => filled += given,
            (Err(_), error) if error.errno == libc::EINTR => {}
            (Err(_), error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
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
    fn who_has_had_its_time_ends() {
        let actor = Actor::spawn(None, || {
            end_after(1);
            std::thread::sleep(std::time::Duration::from_secs(60));
            0
        });
        assert_eq!(actor.unwrap().join().unwrap(), Ended::Killed(libc::SIGALRM));
    }

    #[test]
    fn randomness_differs() {
        let (mut one, mut other) = ([0; 32], [0; 32]);
        random(&mut one).unwrap();
        random(&mut other).unwrap();
        assert_ne!(one, other);
    }
}
