//! A simulated machine: channels with noise, a course of what happens, and clocks that move only when it works or waits.

use quantity::Quantity;
use record::PointId;
use watch::{
    Action, Change, ChannelSpec, Conditions, Moment, Needs, NoReading, Output, Reading, Reason, Scene,
    TrialVerdict, Used, Watch, WatchSettings, drive,
};

pub const NS: f64 = 1e9;

/// What the channels are called, their areas, typical values in nanoseconds, and costs of a trial in milliseconds.
pub const CHANNELS: [(&str, &str, f64, f64); 8] = [
    ("system call", "os", 60.0, 4.0),
    ("wake-up, idle CPU", "os", 50_000.0, 5.0),
    ("wake-up, busy CPU", "os", 4_000.0, 35.0),
    ("pipe, other CPU", "os", 9_000.0, 15.0),
    ("load, L2", "memory", 4.0, 6.0),
    ("load, L3", "memory", 18.0, 15.0),
    ("load, DRAM", "memory", 110.0, 80.0),
    ("fsync", "file", 800_000.0, 9.0),
];

/// CPU time of a look at the budget and at the keys.
const LOOK_NS: f64 = 5e4;

/// Something that goes on from one second to another.
pub struct Plant {
    pub from_s: f64,
    pub to_s: f64,
    /// What the kernel counts meanwhile.
    pub conditions: Conditions,
    /// By what it multiplies the channels of an area.
    pub factors: Vec<(&'static str, f64)>,
}

pub struct Machine {
    pub boot_ns: f64,
    pub asleep_ns: f64,
    pub unix_offset_ns: f64,
    pub used: Used,
    pub random: fastrand::Rng,
    pub plants: Vec<Plant>,
    /// At which second the machine sleeps, the clock is set, the watch is stopped, and for how long.
    pub suspend: Option<(f64, f64)>,
    pub step: Option<(f64, f64)>,
    pub halt: Option<(f64, f64)>,
    pub offline_from_s: Option<f64>,
    pub full_from_s: Option<f64>,
    /// Spread of the channels.
    pub noise: f64,
    /// Amplitude of a daily pattern.
    pub daily: f64,
    pub trials: u64,
    /// Keys that are pressed, one at each wait.
    pub actions: Vec<Action>,
}

impl Machine {
    pub fn new(seed: u64) -> Self {
        Self {
            boot_ns: 1e12,
            asleep_ns: 0.0,
            unix_offset_ns: 1.7e18,
            used: Used::default(),
            random: fastrand::Rng::with_seed(seed),
            plants: Vec::new(),
            suspend: None,
            step: None,
            halt: None,
            offline_from_s: None,
            full_from_s: None,
            noise: 0.02,
            daily: 0.0,
            trials: 0,
            actions: Vec::new(),
        }
    }

    fn elapsed_s(&self) -> f64 {
        (self.boot_ns - 1e12) / NS
    }

    fn work(&mut self, ns: f64) {
        self.boot_ns += ns;
        let now_s = self.elapsed_s();
        if let Some((_, seconds)) = self.suspend.take_if(|(at_s, _)| now_s >= *at_s) {
            self.boot_ns += seconds * NS;
            self.asleep_ns += seconds * NS;
        }
        if let Some((_, seconds)) = self.halt.take_if(|(at_s, _)| now_s >= *at_s) {
            self.boot_ns += seconds * NS;
        }
        if let Some((_, seconds)) = self.step.take_if(|(at_s, _)| now_s >= *at_s) {
            self.unix_offset_ns += seconds * NS;
        }
    }

    fn plants(&self) -> impl Iterator<Item = &Plant> {
        let now_s = self.elapsed_s();
        self.plants.iter().filter(move |plant| (plant.from_s..plant.to_s).contains(&now_s))
    }

