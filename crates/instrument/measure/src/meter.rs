//! The CPU time of the actors of a batch: what is read before it and after it.

use crate::evidence::per;
use record::Evidence;
use sys::kernel_time::raw_nanos;
use sys::usage::{self, CpuClock, UsageScope};

/// The actors whose CPU time is read around a batch.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Meter<'c> {
    /// That of actors that alternate: the sum.
    Alternating(&'c [CpuClock]),
    /// That of actors that work in parallel, on a CPU each: the least. One that was made to wait makes the batch
    /// longer for all, which a sum over many of them would hide.
    Parallel(&'c [CpuClock]),
    /// That of an iteration timed individually.
    Iteration(CpuTime),
}

/// Whose CPU time is that of an iteration timed individually.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CpuTime {
    /// That of the calling thread.
    Thread,
    /// That of this process.
    Process,
    /// That of this process and of the children that it has waited for.
    WithChildren,
    /// That of this process and of an actor beside it, which does a part of each iteration.
    WithActor(CpuClock),
}

impl CpuTime {
    /// With an actor beside this process, if it is on this machine.
    pub fn with(actor: Option<CpuClock>) -> Self {
        actor.map_or(Self::Process, Self::WithActor)
    }

    /// In nanoseconds; `None` when it cannot be read.
    fn nanos(self) -> Option<i64> {
        let own = CpuClock::PROCESS;
        Some(match self {
            Self::Thread => CpuClock::THREAD.nanos()?,
            Self::Process => own.nanos()?,
            Self::WithChildren => own.nanos()? + usage::read(UsageScope::Children).ok()?.cpu_us * 1_000,
            Self::WithActor(actor) => own.nanos()? + actor.nanos()?,
        })
    }
}

/// What was read at one moment, in nanoseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reading {
    Sum(i64),
    Each(Vec<i64>),
}

impl Meter<'_> {
    /// Reads the clocks; `None` when one of them cannot be read.
    pub(crate) fn read(&self) -> Option<Reading> {
        match *self {
            Self::Alternating(clocks) => {
                clocks.iter().try_fold(0, |sum, clock| Some(sum + clock.nanos()?)).map(Reading::Sum)
            }
            Self::Parallel(clocks) => {
                clocks.iter().map(|clock| clock.nanos()).collect::<Option<_>>().map(Reading::Each)
            }
            Self::Iteration(cpu) => cpu.nanos().map(Reading::Sum),
        }
    }
}

impl Reading {
    /// CPU time since an earlier reading of the same clocks: the sum, or that of the actor who had least.
    pub(crate) fn since(&self, earlier: &Self) -> Option<i64> {
        match (self, earlier) {
            (Self::Sum(now), Self::Sum(then)) => Some(now - then),
            (Self::Each(now), Self::Each(then)) => now.iter().zip(then).map(|(now, then)| now - then).min(),
            _ => None,
        }
    }
}

/// What the actors had of the time since a moment, batches and what lies between them.
pub(crate) struct Period {
    began_ns: i64,
    cpu: Option<Reading>,
}

impl Period {
    /// Begins now.
    pub(crate) fn begin(meter: &Meter<'_>) -> Self {
        Self { began_ns: raw_nanos(), cpu: meter.read() }
    }

    /// Until now: nanoseconds in which the actors did not have their CPU, of all nanoseconds.
    pub(crate) fn end(&self, meter: &Meter<'_>) -> Evidence {
        let cpu = meter.read().zip(self.cpu.as_ref());
        let cpu_ns = cpu.and_then(|(now, then)| now.since(then));
        let wall_ns = raw_nanos() - self.began_ns;
        let lost = cpu_ns.map(|cpu_ns| (wall_ns - cpu_ns).max(0) as f64);
        let lost = lost.ok_or("the CPU time of an actor cannot be read");
        per("cpu.lost", lost, wall_ns.max(1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_without_the_cpu_counts_as_lost_between_batches_too() {
        let meter = Meter::Alternating(&[CpuClock::THREAD]);
        let period = Period::begin(&meter);
        std::thread::sleep(std::time::Duration::from_millis(20));
        let counted = period.end(&meter);
        let share = counted.per_iteration().unwrap_or(0.0);
        assert!((0.5..=1.0).contains(&share), "{counted:?}");
        let gone = [CpuClock::of_process(1 << 23)];
        let unread = Period::begin(&Meter::Alternating(&gone)).end(&Meter::Alternating(&gone));
        assert_eq!(unread.per_iteration(), None);
    }

    #[test]
    fn parallel_actors_are_metered_by_the_least_cpu_time() {
        let (then, now) = (Reading::Each(vec![5, 100, 7]), Reading::Each(vec![15, 104, 27]));
        assert_eq!(now.since(&then), Some(4));
        assert_eq!(Reading::Sum(9).since(&Reading::Sum(2)), Some(7));
        assert_eq!(Reading::Sum(9).since(&then), None);
    }

    #[test]
    fn reading_is_absent_when_a_clock_is_gone() {
        // No process has this number: it is above the most that the kernel gives.
        let gone = [CpuClock::THREAD, CpuClock::of_process(1 << 23)];
        assert_eq!(Meter::Alternating(&gone).read(), None);
        assert_eq!(Meter::Parallel(&gone).read(), None);
        assert!(Meter::Parallel(&gone[..1]).read().is_some());
    }
}
