//! Actors on several CPUs, threads or processes, that share the operations of a batch.
//!
//! A batch of n iterations is n operations for each actor. Actors take them from a common counter, many at first and fewer
//! towards the end, so that all of them work until the batch ends, also where one is faster.

use super::object::{Make, Object, Tasks};
use crate::shared_words::SharedWords;
use crate::threads::wait_until;
use measure::{Bench, Failure, Result, Work};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use sys::clock::Clock;
use sys::process::{Actor, child_error, no_child_error};
use sys::usage::CpuClock;

/// Words of two adjacent cache lines, since some processors fetch lines in pairs.
const LINE: usize = 16;

/// Lines of all: incremented before each batch, incremented to start one, operations that are left, actors that have finished,
/// answers that were wrong, the number of the first error, and whether the object hands out the operations itself. Then follows
/// one of each actor.
const GENERATION: usize = 0;
const ROUND: usize = 1;
const REMAINING: usize = 2;
const FINISHED: usize = 3;
const WRONG: usize = 4;
const ERROR: usize = 5;
const OFFERED: usize = 6;
const FIRST_ACTOR: usize = 7;

/// Words of an actor's line: the generation that it has seen, the operations that it has done, and what identifies the file or the
/// directory of its object, or 0.
const SEEN: usize = 0;
const DONE: usize = 1;
const IDENTITY: usize = 2;

/// The round that ends the actors.
const QUIT: u64 = u64::MAX;

/// Operations of each actor in the shortest batch: of long ones an actor may do one less or more than its share.
pub(in crate::os) const LEAST_EACH: u64 = 8;

/// Nanoseconds to wait before a batch until all actors have their CPU: a few slices of the scheduler. A batch that starts
/// without one is longer.
const TIMEOUT_NS: i64 = 12_000_000;

/// Brings the CPU time of the calling task up to this moment for who reads the clock of its process: while a task runs, that
/// clock knows its time as of the last tick, and a batch seems to lack the CPU. Reading its own clock is what updates it.
fn account() -> i64 {
    CpuClock::THREAD.nanos().unwrap_or_default()
}

/// How the actors of a pool work.
#[derive(Debug, Clone, Copy)]
pub(in crate::os) struct Plan {
    /// What the actors are.
    pub tasks: Tasks,
    /// Whether all share one object.
    pub is_shared: bool,
    /// The operations of each actor in a batch are a multiple of this number.
    pub least_each: u64,
}

/// Jain's index of the operations of each actor: 1 where all did the same number, 1/n where one of n did all.
pub(in crate::os) fn fairness(done: &[u64]) -> f64 {
    let sum: f64 = done.iter().map(|&done| done as f64).sum();
    let squares: f64 = done.iter().map(|&done| (done as f64).powi(2)).sum();
    sum * sum / (done.len() as f64 * squares).max(1.0)
}

/// What the actors share.
struct Pool {
    words: SharedWords,
    actors: u64,
    /// The clocks of actors that are threads.
    clocks: Mutex<Vec<CpuClock>>,
}

impl Pool {
    fn new(actors: usize) -> Result<Self> {
        let words = SharedWords::new((FIRST_ACTOR + actors) * LINE)?;
        Ok(Self { words, actors: actors as u64, clocks: Mutex::default() })
    }

    fn line(&self, line: usize) -> &AtomicU64 {
        self.words.word(line * LINE)
    }

    fn get(&self, line: usize) -> u64 {
        self.line(line).load(Ordering::Acquire)
    }

    fn of_actor(&self, actor: usize, word: usize) -> &AtomicU64 {
        self.words.word((FIRST_ACTOR + actor) * LINE + word)
    }

