//! Concurrent readers and writers, counted in a common window.

use super::access_pattern::{Access, AccessPattern, Order};
use super::own_files;
use super::test_file::TestFile;
use super::{BLOCK, DEFAULT, DeviceBytes, WRONG_DATA};
use crate::shared_words::SharedWords;
use measure::{Bench, Failure, Parameters, Point, Result, choice, parameters};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::clock::Clock;
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::process::Actor;
use sys::temporary::TemporaryFile;

/// Bytes of the file per reader.
const REGION: u64 = 8 << 20;

/// Competitors at most, as in R0, 6.4.1.
pub const MAX_COMPETITORS: u64 = 15;

/// The window in nanoseconds, and its parts, each of which gives a value.
const WINDOW: i64 = 30_000_000;
const PARTS: i64 = 6;

/// Nanoseconds from the barrier to the start of the window.
const LEAD_NS: i64 = 300_000;

/// Timeout of actors in nanoseconds.
const TIMEOUT_NS: i64 = 5_000_000_000;

/// Words per actor in shared memory: two adjacent cache lines.
const WORDS: usize = 16;
const READY: usize = 0;
/// Blocks entirely within the window.
const BLOCKS: usize = 1;
/// Whether a block began before it.
const BEFORE: usize = 2;
/// Whether a block ended after it.
const AFTER: usize = 3;
const WRONG: usize = 4;
/// All blocks read.
const READ: usize = 5;

/// Common words: start and end of the window in ticks of the kernel clock.
const BEGIN: usize = 8;
const END: usize = 9;

choice! {
    /// What competitors do.
    pub enum Others {
        /// As the main reader.
        Same = "same",
        /// Half of them read sequentially, half in random order.
        Mixed = "mixed",
        /// They write.
        Write = "write",
    }
}

choice! {
    /// What the caches of readers hold that have files of their own.
    pub enum OwnCache {
        /// Nothing.
        Cold = "cold",
        /// They are bypassed, by O_DIRECT.
        Direct = "direct",
    }
}

parameters! {
    /// Readers and their competitors.
    pub struct Contention {
        /// The order of the main reader.
        access: Access,
        /// What competitors do.
        others: Others = Others::Same,
        /// Their number.
        competitors: u64,
        /// Only of readers that have files of their own.
        cache: Option<OwnCache> = None,
    }
}

/// The role of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Reads its region sequentially.
    Sequential,
    /// Reads its region in random order.
    Random,
    /// Overwrites its own file in random order.
    Writer,
}

impl Role {
    /// The role of the main reader (0) or of a competitor: all the same, half sequential and half random, or all writing.
    fn new(contention: &Contention, competitor: u64) -> Self {
        let own = match contention.access {
            Access::Sequential => Self::Sequential,
            Access::Random => Self::Random,
        };
        match contention.others {
            _ if competitor == 0 => own,
            Others::Same => own,
            Others::Mixed if competitor.is_multiple_of(2) => Self::Sequential,
            Others::Mixed => Self::Random,
            Others::Write => Self::Writer,
        }
    }

    fn order(self) -> Order {
        if self == Self::Sequential { Order::Sequential } else { Order::Random }
    }
}

/// Counters shared by all actors.
struct SharedCounters(SharedWords);

impl SharedCounters {
    /// For all actors.
    ///
    /// # Errors
    /// When no memory is available.
    fn new() -> Result<Self> {
        Ok(Self(SharedWords::new((MAX_COMPETITORS as usize + 2) * WORDS)?))
    }

    fn word(&self, actor: u64, word: usize) -> &AtomicU64 {
        self.0.word((actor as usize + 1) * WORDS + word)
    }

    fn get(&self, actor: u64, word: usize) -> u64 {
        self.word(actor, word).load(Ordering::Acquire)
    }

    /// Start and end of the window; `None` until set.
    fn window(&self) -> Option<(i64, i64)> {
        let end = self.0.get(END) as i64;
        (end != 0).then(|| (self.0.get(BEGIN) as i64, end))
    }

    /// Competitors active before and after the window, without an error.
    fn overlapped(&self, competitors: u64) -> u64 {
        (1..=competitors)
            .filter(|&actor| [BEFORE, AFTER, WRONG].map(|word| self.get(actor, word)) == [1, 1, 0])
            .count() as u64
    }
}

/// Only points whose readers have files of their own say what their caches hold.
pub fn is_of_own_files(point: &Point) -> bool {
    Contention::read(point).is_ok_and(|contention| contention.cache.is_some())
}

/// An actor.
struct Worker {
    role: Role,
    /// Drops the cache of its file after each lap.
    drops_cache: bool,
    file: TemporaryFile,
    pattern: AccessPattern,
    buffer: Mapping,
    /// Blocks so far.
    done: u64,
}

