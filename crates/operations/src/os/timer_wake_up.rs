//! What sleepers have in common: how late they wake, how often, and what that should be.

use measure::term;
use measure::{Bench, Failure, counted, if_consistent, told_cycles, undisturbed};
use record::{Formula, Side, Term, Witness};
use sys::kernel_time::{KernelClock, read};

/// Sleeps that are not kept, so that the path is warm.
const WARM_UP: usize = 3;

/// The kernel's monotonic clock, by which its timers go.
pub fn now() -> Result<i64, Failure> {
    read(KernelClock::Monotonic)
        .ok_or_else(|| Failure::Failed("clock_gettime: the monotonic clock cannot be read".to_owned()))
}

/// Sleeps as often as asked; `late` gives by how many nanoseconds each came too late. Keeps all, and as evidence
/// how many came early, the 9th decile and the latest.
///
/// # Errors
/// When a sleep fails.
pub fn observe(
    bench: &mut Bench<'_>,
    sleeps: usize,
    mut late: impl FnMut() -> Result<i64, Failure>,
) -> Result<Vec<f64>, Failure> {
    for _ in 0..WARM_UP {
        late()?;
    }
    let mut all = Vec::with_capacity(sleeps);
    bench.watched_for(sleeps as f64, || {
        for _ in 0..sleeps {
            all.push(late()?);
        }
        Ok(())
    })?;
    let early = all.iter().filter(|&&late| late < 0).count();
    bench.count("wakeups.early", early as f64, sleeps as f64);
    bench.count("wakeups", all.len() as f64, sleeps as f64);
    let values = all.iter().map(|&late| late as f64).collect();
    all.sort_unstable();
    let at = |share: f64| all.get((share * (sleeps - 1) as f64) as usize).copied();
    for (name, share) in [("late.decile_9_ns", 0.9), ("late.maximum_ns", 1.0)] {
        bench.count(name, at(share).unwrap_or_default() as f64, 1.0);
    }
    Ok(values)
}

/// What must be true of sleepers, of which at least `least` of every sleep gave up the CPU.
pub fn witnesses(least: f64) -> Vec<Witness> {
    let mut all = counted("wakeups", 1.0, 1.0, "every sleep ended by its time");
    all.extend(counted(
        "wakeups.early",
        0.0,
        0.0,
        "nobody woke before the time was over",
    ));
    let proves = "the kernel counted that the sleeper gave up the CPU";
    all.extend(if_consistent(counted("switches.voluntary", least, 1.1, proves)));
    all.extend(undisturbed());
    all
}

/// T0 from the expiry of a timer until the sleeper is back in its program, on a CPU that is idle or busy.
pub fn from_facts(idle: bool) -> Vec<Term> {
    let schedule = Formula::cited(
        3_500.0,
        1.8,
        "interrupt, queue of timers, wake-up, choose, switch, return: some 3 500 instructions",
    );
    let mut terms = vec![term(Side::Software, "timer and scheduler", told_cycles(schedule))];
    let exits = if idle {
        let exit = Formula::cited(1_500.0, 2.0, "leaving idle: 1 to 3 µs on bare metal");
        terms.push(term(Side::Hardware, "the CPU leaves idle", exit));
        3.0
    } else {
        2.0
    };
    terms.push(term(
        Side::Hardware,
        "the hypervisor is told of the timer, wakes the CPU and brings the interrupt",
        Formula::fact("hypervisor.exit_ns").times(exits),
    ));
    terms
}
