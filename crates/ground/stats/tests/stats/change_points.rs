//! Simulated years of a point: how often a step is found where there is none, and how soon a planted one is.

use crate::nights::{ALL, DEVIATION, Noise, YEAR, found, nights, planted};
use fastrand::Rng;
use stats::change_points::Shape;

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
