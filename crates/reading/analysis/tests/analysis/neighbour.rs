//! A simulated core whose other hardware thread works for another program, and a worker that waits until it is idle.

use crate::simulated::{normal, trial};
use fastrand::Rng;
use record::{CoreLooks, Looks, PointId, Role, Sampling, Series, Trial, TriggerRequest};

/// A neighbour that comes and goes: alternating stretches of exponential length.
#[derive(Clone, Copy)]
pub struct Neighbour {
    /// Share of the time that it uses the core.
    pub duty: f64,
    /// Mean length of a stretch, its own and the quiet ones together, in nanoseconds.
    pub stretch_ns: f64,
    /// Factor by which it slows the operation.
    pub slowdown: f64,
    /// Factor by which it slows independent additions: 1 where it leaves the issue width alone.
    pub probe: f64,
}

/// A shared core with one operation.
#[derive(Clone, Copy)]
pub struct SharedCore {
    /// Nanoseconds per iteration on the undivided core at the highest clock: the truth.
    pub cost_ns: f64,
    /// Share of the cost that scales with the clock.
    pub elasticity: f64,
    /// Length of the shortest batch of a triple in nanoseconds; `None` where every iteration is timed individually.
    pub batch_ns: Option<f64>,
    /// Share of iterations that take three times as long, for reasons of their own.
    pub tail: f64,
    /// Deviation between processes of the logarithm of the cost.
    pub layout: f64,
    /// Change of the logarithm of the clock from trial to trial; 0 leaves it at its highest.
    pub clock_step: f64,
    /// Factor by which the neighbour slows dependent additions.
    pub longer_chain: f64,
    /// Step of the clock in ticks.
    pub quantum: f64,
    /// The neighbour.
    pub neighbour: Neighbour,
}

impl Default for SharedCore {
    fn default() -> Self {
        Self {
            cost_ns: 130.0,
            elasticity: 0.9,
            batch_ns: Some(10_000.0),
            tail: 0.0,
            layout: 0.01,
            clock_step: 0.03,
            longer_chain: 1.0,
            // 10 ns.
            quantum: 20.0,
            neighbour: Neighbour { duty: 0.5, stretch_ns: 2e6, slowdown: 1.5, probe: 1.5 },
        }
    }
}

/// The highest clock of the core, where it stays for a part of the time, and the lowest.
pub const CLOCK: (f64, f64) = (2.6e9, 3.25e9);
/// How far above its highest clock the core would go if it could, as a logarithm.
const PLATEAU: f64 = 0.05;
const NS_PER_TICK: f64 = 0.5;
/// Deviation between batches of the logarithm of the cost.
const NOISE: f64 = 0.004;
/// Cycles of each probe on an undivided core, and the time that a look takes besides.
const PROBES: (f64, f64) = (4_000.0, 3_000.0);
/// Share of probes of the clock that are interrupted, which makes the core seem wider.
const MISREAD: f64 = 0.02;
const LOOK_BESIDES_NS: f64 = 100.0;
/// Reading times and counts around a batch.
const READING_NS: f64 = 600.0;
/// Time between two trials.
const BETWEEN_TRIALS_NS: f64 = 5e8;

// What the worker does; see `trigger`, `batches` and `singles` in measure.
const QUIET: f64 = 1.08;
const FIRST_LOOKS: usize = 32;
const FREE: usize = 4;
const ENOUGH: usize = 16;
const MOST: usize = 64;
const SPEND_NS: f64 = 3e6;
const MOST_LOOKS: usize = 4_096;
const PAUSES_NS: (f64, f64) = (10_000.0, 200_000.0);

/// One run of such a core.
pub struct Core {
    machine: SharedCore,
    random: Rng,
    now_ns: f64,
    is_shared: bool,
    left_ns: f64,
    walk: f64,
    hz: f64,
}

impl Core {
    pub fn new(machine: SharedCore, seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let is_shared = random.f64() < machine.neighbour.duty;
        let walk = random.f64();
        let mut core = Self {
            machine,
            random,
            now_ns: 0.0,
            is_shared,
            left_ns: 0.0,
            walk: CLOCK.0.ln() + walk * (PLATEAU + (CLOCK.1 / CLOCK.0).ln()),
            hz: CLOCK.1,
        };
        core.left_ns = core.stretch_ns();
        core
    }

    pub fn now_ns(&self) -> f64 {
        self.now_ns
    }

    /// Another neighbour comes.
    pub fn change(&mut self, neighbour: Neighbour) {
        self.machine.neighbour = neighbour;
        self.is_shared = self.random.f64() < neighbour.duty;
        self.left_ns = self.stretch_ns();
    }

