//! Event counters (eventfd), by raw system calls.

use crate::descriptor::Descriptor;
use crate::{Error, Result};
use rustix::event::{EventfdFlags, eventfd};

/// A counter in the kernel that writes add to and a read takes whole.
#[derive(Debug)]
pub struct EventCounter(Descriptor);

impl EventCounter {
    /// A counter that holds nothing, closed on exec.
    ///
    /// # Errors
    /// When no descriptor is left or the call is denied.
    pub fn new() -> Result<Self> {
        Self::with(EventfdFlags::empty())
    }

    /// The same of which a read takes 1 (EFD_SEMAPHORE).
    ///
    /// # Errors
    /// When no descriptor is left or the call is denied.
    pub fn taken_singly() -> Result<Self> {
        Self::with(EventfdFlags::SEMAPHORE)
    }

    fn with(flags: EventfdFlags) -> Result<Self> {
        let made = eventfd(0, EventfdFlags::CLOEXEC | flags).map_err(Error::in_call("eventfd2"))?;
        Ok(Self(made.into()))
    }

    pub(crate) fn into_descriptor(self) -> Descriptor {
        self.0
    }

    pub(crate) fn descriptor(&self) -> &Descriptor {
        &self.0
    }

    /// Adds to the counter.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn add(&self, count: u64) -> Result<()> {
        self.0.write_all(&count.to_ne_bytes())
    }

    /// Takes what the counter holds; sleeps while it holds nothing.
    ///
    /// # Errors
    /// When the kernel refuses.
    #[inline(always)]
    pub fn take(&self) -> Result<u64> {
        let mut count = [0; 8];
        self.0.read_all(&mut count)?;
        Ok(u64::from_ne_bytes(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_taken_whole() {
        let counter = EventCounter::new().unwrap();
        counter.add(2).unwrap();
        counter.add(40).unwrap();
        assert_eq!(counter.take().unwrap(), 42);
        let singly = EventCounter::taken_singly().unwrap();
        singly.add(2).unwrap();
        assert_eq!([singly.take().unwrap(), singly.take().unwrap()], [1, 1]);
    }
}
