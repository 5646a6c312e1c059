//! A thread that wakes, or moves, the threads that sleep on one futex.

use crate::barrier::Count;
use measure::value::Cpus;
use measure::{Bench, CpuTime, Failure, Result, Timed, choice, parameters};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU32, Ordering};
use sys::clock::Clock;
use sys::futex::{self, Scope};
use sys::process::{cpus_of_actors, no_child_error, report_child_error};
use sys::sleep::yield_cpu;
use sys::usage::{self, UsageScope};

choice! {
    /// What the waker calls.
    pub enum Call {
        /// FUTEX_WAKE of one waiter, once for each.
        WakeOne = "wake_one",
        /// One FUTEX_WAKE of all waiters.
        WakeAll = "wake_all",
        /// One FUTEX_CMP_REQUEUE: a waiter is woken, the others are moved to a second futex.
        Requeue = "requeue",
    }
}

parameters! {
    /// Threads that sleep on one futex.
    pub struct Wakes {
        /// What the waker calls.
        call: Call,
        /// How many threads sleep.
        waiters: u64,
    }
}

/// Choice: the most waiters of a point. Each is a thread with a stack of its own.
const MAX_WAITERS: u64 = 1_024;

/// Nanoseconds that waiters on other CPUs have to fall asleep after they announced it, also on a virtual CPU: some ten times a wake-up.
const SETTLE_NS: i64 = 100_000;

/// Choice: nanoseconds until a waiter that does not come back is an error. Other programs may delay one for many slices.
const TIMEOUT_NS: i64 = 10_000_000_000;

/// Added to the value of a futex when its round ends: the next round of the other futex lies between.
const ROUNDS: u32 = 2;

/// The value that ends the waiters.
const QUIT: u32 = u32::MAX;

/// A futex in cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
struct Futex(AtomicU32);

/// A round, as the waker has it: its waiters sleep.
pub struct Round<'f> {
    /// On what they sleep.
    pub futex: &'f AtomicU32,
    /// What it holds now: a waiter that did not sleep yet finds it changed.
    pub value: u32,
    /// To what they may be moved.
    pub second: &'f AtomicU32,
    /// How many there are.
    pub waiters: u64,
}

/// What the waker does in a round. Both parts give how many waiters their calls report.
pub struct Waker {
    /// The calls that are timed: waiters woken or moved.
    pub timed: fn(&Round<'_>) -> sys::Result<u64>,
    /// Afterwards: waiters woken that had been moved.
    pub release: fn(&Round<'_>) -> sys::Result<u64>,
}

fn reported(result: isize) -> sys::Result<u64> {
    sys::Error::check("futex", result).map(|waiters| waiters as u64)
}

/// What the waker of this call does.
fn waker(call: Call) -> Waker {
    match call {
        Call::WakeOne => Waker {
            timed: |round| {
                (0..round.waiters)
                    .try_fold(0, |sum, _| Ok(sum + reported(futex::wake_one(round.futex, Scope::Private))?))
            },
            release: |_| Ok(0),
        },
        Call::WakeAll => Waker {
            timed: |round| reported(futex::wake_all(round.futex, Scope::Private)),
            release: |_| Ok(0),
        },
        Call::Requeue => Waker {
            timed: |round| reported(futex::requeue(round.futex, round.value, round.second, Scope::Private)),
            release: |round| reported(futex::wake_all(round.second, Scope::Private)),
        },
    }
}

/// What a round did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Done {
    /// Ticks of the timed calls.
    ticks: i64,
    /// Waiters that the timed calls report, and those that were woken after they had been moved.
    reported: u64,
    released: u64,
    /// Waiters that did not sleep yet when the round began.
    late: u64,
    /// How often a waiter took the CPU of the waker during the timed calls.
    preempted: Option<u64>,
}

/// The waiters: a round wakes each of them once, and then they sleep for the next one.
struct Waiters {
    /// Of even and of odd rounds: a waiter that is woken early does not come back to the futex of the same round.
    futexes: [Futex; ROUNDS as usize],
    second: Futex,
    /// Rounds that waiters waited for, all of them together, and waits that found their round over.
    arrived: Count,
    late: Count,
    /// Wake-ups of each.
    woken: Vec<Count>,
    /// Whether the waiters and the waker have one CPU.
    is_on_one_cpu: bool,
}

impl Waiters {
    fn new(threads: u64, is_on_one_cpu: bool) -> Self {
        let waiters = Self {
            futexes: Default::default(),
            second: Futex::default(),
            arrived: Count::default(),
            late: Count::default(),
            woken: (0..threads).map(|_| Count::default()).collect(),
            is_on_one_cpu,
        };
        (0..).zip(&waiters.futexes).for_each(|(round, futex)| futex.0.store(round, Ordering::Release));
        waiters
    }