    fn mean_ns(&self, is_shared: bool) -> f64 {
        let Neighbour { duty, stretch_ns, .. } = self.machine.neighbour;
        2.0 * stretch_ns * if is_shared { duty } else { 1.0 - duty }
    }

    fn stretch_ns(&mut self) -> f64 {
        -self.mean_ns(self.is_shared) * (1.0 - self.random.f64()).ln()
    }

    /// Does nothing for so long: the state of a neighbour without memory is drawn, not followed.
    fn pass(&mut self, ns: f64) {
        let duty = self.machine.neighbour.duty;
        self.now_ns += ns;
        if ns < self.left_ns {
            self.left_ns -= ns;
            return;
        }
        // The stretch ended; what follows it forgets its state with the sum of both rates.
        let rest_ns = ns - self.left_ns;
        let next = !self.is_shared;
        let rate = 1.0 / self.mean_ns(true) + 1.0 / self.mean_ns(false);
        let start = f64::from(u8::from(next));
        self.is_shared = self.random.f64() < duty + (start - duty) * (-rest_ns * rate).exp();
        self.left_ns = self.stretch_ns();
    }

    /// Does work of so long on an undivided core, which the neighbour slows by a factor; gives how long it took.
    fn work(&mut self, mut quiet_ns: f64, slowdown: f64) -> f64 {
        let began = self.now_ns;
        loop {
            let factor = if self.is_shared { slowdown } else { 1.0 };
            let lasts = quiet_ns * factor;
            if lasts <= self.left_ns {
                self.left_ns -= lasts;
                self.now_ns += lasts;
                return self.now_ns - began;
            }
            quiet_ns -= self.left_ns / factor;
            self.now_ns += self.left_ns;
            self.is_shared = !self.is_shared;
            self.left_ns = self.stretch_ns();
        }
    }

    fn read(&mut self, ns: f64) -> i64 {
        let quantum = self.machine.quantum;
        let start = self.random.f64() * quantum;
        (((start + ns / NS_PER_TICK) / quantum).floor() * quantum) as i64
    }

    /// Lets the time until the next trial pass, in which the clock wanders.
    fn rest(&mut self) {
        self.pass(BETWEEN_TRIALS_NS);
        let (low, high) = (CLOCK.0.ln(), CLOCK.1.ln() + PLATEAU);
        self.walk += self.machine.clock_step * normal(&mut self.random);
        if self.walk > high {
            self.walk = 2.0 * high - self.walk;
        }
        if self.walk < low {
            self.walk = 2.0 * low - self.walk;
        }
        if self.machine.clock_step > 0.0 {
            self.hz = self.walk.exp().min(CLOCK.1);
        }
    }

    /// The trial of one round, by a fresh worker.
    pub fn trial(&mut self, id: &PointId, round: u32, request: &TriggerRequest) -> Trial {
        self.rest();
        let layout = (self.machine.layout * normal(&mut self.random)).exp();
        let slower = (CLOCK.1 / self.hz).powf(self.machine.elasticity);
        let cost_ns = self.machine.cost_ns * layout * slower;
        let started_ns = self.now_ns as u64;
        let mut worker = Worker::new(self, request, cost_ns);
        worker.until_spent();
        let (series, looks, waited_ns) = (worker.series, worker.looks, worker.waited_ns);
        Trial {
            started_ns,
            core_hz: Some(clock_of(&looks)),
            looks: Some(looks),
            waited_ns: Some(waited_ns as u64),
            attributes: record::Attributes::new(),
            ..trial(id, round, NS_PER_TICK, vec![series])
        }
    }
}

/// The clock of the core by the middle half of the chains, as the worker computes it.
fn clock_of(looks: &Looks) -> f64 {
    let mut chains = looks.cores[0].chain.clone();
    chains.sort_unstable();
    let quarter = chains.len() / 4;
    let middle = &chains[quarter..chains.len() - quarter];
    let mean = middle.iter().sum::<i64>() as f64 / middle.len() as f64;
    PROBES.0 / (mean * NS_PER_TICK) * 1e9
}

/// A process that takes the samples of one trial.
struct Worker<'c> {
    core: &'c mut Core,
    request: &'c TriggerRequest,
    born_ns: f64,
    cost_ns: f64,
    series: Series,
    looks: Looks,
    waited_ns: f64,
}

