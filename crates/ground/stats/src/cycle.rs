//! A pattern that repeats, such as that of the hours of a day, and values without it.

use crate::order::median;

/// Fewest values of a period whose median counts.
const MIN_VALUES: usize = 3;

/// Fewest periods from which the effect of a phase is estimated.
const MIN_PERIODS: usize = 5;

/// The values less the effect of their phase: the median, over the periods, of the distance from the median of the period.
/// Of each value `period` says in which day it lies, and `phase` at which hour. Levels may change from period to period. A
/// phase of few periods has no effect. It is one round of Tukey's median polish, "Exploratory Data Analysis", 1977.
pub fn without_cycle(values: &[f64], period: &[usize], phase: &[usize]) -> Vec<f64> {
    let periods = medians(values, period, MIN_VALUES);
    let off: Vec<f64> = values
        .iter()
        .zip(period)
        .map(|(value, period)| value - periods.get(*period).copied().unwrap_or(f64::NAN))
        .collect();
    let effects = medians(&off, phase, MIN_PERIODS);
    let effect = |phase: &usize| effects.get(*phase).copied().filter(|effect| effect.is_finite());
    values.iter().zip(phase).map(|(value, phase)| value - effect(phase).unwrap_or(0.0)).collect()
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
    fn one_value_a_day_has_no_pattern() {
        let values = [1.0, 5.0, 2.0, 9.0, 3.0, 4.0, f64::NAN];
        let days: Vec<usize> = (0..7).collect();
        let without = without_cycle(&values, &days, &[3; 7]);
        assert_eq!(without.get(..6), values.get(..6));
        assert_eq!(without_cycle(&[], &[], &[]), [0.0; 0]);
    }
}
