//! A thread pool that processes blocks on all CPUs, fed from one shared counter.

use super::single::Checked;
use super::spec::Spec;
use crate::barrier::Count;
use crate::threads::{Threads, wait_until};
use measure::{Bench, Failure, Result};
use std::sync::Mutex;
use sys::bandwidth::{Action, Blocks};

/// State shared by the threads.
#[derive(Debug)]
struct ThreadPool {
    threads: Threads,
    /// Incremented for each batch; [`QUIT`] ends the threads.
    round: Count,
    /// Chunks of blocks that remain in the batch.
    remaining: Count,
    /// Blocks processed, and processed correctly, since the start.
    done: Count,
    correct: Count,
    /// The final check of all memory, and the number of threads that processed blocks.
    checked: Mutex<(Checked, u64)>,
}

/// The round number that ends the threads.
const QUIT: u64 = u64::MAX;

/// Bytes per chunk: a thread takes one every few microseconds.
const CHUNK: usize = 1 << 20;

impl ThreadPool {
    fn new(threads: usize) -> Self {
        Self {
            threads: Threads::new(threads),
            round: Count::default(),
            remaining: Count::default(),
            done: Count::default(),
            correct: Count::default(),
            checked: Mutex::default(),
        }
    }

    /// Processes chunks until none remains; returns the number of blocks.
    fn work(&self, blocks: &mut Blocks, chunk: u64) -> u64 {
        let mut taken = 0;
        while self.remaining.take() {
            if blocks.run(chunk) {
                self.correct.add(chunk);
            }
            self.done.add(chunk);
            taken += chunk;
        }
        taken
    }

    fn finish(&self, blocks: &Blocks, taken: u64) {
        let checked = Checked::verify(blocks);
        if let Ok(mut sum) = self.checked.lock() {
            *sum = (sum.0.plus(checked), sum.1 + u64::from(taken > 0));
        }
    }

    /// The loop of a pool thread.
    fn run(&self, index: usize, made: Result<Blocks>, chunk: u64) {
        let Some(mut blocks) = self.threads.ready(made) else {
            return;
        };
        let (mut round, mut taken) = (0, 0);
        while round != QUIT {
            let has_work = wait_until(|| {
                self.threads.barrier.arrive(index);
                self.round.get() != round
            });
            if has_work.is_err() {
                break;
            }
            round = self.round.get();
            taken += self.work(&mut blocks, chunk);
        }
        self.finish(&blocks, taken);
    }

    /// A batch of `n` blocks by all threads; returns how many were correct.
    fn batch(&self, blocks: &mut Blocks, chunk: u64, n: u64, taken: &mut u64) -> Result<u64> {
        let (done, correct) = (self.done.get(), self.correct.get());
        self.remaining.set(n / chunk);
        self.round.add(1);
        *taken += self.work(blocks, chunk);
        wait_until(|| self.done.get() >= done + n)?;
        Ok(self.correct.get() - correct)
    }
}

/// Blocks processed on every allowed CPU.
pub(super) fn all_cpus(bench: &mut Bench<'_>, spec: Spec, action: Action) -> Result<()> {
    let own = bench.cpu();
    let mut others = sys::cpu::allowed_before_pinning()?;
    others.retain(|&cpu| Some(cpu) != own);
    let (cpus, seed) = (others.len() as u64 + 1, bench.seed());
    let spec = spec.among(others.len() + 1, action);
    let chunk = (CHUNK / spec.block.max(1)).max(1) as u64;
    let pool = ThreadPool::new(others.len());
    let quit = || pool.round.set(QUIT);
    sys::thread::beside_all(
        &others,
        |index, pinned| {
            let made = pinned.map_err(Failure::from);
            let made = made.and_then(|()| spec.blocks(action, seed ^ ((index as u64 + 1) << 32)));
            pool.run(index, made, chunk);
        },
        quit,
        || {
            let result = lead(bench, &pool, spec.blocks(action, seed), (cpus, chunk), &quit);
            quit();
            result
        },
    )??;
    let (checked, working) =
        *pool.checked.lock().map_err(|_| Failure::failed("a thread on another CPU failed"))?;
    checked.count(bench, spec.size * cpus as usize);
    bench.count("cpus.working", working as f64, cpus as f64);
    Ok(())
}

fn lead(
    bench: &mut Bench<'_>,
    pool: &ThreadPool,
    made: Result<Blocks>,
    (cpus, chunk): (u64, u64),
    quit: &dyn Fn(),
) -> Result<()> {
    let mut blocks = made?;
    pool.threads.wait()?;
    let mut taken = 0;
    pool.threads.batches(bench, chunk * cpus, &mut |n| pool.batch(&mut blocks, chunk, n, &mut taken))?;
    // All threads check their memory at the same time.
    quit();
    pool.finish(&blocks, taken);
    Ok(())
}
