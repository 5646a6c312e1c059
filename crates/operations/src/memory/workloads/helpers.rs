//! Threads on other CPUs that help: whether they are ready, what stands in their way, and their CPU time.

use super::muster::{Count, Muster};
use measure::{Failure, Work};
use std::sync::Mutex;
use sys::clock::Clock;
use sys::usage::CpuClock;

/// Most polls: many seconds.
const MOST_POLLS: u64 = 1 << 34;

/// What helping threads share with the one that leads.
#[derive(Debug)]
pub struct Helpers {
    pub muster: Muster,
    count: u64,
    /// Threads that have their memory, or will never have it.
    ready: Count,
    /// What stands in the way.
    failure: Mutex<Option<Failure>>,
    clocks: Mutex<Vec<CpuClock>>,
}

impl Helpers {
    /// So many threads.
    pub fn new(count: usize) -> Self {
        Self {
            muster: Muster::new(count),
            count: count as u64,
            ready: Count::default(),
            failure: Mutex::default(),
            clocks: Mutex::default(),
        }
    }

    /// The calling thread is ready with what was made, or will never be.
    pub fn arrive<T>(&self, made: Result<T, Failure>) -> Option<T> {
        let made = match made {
            Ok(made) => {
                if let Ok(mut clocks) = self.clocks.lock() {
                    clocks.push(CpuClock::of_calling_thread());
                }
                Some(made)
            }
            Err(failure) => {
                if let Ok(mut first) = self.failure.lock() {
                    first.get_or_insert(failure);
                }
                None
            }
        };
        self.ready.add(1);
        made
    }

    /// Waits until all are ready.
    ///
    /// # Errors
    /// When one never will be.
    pub fn wait(&self) -> Result<(), Failure> {
        wait_until(|| self.ready.get() == self.count)?;
        let failure = self.failure.lock().ok().and_then(|first| first.clone());
        failure.map_or(Ok(()), Err)
    }

    /// The batches of the leading thread, each of which begins when all have a CPU: who does not come is missed in the
    /// CPU time of the batch.
    ///
    /// # Errors
    /// When a batch fails.
    pub fn batches(
        &self,
        bench: &mut measure::Bench<'_>,
        multiple_of: u64,
        main: &mut dyn FnMut(u64) -> Result<u64, Failure>,
    ) -> Result<(), Failure> {
        let clock = Clock::select();
        let mut before = |_| {
            self.muster.all_are_here(clock);
            Ok(())
        };
        let helpers = self.clocks.lock().map(|clocks| clocks.clone());
        bench.batches(Work {
            before: Some(&mut before),
            multiple_of,
            cpu: std::iter::once(CpuClock::THREAD)
                .chain(helpers.unwrap_or_default())
                .collect(),
            side_by_side: true,
            ..Work::alone(main)
        })
    }
}

/// Waits until something is so.
///
/// # Errors
/// When it has not been for many seconds.
pub fn wait_until(is_so: impl Fn() -> bool) -> Result<(), Failure> {
    for _ in 0..MOST_POLLS {
        if is_so() {
            return Ok(());
        }
        std::hint::spin_loop();
    }
    Err(Failure::Failed("a thread on another CPU was lost".to_owned()))
}
