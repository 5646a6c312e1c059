//! The clock of probes and trials as a trait, so that tests measure on a simulated one: ticks around batches, the kernel's
//! time around waits, and the additions that probe a core.

use sys::arch;
use sys::clock::Moment;
use sys::kernel_time::raw_nanos;

/// The machine's own clock.
pub type MachineClock = sys::clock::Clock;

/// What probes and trials are timed by. Everything generic over it is compiled for [`MachineClock`] alone outside tests.
pub trait Clock: Copy {
    /// One moment on this clock and on the kernel's.
    type Moment: Copy;
    /// Ticks now, read so that nothing of what follows has begun.
    fn start(self) -> i64;
    /// Ticks now, read so that all that went before is done.
    fn stop(self) -> i64;
    /// This moment.
    fn moment(self) -> Self::Moment;
    /// Nanoseconds in a tick, from two moments.
    fn nanos_per_tick(self, from: Self::Moment, to: Self::Moment) -> f64;
    /// What two reads in a row differ by.
    fn cost_ticks(self) -> f64;
    /// The kernel's time in nanoseconds.
    fn nanos(self) -> i64;
    /// Additions that depend on each other, 50 in a turn.
    fn dependent_adds(self, turns: u64);
    /// Additions that do not, 50 in a turn.
    fn independent_adds(self, turns: u64);
    /// Waits for a time that differs from one number to the next.
    fn dither(self, number: u64);
}

impl Clock for MachineClock {
    type Moment = Moment;

    #[inline(always)]
    fn start(self) -> i64 {
        Self::start(self)
    }

    #[inline(always)]
    fn stop(self) -> i64 {
        Self::stop(self)
    }

    fn moment(self) -> Moment {
        Self::moment(self)
    }

    fn nanos_per_tick(self, from: Moment, to: Moment) -> f64 {
        Self::nanos_per_tick(self, from, to)
    }

    fn cost_ticks(self) -> f64 {
        Self::cost_ticks(self)
    }

    #[inline(always)]
    fn nanos(self) -> i64 {
        raw_nanos()
    }

    #[inline(always)]
    fn dependent_adds(self, turns: u64) {
        std::hint::black_box(arch::dependent_adds(turns));
    }

    #[inline(always)]
    fn independent_adds(self, turns: u64) {
        std::hint::black_box(arch::independent_adds(turns));
    }

    #[inline(always)]
    fn dither(self, number: u64) {
        sys::clock::dither(number);
    }
}
