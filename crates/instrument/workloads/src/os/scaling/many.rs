//! More actors than CPUs: all of them do operations from the start to the end of a trial, and the calling task, which sleeps
//! meanwhile, reads how many each has done at the begin and at the end of windows of time.
//!
//! Where several actors share a CPU none may wait for others by polling, and a short batch is over before the second one has the CPU.
//! A window is long enough for slices of all: each of them did a part of what is counted, at one time or another.

use super::object::{Make, Object, Tasks};
use super::pool::fairness;
use super::{Call, Sharing, cpus, is_a_part, maker};
use crate::shared_words::SharedWords;
use measure::{Bench, Failure, Result, Work, parameters};
use std::sync::atomic::Ordering;
use std::time::Duration;
use sys::clock::Clock;
use sys::process::{Actor, Ended, cpus_of_actors, no_child_error, processes_of_actors};

parameters! {
    /// An operation by several actors on each CPU.
    pub struct Many {
        /// What it calls.
        call: Call,
        /// Whose the object is.
        object: Sharing,
        /// What the actors are.
        tasks: Tasks,
        /// How many there are on each CPU.
        actors: u64,
    }
}

/// Choice: the most actors of a trial, four on each of 4096 CPUs; each is a process or a thread that must be made and pinned.
const MAX_ACTORS: usize = 16_384;

/// Nanoseconds of a window for each actor of a CPU: some slices of the scheduler, which end with a tick, of 4 ms on most kernels.
const WINDOW_NS: i64 = 15_000_000;

/// A window without operations of every actor goes on for at most this many times its length.
const MAX_WINDOWS: i64 = 8;

/// Windows of a trial.
const WINDOWS: usize = 3;

/// Nanoseconds until all actors must have begun.
const TIMEOUT_NS: i64 = 10_000_000_000;

/// Between two looks at what actors have done.
const LOOK: Duration = Duration::from_millis(1);

/// Nanoseconds of the operations between two looks of an actor at whether the trial is over, and the most of them.
const TURN_NS: i64 = 5_000;
const MAX_TURN: u64 = 4096;

/// Turns that must be long one after the other until no longer ones are tried: the first is cold, and any may lose the CPU.
const LONG_TURNS: u32 = 4;

/// Words of two adjacent cache lines, since some processors fetch lines in pairs.
const LINE: usize = 16;

/// Lines of all: whether the trial is over, and the number of the first error. Then follows one of each actor.
const OVER: usize = 0;
const ERROR: usize = 1;
const FIRST_ACTOR: usize = 2;

/// Words of an actor's line: the operations that it has done, and how many of their answers were wrong.
const DONE: usize = 0;
const WRONG: usize = 1;

/// What a window counted.
struct Window {
    wall_ns: i64,
    done: Vec<u64>,
}

impl Window {
    fn working(&self) -> usize {
        self.done.iter().filter(|&&done| done > 0).count()
    }

    fn is_of_all(&self) -> bool {
        self.working() == self.done.len()
    }
}

struct Actors {
    words: SharedWords,
    count: usize,
    /// Actors from this one on do nothing after their first operations.
    awake: usize,
    clock: Clock,
}

impl Actors {
    fn new(count: usize, awake: usize) -> Result<Self> {
        let words = SharedWords::new((FIRST_ACTOR + count) * LINE)?;
        Ok(Self { words, count, awake, clock: Clock::select() })
    }

    fn is_over(&self) -> bool {
        self.words.get(OVER * LINE) != 0
    }

    fn end(&self) {
        self.words.set(OVER * LINE, 1);
    }

    fn of_each(&self, word: usize) -> Vec<u64> {
        (0..self.count).map(|actor| self.words.get((FIRST_ACTOR + actor) * LINE + word)).collect()
    }

    fn fail(&self, error: sys::Error) {
        self.words.set(ERROR * LINE, u64::from(error.errno.unsigned_abs()) + 1);
    }

    /// The error of an actor. The call that failed is known to that actor alone.
    fn error(&self) -> Result<()> {
        match self.words.get(ERROR * LINE) {
            0 => Ok(()),
            number => {
                let errno = i32::try_from(number - 1).unwrap_or(0);
                Err(sys::Error { call: "call of one of many actors", errno }.into())
            }
        }
    }

    /// Does operations until the trial is over, some at a time: a time that is short beside a window.
    fn work(&self, actor: usize, object: &dyn Object) -> sys::Result<()> {
        let word = |word| self.words.word((FIRST_ACTOR + actor) * LINE + word);
        let (mut turn, mut long) = (1, 0);
        while !self.is_over() {
            if actor >= self.awake && word(DONE).load(Ordering::Relaxed) > 0 {
                std::thread::sleep(LOOK);
                continue;
            }
            let began = (long < LONG_TURNS).then(|| self.clock.moment());
            let right = object.operate(turn)?;
            word(WRONG).fetch_add(turn - right, Ordering::AcqRel);
            word(DONE).fetch_add(turn, Ordering::AcqRel);
            match began.map(|began| self.clock.moment().nanos_since(began)) {
                Some(ns) if ns < TURN_NS && turn < MAX_TURN => (turn, long) = (2 * turn, 0),
                Some(_) => long += 1,
                None => {}
            }
        }
        Ok(())
    }

