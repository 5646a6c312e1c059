//! Bytes that were not moved, zeros, buffers that fit a cache, idle CPUs: what the witnesses of bandwidth must catch.

use crate::sabotage::{count_all, give};
use crate::{Caught, Sabotage};
use measure::{Bench, Failure, Result, Work};
use sys::bandwidth::{Action, Blocks, Content, Method};
use sys::chase::{Cycle, LOADS, Order};
use sys::memory::Mapping;
use workloads::memory::bandwidth::single::{Checked, run_single};

/// Bytes of the working sets of the points, and of a block of the large one.
const SMALL: usize = 16 << 10;
const LARGE: usize = 128 << 20;
const BLOCK: usize = 256 << 10;

/// What a right curve of latency over bandwidth counts.
const CURVE: &[(&str, f64)] = &[
    ("lines.visited", 1.0),
    ("working_set.per_cache", 4.0),
    ("curve.points", 16.0),
    ("windows.whole", 1.0),
    ("blocks.wrong", 0.0),
];

fn made(bench: &Bench<'_>, action: Action, content: Content, bytes: usize) -> Result<Blocks> {
    let block = (bytes / action.parts()).min(BLOCK);
    let blocks = Blocks::new(action, Method::Widest, (bytes, block), content, bench.seed())?;
    blocks.ok_or_else(|| Failure::failed("the processor lacks the method"))
}

