//! A pattern that repeats, such as that of the hours of a day, and values without it.

use crate::order::median;
use std::collections::BTreeMap;

/// Fewest values of a period whose median counts.
const MIN_VALUES: usize = 3;

/// Fewest periods from which the effect of a phase is estimated.
const MIN_PERIODS: usize = 5;

/// The values less the effect of their phase: the median, over the periods, of the distance from the line that joins the
/// medians of the periods, so that a drift is no pattern. Of each value `period` says in which day it lies, and `phase` at
/// which hour. Levels may change from period to period. A phase of few periods has no effect; several values of a phase in
/// a period count as their median. It is one round of Tukey's median polish, "Exploratory Data Analysis", 1977.
pub fn without_cycle(values: &[f64], period: &[usize], phase: &[usize]) -> Vec<f64> {
    let periods = medians(values, period, MIN_VALUES);
    let knots = centres(&periods, period);
    let off: Vec<f64> = values
        .iter()
        .zip(period)
        .enumerate()
        .map(|(at, (value, period))| match periods.get(*period) {
            Some(median) if median.is_finite() => value - interpolated(&knots, at as f64),
            _ => f64::NAN,
        })
        .collect();
    let mut cells: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for ((off, phase), period) in off.iter().zip(phase).zip(period).filter(|((off, _), _)| off.is_finite()) {
        cells.entry((*phase, *period)).or_default().push(*off);
    }
    let phases: Vec<usize> = cells.keys().map(|(phase, _)| *phase).collect();
    let of_periods: Vec<f64> = cells.values().filter_map(median).collect();
    let effects = medians(&of_periods, &phases, MIN_PERIODS);
    let effect = |phase: &usize| effects.get(*phase).copied().filter(|effect| effect.is_finite());
    values.iter().zip(phase).map(|(value, phase)| value - effect(phase).unwrap_or(0.0)).collect()
}

/// The middle of each period, among all values, and its median; those that are known.
fn centres(medians: &[f64], period: &[usize]) -> Vec<(f64, f64)> {
    let mut sums = vec![(0.0, 0.0); medians.len()];
    for (at, period) in period.iter().enumerate() {
        if let Some((sum, count)) = sums.get_mut(*period) {
            (*sum, *count) = (*sum + at as f64, *count + 1.0);
        }
    }
    let centres = sums.iter().zip(medians).map(|((sum, count), median)| (sum / count, *median));
    centres.filter(|(centre, median)| centre.is_finite() && median.is_finite()).collect()
}

/// The height at `x` of the line that joins the knots, which are in order; before the first and after the last one it is level.
fn interpolated(knots: &[(f64, f64)], x: f64) -> f64 {
    let after = knots.partition_point(|(at, _)| *at <= x);
    let before = after.checked_sub(1).and_then(|before| knots.get(before));
    match (before, knots.get(after)) {
        (Some((from, low)), Some((to, high))) => low + (high - low) * (x - from) / (to - from),
        (Some((_, level)), None) | (None, Some((_, level))) => *level,
        (None, None) => f64::NAN,
    }
}

/// The median of each group; not a number for a group of fewer than `least` values.
fn medians(values: &[f64], group: &[usize], least: usize) -> Vec<f64> {
    let mut groups: Vec<Vec<f64>> = Vec::new();
    for (value, group) in values.iter().zip(group).filter(|(value, _)| value.is_finite()) {
        if groups.len() <= *group {
            groups.resize(group + 1, Vec::new());
        }
        groups[*group].push(*value);
    }
    let known = groups.iter().map(|group| median(group).filter(|_| group.len() >= least));
    known.map(|median| median.unwrap_or(f64::NAN)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_of_a_day_is_removed_and_a_step_stays() {
        let hours = 24 * 30;
        let [period, phase]: [Vec<usize>; 2] =
            [(0..hours).map(|hour| hour / 24).collect(), (0..hours).map(|hour| hour % 24).collect()];
        let values: Vec<f64> = (0..hours)
            .map(|hour| {
                (hour as f64 / 24.0 * std::f64::consts::TAU).sin() + if hour < 360 { 0.0 } else { 5.0 }
            })
            .collect();
        let flat = without_cycle(&values, &period, &phase);
        assert!(flat.iter().take(360).all(|value| value.abs() < 0.2), "{flat:?}");
        assert!(flat.iter().skip(360).all(|value| (value - 5.0).abs() < 0.2), "{flat:?}");
    }

    #[test]
    fn a_day_of_many_values_has_no_pattern_of_its_own() {
        let hours = |per_hour: usize| -> Vec<usize> { (0..24 * per_hour).map(|at| at / per_hour).collect() };
        let values: Vec<f64> = hours(60).iter().map(|hour| if *hour < 7 { 1.0 } else { 2.0 }).collect();
        assert_eq!(without_cycle(&values, &vec![0; values.len()], &hours(60)), values);
    }

    #[test]
    fn a_drift_is_no_pattern() {
        let hours = 24 * 10;
        let [period, phase]: [Vec<usize>; 2] =
            [(0..hours).map(|hour| hour / 24).collect(), (0..hours).map(|hour| hour % 24).collect()];
        let values: Vec<f64> = (0..hours).map(|hour| f64::from(u32::try_from(hour).unwrap_or(0))).collect();
        let flat = without_cycle(&values, &period, &phase);
        assert!(flat.iter().zip(&values).all(|(flat, value)| (flat - value).abs() < 1e-6), "{flat:?}");
    }

    #[test]
    fn one_value_a_day_has_no_pattern() {
        let values = [1.0, 5.0, 2.0, 9.0, 3.0, 4.0, f64::NAN];
        let days: Vec<usize> = (0..7).collect();
        let without = without_cycle(&values, &days, &[3; 7]);
        assert_eq!(without.get(..6), values.get(..6));
        assert_eq!(without_cycle(&[], &[], &[]), [0.0; 0]);
    }
}