    /// Operations for an actor: its share of half of what remains.
    fn take(&self) -> u64 {
        let share = |left: u64| (left / (2 * self.actors)).max(1).min(left);
        let taken = self
            .line(REMAINING)
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| (left > 0).then(|| left - share(left)));
        taken.map_or(0, share)
    }

    /// Does operations until none remains.
    fn work(&self, actor: usize, object: &dyn Object) {
        let result = if self.get(OFFERED) == 1 { object.drain() } else { self.operate(object) };
        let (done, right) = result.unwrap_or_else(|error| {
            self.fail(error);
            (0, 0)
        });
        let wrong = done - right;
        if wrong > 0 {
            self.line(WRONG).fetch_add(wrong, Ordering::AcqRel);
        }
        self.of_actor(actor, DONE).fetch_add(done, Ordering::AcqRel);
        if actor > 0 {
            account();
        }
        self.line(FINISHED).fetch_add(1, Ordering::AcqRel);
    }

    /// Takes operations and does them; gives how many, and how many answers were right.
    fn operate(&self, object: &dyn Object) -> sys::Result<(u64, u64)> {
        let (mut done, mut right) = (0, 0);
        loop {
            let n = self.take();
            if n == 0 {
                return Ok((done, right));
            }
            right += object.operate(n)?;
            done += n;
        }
    }

    fn fail(&self, error: sys::Error) {
        self.line(ERROR).store(u64::from(error.errno.unsigned_abs()) + 1, Ordering::Release);
    }

    /// The error of an actor. The call that failed is known to that actor alone.
    fn error(&self) -> Result<()> {
        match self.get(ERROR) {
            0 => Ok(()),
            number => {
                let errno = i32::try_from(number - 1).unwrap_or(0);
                Err(sys::Error { call: "call of an actor on another CPU", errno }.into())
            }
        }
    }

    /// The loop of every actor but the first.
    fn act(&self, actor: usize, object: &dyn Object) {
        let mut round = 0;
        loop {
            let has_work = wait_until(|| {
                let generation = self.get(GENERATION);
                let seen = self.of_actor(actor, SEEN);
                if seen.load(Ordering::Relaxed) != generation {
                    account();
                    seen.store(generation, Ordering::Release);
                }
                self.get(ROUND) != round
            });
            round = self.get(ROUND);
            if has_work.is_err() || round == QUIT {
                return;
            }
            self.work(actor, object);
        }
    }

    /// Begins a generation, which actors see while they have nothing to do.
    fn new_generation(&self) -> u64 {
        self.line(GENERATION).fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Whether every actor has seen a generation.
    fn is_seen(&self, generation: u64) -> bool {
        (1..self.actors as usize)
            .all(|actor| self.of_actor(actor, SEEN).load(Ordering::Acquire) == generation)
    }

    /// Waits until every actor runs.
    fn barrier(&self, clock: Clock) {
        let generation = self.new_generation();
        let start = clock.moment();
        while !self.is_seen(generation) {
            if clock.moment().nanos_since(start) > TIMEOUT_NS {
                return;
            }
            std::hint::spin_loop();
        }
    }

    /// The batches of the first actor, which starts and ends them.
    fn lead(
        &self,
        bench: &mut Bench<'_>,
        object: &dyn Object,
        least_each: u64,
        others: Vec<CpuClock>,
    ) -> Result<()> {
        // The actors make their objects first.
        let is_lost = || self.get(ERROR) != 0 || child_error().is_some();
        wait_until(|| self.get(FINISHED) == self.actors - 1 || is_lost())?;
        no_child_error()?;
        self.error()?;
        let of_threads = self.clocks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let clock = Clock::select();
        bench.batches(Work {
            before: Some(&mut |_| {
                self.barrier(clock);
                Ok(())
            }),
            cpu: [CpuClock::THREAD].into_iter().chain(others).chain(of_threads).collect(),
            in_parallel: true,
            multiple_of: least_each,
            ..Work::new(&mut |n| self.batch(object, n))
        })?;
        // Actors that slept when the last batch ended have counted what they did.
        let generation = self.new_generation();
        wait_until(|| self.is_seen(generation))?;
        let done_by = |actor| self.of_actor(actor, DONE).load(Ordering::Acquire);
        let done: Vec<u64> = (0..self.actors as usize).map(done_by).collect();
        let working = done.iter().filter(|&&done| done > 0).count();
        bench.count("cpus.working", working as f64, self.actors as f64);
        bench.count("actors.fairness", fairness(&done), 1.0);
        if let Some(objects) = self.objects() {
            bench.count("objects", objects as f64, 1.0);
            bench.count("objects.each", objects as f64, self.actors as f64);
        }
        for (counter, count, iterations) in object.evidence(done.iter().sum()) {
            bench.count(counter, count, iterations);
        }
        Ok(())
    }

    /// Keeps what identifies the object of an actor.
    fn identify(&self, actor: usize, object: &dyn Object) {
        self.of_actor(actor, IDENTITY).store(object.identity().unwrap_or(0), Ordering::Release);
    }

    /// How many files or directories the actors work in; `None` where their objects are neither.
    fn objects(&self) -> Option<usize> {
        let actors = 0..self.actors as usize;
        let identities: BTreeSet<u64> =
            actors.map(|actor| self.of_actor(actor, IDENTITY).load(Ordering::Acquire)).collect();
        (!identities.contains(&0)).then_some(identities.len())
    }

    fn batch(&self, object: &dyn Object, n: u64) -> Result<u64> {
        self.line(WRONG).store(0, Ordering::Release);
        self.line(FINISHED).store(0, Ordering::Release);
        let is_offered = object.offer(n * self.actors);
        self.line(OFFERED).store(u64::from(is_offered), Ordering::Release);
        self.line(REMAINING).store(n * self.actors, Ordering::Release);
        self.line(ROUND).fetch_add(1, Ordering::AcqRel);
        self.work(0, object);
        // Where the object hands them out, all operations are done when the first actor finds none: others may sleep for a while.
        wait_until(|| is_offered || self.get(FINISHED) == self.actors)?;
        self.error()?;
        Ok(n - self.get(WRONG).div_ceil(self.actors).min(n))
    }

    fn quit(&self) {
        self.line(ROUND).store(QUIT, Ordering::Release);
    }

    /// What an actor that is not the first does: on an object of its own or on that of all.
    fn join(&self, actor: usize, shared: Option<&dyn Object>, make: Make<'_>) {
        let own = if shared.is_some() { None } else { Some(make()) };
        let object = match &own {
            None => shared,
            Some(Ok(own)) => Some(own.as_ref()),
            Some(Err(_)) => None,
        };
        let Some(object) = object else {
            return self.fail(sys::Error { call: "making an object", errno: 0 });
        };
        self.identify(actor, object);
        self.line(FINISHED).fetch_add(1, Ordering::AcqRel);
        self.act(actor, object);
    }
}

