//! Readers and writers that are busy at the same time, and what each did in a window that is common to all.

use super::stock::{Stock, refused};
use super::walk::Walk;
use super::{BLOCK, DEFAULT, DeviceBytes, RIGHT_DATA, opened_again};
use measure::{Bench, Failure, Point};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::clock::Clock;
use sys::direct::{self, CacheMode};
use sys::memory::Mapping;
use sys::process::Actor;
use sys::temporary::TemporaryFile;

/// Bytes of the file that each reader has for itself.
const REGION: u64 = 8 << 20;

/// Bytes of a file that a writer has for itself.
const WRITTEN: u64 = 1 << 20;

/// Most competitors, as in R0.
pub const MOST: u64 = 15;

/// The window in nanoseconds, and the pieces for each of which a value is given.
const WINDOW: i64 = 30_000_000;
const PIECES: i64 = 6;

/// The first window begins so long after everybody is at work.
const AHEAD: i64 = 300_000;

/// Longest that actors wait for each other, in nanoseconds.
const PATIENCE: i64 = 5_000_000_000;

/// Words that an actor has in the shared memory, one line of the cache and its neighbour each.
const WORDS: usize = 16;
const READY: usize = 0;
/// Blocks that were begun and ended within the window.
const BLOCKS: usize = 1;
/// Whether one was begun before it.
const BEFORE: usize = 2;
/// Whether one ended after it.
const AFTER: usize = 3;
const WRONG: usize = 4;
/// All blocks that it read, whenever.
const READ: usize = 5;

/// Words of all: the window's begin and end in ticks of the kernel's clock.
const BEGIN: usize = 8;
const END: usize = 9;

/// What an actor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Reads its region in order.
    InOrder,
    /// Reads its region in random order.
    Random,
    /// Writes over a file of its own in random order.
    Writer,
}

impl Role {
    /// What the main reader does, and what its competitor of this number does: all the same, half of them in either
    /// order, or all writing.
    fn of(point: &Point, competitor: u64) -> Self {
        let own = match point.get("access") {
            Some("sequential") => Self::InOrder,
            _ => Self::Random,
        };
        match (point.get("others"), competitor) {
            (_, 0) => own,
            (Some("mixed"), number) if number.is_multiple_of(2) => Self::InOrder,
            (Some("mixed"), _) => Self::Random,
            (Some("write"), _) => Self::Writer,
            _ => own,
        }
    }

    fn order(self) -> Point {
        let order = if self == Self::InOrder {
            "sequential"
        } else {
            "random"
        };
        Point::only().with("access", order)
    }
}

/// The memory that all actors share.
struct Table(Mapping);

impl Table {
    /// For so many actors.
    ///
    /// # Errors
    /// When there is no memory.
    fn new() -> Result<Self, Failure> {
        Ok(Self(Mapping::shared((MOST as usize + 2) * WORDS * 8)?))
    }

    fn word(&self, actor: u64, word: usize) -> &AtomicU64 {
        let words = self.0.words();
        let at = (actor as usize + 1) * WORDS + word;
        // The table has room for every actor: the first word stands in for what is not there.
        words.get(at).or_else(|| words.first()).unwrap_or(&NOWHERE)
    }

    fn common(&self, word: usize) -> &AtomicU64 {
        self.0.words().get(word).unwrap_or(&NOWHERE)
    }

    fn get(&self, actor: u64, word: usize) -> u64 {
        self.word(actor, word).load(Ordering::Acquire)
    }

    /// Begin and end of the window; `None` until it is known.
    fn window(&self) -> Option<(i64, i64)> {
        let end = self.common(END).load(Ordering::Acquire) as i64;
        (end != 0).then(|| (self.common(BEGIN).load(Ordering::Acquire) as i64, end))
    }

    /// Blocks of an actor within the window.
    fn blocks(&self, actor: u64) -> u64 {
        self.get(actor, BLOCKS)
    }

    /// Blocks that all actors read, within the window or not.
    fn read_by_all(&self, competitors: u64) -> u64 {
        (0..=competitors).map(|actor| self.get(actor, READ)).sum()
    }

    /// Competitors that were at work before the window began and after it ended, without a mistake.
    fn overlapped(&self, competitors: u64) -> u64 {
        (1..=competitors)
            .filter(|&actor| {
                self.get(actor, BEFORE) == 1 && self.get(actor, AFTER) == 1 && self.get(actor, WRONG) == 0
            })
            .count() as u64
    }
}

static NOWHERE: AtomicU64 = AtomicU64::new(0);

/// One actor at its work.
struct Worker {
    role: Role,
    file: TemporaryFile,
    walk: Walk,
    buffer: Mapping,
    /// Blocks so far.
    done: u64,
}

