//! Items that producers put into a bounded queue and consumers take from it.

use crate::os::messaging::board::{Board, Counts};
use crate::os::scaling::pool::fairness;
use measure::value::Cpus;
use measure::{Bench, Failure, Result, Work, parameters};
use std::sync::atomic::{AtomicU64, Ordering};
use sys::posix::{Condition, Mutex};
use sys::process::report_child_error;
use sys::usage::{self, CpuClock, UsageScope};

parameters! {
    /// A bounded queue between threads.
    pub struct HandOff {
        /// Threads that put items.
        producers: u64,
        /// Threads that take them.
        consumers: u64,
        /// Items that the queue holds at most.
        capacity: u64,
    }
}

/// Choice: the most threads of a point, and the most items of a queue.
const MAX_THREADS: u64 = 1_024;
const MAX_CAPACITY: u64 = 1 << 20;

/// Items of the shortest batch, and how often the queue fills and empties in it at least: a wake-up of another CPU may take as long as
/// many items.
const MIN_ITEMS: u64 = 64;
const MIN_FILLS: u64 = 4;

/// What happens to an item on its way to the consumer.
pub type Delivery = fn(u64) -> u64;

/// A word that the mutex protects.
#[derive(Default)]
struct Word(AtomicU64);

impl Word {
    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, value: u64) {
        self.0.store(value, Ordering::Relaxed);
    }

    /// Adds one; gives the value before.
    fn next(&self) -> u64 {
        let value = self.get();
        self.set(value + 1);
        value
    }
}

/// A bounded queue: a ring of items, one mutex, and two conditions on which its sides sleep.
struct Queue {
    mutex: Mutex,
    not_empty: Condition,
    not_full: Condition,
    ring: Vec<Word>,
    /// Items of this round, those that were put, and those that were taken. The items are the numbers from 0.
    total: Word,
    put: Word,
    taken: Word,
}

impl Queue {
    fn new(capacity: u64) -> Result<Self> {
        Ok(Self {
            mutex: Mutex::new()?,
            not_empty: Condition::new()?,
            not_full: Condition::new()?,
            ring: (0..capacity).map(|_| Word::default()).collect(),
            total: Word::default(),
            put: Word::default(),
            taken: Word::default(),
        })
    }

    fn length(&self) -> u64 {
        self.put.get() - self.taken.get()
    }

    fn place(&self, item: u64) -> Option<&Word> {
        self.ring.get((item % self.ring.len() as u64) as usize)
    }

    /// Begins a round of this number of items.
    fn begin(&self, items: u64) -> sys::Result<()> {
        self.mutex.lock()?;
        self.total.set(items);
        self.put.set(0);
        self.taken.set(0);
        self.mutex.unlock()
    }

    /// Puts the next item; whether there was one. Each thread that finds none wakes another one, which finds none either.
    fn put(&self) -> sys::Result<bool> {
        self.mutex.lock()?;
        while self.put.get() < self.total.get() && self.length() == self.ring.len() as u64 {
            self.not_full.wait(&self.mutex)?;
        }
        let is_left = self.put.get() < self.total.get();
        if is_left {
            let item = self.put.next();
            if let Some(place) = self.place(item) {
                place.set(item);
            }
        }
        self.mutex.unlock()?;
        if is_left { &self.not_empty } else { &self.not_full }.signal()?;
        Ok(is_left)
    }

    /// Takes the next item; `None` where there is none.
    fn take(&self) -> sys::Result<Option<u64>> {
        self.mutex.lock()?;
        while self.taken.get() < self.total.get() && self.length() == 0 {
            self.not_empty.wait(&self.mutex)?;
        }
        let is_left = self.taken.get() < self.total.get();
        let item = if is_left { self.place(self.taken.next()).map(Word::get) } else { None };
        self.mutex.unlock()?;
        if is_left { &self.not_full } else { &self.not_empty }.signal()?;
        Ok(item)
    }

    /// Ends a round in which a thread had an error: no item is left.
    fn end(&self) -> sys::Result<()> {
        self.begin(0)?;
        self.not_empty.signal()?;
        self.not_full.signal()
    }
}

/// How often the calling thread has given up its CPU by itself.
fn sleeps() -> u64 {
    usage::read(UsageScope::Thread).map_or(0, |usage| usage.voluntary.unsigned_abs())
}

/// A queue and the threads that use it.
struct Exchange {
    queue: Queue,
    board: Board,
    hand_off: HandOff,
    /// The sum of all items that were delivered in this round.
    sum: AtomicU64,
    delivery: Delivery,
}

impl Exchange {
    fn new(hand_off: HandOff, delivery: Delivery) -> Result<Self> {
        let HandOff { producers, consumers, capacity } = hand_off;
        let fits = |count: u64, most: u64| (1..=most).contains(&count);
        if !fits(producers, MAX_THREADS) || !fits(consumers, MAX_THREADS) || !fits(capacity, MAX_CAPACITY) {
            let most =
                format!("from 1 to {MAX_THREADS} threads on each side and a capacity up to {MAX_CAPACITY}");
            return Err(Failure::failed(format!("{most} are possible")));
        }
        let board = Board::new((producers + consumers) as usize, consumers as u32)?;
        Ok(Self { queue: Queue::new(capacity)?, board, hand_off, sum: AtomicU64::new(0), delivery })
    }

    fn threads(&self) -> usize {
        (self.hand_off.producers + self.hand_off.consumers) as usize
    }

    fn is_producer(&self, thread: usize) -> bool {
        (thread as u64) < self.hand_off.producers
    }

