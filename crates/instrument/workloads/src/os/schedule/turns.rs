//! Tasks that compute on one CPU: how long each runs before another one gets it, and how evenly they share it.

use crate::os::scaling::pool::fairness;
use crate::shared_words::SharedWords;
use measure::{Bench, Failure, Result, parameters};
use std::time::Duration;
use sys::clock::{Clock, Moment};
use sys::process::{Actor, Ended, cpus_of_actors, no_child_error, processes_of_actors};
use sys::usage::CpuClock;

parameters! {
    /// Tasks on one CPU.
    pub struct Turns {
        /// How many.
        tasks: u64,
    }
}

/// Choice: the most tasks of a point. With a slice of 4 ms each waits a quarter of a second for its turn.
const MAX_TASKS: u64 = 64;

/// Turns of a task that are kept.
const MAX_TURNS: usize = 256;

/// Nanoseconds that a task may wait for the others, and the others for the end.
const TIMEOUT_NS: i64 = 10_000_000_000;

/// Between two looks at whether the others are ready.
const LOOK: Duration = Duration::from_micros(200);

/// The words of all: who ran last, how many are ready, when the time begins and ends, and whether all is over. Then follow those of
/// each task: its turns, their number first.
const LAST: usize = 0;
const READY: usize = 1;
const END: usize = 2;
const OVER: usize = 3;
const TURNS: usize = 4;

/// Tasks that want one CPU at the same time.
struct Competition {
    words: SharedWords,
    began: Moment,
    clock: Clock,
}

/// What came of it.
#[derive(Default)]
struct Outcome {
    /// The turns that ended because another task got the CPU, in nanoseconds.
    turns: Vec<f64>,
    /// Tasks that had such a turn.
    working: usize,
    /// CPU time of each task, in nanoseconds.
    used_ns: Vec<u64>,
    /// The time in which they competed.
    wall_ns: i64,
}

impl Competition {
    fn new(tasks: u64) -> Result<Self> {
        let words = SharedWords::new(TURNS + tasks as usize * (1 + MAX_TURNS))?;
        let clock = Clock::select();
        Ok(Self { words, began: clock.moment(), clock })
    }

    fn now(&self) -> i64 {
        self.clock.moment().nanos_since(self.began)
    }

    /// Keeps a turn of a task; whether there is room for another one.
    fn keep(&self, task: u64, ns: i64) {
        let first = TURNS + task as usize * (1 + MAX_TURNS);
        let kept = self.words.get(first) as usize;
        if kept < MAX_TURNS {
            self.words.set(first + 1 + kept, ns.max(0).unsigned_abs());
            self.words.set(first, kept as u64 + 1);
        }
    }

    fn turns_of(&self, task: u64) -> Vec<f64> {
        let first = TURNS + task as usize * (1 + MAX_TURNS);
        let kept = (self.words.get(first) as usize).min(MAX_TURNS);
        (1..=kept).map(|turn| self.words.get(first + turn) as f64).collect()
    }

    /// Computes until the end. A turn ends where the task finds that another one ran since it looked last: the first one begins after
    /// that, and the last one is not over.
    fn compete(&self, task: u64) {
        let (end, own) = (self.words.get(END) as i64, task + 1);
        let (mut turn_began, mut last) = (None, self.now());
        while last < end {
            let mut now = self.now();
            if self.words.get(LAST) != own {
                if let Some(began) = turn_began {
                    self.keep(task, last - began);
                }
                // Nobody has run before the first one.
                let is_turn = self.words.get(LAST) != 0;
                self.words.set(LAST, own);
                // The time above may be of the turn before: the task may have lost the CPU since.
                now = self.now();
                turn_began = is_turn.then_some(now);
            }
            last = now;
        }
    }

