//! A barrier: every thread has its CPU when a batch begins.
//!
//! With other runnable programs the scheduler preempts a thread for milliseconds. A batch that started then would be
//! processed by the other threads alone, and discarded.

use std::sync::atomic::{AtomicU64, Ordering};
use sys::clock::Clock;

/// A counter on two cache lines of its own, since some processors fetch lines in pairs.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    /// Its value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Adds to it.
    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::AcqRel);
    }

    /// Replaces its value.
    pub fn set(&self, value: u64) {
        self.0.store(value, Ordering::Release);
    }

    /// Decrements unless zero; whether it did.
    pub fn take(&self) -> bool {
        self.0.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1)).is_ok()
    }
}

/// Nanoseconds to wait for all threads: a few scheduler slices.
const TIMEOUT_NS: i64 = 12_000_000;

/// A barrier that running threads poll.
#[derive(Debug)]
pub struct Barrier {
    generation: Count,
    arrivals: Vec<Count>,
}

impl Barrier {
    /// For `threads` threads besides the one that waits.
    pub fn new(threads: usize) -> Self {
        Self { generation: Count::default(), arrivals: (0..threads).map(|_| Count::default()).collect() }
    }

    /// Called by each thread every few microseconds while it runs.
    pub fn arrive(&self, thread: usize) {
        let generation = self.generation.get();
        let arrival = self.arrivals.get(thread);
        if let Some(arrival) = arrival.filter(|arrival| arrival.get() != generation) {
            arrival.set(generation);
        }
    }

    /// Waits until all threads have arrived or the timeout expires; a batch that starts without one is discarded later.
    pub fn wait_for_all(&self, clock: Clock) -> bool {
        self.generation.add(1);
        let generation = self.generation.get();
        let start = clock.moment();
        while !self.arrivals.iter().all(|arrival| arrival.get() == generation) {
            if clock.moment().nanos_since(start) > TIMEOUT_NS {
                return false;
            }
            std::hint::spin_loop();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_when_every_thread_has_arrived() {
        let (barrier, clock) = (Barrier::new(2), Clock::select());
        barrier.arrive(0);
        barrier.arrive(7);
        assert!(!barrier.wait_for_all(clock), "no thread arrived");
        let stop = Count::default();
        std::thread::scope(|scope| {
            for thread in [0, 1] {
                let (barrier, stop) = (&barrier, &stop);
                scope.spawn(move || {
                    while stop.get() == 0 {
                        barrier.arrive(thread);
                        std::thread::yield_now();
                    }
                });
            }
            // A thread may be preempted for longer than one timeout.
            assert!((0..1_000).any(|_| barrier.wait_for_all(clock)));
            stop.set(1);
        });
        assert!(Barrier::new(0).wait_for_all(clock));
    }

    #[test]
    fn take_from_zero_fails() {
        let count = Count::default();
        count.set(2);
        assert_eq!([count.take(), count.take(), count.take()], [true, true, false]);
        assert_eq!(count.get(), 0);
    }
}