    /// What an actor does: on an object of its own, or on that of all.
    fn act(&self, actor: usize, shared: Option<&dyn Object>, make: Make<'_>) {
        let done = match shared {
            Some(shared) => self.work(actor, shared),
            None => match make() {
                Ok(own) => self.work(actor, own.as_ref()),
                Err(_) => Err(sys::Error { call: "making an object", errno: 0 }),
            },
        };
        if let Err(error) = done {
            self.fail(error);
        }
    }

    /// Waits until every actor has done an operation, and none is still being made.
    fn wait_for_all(&self) -> Result<()> {
        let began = self.clock.moment();
        while self.of_each(DONE).contains(&0) {
            no_child_error()?;
            self.error()?;
            if self.clock.moment().nanos_since(began) > TIMEOUT_NS {
                return Err(Failure::failed("timeout: an actor did not get its CPU"));
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// Sleeps for the shortest time, and until every actor has done operations meanwhile, but not beyond the longest. Actors are read in
    /// the same order at both ends, so that the window of each is as long.
    fn window(&self, shortest_ns: i64, longest_ns: i64) -> Result<Window> {
        let (before, began) = (self.of_each(DONE), self.clock.moment());
        loop {
            std::thread::sleep(Duration::from_nanos(shortest_ns.unsigned_abs()));
            self.error()?;
            let after = self.of_each(DONE);
            let wall_ns = self.clock.moment().nanos_since(began);
            let done = after.iter().zip(&before).map(|(after, before)| after - before).collect();
            let window = Window { wall_ns, done };
            if window.is_of_all() || wall_ns > longest_ns {
                return Ok(window);
            }
        }
    }

    /// The windows of the task that sleeps, and what the kernel knows of the actors.
    fn lead(&self, bench: &mut Bench<'_>, on_each: u64) -> Result<Vec<Window>> {
        self.wait_for_all()?;
        let shortest_ns = WINDOW_NS * on_each.cast_signed();
        let longest_ns = MAX_WINDOWS * shortest_ns;
        let windows =
            (0..WINDOWS).map(|_| self.window(shortest_ns, longest_ns)).collect::<Result<Vec<_>>>()?;
        let no_proc = "/proc does not report the tasks of a process";
        let cpus = cpus_of_actors().map(|cpus| cpus.len() as f64);
        let processes = processes_of_actors().map(|count| count as f64);
        bench.try_count("actors.cpus", cpus.ok_or(no_proc), 1.0);
        bench.try_count("actors.processes", processes.ok_or(no_proc), 1.0);
        let done: u64 = self.of_each(DONE).iter().sum();
        let wrong: u64 = self.of_each(WRONG).iter().sum();
        bench.count("answers", done.saturating_sub(wrong) as f64, done as f64);
        Ok(windows)
    }

    /// The windows beside actors on these CPUs.
    fn run(&self, bench: &mut Bench<'_>, placed: &[u32], many: &Many, make: Make<'_>) -> Result<Vec<Window>> {
        let is_of_all = many.object == Sharing::Shared && !is_a_part(many.call);
        let object = is_of_all.then(make).transpose()?;
        let shared = object.as_deref();
        match many.tasks {
            Tasks::Threads => sys::thread::beside_all(
                placed,
                |actor, pinned| match pinned {
                    Ok(()) => self.act(actor, shared, make),
                    Err(error) => self.fail(error),
                },
                || self.end(),
                || {
                    let windows = self.lead(bench, many.actors);
                    self.end();
                    windows
                },
            )?,
            Tasks::Processes => {
                let spawn = |(actor, &cpu): (usize, &u32)| {
                    Actor::spawn(Some(cpu), || {
                        self.act(actor, shared, make);
                        0
                    })
                };
                let actors = placed.iter().enumerate().map(spawn).collect::<sys::Result<Vec<Actor>>>()?;
                let windows = self.lead(bench, many.actors)?;
                self.end();
                for actor in actors {
                    if actor.join()? != Ended::Exited(0) {
                        return Err(Failure::failed("one of many actors ended early"));
                    }
                }
                Ok(windows)
            }
        }
    }
}

/// The CPU of each actor: every CPU has one before any has the next.
fn placed(cpus: &[u32], on_each: u64) -> Result<Vec<u32>> {
    let count = cpus.len().saturating_mul(usize::try_from(on_each).unwrap_or(usize::MAX));
    if count == 0 || count > MAX_ACTORS {
        let reason = format!("{count} actors: from 1 to {MAX_ACTORS} are possible");
        return Err(Failure::skipped(reason, "choose fewer actors on each CPU, or fewer CPUs"));
    }
    Ok(cpus.iter().copied().cycle().take(count).collect())
}

/// Values are the times of an operation and CPU in windows in which every actor did some.
///
/// # Errors
/// When an actor cannot be made, or its operation fails.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    run_awake(bench, usize::MAX)
}

/// The same where only the first actors work on.
///
/// # Errors
/// When an actor cannot be made, or its operation fails.
pub fn run_awake(bench: &mut Bench<'_>, awake: usize) -> Result<()> {
    let many = bench.parameters::<Many>()?;
    let run = bench.directory().map(|directory| directory.folder.as_path());
    let make = maker(many.call, many.object == Sharing::Shared, run)?;
    if bench.is_rehearsal() {
        let object = make()?;
        return bench.batches(Work::new(&mut |n| Ok(object.operate(n)?)));
    }
    let cpus = cpus(bench)?;
    let placed = placed(&cpus, many.actors)?;
    bench.sample_core_state();
    let windows = Actors::new(placed.len(), awake)?.run(bench, &placed, &many, make.as_ref())?;
    bench.sample_core_state();
    let working: usize = windows.iter().map(Window::working).sum();
    bench.count("tasks.working", working as f64, (windows.len() * placed.len()) as f64);
    let of_all = |actor: usize| windows.iter().filter_map(|window| window.done.get(actor)).sum();
    let done: Vec<u64> = (0..placed.len()).map(of_all).collect();
    bench.count("actors.fairness", fairness(&done), 1.0);
    let value = |window: &Window| {
        let done: u64 = window.done.iter().sum();
        window.wall_ns as f64 * cpus.len() as f64 / done.max(1) as f64
    };
    bench.values(windows.iter().map(value).collect());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::scaling::object::object;

    #[test]
    fn every_cpu_has_an_actor_before_any_has_the_next() {
        assert_eq!(placed(&[4, 7], 2).unwrap(), [4, 7, 4, 7]);
        for cpus in [1_u32, 2, 1024, 4096] {
            let all: Vec<u32> = (0..cpus).collect();
            let placed = placed(&all, 4).unwrap();
            assert_eq!(placed.len(), 4 * cpus as usize);
            for (cpu, actors) in
                all.iter().map(|cpu| (cpu, placed.iter().filter(|on| *on == cpu).count())).step_by(97)
            {
                assert_eq!(actors, 4, "{cpu}");
            }
        }
        let reason = placed(&(0..8192).collect::<Vec<u32>>(), 4).unwrap_err().to_string();
        assert!(reason.contains("32768 actors"), "{reason}");
        assert!(placed(&[0], 0).is_err());
    }

    #[test]
    fn a_window_lasts_until_every_actor_has_worked_in_it() {
        let actors = Actors::new(3, usize::MAX).unwrap();
        let right = object((), |(), _| Ok(true)).unwrap();
        let window = std::thread::scope(|scope| {
            for actor in 0..3 {
                let (actors, right) = (&actors, &right);
                scope.spawn(move || actors.work(actor, right.as_ref()));
            }
            let window = actors.wait_for_all().and_then(|()| actors.window(1_000_000, TIMEOUT_NS));
            actors.end();
            window.unwrap()
        });
        assert!(window.is_of_all() && window.wall_ns >= 1_000_000, "{:?}", window.done);
        assert_eq!(actors.of_each(WRONG), [0, 0, 0]);
    }

    #[test]
    fn an_actor_that_sleeps_is_not_counted_as_working() {
        let actors = Actors::new(2, 1).unwrap();
        let wrong = object((), |(), _| Ok(false)).unwrap();
        let window = std::thread::scope(|scope| {
            for actor in 0..2 {
                let (actors, wrong) = (&actors, &wrong);
                scope.spawn(move || actors.work(actor, wrong.as_ref()));
            }
            let window = actors.wait_for_all().and_then(|()| actors.window(1_000_000, 8_000_000));
            actors.end();
            window.unwrap()
        });
        // The first one may get no CPU meanwhile on a busy machine.
        assert_eq!(window.done.get(1), Some(&0));
        assert!(window.working() <= 1 && !window.is_of_all(), "{:?}", window.done);
        assert!(window.wall_ns > 8_000_000, "it waits for the other one, but not for ever");
        assert_eq!(actors.of_each(WRONG), actors.of_each(DONE));
    }

    #[test]
    fn the_error_of_an_actor_ends_the_trial() {
        let actors = Actors::new(1, usize::MAX).unwrap();
        let failing = object((), |(), _| Err(sys::Error { call: "read", errno: 5 })).unwrap();
        actors.act(0, Some(failing.as_ref()), &|| object((), |(), _| Ok(true)));
        let failure = actors.wait_for_all().unwrap_err().to_string();
        assert!(failure.contains("one of many actors"), "{failure}");
    }
}
