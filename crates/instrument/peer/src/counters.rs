//! Counters that a service advances and its session reads, with the clock read beside them.

use crate::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::memory::Mapping;

/// Progress of a service: counters and clock, read together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// The clock (CLOCK_MONOTONIC_RAW) when the counters were read, in nanoseconds.
    pub clock_ns: u64,
    /// How long reading them took, in nanoseconds: the clock is known to be theirs as far as this.
    pub within_ns: u64,
    /// Bytes.
    pub bytes: u64,
    /// Requests, datagrams or connections, as the service counts.
    pub pieces: u64,
    /// The clock when something was counted last; 0 when nothing was.
    pub last_ns: u64,
    /// What the service counts by itself, in an order of its own: the first of it.
    #[serde(default)]
    pub own: [u64; FIRST],
    /// The rest of it, in a field that older versions pass over; another version may count less, or more.
    #[serde(default, deserialize_with = "as_many_as_known")]
    pub further: [u64; OWN - FIRST],
}

impl Counts {
    /// All that the service counts by itself.
    pub fn all_own(&self) -> impl Iterator<Item = u64> {
        self.own.into_iter().chain(self.further)
    }
}

/// Counters of a service's own, and how many of them every version knows.
pub const OWN: usize = 20;
const FIRST: usize = 12;

fn as_many_as_known<'de, D: Deserializer<'de>>(from: D) -> Result<[u64; OWN - FIRST], D::Error> {
    let mut known = [0; OWN - FIRST];
    let sent = Vec::<u64>::deserialize(from)?;
    for (word, count) in known.iter_mut().zip(sent) {
        *word = count;
    }
    Ok(known)
}

/// Words of a lane before those.
const BEFORE_OWN: usize = 3;

/// Actors of one service that may count.
pub const LANES: usize = 64;

/// Words from one lane to the next: a lane has lines of its own.
const STRIDE: usize = 24;

/// The counters of one service, in memory that its processes share.
#[derive(Debug)]
pub(crate) struct SharedCounters(Mapping);

/// The clock that both ends report (CLOCK_MONOTONIC_RAW), in nanoseconds.
pub(crate) fn now_ns() -> u64 {
    u64::try_from(sys::kernel_time::raw_nanos()).unwrap_or(0)
}

impl SharedCounters {
    pub(crate) fn new() -> Result<Self, Error> {
        let mapping = Mapping::shared(LANES * STRIDE * 8);
        mapping.map(Self).map_err(|error| Error::local("no memory for counters", error))
    }

    /// The counters of one actor.
    pub(crate) fn lane(&self, index: usize, max_bytes: u64) -> Option<Lane<'_>> {
        let words = self.0.words().chunks_exact(STRIDE).take(LANES).nth(index)?;
        let [bytes, pieces, last, own @ ..] = words else {
            return None;
        };
        Some(Lane { bytes, pieces, last, own, max_bytes })
    }

    /// All counters at one moment. A reading that something came between is repeated a few times, and the
    /// shortest stands.
    pub(crate) fn read(&self) -> Counts {
        let readings = (0..READINGS).map(|_| self.read_once());
        readings.min_by_key(|counts| counts.within_ns).unwrap_or_default()
    }

    fn read_once(&self) -> Counts {
        let before = now_ns();
        let mut counts = Counts::default();
        for words in self.0.words().chunks_exact(STRIDE).take(LANES) {
            if let [bytes, pieces, last, ..] = words {
                counts.bytes = counts.bytes.saturating_add(bytes.load(Ordering::Relaxed));
                counts.pieces = counts.pieces.saturating_add(pieces.load(Ordering::Relaxed));
                counts.last_ns = counts.last_ns.max(last.load(Ordering::Relaxed));
            }
        }
        // The first actor keeps the counters of the service's own.
        let own = self.0.words().iter().skip(BEFORE_OWN);
        let places = counts.own.iter_mut().chain(&mut counts.further);
        for (count, word) in places.zip(own) {
            *count = word.load(Ordering::Relaxed);
        }
        counts.within_ns = now_ns() - before;
        counts.clock_ns = before + counts.within_ns / 2;
        counts
    }
}

/// Readings of which the shortest stands.
const READINGS: u32 = 5;

/// The counters of one actor of a service.
#[derive(Debug, Clone, Copy)]
pub struct Lane<'a> {
    bytes: &'a AtomicU64,
    pieces: &'a AtomicU64,
    last: &'a AtomicU64,
    own: &'a [AtomicU64],
    max_bytes: u64,
}

impl<'a> Lane<'a> {
    /// Counters of the service's own, [`OWN`] at least; those of the first actor are in [`Counts::all_own`].
    pub fn own(&self) -> &'a [AtomicU64] {
        self.own
    }

    /// Counts one piece of this many bytes. Only one actor counts in a lane.
    ///
    /// # Errors
    /// When the session has reached its limit of bytes.
    #[inline]
    pub fn count(&self, bytes: usize) -> Result<(), Error> {
        let sum = self.bytes.load(Ordering::Relaxed).saturating_add(bytes as u64);
        self.bytes.store(sum, Ordering::Relaxed);
        let pieces = self.pieces.load(Ordering::Relaxed).saturating_add(1);
        self.pieces.store(pieces, Ordering::Relaxed);
        self.last.store(now_ns(), Ordering::Relaxed);
        if sum > self.max_bytes {
            return Err(Error::Failed("the session has reached its limit of bytes".to_owned()));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_several_actors_are_summed() {
        let counters = SharedCounters::new().unwrap();
        assert_eq!((counters.read().bytes, counters.read().last_ns), (0, 0));
        let (first, second) = (counters.lane(0, 1000).unwrap(), counters.lane(LANES - 1, 1000).unwrap());
        first.count(100).unwrap();
        let between = now_ns();
        second.count(20).unwrap();
        first.count(3).unwrap();
        let counts = counters.read();
        assert_eq!((counts.bytes, counts.pieces), (123, 3));
        assert!(counts.last_ns >= between && counts.last_ns <= counts.clock_ns);
        assert!(counters.lane(LANES, 0).is_none());
    }

    #[test]
    fn own_counters_of_a_service_are_read() {
        let counters = SharedCounters::new().unwrap();
        for (at, word) in counters.lane(0, 1).unwrap().own().iter().take(OWN).enumerate() {
            word.store(at as u64 + 7, Ordering::Relaxed);
        }
        let counts = counters.read();
        assert_eq!((counts.bytes, counts.pieces, counts.last_ns), (0, 0, 0));
        let own: Vec<u64> = counts.all_own().collect();
        assert_eq!(own, (7..OWN as u64 + 7).collect::<Vec<_>>());
    }

    #[test]
    fn counters_of_other_versions_are_read() {
        let more = format!(r#","further":{:?}"#, [9; OWN]);
        for (further, expected) in
            [("", [0, 0, 0]), (r#","further":[7,8]"#, [7, 8, 0]), (more.as_str(), [9, 9, 9])]
        {
            let text = format!(
                r#"{{"clock_ns":1,"within_ns":2,"bytes":3,"pieces":4,"last_ns":5,"own":{:?}{further}}}"#,
                [6; FIRST]
            );
            let read = serde_json::from_str::<Counts>(&text).unwrap().further;
            assert_eq!((read.len(), &read[..3]), (OWN - FIRST, &expected[..]));
        }
    }

    #[test]
    fn bytes_are_bounded() {
        let counters = SharedCounters::new().unwrap();
        let lane = counters.lane(0, 10).unwrap();
        lane.count(10).unwrap();
        assert!(lane.count(1).is_err());
    }
}
