//! Simulated years of a point: how often a step is found where there is none, and how soon a planted one is.

use fastrand::Rng;
use stats::change_points::{ChangePoint, Shape, change_points};

/// Nights of a year.
const YEAR: usize = 365;

/// Deviation between nights, as a share of the level.
const DEVIATION: f64 = 0.005;

/// How the values of nights scatter, as a share of the level.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Noise {
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
fn nights(random: &mut Rng, count: usize, noise: Noise, deviation: f64) -> Vec<f64> {
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

const ALL: [Noise; 4] = [Noise::Normal, Noise::HeavyTails, Noise::Correlated, Noise::Outliers];

fn found(values: &[f64], series: usize) -> Vec<ChangePoint> {
    change_points(values, 0.0, series)
}

/// Nights before a planted step and after it.
fn planted(seed: u64, noise: Noise, before: usize, after: usize, deviations: f64) -> Vec<f64> {
    let mut values = nights(&mut Rng::with_seed(seed), before + after, noise, DEVIATION);
    values.iter_mut().skip(before).for_each(|value| *value += deviations * DEVIATION);
    values
}

#[test]
fn a_year_of_noise_has_few_changes() {
    for noise in ALL {
        let years = (0..200).map(|seed| nights(&mut Rng::with_seed(seed), YEAR, noise, DEVIATION));
        let (one, of_many) = years
            .fold((0, 0), |(one, many), year| (one + found(&year, 1).len(), many + found(&year, 500).len()));
        assert!(one <= 6 && of_many <= 1, "{noise:?}: {one} and {of_many} of 200");
    }
}

#[test]
fn planted_steps_are_found_where_and_as_large_as_they_are() {
    // Deviations, nights after the step, and how many of a hundred must be found at least.
    for (noise, deviations, after, least) in [
        (Noise::Normal, 1.0, 60, 75),
        (Noise::Normal, 2.0, 10, 80),
        (Noise::Normal, 6.0, 3, 85),
        (Noise::HeavyTails, 2.0, 20, 80),
        (Noise::HeavyTails, 6.0, 3, 80),
        (Noise::Correlated, 6.0, 7, 80),
        (Noise::Outliers, 20.0, 5, 70),
    ] {
        let (mut seen, mut covered, mut steps) = (0, 0, 0);
        for seed in 0..100 {
            let changes = found(&planted(seed, noise, 100, after, deviations), 1);
            let Some(change) = changes.iter().find(|change| change.earliest <= 100 && 100 <= change.latest)
            else {
                continue;
            };
            assert!(change.earliest <= change.at && change.at <= change.latest, "{change:?}");
            seen += 1;
            steps += usize::from(change.shape == Shape::Step);
            let size = change.size.unwrap();
            let truth = deviations * DEVIATION;
            covered += usize::from(size.low <= truth && truth <= size.high);
        }
        assert!(seen >= least, "{noise:?} {deviations} {after}: {seen}");
        // One deviation is too little to distinguish a step from a slope.
        assert!(deviations < 2.0 || steps * 10 >= seen * 9, "{noise:?} {deviations}: {steps} of {seen}");
        // Weak steps are found where noise adds to them, so their size is somewhat large.
        assert!(covered * 10 >= seen * 8, "{noise:?} {deviations} {after}: {covered} of {seen}");
    }
}

#[test]
fn two_steps_are_two_and_a_block_of_outliers_is_none() {
    let mut values = planted(4, Noise::Normal, 100, 200, 8.0);
    values.iter_mut().skip(200).for_each(|value| *value -= 4.0 * DEVIATION);
    values[50] += 1.0;
    values[250] = f64::NAN;
    let changes = found(&values, 1);
    assert_eq!(changes.iter().map(|change| change.at).collect::<Vec<_>>(), [100, 200]);
    assert!(changes.iter().all(|change| change.shape == Shape::Step));
    assert_eq!(changes.first().map(|change| change.after.clone()), Some(100..200));
}

#[test]
fn a_drift_is_not_called_a_step() {
    let (mut steps, mut drifts) = (0, 0);
    for seed in 0..40 {
        let mut values = nights(&mut Rng::with_seed(seed), YEAR, Noise::Normal, DEVIATION);
        values.iter_mut().zip(0..).for_each(|(value, night)| *value += 0.04 / 365.0 * f64::from(night));
        for change in found(&values, 1) {
            match change.shape {
                Shape::Step => steps += 1,
                Shape::Drift => drifts += 1,
            }
        }
    }
    assert!(drifts > 60 && steps * 10 < drifts, "{steps} steps, {drifts} drifts");
}

#[test]
fn few_nights_have_no_change() {
    assert_eq!(found(&[1.0, 1.0, 1.0, 9.0, 9.0, 9.0, 9.0], 1), []);
    assert_eq!(found(&[], 1), []);
    assert_eq!(found(&[3.0; 50], 1), []);
    let exact: Vec<f64> = (0..20).map(|night| if night < 17 { 5.0 } else { 6.0 }).collect();
    assert_eq!(found(&exact, 1).iter().map(|change| change.at).collect::<Vec<_>>(), [17]);
}

/// Whether a night of a year says that the newest level began among the last ten nights, each night judged anew.
fn has_alarm(year: &[f64], series: usize) -> bool {
    let mut nights = (20..=year.len()).rev();
    nights.any(|night| found(&year[..night], series).iter().any(|change| change.at + 10 >= night))
}

#[test]
#[ignore = "minutes, in release: prints the false alarms that docs/HISTORY.md cites"]
fn alarms() {
    for (noise, series) in ALL.into_iter().flat_map(|noise| [(noise, 1), (noise, 500)]) {
        let years = 1000;
        let alarms = (0..years)
            .filter(|seed| has_alarm(&nights(&mut Rng::with_seed(*seed), YEAR, noise, DEVIATION), series));
        println!("{noise:?}, {series} series: {} of {years} years have an alarm", alarms.count());
    }
}

#[test]
#[ignore = "in release: prints the planted steps that docs/HISTORY.md cites"]
fn powers() {
    for (noise, series) in ALL.into_iter().flat_map(|noise| [(noise, 1), (noise, 500)]) {
        for deviations in [1.0, 2.0, 6.0, 20.0] {
            let found = [3, 5, 10, 20, 60].map(|after| {
                let seen = (0..500).filter(|seed| {
                    let changes = found(&planted(*seed, noise, 100, after, deviations), series);
                    changes.iter().any(|change| change.earliest <= 100 && 100 <= change.latest)
                });
                format!("{:.0}", seen.count() as f64 / 5.0)
            });
            println!("| {noise:?}, {series} | {deviations} | {} |", found.join(" | "));
        }
    }
}
