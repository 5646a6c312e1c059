//! Calls that look for the ready ones of many descriptors: pipes, or TCP connections.

use crate::repeat::{repeat, repeat_and_check};
use measure::{Bench, Result, choice, parameters};
use std::cell::RefCell;
use sys::readiness::{Epoll, ReadinessCall, Watched};

/// Most calls until a loopback socket is ready: data arrives within the sender's call, or soon after.
const MAX_POLLS: usize = 10_000;

/// Makes all ready once and drains them; gives how many the call counted.
fn count_all(watched: &Watched, call: &mut impl ReadinessCall) -> Result<usize> {
    for index in 0..watched.count() {
        watched.make_ready(index)?;
    }
    let mut counted = 0;
    for _ in 0..MAX_POLLS {
        counted = call.count_ready()?;
        if counted == watched.count() {
            break;
        }
    }
    for index in 0..watched.count() {
        watched.drain(index)?;
    }
    Ok(counted)
}

choice! {
    /// Descriptors that are watched.
    pub enum Watching {
        /// Read ends of pipes.
        Pipe = "pipe",
        /// TCP connections.
        Tcp = "tcp",
        /// Event counters, of one descriptor each.
        Eventfd = "eventfd",
    }
}

impl Watching {
    /// As many of them.
    fn open(self, count: usize) -> Result<Watched> {
        Ok(match self {
            Self::Tcp => Watched::connections(count)?,
            Self::Pipe => Watched::pipes(count)?,
            Self::Eventfd => Watched::counters(count)?,
        })
    }
}

choice! {
    /// Which descriptor is ready.
    pub enum ReadyDescriptor {
        /// None of them.
        None = "none",
        /// The last.
        Last = "last",
    }
}

parameters! {
    /// Calls that name the descriptors that are ready.
    pub struct Readiness {
        /// What they are.
        r#type: Watching,
        /// Their number.
        descriptors: u64,
        /// Which is ready.
        ready: ReadyDescriptor,
    }
}

/// Times a call that must name the last of the point's descriptors with `ready=last`, and none otherwise.
///
/// # Errors
/// When descriptors cannot be made, or a call fails.
pub fn find_last<W: ReadinessCall>(
    bench: &mut Bench<'_>,
    make: impl FnOnce(&Watched) -> sys::Result<W>,
) -> Result<()> {
    let Readiness { r#type, descriptors, ready } = bench.parameters()?;
    let (descriptors, is_ready) = (descriptors as usize, ready == ReadyDescriptor::Last);
    let watched = r#type.open(descriptors)?;
    let mut call = make(&watched)?;
    let counted = count_all(&watched, &mut call)?;
    bench.count("descriptors", counted as f64, 1.0);
    let expected = usize::from(is_ready);
    if is_ready {
        watched.make_ready(descriptors.saturating_sub(1))?;
        let mut polls = 0..MAX_POLLS;
        while call.count_ready()? != expected && polls.next().is_some() {}
    }
    repeat(bench, |_| Ok(call.count_ready()? == expected && call.last_is_ready() == is_ready))
}

parameters! {
    /// A set of descriptors.
    pub struct DescriptorSet {
        /// What they are.
        r#type: Watching,
        /// Their number.
        descriptors: u64,
    }
}

/// Takes the last descriptor of a set out of it and puts it back; after every batch the set must report it.
///
/// # Errors
/// When descriptors cannot be made, or a call fails.
pub fn replace_last(bench: &mut Bench<'_>) -> Result<()> {
    let DescriptorSet { r#type, descriptors } = bench.parameters()?;
    let watched = r#type.open(descriptors as usize)?;
    let set = RefCell::new(Epoll::new(&watched)?);
    let counted = count_all(&watched, &mut *set.borrow_mut())?;
    bench.count("descriptors", counted as f64, 1.0);
    watched.make_ready((descriptors as usize).saturating_sub(1))?;
    repeat_and_check(
        bench,
        |_| set.borrow().replace_last(&watched).map(|()| true),
        || {
            let mut set = set.borrow_mut();
            Ok(set.count_ready()? == 1 && set.last_is_ready())
        },
    )
}
