//! Threads on other CPUs: readiness, failure and CPU time.

use crate::barrier::Barrier;
use measure::{Failure, Result, Work};
use std::sync::{Mutex, PoisonError};
use sys::clock::Clock;
use sys::usage::CpuClock;

/// Poll limit: many seconds.
pub const MAX_POLLS: u64 = 1 << 34;

/// State shared by the threads and the measuring one.
#[derive(Debug)]
pub struct Threads {
    /// Where they wait for each other.
    pub barrier: Barrier,
    count: usize,
    /// Of each thread that is set up, its CPU time or why that failed.
    prepared: Mutex<Vec<Result<CpuClock>>>,
}

impl Threads {
    /// For `count` threads.
    pub fn new(count: usize) -> Self {
        Self { barrier: Barrier::new(count), count, prepared: Mutex::default() }
    }

    /// Reports the setup of the calling thread.
    pub fn ready<T>(&self, made: Result<T>) -> Option<T> {
        let (made, reported) = match made {
            Ok(made) => (Some(made), Ok(CpuClock::of_calling_thread())),
            Err(failure) => (None, Err(failure)),
        };
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner).push(reported);
        made
    }

    /// Waits until all are ready.
    ///
    /// # Errors
    /// When a setup failed.
    pub fn wait(&self) -> Result<()> {
        wait_until(|| self.prepared().len() == self.count)?;
        self.prepared().into_iter().find_map(Result::err).map_or(Ok(()), Err)
    }

    /// The CPU time of the calling thread and of each of them that is set up.
    pub fn clocks(&self) -> Vec<CpuClock> {
        std::iter::once(CpuClock::THREAD).chain(self.prepared().into_iter().flatten()).collect()
    }

    fn prepared(&self) -> Vec<Result<CpuClock>> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The batches of the measuring thread, each after the barrier: a thread without a CPU shows in the CPU time of the batch.
    ///
    /// # Errors
    /// When a batch fails.
    pub fn batches(
        &self,
        bench: &mut measure::Bench<'_>,
        multiple_of: u64,
        main: &mut dyn FnMut(u64) -> Result<u64>,
    ) -> Result<()> {
        let clock = Clock::select();
        bench.batches(Work {
            before: Some(&mut |_| {
                self.barrier.wait_for_all(clock);
                Ok(())
            }),
            multiple_of,
            cpu: self.clocks(),
            in_parallel: true,
            ..Work::new(main)
        })
    }
}

/// Polls a condition.
///
/// # Errors
/// When it stays false for many seconds.
pub fn wait_until(condition: impl Fn() -> bool) -> Result<()> {
    for _ in 0..MAX_POLLS {
        if condition() {
            return Ok(());
        }
        std::hint::spin_loop();
    }
    Err(Failure::failed("timeout: a thread on another CPU did not respond"))
}