impl Worker {
    fn new(bench: &Bench<'_>, test_file: &TestFile, role: Role, number: u64) -> Result<Self> {
        let mut buffer = Mapping::private(BLOCK)?;
        buffer.touch(number + 1);
        let seed = bench.seed().wrapping_add(number);
        let cache = bench.parameters::<Contention>()?.cache;
        let drops_cache = cache == Some(OwnCache::Cold);
        let (file, begin, length) = match role {
            _ if cache.is_some() => (own_files::open(bench, number, !drops_cache)?, 0, own_files::LENGTH),
            Role::Writer => (own_files::to_overwrite(bench)?, 0, own_files::WRITTEN),
            _ => (test_file.reopen(CacheMode::Direct)?, test_file.range.start + number * REGION, REGION),
        };
        let mut pattern = AccessPattern::new(role.order(), begin, length, DEFAULT, seed);
        pattern.start_at_random(seed);
        Ok(Self { role, drops_cache, file, pattern, buffer, done: 0 })
    }

    /// At the end of a lap: what it reads next is not cached.
    fn renew(&self) -> Result<()> {
        if self.drops_cache && self.done.is_multiple_of(self.pattern.len() as u64) {
            self.file.drop_cache()?;
        }
        Ok(())
    }

    /// One block; whether it was correct.
    fn once(&mut self) -> bool {
        let (offset, block) = (self.pattern.next_offset(), self.buffer.bytes_mut());
        self.done += 1;
        if self.role == Role::Writer {
            return direct::write_at(self.file.descriptor(), block, offset) == BLOCK as isize;
        }
        direct::read_at(self.file.descriptor(), block, offset) == BLOCK as isize
            && self.file.is_block(block, offset)
    }

    /// Blocks until the end of the window; `each` gets end and duration of those within.
    fn until_over(
        &mut self,
        counters: &SharedCounters,
        actor: u64,
        each: &mut dyn FnMut(i64, i64),
    ) -> Result<()> {
        let clock = Clock::Kernel;
        let (start, mut earlier) = (clock.start(), false);
        loop {
            self.renew()?;
            let began = clock.start();
            let correct = self.once();
            let ended = clock.stop();
            if !correct {
                counters.word(actor, WRONG).store(1, Ordering::Release);
                return Err(Failure::failed(WRONG_DATA));
            }
            counters.word(actor, READY).store(1, Ordering::Release);
            match counters.window() {
                Some((_, end)) if ended > end => {
                    counters.word(actor, BEFORE).store(u64::from(earlier), Ordering::Release);
                    counters.word(actor, AFTER).store(1, Ordering::Release);
                    let read = if self.role == Role::Writer { 0 } else { self.done };
                    counters.word(actor, READ).store(read, Ordering::Release);
                    return Ok(());
                }
                Some((begin, _)) if began >= begin => {
                    counters.word(actor, BLOCKS).fetch_add(1, Ordering::AcqRel);
                    each(ended - begin, ended - began);
                }
                _ => earlier = true,
            }
            if ended - start > TIMEOUT_NS {
                return Err(Failure::failed("timeout: the readers did not start together"));
            }
        }
    }
}

/// Mean nanoseconds per block of the main reader, for each part of the window in which one ended, and the number of
/// concurrent processes, itself included.
type WindowResult = (Vec<f64>, Option<usize>);

/// Runs the main reader and its competitors through one window. Competitors are processes, joined afterwards.
///
/// # Errors
/// When a process cannot be created, or an actor fails.
fn compete(mut main: Worker, competitors: Vec<Worker>, counters: &SharedCounters) -> Result<WindowResult> {
    // The scheduler places them, as it does competing programs.
    let _ = sys::cpu::unpin();
    let mut others = Vec::with_capacity(competitors.len());
    for (mut worker, number) in competitors.into_iter().zip(1..) {
        others.push(Actor::spawn(None, || {
            i32::from(worker.until_over(counters, number, &mut |_, _| {}).is_err())
        })?);
    }
    let numbers = 1..=others.len() as u64;
    let clock = Clock::Kernel;
    let start = clock.start();
    // Barrier: every competitor has completed a block.
    while numbers.clone().any(|actor| counters.get(actor, READY) == 0) {
        if clock.stop() - start > TIMEOUT_NS {
            return Err(Failure::failed("timeout: a competitor did not start"));
        }
        main.renew()?;
        main.once();
    }
    let processes = sys::process::processes_of_actors();
    let begin = clock.stop() + LEAD_NS;
    counters.0.set(BEGIN, begin as u64);
    counters.0.set(END, (begin + WINDOW) as u64);
    let mut parts = vec![(0.0, 0.0); PARTS as usize];
    main.until_over(counters, 0, &mut |ended, took| {
        if let Some((sum, count)) = parts.get_mut((ended * PARTS / WINDOW) as usize) {
            *sum += took as f64;
            *count += 1.0;
        }
    })?;
    for other in others {
        other.join()?;
    }
    let means = parts.into_iter().filter(|(_, count)| *count > 0.0).map(|(sum, count)| sum / count);
    Ok((means.collect(), processes))
}

