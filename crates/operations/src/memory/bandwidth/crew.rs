//! Blocks done by all CPUs at once: a thread on each, which takes the next blocks from a common count.

use super::{Looked, Spec};
use crate::memory::workloads::helpers::{Helpers, wait_until};
use crate::memory::workloads::muster::Count;
use measure::{Bench, Failure};
use std::sync::Mutex;
use sys::bandwidth::{Action, Blocks};

/// What the threads share.
#[derive(Debug)]
struct Crew {
    helpers: Helpers,
    /// Rises when there is work; [`QUIT`] ends all.
    round: Count,
    /// Grains of blocks that nobody has taken.
    left: Count,
    /// Blocks done, and done rightly, since the start.
    done: Count,
    right: Count,
    /// What the threads found in the end, and how many of them did any blocks.
    looked: Mutex<(Looked, u64)>,
}

/// The round that ends the threads; no count comes so far.
const QUIT: u64 = u64::MAX;

/// Bytes that a thread takes at a time: the common count is asked for every few microseconds.
const TAKEN: usize = 1 << 20;

impl Crew {
    fn new(helpers: usize) -> Self {
        Self {
            helpers: Helpers::new(helpers),
            round: Count::default(),
            left: Count::default(),
            done: Count::default(),
            right: Count::default(),
            looked: Mutex::default(),
        }
    }

    /// Takes grains until none is left; gives the blocks done.
    fn work(&self, blocks: &mut Blocks, grain: u64) -> u64 {
        let mut taken = 0;
        while self.left.take() {
            if blocks.run(grain) {
                self.right.add(grain);
            }
            self.done.add(grain);
            taken += grain;
        }
        taken
    }

    fn leave(&self, blocks: &Blocks, taken: u64) {
        let looked = Looked::at(blocks);
        if let Ok(mut sum) = self.looked.lock() {
            *sum = (sum.0.plus(looked), sum.1 + u64::from(taken > 0));
        }
    }

    /// A thread that helps, to its end.
    fn help(&self, index: usize, made: Result<Blocks, Failure>, grain: u64) {
        let Some(mut blocks) = self.helpers.arrive(made) else {
            return;
        };
        let (mut round, mut taken) = (0, 0);
        let called = |round| {
            self.helpers.muster.answer(index);
            self.round.get() != round
        };
        while round != QUIT && wait_until(|| called(round)).is_ok() {
            round = self.round.get();
            taken += self.work(&mut blocks, grain);
        }
        self.leave(&blocks, taken);
    }

    /// A batch of `n` blocks by all; gives how many of them were right.
    fn batch(&self, blocks: &mut Blocks, grain: u64, n: u64, taken: &mut u64) -> Result<u64, Failure> {
        let (done, right) = (self.done.get(), self.right.get());
        self.left.set(n / grain);
        self.round.add(1);
        *taken += self.work(blocks, grain);
        wait_until(|| self.done.get() >= done + n)?;
        Ok(self.right.get() - right)
    }
}

/// Blocks done by every CPU that may be used.
pub(super) fn all_cpus(bench: &mut Bench<'_>, spec: Spec, action: Action) -> Result<(), Failure> {
    let own = bench.cpu();
    let mut others = sys::cpu::allowed_before_pinning()?;
    others.retain(|&cpu| Some(cpu) != own);
    let (cpus, seed) = (others.len() as u64 + 1, bench.seed());
    let spec = spec.among(others.len() + 1);
    let grain = (TAKEN / spec.block.max(1)).max(1) as u64;
    let crew = Crew::new(others.len());
    let help = |index: usize, pinned: sys::Result<()>| {
        let made = pinned.map_err(Failure::from);
        let made = made.and_then(|()| spec.blocks(action, seed ^ ((index as u64 + 1) << 32)));
        crew.help(index, made, grain);
    };
    let quit = || crew.round.set(QUIT);
    sys::thread::beside_all(&others, help, quit, || {
        let result = lead(bench, &crew, spec.blocks(action, seed), (cpus, grain), &quit);
        quit();
        result
    })??;
    let (looked, working) = *crew
        .looked
        .lock()
        .map_err(|_| Failure::Failed("a thread on another CPU has failed".to_owned()))?;
    looked.tell(bench, spec.size * cpus as usize);
    bench.count("cpus.working", working as f64, cpus as f64);
    Ok(())
}

fn lead(
    bench: &mut Bench<'_>,
    crew: &Crew,
    made: Result<Blocks, Failure>,
    (cpus, grain): (u64, u64),
    quit: &dyn Fn(),
) -> Result<(), Failure> {
    let mut blocks = made?;
    crew.helpers.wait()?;
    let mut taken = 0;
    let mut main = |n: u64| crew.batch(&mut blocks, grain, n, &mut taken);
    crew.helpers.batches(bench, grain * cpus, &mut main)?;
    // All look at their memory at the same time.
    quit();
    crew.leave(&blocks, taken);
    Ok(())
}
