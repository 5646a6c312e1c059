//! Sleeps that are too short or not counted, and an idle load: what `wakeups.early`, `wakeups`, `switches.voluntary` and
//! `sibling.cpu_share` must catch.

use crate::sabotage::give;
use crate::{Caught, Sabotage};
use measure::{Bench, CpuTime, Result};
use sys::kernel_time::{KernelClock, read};
use sys::sleep::{Method, Sleeper};
use sys::timer::Timer;
use workloads::os::sleepers::sleep_by;

/// Sleeps of one sabotage.
const SLEEPS: usize = 12;

const ASKED_NS: i64 = 1_000_000;

/// Sleeps for a share of the time asked for, and tells by how much each was too long.
fn sleep_and_count(bench: &mut Bench<'_>, nanos: i64, counted: f64) -> Result<()> {
    let sleeper = Sleeper::new(Method::Nanosleep)?;
    if bench.is_rehearsal() {
        return bench.each(CpuTime::Process, &mut || Ok(sleeper.sleep(0, nanos).map(|()| 1)?));
    }
    let now = || read(KernelClock::Monotonic).unwrap_or_default();
    let mut late = Vec::with_capacity(SLEEPS);
    bench.watched_for(SLEEPS as f64, || {
        for _ in 0..SLEEPS {
            let begun = now();
            if nanos > 0 {
                sleeper.sleep(begun, nanos)?;
            } else {
                while now() - begun < ASKED_NS {}
            }
            late.push((now() - begun - ASKED_NS) as f64);
        }
        Ok(())
    })?;
    let early = late.iter().filter(|&&late| late < 0.0).count();
    bench.count("wakeups.early", early as f64, SLEEPS as f64);
    give(bench, &[("wakeups", counted)], late)
}

/// Its sabotages.
pub static ALL: &[Sabotage] = &[
    Sabotage {
        id: "sabotage.sleeps.early",
        of: "sleep.nanosleep duration=1ms",
        mistake: "a hundredth of the duration is slept, and all of it is subtracted",
        caught_by: Caught::By("wakeups.early"),
        run: |bench| sleep_and_count(bench, ASKED_NS / 100, 1.0),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.sleeps.left_out",
        of: "sleep.nanosleep duration=1ms",
        mistake: "every second sleep is interrupted and left out",
        caught_by: Caught::By("wakeups"),
        run: |bench| sleep_and_count(bench, ASKED_NS, 0.5),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.sleeps.awake",
        of: "sleep.nanosleep duration=1ms",
        mistake: "the time is spent polling the clock, not asleep",
        caught_by: Caught::By("switches.voluntary"),
        run: |bench| sleep_and_count(bench, if bench.is_rehearsal() { ASKED_NS } else { 0 }, 1.0),
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.sleeps.another_timer",
        of: "sleep.posix_timer duration=100us",
        mistake: "another timer of the process sends the same signal, and its signal is taken",
        caught_by: Caught::By("wakeups.early"),
        run: |bench| {
            let (rehearsal, other) = (bench.is_rehearsal(), Timer::of_alarm()?);
            sleep_by(bench, Method::PosixTimer, |sleeper, begun, nanos| {
                if !rehearsal {
                    other.set(nanos / 10)?;
                }
                Ok(sleeper.sleep(begun, nanos)?)
            })
        },
        ..Sabotage::NEW
    },
    Sabotage {
        id: "sabotage.sleeps.no_load",
        of: "wakeup.latency load=busy",
        mistake: "the sibling task that should keep the CPU busy is asleep",
        caught_by: Caught::By("sibling.cpu_share"),
        run: |bench| {
            let rehearsal = bench.is_rehearsal();
            sleep_and_count(bench, ASKED_NS, 1.0)?;
            if !rehearsal {
                bench.count("sibling.cpu_share", 0.0, 1.0);
            }
            Ok(())
        },
        ..Sabotage::NEW
    },
];