impl Worker {
    fn new(bench: &Bench<'_>, stock: &Stock, role: Role, number: u64) -> Result<Self, Failure> {
        let mut buffer = Mapping::private(BLOCK)?;
        buffer.touch(number + 1);
        let seed = bench.seed().wrapping_add(number);
        let (file, begin, length) = match role {
            Role::Writer => (own_file(bench)?, 0, WRITTEN),
            _ => (
                stock.again(CacheMode::Direct)?,
                stock.range.start + number * REGION,
                REGION,
            ),
        };
        let mut walk = Walk::new(&role.order(), begin, length, DEFAULT, seed)?;
        walk.begin_at(seed);
        Ok(Self {
            role,
            file,
            walk,
            buffer,
            done: 0,
        })
    }

    /// One block; whether it was right.
    fn once(&mut self) -> bool {
        let (offset, block) = (self.walk.take(), self.buffer.bytes_mut());
        self.done += 1;
        if self.role == Role::Writer {
            return direct::write_at(self.file.descriptor(), block, offset) == BLOCK as isize;
        }
        direct::read_at(self.file.descriptor(), block, offset) == BLOCK as isize
            && self.file.is_block(block, offset)
    }

    /// Blocks without pause until the window is over; `each` is told of those within: when they ended, and how long
    /// they took.
    fn until_over(
        &mut self,
        table: &Table,
        actor: u64,
        each: &mut dyn FnMut(i64, i64),
    ) -> Result<(), Failure> {
        let clock = Clock::Kernel;
        let (born, mut earlier) = (clock.start(), false);
        loop {
            let began = clock.start();
            let right = self.once();
            let ended = clock.stop();
            if !right {
                table.word(actor, WRONG).store(1, Ordering::Release);
                return Err(Failure::Failed(RIGHT_DATA.to_owned()));
            }
            table.word(actor, READY).store(1, Ordering::Release);
            match table.window() {
                Some((_, end)) if ended > end => {
                    table
                        .word(actor, BEFORE)
                        .store(u64::from(earlier), Ordering::Release);
                    table.word(actor, AFTER).store(1, Ordering::Release);
                    let read = if self.role == Role::Writer { 0 } else { self.done };
                    table.word(actor, READ).store(read, Ordering::Release);
                    return Ok(());
                }
                Some((begin, _)) if began >= begin => {
                    table.word(actor, BLOCKS).fetch_add(1, Ordering::AcqRel);
                    each(ended - begin, ended - began);
                }
                _ => earlier = true,
            }
            if ended - born > PATIENCE {
                return Err(Failure::Failed(
                    "the readers waited for each other in vain".to_owned(),
                ));
            }
        }
    }
}

/// A file of its own to write over, synced, with O_DIRECT.
fn own_file(bench: &Bench<'_>) -> Result<TemporaryFile, Failure> {
    let mut file = TemporaryFile::new(&bench.directory()?.path)?;
    file.fill(WRITTEN as usize, WRITTEN as usize, bench.seed())
        .map_err(refused)?;
    file.flush()?;
    opened_again(&file, CacheMode::Direct)
}

/// What the main reader saw.
#[derive(Debug, Clone, PartialEq, Default)]
struct Seen {
    /// Time of its blocks in the mean, in nanoseconds, for each piece of the window in which one ended.
    means: Vec<f64>,
    /// Its blocks within the window.
    blocks: u64,
    /// Processes that were there meanwhile, itself included.
    processes: Option<usize>,
}

/// Lets the main reader and its competitors work through one window. The caller reads; competitors are processes,
/// which are gone afterwards.
///
/// # Errors
/// When a process cannot be made, or an actor fails.
fn compete(bench: &Bench<'_>, stock: &Stock, table: &Table, competitors: u64) -> Result<Seen, Failure> {
    // Where they run is the scheduler's business, as it is for programs that compete.
    let _ = sys::cpu::unpin();
    let mut main = Worker::new(bench, stock, Role::of(bench.point(), 0), 0)?;
    let mut others = Vec::with_capacity(competitors as usize);
    for number in 1..=competitors {
        let role = Role::of(bench.point(), number);
        others.push(Actor::spawn(None, || {
            let done = Worker::new(bench, stock, role, number)
                .and_then(|mut worker| worker.until_over(table, number, &mut |_, _| {}));
            i32::from(done.is_err())
        })?);
    }
    let clock = Clock::Kernel;
    let born = clock.start();
    // The barrier: everybody has done a block.
    while (1..=competitors).any(|actor| table.get(actor, READY) == 0) {
        if clock.stop() - born > PATIENCE {
            return Err(Failure::Failed("a competitor did not begin".to_owned()));
        }
        main.once();
    }
    let processes = sys::process::processes_of_actors();
    let begin = clock.stop() + AHEAD;
    table.common(BEGIN).store(begin as u64, Ordering::Release);
    table
        .common(END)
        .store((begin + WINDOW) as u64, Ordering::Release);
    let mut pieces = vec![(0.0, 0.0); PIECES as usize];
    main.until_over(table, 0, &mut |ended, took| {
        if let Some((sum, count)) = pieces.get_mut((ended * PIECES / WINDOW) as usize) {
            *sum += took as f64;
            *count += 1.0;
        }
    })?;
    for other in others {
        other.join()?;
    }
    let means = pieces.into_iter().filter(|(_, count)| *count > 0.0);
    Ok(Seen {
        means: means.map(|(sum, count)| sum / count).collect(),
        blocks: table.blocks(0),
        processes,
    })
}