/// Batches by one actor on each of these CPUs; the first is that of the caller.
///
/// # Errors
/// When an actor cannot be made, or its operation fails.
pub(in crate::os) fn run(bench: &mut Bench<'_>, cpus: &[u32], plan: Plan, make: Make<'_>) -> Result<()> {
    let Plan { tasks, is_shared, least_each } = plan;
    let pool = Pool::new(cpus.len())?;
    let object = make()?;
    pool.identify(0, object.as_ref());
    let shared = is_shared.then_some(object.as_ref());
    let others = cpus.get(1..).unwrap_or_default();
    match tasks {
        Tasks::Threads => sys::thread::beside_all(
            others,
            |index, pinned| match pinned {
                Ok(()) => {
                    let mut clocks = pool.clocks.lock().unwrap_or_else(PoisonError::into_inner);
                    clocks.push(CpuClock::of_calling_thread());
                    drop(clocks);
                    pool.join(index + 1, shared, make);
                }
                Err(error) => pool.fail(error),
            },
            || pool.quit(),
            || {
                let result = pool.lead(bench, object.as_ref(), least_each, Vec::new());
                pool.quit();
                result
            },
        )?,
        Tasks::Processes => {
            let actors = others
                .iter()
                .zip(1..)
                .map(|(&cpu, actor)| {
                    Actor::spawn(Some(cpu), || {
                        pool.join(actor, shared, make);
                        0
                    })
                })
                .collect::<sys::Result<Vec<Actor>>>()?;
            let clocks = actors.iter().map(|actor| CpuClock::of_process(actor.pid())).collect();
            let result = pool.lead(bench, object.as_ref(), least_each, clocks);
            pool.quit();
            for actor in actors {
                let ended = actor.join()?;
                if result.is_ok() && ended != sys::process::Ended::Exited(0) {
                    return Err(Failure::failed("an actor on another CPU ended early"));
                }
            }
            result
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::scaling::object::object;

    /// A pool of this number of actors with operations that remain.
    fn pool(actors: usize, remaining: u64) -> Pool {
        let pool = Pool::new(actors).unwrap();
        pool.line(REMAINING).store(remaining, Ordering::Release);
        pool
    }

    #[test]
    fn fairness_is_one_for_equal_shares_and_one_nth_for_a_single_worker() {
        assert!((fairness(&[7, 7, 7]) - 1.0).abs() < 1e-12);
        assert!((fairness(&[9, 0, 0, 0]) - 0.25).abs() < 1e-12);
        assert!((fairness(&[3, 1]) - 0.8).abs() < 1e-12);
    }

    #[test]
    fn shares_shrink_until_no_operation_is_left() {
        for (actors, total) in [(1, 1), (2, 3), (2, 1_000), (64, 100_000), (1024, 4_096_000)] {
            let pool = pool(actors, total);
            let taken: Vec<u64> = std::iter::from_fn(|| Some(pool.take()).filter(|&n| n > 0)).collect();
            assert_eq!(taken.iter().sum::<u64>(), total, "{actors}");
            assert!(taken.is_sorted_by(|one, next| one >= next), "{actors}");
            // Each actor visits the counter some dozens of times, whatever the length of the batch.
            assert!(taken.len() <= 32 * actors, "{actors}: {}", taken.len());
        }
    }

    #[test]
    fn files_of_actors_are_counted_once_each_and_only_where_all_have_one() {
        let pool = pool(3, 0);
        let of = |identity| super::super::object::part_of(identity, (), |(), _| Ok(true)).unwrap();
        assert_eq!(pool.objects(), None, "no actor has said which file it has");
        for (identities, expected) in [([5, 5, 5], 1), ([5, 6, 5], 2), ([7, 6, 5], 3)] {
            identities.iter().enumerate().for_each(|(actor, &one)| pool.identify(actor, of(one).as_ref()));
            assert_eq!(pool.objects(), Some(expected));
        }
        pool.identify(1, object((), |(), _| Ok(true)).unwrap().as_ref());
        assert_eq!(pool.objects(), None);
    }

    #[test]
    fn all_operations_of_a_batch_are_done_and_counted_by_actor() {
        let pool = pool(3, 0);
        let right = object((), |(), _| Ok(true)).unwrap();
        let wrong_at_times = object((), |(), turn| Ok(turn > 0)).unwrap();
        std::thread::scope(|scope| {
            for actor in [1, 2] {
                let (pool, right) = (&pool, &right);
                scope.spawn(move || pool.act(actor, right.as_ref()));
            }
            let right = pool.batch(right.as_ref(), 1_000);
            let wrong = pool.batch(wrong_at_times.as_ref(), 1_000);
            pool.quit();
            assert_eq!(right.map_err(|failure| failure.to_string()), Ok(1_000));
            // The first actor may get nothing to do at all.
            assert!(wrong.is_ok_and(|answers| answers <= 1_000));
        });
        let done: u64 = (0..3).map(|actor| pool.of_actor(actor, DONE).load(Ordering::Acquire)).sum();
        assert_eq!(done, 6_000);
    }

    #[test]
    fn the_time_that_an_actor_accounted_for_is_known_to_others() {
        let words = SharedWords::new(LINE).unwrap();
        let actor = Actor::spawn(None, || {
            let clock = Clock::select();
            let start = clock.moment();
            // Less than from tick to tick.
            while clock.moment().nanos_since(start) < 300_000 {
                std::hint::spin_loop();
            }
            words.set(0, account().cast_unsigned());
            i32::from(wait_until(|| words.get(1) == 1).is_err())
        });
        let actor = actor.unwrap();
        wait_until(|| words.get(0) > 0).unwrap();
        let known = CpuClock::of_process(actor.pid()).nanos().unwrap();
        let accounted = words.get(0).cast_signed();
        words.set(1, 1);
        assert_eq!(actor.join(), Ok(sys::process::Ended::Exited(0)));
        assert!(accounted > 0 && known >= accounted, "{known} {accounted}");
    }

    #[test]
    fn the_error_of_an_actor_ends_the_batch() {
        let pool = pool(1, 0);
        let failing = object((), |(), _| Err(sys::Error { call: "read", errno: 5 })).unwrap();
        let failure = pool.batch(failing.as_ref(), 10).unwrap_err().to_string();
        assert!(failure.contains("another CPU"), "{failure}");
    }
}
