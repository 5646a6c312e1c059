//! An object and what an actor does to it, without the type of either.

use measure::{Result, choice};

choice! {
    /// What the actors are.
    pub enum Tasks {
        /// Threads of one process.
        Threads = "threads",
        /// Processes.
        Processes = "processes",
    }
}

/// What actors operate on: one of each, or one of all.
pub(super) trait Object: Send + Sync {
    /// Does the operation `n` times; gives how many of the answers were right.
    fn operate(&self, n: u64) -> sys::Result<u64>;
}

/// Makes an object.
pub(super) type Make = fn() -> Result<Box<dyn Object>>;

struct With<T, F>(T, F);

impl<T: Send + Sync, F: Fn(&T, u64) -> sys::Result<bool> + Send + Sync> Object for With<T, F> {
    fn operate(&self, n: u64) -> sys::Result<u64> {
        let Self(object, once) = self;
        let mut right = 0;
        for turn in 0..n {
            right += u64::from(once(object, turn)?);
        }
        Ok(right)
    }
}

/// An object with the operation on it, which is given the number of the iteration and says whether its answer was right.
pub(super) fn object<T: Send + Sync + 'static>(
    object: T,
    once: impl Fn(&T, u64) -> sys::Result<bool> + Send + Sync + 'static,
) -> Result<Box<dyn Object>> {
    Ok(Box::new(With(object, once)))
}
