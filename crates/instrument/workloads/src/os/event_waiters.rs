//! Threads that wait for one event, each with a set of its own: how many of them one event wakes.

use crate::barrier::Count;
use measure::{Bench, Failure, Result, choice, parameters};
use std::time::Duration;
use sys::clock::Clock;
use sys::event_set::{EventSet, Trigger};
use sys::eventfd::EventCounter;
use sys::process::{no_child_error, report_child_error};

choice! {
    /// When a set reports the event.
    pub enum EventTrigger {
        /// As long as it is not taken.
        Level = "level",
        /// Once.
        Edge = "edge",
        /// As long as it is not taken, to one of the threads that sleep.
        Exclusive = "exclusive",
    }
}

parameters! {
    /// Threads that wait for one event.
    pub struct EventWaiters {
        /// When it is reported.
        trigger: EventTrigger,
        /// How many.
        waiters: u64,
    }
}

impl EventTrigger {
    /// As sets have it.
    pub fn of_set(self) -> Trigger {
        match self {
            Self::Level => Trigger::Level,
            Self::Edge => Trigger::Edge,
            Self::Exclusive => Trigger::Exclusive,
        }
    }
}

/// Choice: the most waiters of a point, and the events of a trial.
const MAX_WAITERS: u64 = 256;
const EVENTS: u64 = 16;

/// Nanoseconds that waiters have to fall asleep after they announced it, and without a further wake-up after which an event counts as
/// over: some ten wake-ups beside other programs.
const SETTLE_NS: i64 = 2_000_000;

/// Choice: nanoseconds until a waiter that does not come back is an error.
const TIMEOUT_NS: i64 = 10_000_000_000;

/// Milliseconds after which a waiter looks whether the trial is over, and the time between looks of those that were woken.
const LOOK_MS: u32 = 20;
const NAP: Duration = Duration::from_micros(100);

/// What all threads share.
#[derive(Default)]
struct Shared {
    /// Rounds that are over, waits that began, and waits that an event ended.
    rounds: Count,
    arrived: Count,
    woken: Count,
    quit: Count,
}

impl Shared {
    /// What a waiter does until the end.
    fn wait(&self, counter: &EventCounter, trigger: Trigger) -> sys::Result<()> {
        let set = EventSet::new(counter, trigger)?;
        while self.quit.get() == 0 {
            let round = self.rounds.get();
            self.arrived.add(1);
            while !set.wait(LOOK_MS)? {
                if self.quit.get() != 0 {
                    return Ok(());
                }
            }
            self.woken.add(1);
            while self.rounds.get() == round && self.quit.get() == 0 {
                std::thread::sleep(NAP);
            }
        }
        Ok(())
    }

    /// Sleeps until a number stays at a value that is allowed for as long as waiters need.
    fn settle(&self, number: &Count, is_allowed: impl Fn(u64) -> bool, clock: Clock) -> Result<u64> {
        let start = clock.moment();
        let (mut since, mut last) = (start, number.get());
        loop {
            std::thread::sleep(NAP);
            no_child_error()?;
            let (now, value) = (clock.moment(), number.get());
            if value != last {
                (since, last) = (now, value);
            }
            if is_allowed(value) && now.nanos_since(since) > SETTLE_NS {
                return Ok(value);
            }
            if now.nanos_since(start) > TIMEOUT_NS {
                return Err(Failure::failed("timeout: a thread that waits for an event did not respond"));
            }
        }
    }
}

/// Counts the waiters that each event wakes, by the trigger of the point.
///
/// # Errors
/// When a thread cannot be made, or a call is denied.
pub fn count_woken(bench: &mut Bench<'_>) -> Result<()> {
    let trigger = bench.parameters::<EventWaiters>()?.trigger;
    count_woken_by(bench, trigger.of_set())
}

/// The same by any trigger.
///
/// # Errors
/// As [`count_woken`].
pub fn count_woken_by(bench: &mut Bench<'_>, trigger: Trigger) -> Result<()> {
    let waiters = bench.parameters::<EventWaiters>()?.waiters.min(MAX_WAITERS);
    let (counter, shared, clock) = (EventCounter::new()?, Shared::default(), Clock::select());
    let quit = || shared.quit.set(1);
    let values = sys::thread::beside_many(
        waiters as usize,
        |_| {
            if let Err(error) = shared.wait(&counter, trigger) {
                report_child_error(error);
            }
        },
        quit,
        || {
            let values =
                bench.watched(|| (0..EVENTS).map(|_| event(&shared, &counter, waiters, clock)).collect());
            quit();
            values
        },
    )?;
    let values: Vec<f64> = values?;
    bench.count("answers", values.iter().filter(|woken| **woken >= 1.0).count() as f64, EVENTS as f64);
    bench.values(values);
    Ok(())
}

/// One event while all waiters sleep; gives how many it woke.
fn event(shared: &Shared, counter: &EventCounter, waiters: u64, clock: Clock) -> Result<f64> {
    let before = shared.woken.get();
    shared.settle(&shared.arrived, |arrived| arrived == waiters + before, clock)?;
    counter.add(1)?;
    let woken = shared.settle(&shared.woken, |woken| woken > before, clock)? - before;
    let taken = counter.take()?;
    shared.rounds.add(1);
    Failure::unless(taken == 1, "the counter does not hold the event")?;
    Ok(woken as f64)
}
