//! Landlock: rulesets by which a thread gives up access to files, nested one in the other.

use crate::descriptor::Descriptor;
use crate::path::HERE;
use crate::{Error, Result, arch};

/// To read a file, and to open a directory, by <linux/landlock.h>.
const READ_FILE: u64 = 1 << 2;
const BENEATH: usize = 1;
/// Most rulesets that the kernel nests (LANDLOCK_MAX_NUM_LAYERS).
pub const MAX_NESTED: u64 = 16;

/// What a file system's tree is allowed; packed as the kernel has it.
#[repr(C, packed)]
struct Beneath {
    allowed: u64,
    parent: i32,
}

/// A ruleset that allows all files to be read, and of which nothing else is asked.
#[derive(Debug)]
pub struct Ruleset(Descriptor);

impl Ruleset {
    /// Makes it.
    ///
    /// # Errors
    /// When the kernel has no Landlock or does not allow it.
    pub fn new() -> Result<Self> {
        let handled = READ_FILE;
        let arguments = [&raw const handled as usize, size_of_val(&handled), 0];
        // SAFETY: the first version of the structure is this one word, which lives through the call.
        let ruleset =
            unsafe { Descriptor::from_syscall::<{ libc::SYS_landlock_create_ruleset }, _>(arguments) }?;
        let flags = (libc::O_PATH | libc::O_CLOEXEC) as usize;
        // SAFETY: the name ends with a zero and lives through the call.
        let root = unsafe {
            Descriptor::from_syscall::<{ libc::SYS_openat }, _>([HERE, c"/".as_ptr() as usize, flags])
        }?;
        let rule = Beneath { allowed: READ_FILE, parent: root.number() };
        let arguments = [ruleset.number() as usize, BENEATH, &raw const rule as usize, 0];
        // SAFETY: the rule is of the kind that the call says, and lives through it.
        unsafe { arch::try_syscall::<{ libc::SYS_landlock_add_rule }, _>(arguments) }?;
        Ok(Self(ruleset))
    }

    /// Puts the calling thread under it for the rest of its life, below those that it is under already; `false` where the kernel
    /// nests no more.
    ///
    /// # Errors
    /// When the kernel refuses otherwise.
    pub fn enforce(&self) -> Result<bool> {
        rustix::thread::set_no_new_privs(true).map_err(Error::in_call("prctl"))?;
        let arguments = [self.0.number() as usize, 0];
        // SAFETY: the call takes integers alone.
        match unsafe { arch::try_syscall::<{ libc::SYS_landlock_restrict_self }, _>(arguments) } {
            Ok(_) => Ok(true),
            Err(error) if error.errno == libc::E2BIG => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// How many the calling thread is under, by how many more fit; afterwards it is under as many as there can be.
    ///
    /// # Errors
    /// When the kernel refuses.
    pub fn count_nested(&self) -> Result<u64> {
        let mut nested = MAX_NESTED;
        while self.enforce()? {
            nested = nested.saturating_sub(1);
        }
        Ok(nested)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulesets_nest_on_their_thread_alone_and_are_counted() {
        let ruleset = Ruleset::new();
        if !programs::can("Landlock", ruleset.is_ok()) {
            return;
        }
        let ruleset = ruleset.unwrap();
        for nested in [0, 3] {
            let counted = std::thread::scope(|scope| {
                let under =
                    || (0..nested).all(|_| ruleset.enforce().unwrap()).then(|| ruleset.count_nested());
                scope.spawn(under).join().unwrap()
            });
            assert_eq!(counted, Some(Ok(nested)));
        }
    }
}
