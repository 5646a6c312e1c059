//! The clock that times batches: the processor's counter where it can be trusted, the kernel's otherwise.

use crate::{arch, kernel_time};

/// A clock for timed batches; its unit is the tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// The processor's counter, read between fences.
    Counter,
    /// `clock_gettime(CLOCK_MONOTONIC_RAW)`; a tick is a nanosecond.
    Kernel,
}

/// One moment on both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    ticks: i64,
    nanos: i64,
}

impl Clock {
    /// The counter when it is invariant and the kernel keeps its own time by it; the kernel's clock
    /// otherwise, also when /sys cannot be read.
    pub fn select() -> Self {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
        let source = std::fs::read_to_string(path).unwrap_or_default();
        if arch::TRUSTED_CLOCK_SOURCES.contains(&source.trim()) && arch::counter_is_invariant() {
            Self::Counter
        } else {
            Self::Kernel
        }
    }

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counter => arch::COUNTER_NAME,
            Self::Kernel => "monotonic_raw",
        }
    }

    /// Ticks now, read so that nothing of what follows has begun.
    #[inline(always)]
    pub fn start(self) -> i64 {
        match self {
            Self::Counter => arch::counter_start(),
            Self::Kernel => kernel_time::raw_nanos(),
        }
    }

    /// Ticks now, read so that all that went before is done.
    #[inline(always)]
    pub fn stop(self) -> i64 {
        match self {
            Self::Counter => arch::counter_stop(),
            Self::Kernel => kernel_time::raw_nanos(),
        }
    }

    /// This moment on this clock and on the kernel's: the tightest of several attempts.
    pub fn moment(self) -> Moment {
        let mut best = (i64::MAX, Moment { ticks: 0, nanos: 0 });
        for _ in 0..8 {
            let before = kernel_time::raw_nanos();
            let ticks = self.start();
            let after = kernel_time::raw_nanos();
            if after - before < best.0 {
                best = (after - before, Moment { ticks, nanos: before + (after - before) / 2 });
            }
        }
        best.1
    }

    /// Nanoseconds in a tick, from two moments; 1 for the kernel's clock and for moments too close to tell.
    pub fn nanos_per_tick(self, from: Moment, to: Moment) -> f64 {
        match self {
            Self::Counter if to.ticks > from.ticks && to.nanos > from.nanos => {
                (to.nanos - from.nanos) as f64 / (to.ticks - from.ticks) as f64
            }
            _ => 1.0,
        }
    }

    /// What two reads in a row differ by, in the mean over several that begin at other phases of the clock's step: a median
    /// would be wrong by up to that step, which is a third of the cost on some processors. What was interrupted is left out.
    pub fn cost_ticks(self) -> f64 {
        let mut costs = [0; COST_READS];
        for (number, cost) in (0..).zip(&mut costs) {
            dither(number);
            let start = self.start();
            *cost = self.stop() - start;
        }
        costs.sort_unstable();
        let limit = 2 * costs[COST_READS / 2];
        let usual = &costs[..costs.partition_point(|&cost| cost <= limit)];
        usual.iter().sum::<i64>() as f64 / usual.len().max(1) as f64
    }
}

/// Pairs of reads from which the cost of a read is taken: with a step of 10 ns the mean is good to 0.4 ns.
const COST_READS: usize = 129;

/// Phases of a dithered start; prime to any power of two.
const PHASES: u64 = 61;

/// Waits for a time that differs from one number to the next by some cycles, some 100 cycles at most: without it all
/// readings of a loop begin at the same phase of a coarse clock's step, whose error then does not average out.
pub fn dither(number: u64) {
    for turn in 0..number * 23 % PHASES {
        std::hint::black_box(turn);
    }
}

impl Moment {
    /// Ticks since another moment.
    pub fn ticks_since(self, earlier: Self) -> i64 {
        self.ticks - earlier.ticks
    }

    /// Nanoseconds of the kernel's clock since another moment.
    pub fn nanos_since(self, earlier: Self) -> i64 {
        self.nanos - earlier.nanos
    }
}