/// Reads so many blocks, whatever others do; gives their time in the mean, in nanoseconds.
///
/// # Errors
/// When a block is not right.
fn some(bench: &Bench<'_>, stock: &Stock, number: u64, blocks: u64) -> Result<f64, Failure> {
    let mut reader = Worker::new(bench, stock, Role::Random, number)?;
    let clock = Clock::Kernel;
    let began = clock.start();
    for _ in 0..blocks {
        if !reader.once() {
            return Err(Failure::Failed(RIGHT_DATA.to_owned()));
        }
    }
    Ok((clock.stop() - began) as f64 / blocks as f64)
}

/// The time of a block of the main reader.
pub fn block_times(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let seen = measured(bench)?;
    bench.values(seen.0.means);
    Ok(())
}

/// What all readers get together.
pub fn total_rate(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let (_, blocks) = measured(bench)?;
    let total: u64 = blocks.iter().sum();
    bench.values(vec![(total * BLOCK as u64) as f64 / (WINDOW as f64 * 1e-9)]);
    Ok(())
}

/// The share of the slowest reader, of an even share.
pub fn least_share(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let (_, blocks) = measured(bench)?;
    let mean = blocks.iter().sum::<u64>() as f64 / blocks.len().max(1) as f64;
    let least = blocks.iter().min().copied().unwrap_or(0) as f64;
    bench.values(vec![least / mean.max(1.0)]);
    Ok(())
}

/// Reads beside others that were only started.
pub fn without_window(bench: &mut Bench<'_>) -> Result<(), Failure> {
    let competitors = bench.point().number("competitors")?;
    let stock = Stock::on_disk(bench, REGION * (MOST + 1))?;
    let _ = sys::cpu::unpin();
    let mut others = Vec::new();
    for number in 1..=competitors {
        others.push(Actor::spawn(None, || {
            some(bench, &stock, number, 64).map_or(1, |_| 0)
        })?);
    }
    let device = DeviceBytes::begin();
    let (blocks, mean) = (512, some(bench, &stock, 0, 512)?);
    device.tell(bench, (blocks * BLOCK) as f64);
    for other in others {
        other.join()?;
    }
    bench.count("answers", blocks as f64, blocks as f64);
    bench.values(vec![mean]);
    Ok(())
}

/// One window: what the main reader saw, and the blocks of all readers, its own first.
fn measured(bench: &mut Bench<'_>) -> Result<(Seen, Vec<u64>), Failure> {
    let competitors = bench.point().number("competitors")?.min(MOST);
    let stock = Stock::on_disk(bench, REGION * (MOST + 1))?;
    let table = Table::new()?;
    let device = DeviceBytes::begin();
    let seen = compete(bench, &stock, &table, competitors)?;
    // What processes that were waited for had read counts for the one that waited.
    device.tell(bench, (table.read_by_all(competitors) * BLOCK as u64) as f64);
    bench.count("answers", seen.blocks as f64, seen.blocks as f64);
    bench.count("actors.overlap", table.overlapped(competitors) as f64, 1.0);
    match seen.processes {
        Some(processes) => bench.count("actors.processes", processes as f64, 1.0),
        None => bench.cannot_count("actors.processes", "/proc does not tell the children".to_owned()),
    }
    let blocks = (0..=competitors).map(|actor| table.blocks(actor)).collect();
    Ok((seen, blocks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn competitors_do_what_the_point_says() {
        let point = |order: &str, others: &str| Point::only().with("access", order).with("others", others);
        let roles = |point: &Point| (0..4).map(|number| Role::of(point, number)).collect::<Vec<_>>();
        assert_eq!(roles(&point("sequential", "same")), vec![Role::InOrder; 4]);
        let half = roles(&point("random", "mixed"));
        assert_eq!(half, [Role::Random, Role::Random, Role::InOrder, Role::Random]);
        assert_eq!(
            roles(&point("random", "write")).get(1..),
            Some([Role::Writer; 3].as_slice())
        );
    }
}
