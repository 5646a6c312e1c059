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
pub(in crate::os) trait Object: Send + Sync {
    /// Does the operation `n` times; gives how many of the answers were right.
    fn operate(&self, n: u64) -> sys::Result<u64>;

    /// Gives operations to all actors, where the object hands them out itself; whether it does.
    fn offer(&self, operations: u64) -> bool {
        let _ = operations;
        false
    }

    /// Does operations until all that were offered are done; gives how many this actor did, and how many answers were right.
    fn drain(&self) -> sys::Result<(u64, u64)> {
        Ok((0, 0))
    }

    /// What identifies the file or the directory in which each actor has a part of its own; `None` for other objects.
    fn identity(&self) -> Option<u64> {
        None
    }

    /// What the object counted in this number of operations of all actors: counter, count, and what it is divided by.
    fn evidence(&self, operations: u64) -> Vec<(&'static str, f64, f64)> {
        let _ = operations;
        Vec::new()
    }
}

/// Makes an object.
pub(in crate::os) type Make<'m> = &'m (dyn Fn() -> Result<Box<dyn Object>> + Sync);

/// The same, to be kept.
pub(super) type Maker = Box<dyn Fn() -> Result<Box<dyn Object>> + Sync>;

struct With<T, F> {
    object: T,
    once: F,
    identity: Option<u64>,
}

impl<T: Send + Sync, F: Fn(&T, u64) -> sys::Result<bool> + Send + Sync> Object for With<T, F> {
    fn operate(&self, n: u64) -> sys::Result<u64> {
        let Self { object, once, .. } = self;
        let mut right = 0;
        for turn in 0..n {
            right += u64::from(once(object, turn)?);
        }
        Ok(right)
    }

    fn identity(&self) -> Option<u64> {
        self.identity
    }
}

/// An object with the operation on it, which is given the number of the iteration and says whether its answer was right.
pub(super) fn object<T: Send + Sync + 'static>(
    object: T,
    once: impl Fn(&T, u64) -> sys::Result<bool> + Send + Sync + 'static,
) -> Result<Box<dyn Object>> {
    Ok(Box::new(With { object, once, identity: None }))
}

/// The same for an actor's part of the file or the directory that this number identifies.
pub(super) fn part_of<T: Send + Sync + 'static>(
    identity: u64,
    object: T,
    once: impl Fn(&T, u64) -> sys::Result<bool> + Send + Sync + 'static,
) -> Result<Box<dyn Object>> {
    Ok(Box::new(With { object, once, identity: Some(identity) }))
}
