//! A simulated clock and core: coarse ticks, drift, jumps, and a neighbour that comes and goes.

use crate::clock::Clock;
use std::cell::RefCell;

/// What reading a clock takes.
const READ_NS: f64 = 20.0;
/// Turns of dependent additions: 50 cycles at 3 GHz.
pub const TURN_NS: f64 = 50.0 / 3.0;
/// Independent additions in the time of a dependent one.
const WIDTH: f64 = 3.0;

/// A clock on which time passes only when something is done.
#[derive(Debug, Clone, Copy)]
pub struct Simulated(&'static RefCell<Core>);

/// The clock and the core that it is read on.
#[derive(Debug, Clone)]
pub struct Core {
    /// Nanoseconds since the beginning.
    pub now: f64,
    /// Nanoseconds in a tick.
    pub tick_ns: f64,
    /// By which share the clock gains on the kernel's in a second.
    pub drift: f64,
    /// Jumps of the clock: when, and by how many ticks.
    pub jumps: Vec<(f64, i64)>,
    /// Who shares the core.
    pub neighbour: Option<Neighbour>,
}

/// A neighbour in stretches of random lengths, which slows all but dependent additions.
#[derive(Debug, Clone)]
pub struct Neighbour {
    /// Factor by which it slows independent additions and other work.
    pub slowdown: f64,
    /// Mean length of a quiet and of a shared stretch.
    pub stretches: [f64; 2],
    /// Seed of the stretches.
    pub seed: u64,
    is_shared: bool,
    until: f64,
}

impl Neighbour {
    /// A neighbour with these stretches.
    pub fn new(slowdown: f64, stretches: [f64; 2], seed: u64) -> Self {
        Self { slowdown, stretches, seed: seed * 2 + 1, is_shared: false, until: 0.0 }
    }

    /// The stretch at this moment.
    fn at(&mut self, now: f64) -> f64 {
        while self.until <= now {
            self.is_shared = !self.is_shared;
            // Xorshift; its upper bits are a uniform number.
            self.seed ^= self.seed << 13;
            self.seed ^= self.seed >> 7;
            self.seed ^= self.seed << 17;
            let uniform = (self.seed >> 11) as f64 / (1u64 << 53) as f64;
            self.until += -self.stretches[usize::from(self.is_shared)] * (1.0 - uniform).ln().min(-1e-3);
        }
        if self.is_shared { self.slowdown } else { 1.0 }
    }
}

impl Core {
    /// A clock of 1 GHz on a core without neighbours.
    pub fn plain() -> Self {
        Self { now: 0.0, tick_ns: 1.0, drift: 0.0, jumps: Vec::new(), neighbour: None }
    }

    fn ticks(&self) -> i64 {
        let gained = self.now * (1.0 + self.drift * self.now / 1e9);
        let jumped: i64 = self.jumps.iter().filter(|(at, _)| *at <= self.now).map(|(_, ticks)| ticks).sum();
        (gained / self.tick_ns).floor() as i64 + jumped
    }

    /// Does what takes this long on a core of its own.
    fn work(&mut self, mut nanos: f64) {
        while let Some(neighbour) = &mut self.neighbour {
            let slowdown = neighbour.at(self.now);
            let left = (neighbour.until - self.now) / slowdown;
            if nanos <= left {
                self.now += nanos * slowdown;
                return;
            }
            (nanos, self.now) = (nanos - left, neighbour.until);
        }
        self.now += nanos;
    }
}

impl Simulated {
    /// A clock on this core.
    pub fn new(core: Core) -> Self {
        Self(Box::leak(Box::new(RefCell::new(core))))
    }

    /// Does what takes this long on a core of its own.
    pub fn work(&self, nanos: f64) {
        self.0.borrow_mut().work(nanos);
    }

    /// Nanoseconds since the beginning.
    pub fn now(&self) -> f64 {
        self.0.borrow().now
    }

    /// Whether the neighbour is there.
    pub fn is_shared(&self) -> bool {
        let mut core = self.0.borrow_mut();
        let now = core.now;
        core.neighbour.as_mut().is_some_and(|neighbour| neighbour.at(now) > 1.0)
    }
}

impl Clock for Simulated {
    type Moment = (i64, f64);

    fn start(self) -> i64 {
        let mut core = self.0.borrow_mut();
        core.work(READ_NS);
        core.ticks()
    }

    fn stop(self) -> i64 {
        self.start()
    }

    fn moment(self) -> Self::Moment {
        (self.start(), self.now())
    }

    fn nanos_per_tick(self, from: Self::Moment, to: Self::Moment) -> f64 {
        match to.0 > from.0 {
            true => (to.1 - from.1) / (to.0 - from.0) as f64,
            false => self.0.borrow().tick_ns,
        }
    }

    fn cost_ticks(self) -> f64 {
        READ_NS / self.0.borrow().tick_ns
    }

    fn nanos(self) -> i64 {
        self.0.borrow_mut().work(READ_NS);
        self.now() as i64
    }

    fn dependent_adds(self, turns: u64) {
        self.0.borrow_mut().now += turns as f64 * TURN_NS;
    }

    fn independent_adds(self, turns: u64) {
        self.work(turns as f64 * TURN_NS / WIDTH);
    }

    fn dither(self, number: u64) {
        self.0.borrow_mut().now += (number * 23 % 61) as f64 / 3.0;
    }
}