/// Reads `blocks` blocks without a window; returns their mean time in nanoseconds.
///
/// # Errors
/// When a block is wrong.
fn read_blocks(bench: &Bench<'_>, test_file: &TestFile, number: u64, blocks: u64) -> Result<f64> {
    let mut reader = Worker::new(bench, test_file, Role::Random, number)?;
    let clock = Clock::Kernel;
    let began = clock.start();
    for _ in 0..blocks {
        if !reader.once() {
            return Err(Failure::failed(WRONG_DATA));
        }
    }
    Ok((clock.stop() - began) as f64 / blocks as f64)
}

/// The block times of the main reader.
pub fn block_times(bench: &mut Bench<'_>) -> Result<()> {
    let (means, _) = measured(bench)?;
    bench.values(means);
    Ok(())
}

/// The total rate of all readers.
pub fn total_rate(bench: &mut Bench<'_>) -> Result<()> {
    let (_, blocks) = measured(bench)?;
    let total: u64 = blocks.iter().sum();
    bench.values(vec![(total * BLOCK as u64) as f64 / (WINDOW as f64 * 1e-9)]);
    Ok(())
}

/// Blocks of the slowest reader over the mean.
pub fn least_share(bench: &mut Bench<'_>) -> Result<()> {
    let (_, blocks) = measured(bench)?;
    let mean = blocks.iter().sum::<u64>() as f64 / blocks.len().max(1) as f64;
    let minimum = blocks.iter().min().copied().unwrap_or(0) as f64;
    bench.values(vec![minimum / mean.max(1.0)]);
    Ok(())
}

/// Reads with competitors but no common window.
pub fn without_window(bench: &mut Bench<'_>) -> Result<()> {
    let competitors = bench.parameters::<Contention>()?.competitors;
    let test_file = TestFile::on_device(bench, REGION * (MAX_COMPETITORS + 1))?;
    let _ = sys::cpu::unpin();
    let mut others = Vec::new();
    for number in 1..=competitors {
        others.push(Actor::spawn(None, || read_blocks(bench, &test_file, number, 64).map_or(1, |_| 0))?);
    }
    let device = DeviceBytes::start();
    let (blocks, mean) = (512, read_blocks(bench, &test_file, 0, 512)?);
    device.count(bench, (blocks * BLOCK) as f64);
    for other in others {
        other.join()?;
    }
    bench.count("answers", blocks as f64, blocks as f64);
    bench.values(vec![mean]);
    Ok(())
}

/// One window: the block times of the main reader, and the blocks of all readers, its own first.
fn measured(bench: &mut Bench<'_>) -> Result<(Vec<f64>, Vec<u64>)> {
    let contention = bench.parameters::<Contention>()?;
    let competitors = contention.competitors.min(MAX_COMPETITORS);
    let test_file = TestFile::on_device(bench, REGION * (MAX_COMPETITORS + 1))?;
    let counters = SharedCounters::new()?;
    let workers = (0..=competitors)
        .map(|number| Worker::new(bench, &test_file, Role::new(&contention, number), number));
    let mut others = workers.collect::<Result<Vec<_>>>()?;
    let main = others.remove(0);
    // Only now: whoever makes a file reads blocks of the file system, too.
    let device = DeviceBytes::start();
    let (means, processes) = compete(main, others, &counters)?;
    // Reads of joined processes count for the parent.
    let [read, blocks] = [READ, BLOCKS]
        .map(|word| (0..=competitors).map(|actor| counters.get(actor, word)).collect::<Vec<u64>>());
    device.count(bench, (read.iter().sum::<u64>() * BLOCK as u64) as f64);
    let own = counters.get(0, BLOCKS) as f64;
    bench.count("answers", own, own);
    bench.count("actors.overlap", counters.overlapped(competitors) as f64, 1.0);
    let processes = processes.map(|processes| processes as f64).ok_or("/proc lists no child processes");
    bench.try_count("actors.processes", processes, 1.0);
    Ok((means, blocks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn competitors_have_the_roles_of_the_point() {
        for (access, others, expected) in [
            (Access::Sequential, Others::Same, [Role::Sequential; 3]),
            (Access::Random, Others::Mixed, [Role::Random, Role::Sequential, Role::Random]),
            (Access::Random, Others::Write, [Role::Writer; 3]),
        ] {
            let contention = Contention { access, others, competitors: 3, cache: None };
            assert_eq!([1, 2, 3].map(|number| Role::new(&contention, number)), expected);
        }
    }
}