    /// What a thread does: producers come first.
    ///
    /// # Errors
    /// When a call fails.
    fn act(&self, thread: usize) -> sys::Result<()> {
        let (mut round, mut items, mut switches) = (0, 0, 0);
        while let Some(next) = self.board.next_round(round)? {
            round = next;
            let before = sleeps();
            if self.is_producer(thread) {
                while self.queue.put()? {
                    items += 1;
                }
                switches += sleeps() - before;
            } else {
                let (mut taken, mut sum) = (0, 0_u64);
                while let Some(item) = self.queue.take()? {
                    taken += 1;
                    sum = sum.wrapping_add((self.delivery)(item));
                }
                items += taken;
                switches += sleeps() - before;
                self.sum.fetch_add(sum, Ordering::AcqRel);
                self.board.complete(taken)?;
            }
        }
        self.board.report(thread, Counts { messages: items, bytes: 0, switches });
        Ok(())
    }

    /// A round of this number of items; gives how many were delivered, none where any was lost or came twice.
    fn round(&self, items: u64) -> Result<u64> {
        self.sum.store(0, Ordering::Release);
        self.queue.begin(items)?;
        let taken = self.board.round(items)?;
        let expected = (0..items).sum::<u64>();
        Ok(if self.sum.load(Ordering::Acquire) == expected { taken } else { 0 })
    }

    fn quit(&self) {
        self.board.quit();
        // A mutex that cannot be taken has no thread that waits for it.
        let _ = self.queue.end();
    }

    /// Counts what the threads reported.
    fn count(&self, bench: &mut Bench<'_>) {
        let reported: Vec<Counts> = (0..self.threads()).map(|thread| self.board.reported(thread)).collect();
        let items: Vec<u64> = reported.iter().map(|counts| counts.messages).collect();
        let (put, taken) = items.split_at(self.hand_off.producers as usize);
        let working = items.iter().filter(|&&items| items > 0).count();
        let sleeps: u64 = reported.iter().map(|counts| counts.switches).sum();
        bench.count("tasks.working", working as f64, items.len() as f64);
        bench.count("producers.fairness", fairness(put), 1.0);
        bench.count("consumers.fairness", fairness(taken), 1.0);
        bench.count("sleeps", sleeps as f64, taken.iter().sum::<u64>() as f64);
    }
}

/// Times items of the point.
///
/// # Errors
/// When a thread cannot be made, or its call fails.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    hand_off(bench, |item| item)
}

/// The same where items are delivered in this way.
///
/// # Errors
/// When a thread cannot be made, or its call fails.
pub fn hand_off(bench: &mut Bench<'_>, delivery: Delivery) -> Result<()> {
    let exchange = Exchange::new(bench.parameters()?, delivery)?;
    let cpus = match bench.point().cpus() {
        Some(Cpus::Count(1)) => bench.cpu().into_iter().collect(),
        _ => sys::cpu::spread_over_cores(&sys::cpu::allowed_before_pinning()?),
    };
    let multiple_of = MIN_ITEMS.max(MIN_FILLS * exchange.hand_off.capacity);
    sys::thread::beside_many(
        exchange.threads(),
        |thread| {
            let cpu = cpus.iter().cycle().nth(thread);
            let pinned = cpu.map_or(Ok(()), |&cpu| sys::cpu::pin(cpu));
            pinned.and_then(|()| exchange.act(thread)).unwrap_or_else(report_child_error);
        },
        || exchange.quit(),
        || {
            let main = &mut |items| exchange.round(items);
            let work = Work { cpu: vec![CpuClock::PROCESS], multiple_of, ..Work::new(main) };
            let result = bench.batches(work);
            exchange.quit();
            result
        },
    )??;
    exchange.count(bench);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of these sides; gives what was right in each, and the items of each thread.
    fn rounds(producers: u64, consumers: u64, delivery: Delivery) -> (Vec<u64>, Vec<u64>) {
        let exchange = Exchange::new(HandOff { producers, consumers, capacity: 3 }, delivery).unwrap();
        let right = std::thread::scope(|scope| {
            for thread in 0..exchange.threads() {
                let exchange = &exchange;
                scope.spawn(move || exchange.act(thread).unwrap());
            }
            let right = [500, 1, 70].map(|items| exchange.round(items));
            exchange.quit();
            right.into_iter().map(Result::unwrap).collect()
        });
        (right, (0..exchange.threads()).map(|thread| exchange.board.reported(thread).messages).collect())
    }

    #[test]
    fn every_item_arrives_once_whatever_the_number_of_threads() {
        for (producers, consumers) in [(1, 1), (1, 4), (4, 1), (3, 2)] {
            let (right, items) = rounds(producers, consumers, |item| item);
            assert_eq!(right, [500, 1, 70], "{producers} {consumers}");
            let (put, taken) = items.split_at(producers as usize);
            assert_eq!([put, taken].map(|side| side.iter().sum::<u64>()), [571, 571]);
        }
    }

    #[test]
    fn items_that_come_twice_are_not_right() {
        let (right, _) = rounds(1, 2, |item| item & !1);
        // The only item of the second round is the number 0.
        assert_eq!(right, [0, 1, 0]);
    }

    #[test]
    fn threads_that_sleep_end_with_the_exchange() {
        let exchange =
            Exchange::new(HandOff { producers: 1, consumers: 3, capacity: 1 }, |item| item).unwrap();
        exchange.queue.begin(5).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..3 {
                let exchange = &exchange;
                scope.spawn(move || while exchange.queue.take().unwrap().is_some() {});
            }
            exchange.queue.end().unwrap();
        });
        assert!(Exchange::new(HandOff { producers: 0, consumers: 1, capacity: 1 }, |item| item).is_err());
    }
}
