//! What a service did, counted as it goes, in memory that the worker's processes share.

use std::sync::atomic::{AtomicU64, Ordering};
use sys::memory::Mapping;
use sys::usage::{self, UsageScope};

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// Bytes that came or went.
    Bytes,
    /// Messages, blocks, or connections served.
    Turns,
    /// Connections that ended as a stream ends.
    Ends,
    /// Connections that were reset.
    Resets,
    /// Blocks that were to be sent without a copy and were copied.
    Copied,
    /// Times that the service gave up the CPU by itself, when it was last asked.
    Voluntary,
    /// Times that the CPU was taken from it, when it was last asked.
    Involuntary,
    /// Segments that the service's end sent again.
    Retransmissions,
    /// Set by whoever runs the service: it ends after the turn that it is in.
    Stop,
    /// Connections that found no room where the service listens, and were dropped.
    Dropped,
    /// The first letters of the name of the service's congestion control, as many as a word holds.
    Congestion,
    /// Nanoseconds that the service sent for.
    Nanos,
    /// CPU time of these nanoseconds.
    CpuNanos,
    /// Microseconds for which data were on their way, by the kernel's count.
    BusyMicros,
    /// Those of them for which the other end's window held data back.
    WindowMicros,
    /// Those of them for which there was no room for data at the sender.
    BufferMicros,
}

impl Entry {
    /// What is the sum over the flows of a service that sends over several.
    pub const OF_ALL_FLOWS: [Self; 8] = [
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

/// A page of counts.
#[derive(Debug)]
pub struct Ledger<'w>(Words<'w>);

/// Where they are.
#[derive(Debug)]
enum Words<'w> {
    Own(Mapping),
    Lent(&'w [AtomicU64]),
}

/// Entries of a ledger.
const ENTRIES: usize = Entry::BufferMicros as usize + 1;

impl Ledger<'_> {
    /// An empty one, shared with processes that are made later.
    ///
    /// # Errors
    /// When there is no memory left.
    pub fn new() -> sys::Result<Self> {
        Mapping::shared(4096).map(|mapping| Self(Words::Own(mapping)))
    }

    fn words(&self) -> &[AtomicU64] {
        match &self.0 {
            Words::Own(mapping) => mapping.words(),
            Words::Lent(words) => words,
        }
    }

    #[inline(always)]
    fn word(&self, entry: Entry) -> &AtomicU64 {
        static NOWHERE: AtomicU64 = AtomicU64::new(0);
        self.words().get(entry as usize).unwrap_or(&NOWHERE)
    }

    /// Writes all counts as another ledger had them.
    pub fn copy(&self, counts: impl Iterator<Item = u64>) {
        for (word, count) in self.words().iter().zip(counts).take(ENTRIES) {
            word.store(count, Ordering::Release);
        }
    }

    /// What stands there.
    pub fn get(&self, entry: Entry) -> u64 {
        self.word(entry).load(Ordering::Acquire)
    }

    /// Writes a count.
    pub fn set(&self, entry: Entry, count: u64) {
        self.word(entry).store(count, Ordering::Release);
    }

    /// Adds to a count that one service writes alone.
    #[inline(always)]
    pub fn add(&self, entry: Entry, more: u64) {
        let word = self.word(entry);
        word.store(word.load(Ordering::Relaxed).wrapping_add(more), Ordering::Release);
    }

    /// Writes what the kernel counted for this process.
    pub fn tell_usage(&self) {
        let usage = usage::read(UsageScope::Process).unwrap_or_default();
        self.set(Entry::Voluntary, usage.voluntary.cast_unsigned());
        self.set(Entry::Involuntary, usage.involuntary.cast_unsigned());
    }
}

impl<'w> Ledger<'w> {
    /// One in words that somebody else reads; each entry has its place among them.
    pub fn within(words: &'w [AtomicU64]) -> Self {
        Self(Words::Lent(words))
    }
}

// What a peer keeps for its client must have room for a ledger.
const _: () = assert!(ENTRIES <= peer::OWN);

/// The first eight bytes of a name, as a word.
pub fn letters(name: &str) -> u64 {
    let mut word = [0; 8];
    word.iter_mut()
        .zip(name.bytes())
        .for_each(|(to, from)| *to = from);
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
