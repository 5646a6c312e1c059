//! Threads on other CPUs: readiness, failure and CPU time.

use super::barrier::{Barrier, Count};
use measure::{Failure, Work};
use std::sync::Mutex;
use sys::clock::Clock;
use sys::usage::CpuClock;

/// Poll limit: many seconds.
const MAX_POLLS: u64 = 1 << 34;

/// State shared by the threads and the measuring one.
#[derive(Debug)]
pub struct Threads {
    /// Where they wait for each other.
    pub barrier: Barrier,
    count: u64,
    /// Threads that finished their setup or failed.
    prepared: Count,
    /// The first failure of a setup.
    failure: Mutex<Option<Failure>>,
    clocks: Mutex<Vec<CpuClock>>,
}

impl Threads {
    /// For `count` threads.
    pub fn new(count: usize) -> Self {
        Self {
            barrier: Barrier::new(count),
            count: count as u64,
            prepared: Count::default(),
            failure: Mutex::default(),
            clocks: Mutex::default(),
        }
    }

    /// Reports the setup of the calling thread.
    pub fn ready<T>(&self, made: Result<T, Failure>) -> Option<T> {
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
        self.prepared.add(1);
        made
    }

    /// Waits until all are ready.
    ///
    /// # Errors
    /// When a setup failed.
    pub fn wait(&self) -> Result<(), Failure> {
        wait_until(|| self.prepared.get() == self.count)?;
        let failure = self.failure.lock().ok().and_then(|first| first.clone());
        failure.map_or(Ok(()), Err)
    }

    /// The batches of the measuring thread, each after the barrier: a thread without a CPU shows in the CPU time of the batch.
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
            self.barrier.wait_for_all(clock);
            Ok(())
        };
        let clocks = self.clocks.lock().map(|clocks| clocks.clone());
        bench.batches(Work {
            before: Some(&mut before),
            multiple_of,
            cpu: std::iter::once(CpuClock::THREAD).chain(clocks.unwrap_or_default()).collect(),
            side_by_side: true,
            ..Work::new(main)
        })
    }
}

/// Polls a condition.
///
/// # Errors
/// When it stays false for many seconds.
pub fn wait_until(condition: impl Fn() -> bool) -> Result<(), Failure> {
    for _ in 0..MAX_POLLS {
        if condition() {
            return Ok(());
        }
        std::hint::spin_loop();
    }
    Err(Failure::Failed("timeout: a thread on another CPU did not respond".to_owned()))
}
