//! A set of one counter that threads wait for together, each by a set of its own (epoll).

use crate::descriptor::Descriptor;
use crate::eventfd::EventCounter;
use crate::{Error, Result, arch};
use rustix::event::epoll;

/// When a set reports a counter that holds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trigger {
    /// As long as it holds something; every set.
    Level,
    /// When something is added; every set.
    Edge,
    /// As long as it holds something; one of the sets whose thread sleeps (EPOLLEXCLUSIVE).
    Exclusive,
}

/// A set of one counter.
#[derive(Debug)]
pub struct EventSet(Descriptor);

impl EventSet {
    /// A set of this counter.
    ///
    /// # Errors
    /// When no descriptor is left or the call is denied.
    pub fn new(counter: &EventCounter, trigger: Trigger) -> Result<Self> {
        let set = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(Error::in_call("epoll_create1"))?;
        let how = match trigger {
            Trigger::Level => epoll::EventFlags::empty(),
            Trigger::Edge => epoll::EventFlags::ET,
            Trigger::Exclusive => epoll::EventFlags::EXCLUSIVE,
        };
        let data = epoll::EventData::new_u64(0);
        epoll::add(&set, counter.descriptor(), data, how | epoll::EventFlags::IN)
            .map_err(Error::in_call("epoll_ctl"))?;
        Ok(Self(set.into()))
    }

    /// Sleeps until the counter is reported, or this time is over; whether it was.
    ///
    /// # Errors
    /// When the call is denied.
    pub fn wait(&self, milliseconds: u32) -> Result<bool> {
        let mut event = libc::epoll_event { events: 0, u64: 0 };
        let arguments = [self.0.number() as usize, &raw mut event as usize, 1, milliseconds as usize];
        // SAFETY: there is room for one event; no signals are named.
        match unsafe { arch::try_syscall::<{ libc::SYS_epoll_pwait }, _>(arguments) } {
            Err(error) if error.errno == libc::EINTR => Ok(false),
            reported => reported.map(|reported| reported == 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edge_is_reported_once_and_a_level_until_it_is_taken() {
        for (trigger, again) in [(Trigger::Level, true), (Trigger::Edge, false), (Trigger::Exclusive, true)] {
            let counter = EventCounter::new().unwrap();
            let set = EventSet::new(&counter, trigger).unwrap();
            assert!(!set.wait(0).unwrap());
            counter.add(1).unwrap();
            assert_eq!([set.wait(0).unwrap(), set.wait(0).unwrap()], [true, again], "{trigger:?}");
            counter.take().unwrap();
            assert!(!set.wait(0).unwrap());
        }
    }
}
