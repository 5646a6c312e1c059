//! Weeks of a watch, simulated: which planted shifts `oscope history` finds over its ring, and how often it finds one where none
//! is.

use analysis::{EarlierRuns, PastValue, PointHistory, Step};
use fastrand::Rng;
use record::{PlannedPoint, PointId};

/// Minutes of a week.
pub const WEEK: usize = 7 * 1_440;

/// Channels of a watch.
const CHANNELS: usize = 9;

/// How the minutes of a channel scatter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    Normal,
    /// Student's distribution with three degrees of freedom, scaled to the quartiles of the normal one.
    HeavyTails,
    /// Each minute resembles the one before by 0.3.
    Correlated,
}

pub const ALL: [Noise; 3] = [Noise::Normal, Noise::HeavyTails, Noise::Correlated];

/// What happens in a week.
#[derive(Debug, Clone, Copy)]
pub struct Week {
    pub noise: Noise,
    /// Deviation of a minute, as a share of the level.
    pub deviation: f64,
    /// Amplitude of a daily pattern, as a share.
    pub daily: f64,
    /// Share by which the level rises over the week.
    pub drift: f64,
    /// First minute of a shift, its length, and its size as a share.
    pub shift: Option<(usize, usize, f64)>,
}

pub const QUIET: Week = Week { noise: Noise::Normal, deviation: 0.01, daily: 0.0, drift: 0.0, shift: None };

fn normal(random: &mut Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

/// The steps that a history finds in such a week.
pub fn steps(week: &Week, seed: u64) -> Vec<Step> {
    let mut random = Rng::with_seed(seed);
    let mut last = 0.0;
    let value = |minute: usize| {
        let value = normal(&mut random);
        last = match week.noise {
            Noise::Normal => value,
            Noise::HeavyTails => {
                let squares: f64 = (0..3).map(|_| normal(&mut random).powi(2)).sum();
                value / (squares / 3.0).sqrt() * 0.882
            }
            Noise::Correlated => 0.3 * last + (1.0 - 0.09_f64).sqrt() * value,
        };
        let day = (minute as f64 / 1_440.0 * std::f64::consts::TAU).sin();
        let shift = week.shift.filter(|(from, length, _)| (*from..from + length).contains(&minute));
        let level = 1.0 + week.daily * day + week.drift * minute as f64 / WEEK as f64;
        let typical = 116.0 * level * (1.0 + shift.map_or(0.0, |(.., size)| size));
        PastValue {
            run: minute,
            revision: 1,
            verdict: "measured".into(),
            typical: Some(typical * (week.deviation * last).exp()),
            interval: None,
        }
    };
    let values: Vec<PastValue> = (0..WEEK).map(value).collect();
    let started: Vec<String> = (0..WEEK)
        .map(|minute| {
            let (day, hour) = (minute / 1_440 + 1, minute / 60 % 24);
            format!("2026-11-{day:02}T{hour:02}:{:02}:00Z", minute % 60)
        })
        .collect();
    let started: Vec<&str> = started.iter().map(String::as_str).collect();
    let point = PlannedPoint { revision: 1, ..PlannedPoint::new(PointId::new("memory.latency", "")) };
    PointHistory::new(point, values, &started, CHANNELS, &EarlierRuns::default()).steps
}

/// Whether a step begins where the shift does, at 95 % or within two minutes.
pub fn is_found(steps: &[Step], shift: (usize, usize, f64)) -> bool {
    let (from, ..) = shift;
    steps.iter().any(|step| step.earliest <= from + 2 && from <= step.latest + 2)
}