    /// A sample has an exponential tail to one side, as times have.
    fn sample(&mut self, typical: f64) -> f64 {
        typical * (1.0 - self.noise * self.random.f64().max(1e-9).ln())
    }
}

impl Scene for Machine {
    fn now(&mut self) -> Moment {
        Moment {
            boot_ns: self.boot_ns as i64,
            monotonic_ns: (self.boot_ns - self.asleep_ns) as i64,
            unix_ns: (self.boot_ns + self.unix_offset_ns) as i64,
        }
    }

    fn used(&mut self) -> Used {
        self.used
    }

    fn sample(&mut self, channel: usize) -> Option<Result<Reading, NoReading>> {
        let (_, area, typical, cost_ms) = CHANNELS[channel];
        self.work(cost_ms * 1e6);
        self.used.cpu_ns += cost_ms * 1e6;
        self.trials += 1;
        let now_s = self.elapsed_s();
        if area == "file" && self.full_from_s.is_some_and(|from_s| now_s >= from_s) {
            let why = "no space left on device".to_owned();
            return Some(Err(NoReading { verdict: TrialVerdict::Failed, why }));
        }
        let factors = self.plants().flat_map(|plant| &plant.factors).filter(|(of, _)| *of == area);
        let factor: f64 = factors.map(|(_, factor)| factor).product();
        let daily = 1.0 + self.daily * (now_s / 86_400.0 * std::f64::consts::TAU).sin();
        let state = 1.0 + self.noise * (self.random.f64() - 0.5);
        let samples = (0..12).map(|_| self.sample(typical * factor * daily * state)).collect();
        self.used.written_bytes += if area == "file" { 250_000.0 } else { 0.0 };
        self.used.wakeups += 3.0;
        Some(Ok(Reading { samples, core_hz: Some(3.1e9), ..Reading::default() }))
    }

    fn conditions(&mut self) -> Conditions {
        self.used.cpu_ns += 2e5;
        let mut conditions =
            self.plants().next().map_or_else(Conditions::default, |plant| plant.conditions.clone());
        let is_offline = self.offline_from_s.is_some_and(|from_s| self.elapsed_s() >= from_s);
        conditions.online = if is_offline { vec![0] } else { vec![0, 1] };
        conditions
    }

    fn wait(&mut self, seconds: f64) -> Option<Action> {
        self.work(seconds * NS + 1e3);
        self.used.cpu_ns += LOOK_NS;
        self.actions.pop()
    }
}

/// What came out of a watch.
#[derive(Default)]
pub struct Log {
    /// Reasons of the events that began, with the second.
    pub began: Vec<(f64, Reason)>,
    numbers: std::collections::BTreeSet<u64>,
    pub ticks: u64,
}

impl Output for Log {
    fn changed(&mut self, watch: &Watch, change: Change) {
        if let Change::Began(number) = change
            && self.numbers.insert(number)
            && let Some(event) = watch.event(number)
        {
            self.began.push((watch.elapsed_s(), event.reason));
        }
    }

    fn read(&mut self, _: &Watch, _: usize) {}

    fn tick(&mut self, _: &Watch, _: bool) {
        self.ticks += 1;
    }
}

pub fn specs() -> Vec<ChannelSpec> {
    let specs = CHANNELS.iter().map(|(label, area, ..)| ChannelSpec {
        id: PointId::new(label, ""),
        label: (*label).to_owned(),
        quantity: Quantity::Latency,
        area: (*area).to_owned(),
        needs: Needs {
            disk: *area == "file",
            uncounted: ["file", "network"].contains(area),
            ..Needs::default()
        },
        usual: None,
    });
    specs.collect()
}

/// Watches a machine for a time.
pub fn watched(machine: &mut Machine, seconds: f64) -> (Watch, Log) {
    let settings = WatchSettings { budget: 0.01, threshold: 0.2 };
    let mut watch = Watch::new(specs(), settings, machine.now());
    let mut seen = Log::default();
    drive(&mut watch, machine, &mut seen, seconds);
    (watch, seen)
}
