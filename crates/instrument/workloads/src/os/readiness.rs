//! Calls that look for the ready ones of many descriptors: pipes, or TCP connections.

use crate::repeat::repeat;
use measure::{Bench, Result, choice, parameters};
use sys::readiness::{ReadinessCall, Watched};

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
    let watched = match r#type {
        Watching::Tcp => Watched::connections(descriptors)?,
        Watching::Pipe => Watched::pipes(descriptors)?,
    };
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
