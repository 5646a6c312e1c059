//! Counters of a service, in memory shared by the worker's processes.

use std::sync::atomic::{AtomicU64, Ordering};
use sys::memory::Mapping;
use sys::usage::{self, UsageScope};

/// A counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Bytes received or sent.
    Bytes,
    /// Messages, blocks, or connections served.
    Turns,
    /// Connections that ended regularly.
    Closed,
    /// Connections that were reset.
    Resets,
    /// Zero-copy blocks that were copied.
    Copied,
    /// Voluntary context switches of the service at the last request.
    Voluntary,
    /// Involuntary context switches at the last request.
    Involuntary,
    /// Segments retransmitted by the service.
    Retransmissions,
    /// Set to stop the service after its current turn.
    Stop,
    /// Connections dropped by the listening socket.
    Dropped,
    /// The first eight letters of the congestion control's name.
    Congestion,
    /// Nanoseconds spent sending.
    Nanos,
    /// CPU time within these.
    CpuNanos,
    /// Microseconds with data in flight, by the kernel.
    BusyMicros,
    /// Of these, limited by the receive window.
    WindowMicros,
    /// Of these, limited by the send buffer.
    BufferMicros,
    /// Nanoseconds of the last accept() of a connection that was ready.
    AcceptNanos,
    /// Nanoseconds of the last accept() with the wait for its client before it.
    AcceptWaitNanos,
    /// Nanoseconds of the last close().
    CloseNanos,
    /// Calls that sent datagrams.
    Calls,
}

impl Counter {
    /// The counters that are summed over flows.
    pub const SUMMED: [Self; 8] = [
        Self::Bytes,
        Self::Turns,
        Self::Retransmissions,
        Self::Nanos,
        Self::CpuNanos,
        Self::BusyMicros,
        Self::WindowMicros,
        Self::BufferMicros,
    ];
}

/// A page of counters.
#[derive(Debug)]
pub struct Counters<'w>(Words<'w>);

/// Their memory.
#[derive(Debug)]
enum Words<'w> {
    Own(Mapping),
    Borrowed(&'w [AtomicU64]),
}

/// The number of counters.
const COUNT: usize = Counter::Calls as usize + 1;

impl Counters<'_> {
    /// Zeroed counters, shared with processes forked later.
    ///
    /// # Errors
    /// When no memory is available.
    pub fn new() -> sys::Result<Self> {
        Mapping::shared(4096).map(|mapping| Self(Words::Own(mapping)))
    }

    fn words(&self) -> &[AtomicU64] {
        match &self.0 {
            Words::Own(mapping) => mapping.words(),
            Words::Borrowed(words) => words,
        }
    }

    #[inline(always)]
    fn word(&self, counter: Counter) -> &AtomicU64 {
        static UNUSED: AtomicU64 = AtomicU64::new(0);
        self.words().get(counter as usize).unwrap_or(&UNUSED)
    }

    /// Copies the counts of another process or machine.
    pub fn copy(&self, counts: impl Iterator<Item = u64>) {
        for (word, count) in self.words().iter().zip(counts).take(COUNT) {
            word.store(count, Ordering::Release);
        }
    }

    /// The count.
    pub fn get(&self, counter: Counter) -> u64 {
        self.word(counter).load(Ordering::Acquire)
    }

    /// Sets a count.
    pub fn set(&self, counter: Counter, count: u64) {
        self.word(counter).store(count, Ordering::Release);
    }

    /// Adds to a count with a single writer.
    #[inline(always)]
    pub fn add(&self, counter: Counter, more: u64) {
        let word = self.word(counter);
        word.store(word.load(Ordering::Relaxed).wrapping_add(more), Ordering::Release);
    }

    /// Records the context switches of this process.
    pub fn record_usage(&self) {
        let usage = usage::read(UsageScope::Process).unwrap_or_default();
        self.set(Counter::Voluntary, usage.voluntary.cast_unsigned());
        self.set(Counter::Involuntary, usage.involuntary.cast_unsigned());
    }
}

impl<'w> Counters<'w> {
    /// Counters in borrowed words.
    pub fn within(words: &'w [AtomicU64]) -> Self {
        Self(Words::Borrowed(words))
    }
}

// A peer must keep all counters for its client.
const _: () = assert!(COUNT <= peer::OWN);

/// The first eight bytes of a name, as a word.
pub fn letters(name: &str) -> u64 {
    let mut word = [0; 8];
    word.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
    u64::from_le_bytes(word)
}

/// The name in such a word.
pub fn name(letters: u64) -> String {
    let bytes = letters.to_le_bytes();
    let letters = bytes.iter().take_while(|byte| **byte != 0);
    letters.map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_controls_fit_a_word() {
        for control in ["cubic", "reno", "bbr", "westwood", ""] {
            assert_eq!(name(letters(control)), control);
        }
        assert_eq!(name(letters("highspeed")), "highspee");
    }
}
