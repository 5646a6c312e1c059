//! Bytes that were not moved, zeros, buffers that fit a cache, CPUs that stand by: what the witnesses of
//! bandwidth must catch.

use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Point, Work};
use record::Profile;
use sys::bandwidth::{Action, Blocks, Content, Method};
use sys::chase::{Cycle, LOADS, Order};
use sys::memory::Mapping;

/// Bytes of the working set at the point, and of a block of it.
const SIZE: usize = 128 << 20;
const BLOCK: usize = 256 << 10;

fn of(method: &str, size: &str, cpus: &str) -> Point {
    Point::only().with("method", method).with("bytes", size).with("cpus", cpus)
}

fn widest(_: Profile) -> Vec<Point> {
    vec![of("widest", "128MiB", "1")]
}

fn in_first_cache(_: Profile) -> Vec<Point> {
    vec![of("widest", "16KiB", "1")]
}

fn made(action: Action, method: Method, size: usize, content: Content, seed: u64) -> Result<Blocks, Failure> {
    let block = (size / action.parts()).min(BLOCK);
    let blocks = Blocks::new(action, method, (size, block), content, seed)?;
    blocks.ok_or_else(|| Failure::Failed("the processor lacks the method".to_owned()))
}

/// Counts what was found in the memory as the right operation does.
fn count_all(bench: &mut Bench<'_>, blocks: &Blocks, size: usize) {
    let checked = blocks.check();
    let words = checked.words as f64;
    bench.count("words.right", checked.right as f64, words);
    bench.count("words.not_zero", checked.not_zero as f64, words);
    bench.count("working_set", blocks.size() as f64, size as f64);
}

/// Every second block.
pub static HALF_OF_THE_BLOCKS: Sabotage = Sabotage {
    id: "sabotage.bandwidth.half_of_the_blocks",
    of: "memory.bandwidth.write",
    points: in_first_cache,
    mistake: "every second batch is claimed and not written (E62)",
    caught_by: Caught::By("answers"),
    run: |bench| {
        let size = 16 << 10;
        let mut blocks = made(Action::Write, Method::Widest, size, Content::Random, bench.seed())?;
        let is_rehearsal = bench.is_rehearsal();
        bench.slope(&mut |n| {
            let done = if is_rehearsal { n } else { n.div_ceil(2) };
            Ok(if blocks.run(done) { done } else { 0 })
        })?;
        count_all(bench, &blocks, size);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Words that are wrong in the end.
pub static OTHER_WORDS: Sabotage = Sabotage {
    id: "sabotage.bandwidth.other_words",
    of: "memory.bandwidth.copy",
    points: in_first_cache,
    mistake: "what is copied is not what is looked at: half of the target holds something else in the end (E62)",
    caught_by: Caught::By("words.right"),
    run: |bench| {
        let size = 16 << 10;
        let mut blocks = made(Action::Copy, Method::Widest, size, Content::Random, bench.seed())?;
        bench.slope(&mut |n| Ok(if blocks.run(n) { n } else { 0 }))?;
        for _ in 0..8 {
            blocks.disturb();
        }
        count_all(bench, &blocks, size);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Zeros for random words.
pub static ZEROS: Sabotage = Sabotage {
    id: "sabotage.bandwidth.zeros",
    of: "memory.bandwidth.write",
    points: in_first_cache,
    mistake: "zeros are written over zeros (E60)",
    caught_by: Caught::By("words.not_zero"),
    run: |bench| {
        let size = 16 << 10;
        let mut blocks = made(Action::Write, Method::Widest, size, Content::Zeros, bench.seed())?;
        bench.slope(&mut |n| Ok(if blocks.run(n) { n } else { 0 }))?;
        count_all(bench, &blocks, size);
        Ok(())
    },
    ..Sabotage::NEW
};

/// A buffer in the second cache that is called memory.
pub static FITS_A_CACHE: Sabotage = Sabotage {
    id: "sabotage.bandwidth.fits_a_cache",
    of: "memory.bandwidth.read",
    points: widest,
    mistake: "a buffer of 1 MiB is called memory (E61)",
    caught_by: Caught::By("working_set"),
    run: |bench| {
        let mut blocks = made(Action::Read, Method::Widest, 1 << 20, Content::Random, bench.seed())?;
        bench.slope(&mut |n| Ok(if blocks.run(n) { n } else { 0 }))?;
        count_all(bench, &blocks, SIZE);
        Ok(())
    },
    ..Sabotage::NEW
};

/// A buffer as large as the last-level cache.
pub static AS_LARGE_AS_THE_CACHE: Sabotage = Sabotage {
    id: "sabotage.bandwidth.as_large_as_the_cache",
    of: "memory.bandwidth.read.beyond_caches",
    points: |_| Point::all("cpus=1"),
    mistake: "the buffer is as large as the last-level cache, and is called memory (E16, E61)",
    caught_by: Caught::By("working_set.per_cache"),
    run: |bench| {
        let cache = sys::memory::last_level_cache().unwrap_or(8 << 20);
        let size = cache.min(SIZE) / BLOCK * BLOCK;
        let mut blocks = made(Action::Read, Method::Widest, size, Content::Random, bench.seed())?;
        bench.slope(&mut |n| Ok(if blocks.run(n) { n } else { 0 }))?;
        count_all(bench, &blocks, size);
        bench.count("working_set.per_cache", size as f64, cache as f64);
        Ok(())
    },
    ..Sabotage::NEW
};

/// One CPU for all.
pub static ONE_FOR_ALL: Sabotage = Sabotage {
    id: "sabotage.bandwidth.one_for_all",
    of: "memory.bandwidth.read",
    points: |_| vec![of("widest", "128MiB", "all")],
    mistake: "one CPU does all blocks, and all CPUs are said to",
    caught_by: Caught::By("cpus.working"),
    second_cpu: true,
    run: |bench| {
        let mut blocks = made(Action::Read, Method::Widest, SIZE, Content::Random, bench.seed())?;
        bench.slope(&mut |n| Ok(if blocks.run(n) { n } else { 0 }))?;
        count_all(bench, &blocks, SIZE);
        let cpus = sys::cpu::allowed_before_pinning()?.len();
        bench.count("cpus.working", 1.0, cpus as f64);
        Ok(())
    },
    ..Sabotage::NEW
};

/// Nobody reads.
pub static NO_LOAD: Sabotage = Sabotage {
    id: "sabotage.bandwidth.no_load",
    of: "memory.loaded_latency",
    points: |_| vec![Point::only().with("load", "full")],
    mistake: "the other CPUs wait and do not read",
    caught_by: Caught::By("load.share"),
    second_cpu: true,
    run: |bench| {
        let mut mapping = Mapping::private(4 << 20)?;
        mapping.touch(bench.seed());
        let cycle = Cycle::link(&mut mapping, 0, 65_536, 64, Order::Random(bench.seed()));
        let mut cycle = cycle.ok_or_else(|| Failure::Failed("no place for a cycle".to_owned()))?;
        let mut main = |n: u64| Ok(cycle.walk(n / LOADS));
        bench.batches(Work { multiple_of: LOADS, ..Work::new(&mut main) })?;
        bench.count("load.share", 0.0, 1.0);
        Ok(())
    },
    ..Sabotage::NEW
};
