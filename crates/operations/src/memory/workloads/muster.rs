//! Seeing to it that every thread of a crew is on its CPU when a batch begins.
//!
//! Where other programs want a CPU, too, the scheduler takes it from a thread for milliseconds. A batch that began
//! then would be done by the others alone, and would be set aside.

use std::sync::atomic::{AtomicU64, Ordering};
use sys::clock::Clock;

/// A count on lines of its own: two, since some processors fetch lines in pairs.
#[repr(align(128))]
#[derive(Debug, Default)]
pub struct Count(AtomicU64);

impl Count {
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    pub fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::AcqRel);
    }

    pub fn set(&self, value: u64) {
        self.0.store(value, Ordering::Release);
    }

    /// Takes one away unless there is none.
    pub fn take(&self) -> bool {
        let less = |left: u64| left.checked_sub(1);
        self.0
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, less)
            .is_ok()
    }
}

/// Longest wait for all to answer, in nanoseconds: a few slices of the scheduler.
const LONGEST: i64 = 12_000_000;

/// A call that every thread must answer.
#[derive(Debug)]
pub struct Muster {
    call: Count,
    answers: Vec<Count>,
}

impl Muster {
    /// For so many threads besides the one that calls.
    pub fn new(threads: usize) -> Self {
        Self {
            call: Count::default(),
            answers: (0..threads).map(|_| Count::default()).collect(),
        }
    }

    /// What a thread does every few microseconds while it has a CPU.
    pub fn answer(&self, thread: usize) {
        let call = self.call.get();
        if let Some(answer) = self.answers.get(thread).filter(|answer| answer.get() != call) {
            answer.set(call);
        }
    }

    /// Calls, and waits until all have answered, though not for ever: a batch that begins without them shows it.
    pub fn all_are_here(&self, clock: Clock) -> bool {
        self.call.add(1);
        let call = self.call.get();
        let began = clock.moment();
        let here = || self.answers.iter().all(|answer| answer.get() == call);
        while !here() {
            if clock.moment().nanos_since(began) > LONGEST {
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
    fn all_are_here_when_each_has_answered_this_call() {
        let (muster, clock) = (Muster::new(2), Clock::select());
        muster.answer(0);
        muster.answer(7);
        assert!(!muster.all_are_here(clock), "nobody answered");
        let over = Count::default();
        std::thread::scope(|scope| {
            for thread in [0, 1] {
                let (muster, over) = (&muster, &over);
                scope.spawn(move || {
                    while over.get() == 0 {
                        muster.answer(thread);
                        std::thread::yield_now();
                    }
                });
            }
            // The scheduler may keep a thread away for longer than one call waits.
            assert!((0..1_000).any(|_| muster.all_are_here(clock)));
            over.set(1);
        });
        assert!(Muster::new(0).all_are_here(clock));
    }

    #[test]
    fn nothing_is_taken_from_nothing() {
        let count = Count::default();
        count.set(2);
        assert_eq!([count.take(), count.take(), count.take()], [true, true, false]);
        assert_eq!(count.get(), 0);
    }
}
