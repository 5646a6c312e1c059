//! A critical section: words that only its lock protects, and work of a given length.

use super::locks::Lock;
use crate::os::scaling::object::Object;
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use sys::clock::Clock;

/// Turns of the loop by which the length of one is found, and how often: the least time is without interruption.
const TURNS: u64 = 20_000;
const ATTEMPTS: usize = 8;

/// An odd number with many bits (Knuth's MMIX generator), so that no compiler finds the sum at once.
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

/// The work within a section: a chain of multiplications and additions, each of which needs the one before. Gives the last sum.
#[inline(always)]
pub(in crate::os) fn work(turns: u64) -> u64 {
    let mut sum = 0_u64;
    for turn in 0..black_box(turns) {
        sum = sum.wrapping_mul(MULTIPLIER).wrapping_add(turn);
    }
    black_box(sum)
}

/// Turns of the work that take this number of nanoseconds.
pub(in crate::os) fn turns_in(ns: u64) -> u64 {
    if ns == 0 {
        return 0;
    }
    let clock = Clock::select();
    let time = |_| {
        let start = clock.moment();
        work(TURNS);
        clock.moment().nanos_since(start)
    };
    let least = (0..ATTEMPTS).map(time).min().unwrap_or_default().max(1).unsigned_abs();
    (ns * TURNS).div_ceil(least)
}

/// The number of the calling thread.
fn own_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

/// What the lock protects. The words are changed by loads and stores, which lose an update where two threads are in the section.
#[repr(align(128))]
#[derive(Default)]
struct Protected {
    remaining: AtomicU64,
    updates: AtomicU64,
    holder: AtomicU64,
    hand_offs: AtomicU64,
}

/// A critical section and its lock.
pub(super) struct Section<L> {
    lock: L,
    turns: u64,
    protected: Protected,
}

impl<L: Lock> Section<L> {
    /// A section of this number of turns of work.
    pub(super) fn new(lock: L, turns: u64) -> Self {
        Self { lock, turns, protected: Protected::default() }
    }

    /// What a thread does with the lock held; whether no other one was in the section.
    #[inline(always)]
    fn enter(&self, own: u64) -> bool {
        let Protected { updates, holder, hand_offs, .. } = &self.protected;
        if !L::IS_EXCLUSIVE {
            let before = updates.load(Ordering::Relaxed);
            work(self.turns);
            return updates.load(Ordering::Relaxed) == before;
        }
        let before = updates.load(Ordering::Relaxed);
        if holder.load(Ordering::Relaxed) != own {
            holder.store(own, Ordering::Relaxed);
            hand_offs.store(hand_offs.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        work(self.turns);
        updates.store(before + 1, Ordering::Relaxed);
        holder.load(Ordering::Relaxed) == own
    }
}

impl<L: Lock> Object for Section<L> {
    fn operate(&self, n: u64) -> sys::Result<u64> {
        let own = own_number();
        let mut right = 0;
        for _ in 0..n {
            self.lock.lock()?;
            right += u64::from(self.enter(own));
            self.lock.unlock()?;
        }
        Ok(right)
    }

    fn offer(&self, operations: u64) -> bool {
        self.protected.remaining.store(operations, Ordering::Release);
        L::IS_EXCLUSIVE
    }

    /// The number that remains is protected by the lock, too: no thread has sections of its own left when all are done.
    fn drain(&self) -> sys::Result<(u64, u64)> {
        let own = own_number();
        let (mut done, mut right) = (0, 0);
        loop {
            self.lock.lock()?;
            let remaining = self.protected.remaining.load(Ordering::Relaxed);
            if remaining > 0 {
                self.protected.remaining.store(remaining - 1, Ordering::Relaxed);
                done += 1;
                right += u64::from(self.enter(own));
            }
            self.lock.unlock()?;
            if remaining == 0 {
                return Ok((done, right));
            }
        }
    }

    fn evidence(&self, operations: u64) -> Vec<(&'static str, f64, f64)> {
        let counts = [("updates", &self.protected.updates), ("hand_offs", &self.protected.hand_offs)];
        let counts =
            counts.map(|(name, count)| (name, count.load(Ordering::Acquire) as f64, operations as f64));
        if L::IS_EXCLUSIVE { counts.to_vec() } else { Vec::new() }
    }
}