impl<'c> Worker<'c> {
    fn new(core: &'c mut Core, request: &'c TriggerRequest, cost_ns: f64) -> Self {
        let iterations = |batch_ns: f64| (batch_ns / core.machine.cost_ns).max(1.0) as u64;
        let (sampling, n) = match core.machine.batch_ns {
            Some(batch_ns) => (Sampling::Triples, iterations(batch_ns)),
            None => (Sampling::Individual, 1),
        };
        let mut series = Series::new(Role::Main, sampling, n);
        series.free = FREE as u32;
        let cpu = Some(1);
        let mut worker = Self {
            born_ns: core.now_ns,
            core,
            request,
            cost_ns,
            series,
            looks: Looks {
                at: Vec::new(),
                additions: PROBES.0 as u64,
                cores: vec![CoreLooks { cpu, ..CoreLooks::default() }],
            },
            waited_ns: 0.0,
        };
        if request.timeout_ns.is_some() && request.quiet.is_empty() {
            (0..FIRST_LOOKS).for_each(|_| {
                worker.look();
            });
        }
        worker
    }

    fn look(&mut self) -> u32 {
        self.looks.at.push(((self.core.now_ns - self.born_ns) / NS_PER_TICK) as i64);
        let cycle_ns = 1e9 / self.core.hz;
        let slower = self.core.machine.neighbour.probe;
        let longer = self.core.machine.longer_chain;
        let mut chain_ns = self.core.work(PROBES.0 * cycle_ns, longer);
        if self.core.random.f64() < MISREAD {
            chain_ns *= 1.0 + self.core.random.f64();
        }
        let width_ns = self.core.work(PROBES.1 * cycle_ns, slower * longer);
        self.core.pass(LOOK_BESIDES_NS);
        let (chain, width) = (self.core.read(chain_ns), self.core.read(width_ns));
        self.looks.cores[0].chain.push(chain);
        self.looks.cores[0].width.push(width);
        (self.looks.at.len() - 1) as u32
    }

    fn is_quiet(&self, look: u32) -> bool {
        let core = &self.looks.cores[0];
        let quiet = self.request.quiet.first().map(|(_, ratio)| *ratio);
        let own = || {
            let mut ratios: Vec<f64> = (0..core.width.len()).filter_map(|look| core.ratio(look)).collect();
            ratios.sort_unstable_by(f64::total_cmp);
            ratios[(0.15 * ratios.len() as f64) as usize]
        };
        core.ratio(look as usize).unwrap() <= QUIET * quiet.unwrap_or_else(own)
    }

    fn is_out_of_time(&self) -> bool {
        let timeout = self.request.timeout_ns;
        timeout.is_none_or(|timeout| self.waited_ns >= timeout as f64) || self.looks.at.len() >= MOST_LOOKS
    }

    fn must_wait(&self, look: u32) -> bool {
        !self.is_out_of_time() && !self.is_quiet(look)
    }

    fn wait(&mut self) {
        let (began, before, mut pause) = (self.core.now_ns, self.waited_ns, PAUSES_NS.0);
        while !self.is_out_of_time() {
            let look = self.look();
            self.waited_ns = before + self.core.now_ns - began;
            if self.is_quiet(look) {
                return;
            }
            self.core.pass(pause);
            pause = (pause * 1.5).min(PAUSES_NS.1);
        }
    }

    /// One batch of n iterations, in ticks.
    fn batch(&mut self, iterations: u64) -> i64 {
        let machine = self.core.machine;
        let random = &mut self.core.random;
        let is_slow = random.f64() < machine.tail;
        let factor = if is_slow { 3.0 } else { 1.0 } * (NOISE * normal(random)).exp();
        self.core.pass(READING_NS);
        let ns = self.core.work(self.cost_ns * iterations as f64 * factor, machine.neighbour.slowdown);
        self.core.read(ns + 10.0)
    }

    fn sample(&mut self) {
        let n = self.series.n;
        let batches = match self.series.sampling {
            Sampling::Triples => vec![n, 2 * n, 4 * n],
            _ => vec![n],
        };
        for iterations in batches {
            let ticks = self.batch(iterations);
            self.series.ticks.push(ticks);
        }
    }

    fn until_spent(&mut self) {
        let (mut samples, mut quiet, mut spent_ns) = (0, 0, 0.0);
        let least = if self.core.machine.batch_ns.is_some() { 12 } else { 5 };
        let mut before = self.look();
        loop {
            let in_time = spent_ns < SPEND_NS;
            let waits = self.request.timeout_ns.is_some();
            let is_over = match waits && !self.is_out_of_time() {
                true => quiet >= ENOUGH || quiet >= least && !in_time,
                false => samples >= least && !in_time || waits && quiet >= ENOUGH,
            };
            if is_over || samples >= MOST {
                return;
            }
            if samples >= FREE && self.must_wait(before) {
                self.wait();
                self.batch(self.series.n);
                before = self.look();
                if self.must_wait(before) {
                    continue;
                }
            }
            let began = self.core.now_ns;
            self.sample();
            self.series.look.push(before);
            let after = self.look();
            quiet += usize::from(self.is_quiet(before) && self.is_quiet(after));
            samples += 1;
            spent_ns += self.core.now_ns - began;
            before = after;
        }
    }
}
