//! Probes of the core of the other actor, by a thread of this process that sleeps on its CPU between looks, and of the way
//! between the two cores: the round trip of a cache line.
//!
//! A host moves virtual CPUs: two of them are on one core complex for some seconds and on two for the next, and every hand-off
//! between them costs accordingly.

use oscope_trigger::{COLD_LOOKS, Probe};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread::{self, Thread};
use sys::kernel_time::raw_nanos;
use sys::usage::{self, Usage, UsageScope};

/// Longest wait for an answer, in nanoseconds: a few times what waking an idle CPU takes. Where an actor polls on that
/// CPU there is none in time.
const TIMEOUT_NS: i64 = 400_000;

/// Round trips of a cache line in a look: two to twelve microseconds.
pub(crate) const ROUND_TRIPS: u32 = 32;

/// A word in cache lines of its own: some processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
struct OwnLine(AtomicU32);

/// What both threads see.
#[derive(Default)]
struct Shared {
    asked: AtomicU32,
    /// The last question at which the thread woke up.
    awake: AtomicU32,
    ball: OwnLine,
    answered: AtomicU32,
    chain: AtomicI64,
    width: AtomicI64,
    switches: AtomicI64,
}

/// The thread on the other CPU, seen from the main actor.
pub(crate) struct OtherCore {
    cpu: u32,
    thread: Thread,
    shared: Arc<Shared>,
    probe: Probe,
}

/// What is probed of the other core at a moment, in ticks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) chain: i64,
    pub(crate) width: i64,
    /// All round trips of a cache line.
    pub(crate) round_trip: Option<i64>,
}

impl OtherCore {
    /// Starts the thread; `None` where that is not allowed, or where it may not be bound to its CPU.
    pub(crate) fn start(cpu: u32, probe: Probe) -> Option<Self> {
        let shared = Arc::new(Shared::default());
        let own = Arc::clone(&shared);
        let (bound, is_bound) = mpsc::channel();
        let spawned = thread::Builder::new().spawn(move || {
            if sys::cpu::pin(cpu).is_ok() && bound.send(()).is_ok() {
                answer(&own, probe);
            }
        });
        let thread = spawned.ok()?.thread().clone();
        // However long it takes on a busy CPU: a thread that may not be bound ends, and with it the wait.
        is_bound.recv().ok()?;
        let this = Self { cpu, thread, shared, probe };
        // The first looks are cold there, too.
        (0..COLD_LOOKS).for_each(|_| {
            this.look();
        });
        Some(this)
    }

    /// Its CPU.
    pub(crate) fn cpu(&self) -> u32 {
        self.cpu
    }

    /// What is seen; `None` when there was no answer in time.
    pub(crate) fn look(&self) -> Option<Look> {
        let Shared { asked, answered, awake, .. } = &*self.shared;
        let is_free = answered.load(Ordering::Acquire) == asked.load(Ordering::Relaxed);
        if is_free {
            asked.fetch_add(1, Ordering::Release);
            self.thread.unpark();
        }
        let began = raw_nanos();
        while awake.load(Ordering::Acquire) != asked.load(Ordering::Relaxed) {
            if raw_nanos() - began > TIMEOUT_NS {
                return None;
            }
            std::hint::spin_loop();
        }
        let round_trip = self.round_trip();
        while answered.load(Ordering::Acquire) != asked.load(Ordering::Relaxed) {
            if raw_nanos() - began > TIMEOUT_NS {
                return None;
            }
            std::hint::spin_loop();
        }
        // An answer to an earlier question is too old.
        let [chain, width] =
            [&self.shared.chain, &self.shared.width].map(|value| value.load(Ordering::Relaxed));
        is_free.then_some(Look { chain, width, round_trip })
    }

    /// Ticks of all round trips of the line; `None` when the thread does not answer any more.
    fn round_trip(&self) -> Option<i64> {
        let ball = &self.shared.ball.0;
        let start = self.probe.clock.start();
        for turn in 0..ROUND_TRIPS {
            ball.store(2 * turn + 1, Ordering::Release);
            wait_for(ball, 2 * turn + 2)?;
        }
        Some(self.probe.clock.stop() - start)
    }

    /// Switches of the thread until now, which count among those of the process.
    pub(crate) fn usage(&self) -> Usage {
        Usage { voluntary: self.shared.switches.load(Ordering::Relaxed), ..Usage::default() }
    }
}

fn answer(shared: &Shared, probe: Probe) {
    let mut done = 0;
    loop {
        while shared.asked.load(Ordering::Acquire) == done {
            thread::park();
        }
        shared.awake.store(shared.asked.load(Ordering::Relaxed), Ordering::Release);
        // Main gives up by itself.
        let _ = (0..ROUND_TRIPS).try_for_each(|turn| {
            wait_for(&shared.ball.0, 2 * turn + 1)?;
            shared.ball.0.store(2 * turn + 2, Ordering::Release);
            Some(())
        });
        let (chain, width) = probe.take(u64::from(done));
        shared.chain.store(chain, Ordering::Relaxed);
        shared.width.store(width, Ordering::Relaxed);
        let switches = usage::read(UsageScope::Thread).unwrap_or_default().switches();
        shared.switches.store(switches, Ordering::Relaxed);
        done = shared.asked.load(Ordering::Relaxed);
        shared.answered.store(done, Ordering::Release);
    }
}

/// Looks at a word until it has this value; `None` when that takes longer than any round trip of a line.
fn wait_for(word: &AtomicU32, value: u32) -> Option<()> {
    (0..MOST_LOOKS).find(|_| {
        std::hint::spin_loop();
        word.load(Ordering::Acquire) == value
    })?;
    Some(())
}

/// Looks at a word before it is given up: a tenth of a millisecond or more.
const MOST_LOOKS: u32 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MachineClock;

    #[test]
    fn a_line_goes_there_and_back_between_two_cpus() {
        let cpus = sys::cpu::allowed().unwrap();
        if !programs::has("second CPU", cpus.len() > 1) {
            return;
        }
        let (first, second) = (cpus[0], cpus[1]);
        sys::cpu::pin(first).unwrap();
        let core = OtherCore::start(second, Probe::new(MachineClock::select())).unwrap();
        // On a busy machine some looks come to nothing.
        let ticks = (0..1_000).find_map(|_| core.look()?.round_trip).unwrap();
        // A line takes longer than its transfer within a core.
        assert!(ticks > i64::from(ROUND_TRIPS), "{ticks}");
    }
}