    fn futex_of(&self, round: u32) -> &AtomicU32 {
        let [even, odd] = &self.futexes;
        if round.is_multiple_of(ROUNDS) { &even.0 } else { &odd.0 }
    }

    /// What a waiter does until the end.
    ///
    /// # Errors
    /// When the call is denied.
    fn sleep(&self, woken: &Count) -> sys::Result<()> {
        for round in 0.. {
            let futex = self.futex_of(round);
            self.arrived.add(1);
            let count = loop {
                let result = futex::wait(futex, round, Scope::Private);
                let is_over = futex.load(Ordering::Acquire) != round;
                match result {
                    futex::CHANGED | futex::INTERRUPTED if is_over => break &self.late,
                    futex::CHANGED | futex::INTERRUPTED => {}
                    result => {
                        reported(result)?;
                        if is_over {
                            break woken;
                        }
                    }
                }
            };
            if futex.load(Ordering::Acquire) == QUIT {
                break;
            }
            count.add(1);
        }
        Ok(())
    }

    /// Waits until all waiters sleep for a round.
    fn wait_for_all(&self, round: u32, clock: Clock) -> Result<()> {
        let expected = self.woken.len() as u64 * (u64::from(round) + 1);
        let start = clock.moment();
        while self.arrived.get() < expected {
            no_child_error()?;
            if clock.moment().nanos_since(start) > TIMEOUT_NS {
                return Err(Failure::failed("timeout: a waiter of the futex was not woken"));
            }
            if self.is_on_one_cpu {
                yield_cpu()?;
            }
        }
        let start = clock.moment();
        while !self.is_on_one_cpu && clock.moment().nanos_since(start) < SETTLE_NS {
            spin_loop();
        }
        Ok(())
    }

    /// A round of waiters that sleep; they sleep again when it ends.
    fn round(&self, number: u32, waker: &Waker, waiters: u64, clock: Clock) -> Result<Done> {
        let (futex, value) = (self.futex_of(number), number + ROUNDS);
        let round = Round { futex, value, second: &self.second.0, waiters };
        let late = self.late.get();
        let switches = || usage::read(UsageScope::Thread).ok().map(|usage| usage.involuntary);
        let before = switches();
        futex.store(value, Ordering::Release);
        let start = clock.start();
        let reported = (waker.timed)(&round);
        let ticks = clock.stop() - start;
        let preempted = switches().zip(before).map(|(after, before)| (after - before).unsigned_abs());
        let (reported, released) = (reported?, (waker.release)(&round)?);
        self.wait_for_all(number + 1, clock)?;
        Ok(Done { ticks, reported, released, late: self.late.get() - late, preempted })
    }

    /// The rounds of the waker.
    fn lead(&self, bench: &mut Bench<'_>, waker: &Waker, waiters: u64) -> Result<()> {
        let clock = Clock::select();
        self.wait_for_all(0, clock)?;
        let cost = clock.cost_ticks().round() as i64;
        let cpu = if self.is_on_one_cpu { CpuTime::Process } else { CpuTime::Thread };
        let (mut number, mut moved, mut to_move, mut preempted) = (0, 0, 0, Some(0));
        bench.parts_of(waiters, cpu, &mut |clock| {
            let done = self.round(number, waker, waiters, clock)?;
            number += 1;
            moved += done.released;
            to_move += done.reported.saturating_sub(1);
            preempted = preempted.zip(done.preempted).map(|(all, done)| all + done);
            Ok(Timed {
                ticks: (done.late == 0).then_some((done.ticks - cost).max(1)),
                answers: (done.reported + done.late).min(waiters),
            })
        })?;
        let woken = self.woken.iter().filter(|woken| woken.get() > 0).count();
        bench.count("waiters.woken", woken as f64, waiters as f64);
        if to_move > 0 {
            bench.count("waiters.moved", moved as f64, to_move as f64);
        }
        let preempted =
            preempted.map(|times| times as f64).ok_or("the switches of the thread cannot be read");
        bench.try_count("preempted", preempted, f64::from(number) * waiters as f64);
        let no_proc = "/proc does not report the last CPU of a task";
        bench.try_count("actors.cpus", cpus_of_actors().map(|cpus| cpus.len() as f64).ok_or(no_proc), 1.0);
        Ok(())
    }

