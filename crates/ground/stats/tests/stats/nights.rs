//! Simulated nights of a point.

use fastrand::Rng;
use stats::change_points::{ChangePoint, change_points};

/// Nights of a year.
pub const YEAR: usize = 365;

/// Deviation between nights, as a share of the level.
pub const DEVIATION: f64 = 0.005;

/// How the values of nights scatter, as a share of the level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Noise {
    Normal,
    /// Student's distribution with three degrees of freedom, as runs on a shared machine.
    HeavyTails,
    /// Each night resembles the one before by 0.3.
    Correlated,
    /// One night of twenty lies ten deviations off, to either side.
    Outliers,
}

fn normal(random: &mut Rng) -> f64 {
    (0..12).map(|_| random.f64()).sum::<f64>() - 6.0
}

/// Logarithms of values whose deviation is this share.
pub fn nights(random: &mut Rng, count: usize, noise: Noise, deviation: f64) -> Vec<f64> {
    let mut last = 0.0;
    let values = (0..count).map(|_| {
        let value = normal(random);
        let value = match noise {
            Noise::Normal => value,
            // Scaled to the quartiles of the normal distribution: 0.7649 against 0.6745.
            Noise::HeavyTails => {
                let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
                value / (squares / 3.0).sqrt() * 0.882
            }
            Noise::Correlated => 0.3 * last + (1.0 - 0.09_f64).sqrt() * value,
            Noise::Outliers if random.u8(0..20) == 0 => {
                if random.bool() {
                    10.0
                } else {
                    -10.0
                }
            }
            Noise::Outliers => value,
        };
        last = value;
        100_f64.ln() + deviation * value
    });
    values.collect()
}

pub const ALL: [Noise; 4] = [Noise::Normal, Noise::HeavyTails, Noise::Correlated, Noise::Outliers];

pub fn found(values: &[f64], series: usize) -> Vec<ChangePoint> {
    change_points(values, 0.0, series)
}

/// Nights before a planted step and after it.
pub fn planted(seed: u64, noise: Noise, before: usize, after: usize, deviations: f64) -> Vec<f64> {
    let mut values = nights(&mut Rng::with_seed(seed), before + after, noise, DEVIATION);
    values.iter_mut().skip(before).for_each(|value| *value += deviations * DEVIATION);
    values
}