    /// Sleeps until a word is no longer zero, or for too long.
    fn wait_for(&self, is_so: impl Fn() -> bool) -> Result<()> {
        let limit = self.now() + TIMEOUT_NS;
        while !is_so() {
            no_child_error()?;
            if self.now() > limit {
                return Err(Failure::failed("timeout: a task beside this one did not get the CPU"));
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// What a task beside the main one does. It lives until the main one has read its CPU time.
    fn act(&self, task: u64) -> i32 {
        self.words.word(READY).fetch_add(1, std::sync::atomic::Ordering::AcqRel);
        let begun = self.wait_for(|| self.words.get(END) != 0);
        if begun.is_ok() {
            self.compete(task);
        }
        i32::from(begun.and_then(|()| self.wait_for(|| self.words.get(OVER) != 0)).is_err())
    }

    /// The main task, which begins when the others are ready. Of `tasks` only those below `awake` compete.
    fn lead(&self, bench: &mut Bench<'_>, tasks: u64, awake: u64) -> Result<Outcome> {
        let mut others = Vec::new();
        for task in 1..awake.min(tasks) {
            others.push(Actor::spawn(bench.cpu(), || self.act(task))?);
        }
        self.wait_for(|| self.words.get(READY) as usize == others.len())?;
        let of_others = others.iter().map(|actor| CpuClock::of_process(actor.pid()));
        let clocks: Vec<CpuClock> = std::iter::once(CpuClock::THREAD).chain(of_others).collect();
        let used = || clocks.iter().map(|clock| clock.nanos().unwrap_or(0)).collect::<Vec<_>>();
        let (before, began) = (used(), self.now());
        self.words.set(END, (began + bench.spend_ns() as i64).unsigned_abs());
        // The others look again.
        std::thread::sleep(2 * LOOK);
        self.compete(0);
        let wall_ns = self.now() - began;
        let used_ns: Vec<u64> = used()
            .into_iter()
            .zip(before)
            .map(|(after, before)| (after - before).max(0).unsigned_abs())
            .collect();
        let no_proc = "/proc does not report the tasks of a process";
        bench.try_count("actors.cpus", cpus_of_actors().map(|cpus| cpus.len() as f64).ok_or(no_proc), 1.0);
        bench.try_count(
            "actors.processes",
            processes_of_actors().map(|count| count as f64).ok_or(no_proc),
            1.0,
        );
        self.words.set(OVER, 1);
        for other in others {
            if other.join()? != Ended::Exited(0) {
                return Err(Failure::failed("a task beside this one ended early"));
            }
        }
        let turns: Vec<Vec<f64>> = (0..tasks).map(|task| self.turns_of(task)).collect();
        let working = turns.iter().filter(|turns| !turns.is_empty()).count();
        Ok(Outcome { turns: turns.concat(), working, used_ns, wall_ns })
    }
}

/// Lets the tasks of the point compete for the CPU of the caller; of them only the first `awake`.
fn compete(bench: &mut Bench<'_>, awake: u64) -> Result<Outcome> {
    let Turns { tasks } = bench.parameters()?;
    if !(2..=MAX_TASKS).contains(&tasks) {
        return Err(Failure::failed(format!("{tasks} tasks: from 2 to {MAX_TASKS} are possible")));
    }
    bench.sample_core_state();
    let outcome = Competition::new(tasks)?.lead(bench, tasks, awake)?;
    bench.sample_core_state();
    let used: u64 = outcome.used_ns.iter().sum();
    bench.count("tasks.working", outcome.working as f64, tasks as f64);
    bench.count("turns", outcome.turns.len() as f64, 1.0);
    bench.count("time.accounted", outcome.turns.iter().sum::<f64>(), outcome.wall_ns as f64);
    bench.count("cpu.used", used as f64, outcome.wall_ns as f64);
    bench.count("cpu.fairness", fairness(&outcome.used_ns), 1.0);
    Ok(outcome)
}

/// Values are the turns of all tasks.
///
/// # Errors
/// When a task cannot be made, or none of them gets the CPU from another.
pub fn slices(bench: &mut Bench<'_>) -> Result<()> {
    slices_of(bench, u64::MAX)
}

/// The same where only as many tasks are awake.
///
/// # Errors
/// When a task cannot be made, or none of them gets the CPU from another.
pub fn slices_of(bench: &mut Bench<'_>, awake: u64) -> Result<()> {
    if bench.is_rehearsal() {
        return Ok(());
    }
    let Outcome { turns, .. } = compete(bench, awake)?;
    if turns.is_empty() {
        let reason = "no task lost the CPU to another one: the scheduling class has no slices, or they are longer than a trial";
        return Err(Failure::skipped(reason, "run without --sched fifo"));
    }
    bench.values(turns);
    Ok(())
}

/// The value is Jain's index of the CPU time of the tasks.
///
/// # Errors
/// When a task cannot be made.
pub fn shares(bench: &mut Bench<'_>) -> Result<()> {
    if bench.is_rehearsal() {
        return Ok(());
    }
    let index = fairness(&compete(bench, u64::MAX)?.used_ns);
    bench.values(vec![index]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_ends_when_another_task_has_run() {
        let competition = Competition::new(2).unwrap();
        let end = competition.now() + 200_000_000;
        competition.words.set(END, end as u64);
        std::thread::scope(|scope| {
            // On two CPUs each of them finds all the time that the other one runs.
            (0..2).for_each(|task| {
                drop(scope.spawn({
                    let competition = &competition;
                    move || competition.compete(task)
                }))
            });
        });
        let turns = [0, 1].map(|task| competition.turns_of(task));
        assert!(turns.iter().all(|turns| !turns.is_empty() && turns.len() <= MAX_TURNS), "{turns:?}");
        assert!(turns.concat().iter().all(|turn| (0.0..2e8).contains(turn)));
    }

    #[test]
    fn a_task_alone_has_no_turn_that_ends() {
        let competition = Competition::new(1).unwrap();
        competition.words.set(END, (competition.now() + 1_000_000) as u64);
        competition.compete(0);
        assert!(competition.turns_of(0).is_empty());
    }

    #[test]
    fn turns_beyond_those_that_are_kept_are_left_out() {
        let competition = Competition::new(2).unwrap();
        (0..2 * MAX_TURNS).for_each(|turn| competition.keep(1, turn as i64));
        assert_eq!(competition.turns_of(1).len(), MAX_TURNS);
        assert_eq!(competition.turns_of(1).last(), Some(&(MAX_TURNS as f64 - 1.0)));
        assert!(competition.turns_of(0).is_empty());
    }
}