/// Reads this many bytes, where the working set has others.
fn read(bench: &mut Bench<'_>, bytes: usize, claimed: usize) -> Result<()> {
    let blocks = made(bench, Action::Read, Content::Random, bytes)?;
    run_single(bench, blocks, claimed)
}

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.bandwidth.half_of_the_blocks",
        of: "memory.bandwidth.write method=widest bytes=16KiB cpus=1",
        mistake: "every second batch is claimed and not written (E62)",
        caught_by: Caught::By("answers"),
        run: |bench| {
            let mut blocks = made(bench, Action::Write, Content::Random, SMALL)?;
            let is_rehearsal = bench.is_rehearsal();
            bench.slope(&mut |n| {
                let done = if is_rehearsal { n } else { n.div_ceil(2) };
                Ok(if blocks.run(done) { done } else { 0 })
            })?;
            Checked::verify(&blocks).count(bench, SMALL);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.other_words",
        of: "memory.bandwidth.copy method=widest bytes=16KiB cpus=1",
        mistake: "half of the target holds other words after the copy (E62)",
        caught_by: Caught::By("words.right"),
        run: |bench| {
            let mut blocks = made(bench, Action::Copy, Content::Random, SMALL)?;
            bench.slope(&mut |n| Ok(if blocks.run(n) { n } else { 0 }))?;
            (0..8).for_each(|_| blocks.corrupt_next_block());
            Checked::verify(&blocks).count(bench, SMALL);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.one_source",
        of: "memory.bandwidth.triad method=nontemporal bytes=192MiB cpus=1",
        mistake: "the second array is never read: the triad is a multiplication",
        caught_by: Caught::By("instructions"),
        run: |bench| {
            let bytes = if bench.is_rehearsal() { 2 << 10 } else { LARGE };
            let blocks = made(bench, Action::Scale, Content::Random, bytes)?;
            run_single(bench, blocks, bytes)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.other_numbers",
        of: "memory.bandwidth.add method=nontemporal bytes=192MiB cpus=1",
        mistake: "some sums are wrong after the addition",
        caught_by: Caught::By("words.right"),
        run: |bench| {
            let bytes = 3 << 20;
            let mut blocks = made(bench, Action::Add, Content::Random, bytes)?;
            bench.slope(&mut |n| Ok(if blocks.run(n) { n } else { 0 }))?;
            blocks.corrupt_next_block();
            Checked::verify(&blocks).count(bench, bytes);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.updated_once_too_often",
        of: "memory.bandwidth.update method=widest bytes=16KiB cpus=1",
        mistake: "a word is changed by something else than the update",
        caught_by: Caught::By("words.right"),
        run: |bench| {
            let mut blocks = made(bench, Action::Update, Content::Random, SMALL)?;
            bench.slope(&mut |n| Ok(if blocks.run(n) { n } else { 0 }))?;
            blocks.corrupt_next_block();
            Checked::verify(&blocks).count(bench, SMALL);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.zeros",
        of: "memory.bandwidth.write method=widest bytes=16KiB cpus=1",
        mistake: "zeros are written over zeros (E60)",
        caught_by: Caught::By("words.not_zero"),
        run: |bench| {
            let blocks = made(bench, Action::Write, Content::Zeros, SMALL)?;
            run_single(bench, blocks, SMALL)
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.fits_a_cache",
        of: "memory.bandwidth.read method=widest bytes=128MiB cpus=1",
        mistake: "a working set of 1 MiB is claimed to be 128 MiB (E61)",
        caught_by: Caught::By("working_set"),
        run: |bench| read(bench, 1 << 20, LARGE),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.as_large_as_the_cache",
        of: "memory.bandwidth.read.beyond_caches cpus=1",
        mistake: "the working set is as large as the last-level cache, and is claimed to be beyond it (E16, E61)",
        caught_by: Caught::By("working_set.per_cache"),
        run: |bench| {
            let cache = sys::memory::last_level_cache().unwrap_or(8 << 20);
            let bytes = cache.min(LARGE) / BLOCK * BLOCK;
            read(bench, bytes, bytes)?;
            bench.count("working_set.per_cache", bytes as f64, cache as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.one_for_all",
        of: "memory.bandwidth.read method=widest bytes=128MiB cpus=all",
        mistake: "one CPU moves all blocks, and all CPUs are claimed",
        caught_by: Caught::By("cpus.working"),
        second_cpu: true,
        run: |bench| {
            read(bench, LARGE, LARGE)?;
            let cpus = sys::cpu::allowed_before_pinning()?.len();
            bench.count("cpus.working", 1.0, cpus as f64);
            Ok(())
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.idle_traffic",
        of: "memory.load_curve mix=reads property=loaded",
        mistake: "the other CPUs make no traffic at most of the rates",
        caught_by: Caught::By("rates.with_traffic"),
        second_cpu: true,
        run: |bench| {
            count_all(bench, CURVE);
            give(bench, &[("rates.with_traffic", 0.2)], vec![100.0])
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.knee_by_one_rate",
        of: "memory.load_curve mix=reads property=knee",
        mistake: "one slow rate at the end of a flat curve is taken for the knee",
        caught_by: Caught::By("rates.above_knee"),
        second_cpu: true,
        run: |bench| {
            count_all(bench, CURVE);
            give(
                bench,
                &[("rates.with_traffic", 1.0), ("rates.above_knee", 1.0), ("knee.of_peak", 0.1)],
                vec![3.2e9],
            )
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.knee_beyond_the_peak",
        of: "memory.load_curve mix=reads property=knee",
        mistake: "the knee is taken from the rate that was set, which is beyond what was reached",
        caught_by: Caught::By("knee.of_peak"),
        second_cpu: true,
        run: |bench| {
            count_all(bench, CURVE);
            give(
                bench,
                &[("rates.with_traffic", 1.0), ("rates.above_knee", 4.0), ("knee.of_peak", 1.3)],
                vec![4.2e10],
            )
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.bandwidth.no_load",
        of: "memory.loaded_latency load=full",
        mistake: "the other CPUs are idle instead of reading",
        caught_by: Caught::By("load.share"),
        second_cpu: true,
        run: |bench| {
            let mut mapping = Mapping::private(4 << 20)?;
            mapping.touch(bench.seed());
            let cycle = Cycle::link(&mut mapping, 0, 65_536, 64, Order::Random(bench.seed()));
            let mut cycle = cycle.ok_or_else(|| Failure::failed("no place for a cycle"))?;
            bench.batches(Work { multiple_of: LOADS, ..Work::new(&mut |n| Ok(cycle.walk(n / LOADS))) })?;
            bench.count("load.share", 0.0, 1.0);
            Ok(())
        },
        ..Sabotage::NEW
    },
];