    fn quit(&self) {
        for futex in &self.futexes {
            futex.0.store(QUIT, Ordering::Release);
        }
        for futex in self.futexes.iter().chain([&self.second]) {
            // Where the call is denied nobody sleeps by it either.
            let _ = futex::wake_all(&futex.0, Scope::Private);
        }
    }
}

/// The CPUs of the waiters: that of the waker, or all others.
fn cpus_of_waiters(bench: &Bench<'_>, is_on_one_cpu: bool) -> Result<Vec<u32>> {
    let own = bench.cpu();
    if is_on_one_cpu {
        return Ok(own.into_iter().collect());
    }
    let others = sys::cpu::allowed_before_pinning()?.into_iter().filter(|&cpu| Some(cpu) != own);
    let spread = sys::cpu::spread_over_cores(&own.into_iter().chain(others).collect::<Vec<_>>());
    Ok(spread.into_iter().filter(|&cpu| Some(cpu) != own).collect())
}

/// Times the waker of the point.
///
/// # Errors
/// When a waiter cannot be made, or a call fails.
pub fn run(bench: &mut Bench<'_>) -> Result<()> {
    let Wakes { call, waiters } = bench.parameters()?;
    wake(bench, waiters, &waker(call))
}

/// Times a waker of this number of threads, which are taken for the waiters of the point.
///
/// # Errors
/// When a waiter cannot be made, or a call fails.
pub fn wake(bench: &mut Bench<'_>, threads: u64, waker: &Waker) -> Result<()> {
    let waiters = bench.parameters::<Wakes>()?.waiters;
    if !(1..=MAX_WAITERS).contains(&waiters) {
        return Err(Failure::failed(format!("{waiters} waiters: from 1 to {MAX_WAITERS} are possible")));
    }
    let is_on_one_cpu = bench.point().cpus() == Some(Cpus::Count(1));
    let cpus = cpus_of_waiters(bench, is_on_one_cpu)?;
    let sleeping = Waiters::new(threads, is_on_one_cpu);
    sys::thread::beside_many(
        sleeping.woken.len(),
        |index| {
            let cpu = cpus.iter().cycle().nth(index);
            let pinned = cpu.map_or(Ok(()), |&cpu| sys::cpu::pin(cpu));
            let woken = sleeping.woken.get(index);
            let ended = pinned.and_then(|()| woken.map_or(Ok(()), |woken| sleeping.sleep(woken)));
            ended.unwrap_or_else(report_child_error);
        },
        || sleeping.quit(),
        || {
            let result = sleeping.lead(bench, waker, waiters);
            sleeping.quit();
            result
        },
    )?
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of three waiters by this call.
    fn rounds_of_three(call: Call) -> Vec<Done> {
        let (waiters, clock) = (Waiters::new(3, true), Clock::select());
        std::thread::scope(|scope| {
            for woken in &waiters.woken {
                scope.spawn(|| waiters.sleep(woken).unwrap());
            }
            let result = waiters.wait_for_all(0, clock).and_then(|()| {
                (0..200).map(|number| waiters.round(number, &waker(call), 3, clock)).collect()
            });
            waiters.quit();
            result.unwrap()
        })
    }

    #[test]
    fn every_waiter_is_woken_or_moved_once_in_a_round_or_comes_late() {
        for &call in Call::ALL {
            let rounds = rounds_of_three(call);
            for done in &rounds {
                assert_eq!(done.reported + done.late, 3, "{}: {done:?}", call.name());
                let moved = if call == Call::Requeue { done.reported.saturating_sub(1) } else { 0 };
                assert_eq!(done.released, moved, "{}: {done:?}", call.name());
            }
            assert!(rounds.iter().any(|done| done.late < 3), "{}", call.name());
        }
    }

    #[test]
    fn waiters_that_are_not_woken_end_with_the_others() {
        let waiters = Waiters::new(2, true);
        std::thread::scope(|scope| {
            for woken in &waiters.woken {
                scope.spawn(|| waiters.sleep(woken).unwrap());
            }
            waiters.quit();
        });
        assert_eq!(waiters.late.get(), 0);
    }
}
