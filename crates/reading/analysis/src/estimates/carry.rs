//! What a point costs at one clock of the core, although the clock changed from trial to trial.
//!
//! A core's clock follows what its neighbours leave of the package's power, over seconds: by a tenth up and down on shared
//! machines. What a point costs is proportional to some power of the clock, −1 for what only computes and 0 for what only
//! waits. That power is estimated from the point's own trials, and every trial is carried to the run's reference clock.

use crate::samples::summary::Summary;
use crate::thresholds::{CLEAR_CLOCK, CLOCK_SPREAD, CLOCK_TRIALS, KNOWN_CLOCK_SHARE};
use quantity::Quantity;
use stats::interval::Interval;
use stats::order::Sorted;
use stats::{slope, trend};

/// Trials from which a power is estimated at most: the work grows with the square.
const MOST_TRIALS: usize = 128;

/// Level of the interval of the power.
const LEVEL: f64 = 0.95;

/// How far a point's trials were carried to the reference clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Carried {
    /// Share of the cost that scales with the clock: the power with its sign turned.
    pub share: f64,
    /// How far below and above the value the truth may be because of the carrying, as shares of the value.
    pub error: [f64; 2],
}

impl Carried {
    /// An interval of a value with what the carrying adds to it. Both errors are independent of each other.
    pub fn widen(&self, value: f64, interval: Interval) -> Interval {
        let [below, above] = self.error.map(|error| error * value.abs());
        Interval {
            low: value - (value - interval.low).hypot(below),
            high: value + (interval.high - value).hypot(above),
            ..interval
        }
    }

    /// The larger error.
    pub(crate) fn largest(&self) -> f64 {
        let [below, above] = self.error;
        below.max(above)
    }
}

/// Carries trials to a clock; `None` where they do not depend on it or it did not change.
pub(crate) fn carry(summaries: &mut [Summary<'_>], quantity: Quantity, to_hz: f64) -> Option<Carried> {
    let pairs: Vec<(f64, f64)> = summaries.iter().filter_map(logarithms).collect();
    if pairs.len() < summaries.len() {
        return None;
    }
    let (carried, sign) = dependence(pairs, quantity, to_hz)?;
    for summary in summaries.iter_mut() {
        if let Some(hz) = summary.core_hz {
            summary.scale((to_hz / hz).powf(sign * carried.share));
        }
    }
    Some(carried)
}

/// Carries values to a clock, each measured at a clock of its own: pairs of clock and value; `None` where they do not depend
/// on it or it did not change.
pub fn at_one_clock(values: &mut [(f64, f64)], quantity: Quantity, to_hz: f64) -> Option<Carried> {
    if values.iter().any(|&(hz, value)| !(hz > 0.0 && value > 0.0)) {
        return None;
    }
    let pairs = values.iter().map(|&(hz, value)| (hz.ln(), value.ln())).collect();
    let (carried, sign) = dependence(pairs, quantity, to_hz)?;
    for (hz, value) in values.iter_mut() {
        *value *= (to_hz / *hz).powf(sign * carried.share);
        *hz = to_hz;
    }
    Some(carried)
}

/// How values depend on the clock, by pairs of logarithms of clock and value, and the sign of their power; `None` where they
/// do not, or it did not change.
fn dependence(mut pairs: Vec<(f64, f64)>, quantity: Quantity, to_hz: f64) -> Option<(Carried, f64)> {
    let falling = match quantity {
        Quantity::Latency => true,
        Quantity::Bandwidth | Quantity::Frequency => false,
        _ => return None,
    };
    if pairs.len() < CLOCK_TRIALS {
        return None;
    }
    let step = pairs.len().div_ceil(MOST_TRIALS);
    pairs = pairs.into_iter().step_by(step).collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let clocks = Sorted::from_values(pairs.iter().map(|pair| pair.0));
    if clocks.quantile(0.9)? - clocks.quantile(0.1)? < CLOCK_SPREAD {
        return None;
    }
    let sign = if falling { -1.0 } else { 1.0 };
    let power = slope::theil_sen(&pairs, LEVEL)?;
    if power.error > KNOWN_CLOCK_SHARE && !is_clear(&pairs, falling) {
        return None;
    }
    let share = (sign * power.value).clamp(0.0, 1.0);
    let by = sign * (to_hz.ln() - clocks.median()?);
    let off = shares(sign * power.value, power.error).map(|bound| by * (bound - share));
    let error = [-off.into_iter().fold(0.0, f64::min), off.into_iter().fold(0.0, f64::max)];
    Some((Carried { share, error }, sign))
}

/// The least and the largest share of the cost that may follow the clock. None follows it more than in proportion, and none
/// the other way, whatever the trials say; where most of what they say is beyond that, half of the error is left.
fn shares(value: f64, error: f64) -> [f64; 2] {
    let middle = value.clamp(-error / 2.0, 1.0 + error / 2.0);
    [middle - error, middle + error].map(|share| share.clamp(0.0, 1.0))
}

/// Whether the values depend on the clock as they must, by more than chance.
fn is_clear(pairs: &[(f64, f64)], falling: bool) -> bool {
    let values: Vec<f64> = pairs.iter().map(|pair| pair.1).collect();
    trend::mann_kendall(&values).is_some_and(|trend| trend.p < CLEAR_CLOCK && (trend.score < 0) == falling)
}

fn logarithms(summary: &Summary<'_>) -> Option<(f64, f64)> {
    let (hz, value) = (summary.core_hz?, summary.value.typical);
    (hz > 0.0 && value > 0.0).then(|| (hz.ln(), value.ln()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::samples::summary::TrialSamples;
    use crate::samples::tests::kept_of_values;

    fn summary(kept: &TrialSamples, core_hz: Option<f64>, typical: f64) -> Summary<'_> {
        let mut summary = kept.summary(|_, _| true).unwrap();
        summary.core_hz = core_hz;
        summary.value.typical = typical;
        summary
    }

    /// The clock with this logarithm above that of 3 GHz.
    fn clock(above: f64) -> f64 {
        3e9 * above.exp()
    }

    /// How trials of these clocks and values, both as logarithms, were carried to a clock, and what they became.
    fn carried(trials: &[(f64, f64)], quantity: Quantity, to: f64) -> Option<(Carried, Vec<f64>)> {
        let kept = kept_of_values(1, &[1.0]);
        let summaries = trials.iter().map(|(hz, value)| summary(&kept, Some(clock(*hz)), value.exp()));
        let mut summaries: Vec<Summary<'_>> = summaries.collect();
        let carried = carry(&mut summaries, quantity, clock(to))?;
        Some((carried, summaries.iter().map(|summary| summary.value.typical.ln()).collect()))
    }

    /// Trials whose clock rises by this step, with values that are this power of it.
    fn power(count: u32, step: f64, power: f64) -> Vec<(f64, f64)> {
        (0..count).map(|at| step * f64::from(at)).map(|hz| (hz, power * hz)).collect()
    }

    /// Eight clocks that rise by 0.01; the values change by 0.04 behind the fourth, and by this share of the clock.
    fn jump(sign: f64, share: f64) -> Vec<(f64, f64)> {
        (0..8)
            .map(|at| (0.01 * f64::from(at), if at < 4 { 0.0 } else { 0.04 }))
            .map(|(hz, jump)| (hz, sign * (share * hz + jump)))
            .collect()
    }

    fn assert_near(found: &[f64], expected: &[f64]) {
        let near = found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9);
        assert!(near && found.len() == expected.len(), "{found:?} {expected:?}");
    }

    #[test]
    fn trials_that_follow_the_clock_become_those_of_the_reference_clock() {
        for (quantity, sign) in
            [(Quantity::Latency, -1.0), (Quantity::Bandwidth, 1.0), (Quantity::Frequency, 1.0)]
        {
            for share in [1.0, 0.5, 0.0] {
                let (carried, values) = carried(&power(8, 0.01, sign * share), quantity, 0.2).unwrap();
                assert_near(&[carried.share], &[share]);
                assert_near(&values, &[sign * share * 0.2; 8]);
            }
            let (carried, _) = carried(&power(8, 0.01, sign * 1.5), quantity, 0.2).unwrap();
            assert_eq!(carried.share, 1.0, "more than in proportion is noise");
        }
    }

    #[test]
    fn values_are_carried_as_trials_are() {
        let mut values: Vec<(f64, f64)> =
            power(8, 0.01, -0.5).into_iter().map(|(hz, value)| (clock(hz), value.exp())).collect();
        let carried = at_one_clock(&mut values, Quantity::Latency, clock(0.2)).unwrap();
        assert_near(&[carried.share], &[0.5]);
        assert!(values.iter().all(|(hz, value)| *hz == clock(0.2) && (value.ln() + 0.1).abs() < 1e-9));
        values[0].1 = 0.0;
        assert_eq!(at_one_clock(&mut values, Quantity::Latency, clock(0.2)), None);
    }

    #[test]
    fn only_eight_trials_or_more_of_which_each_has_a_clock_that_changed_are_carried() {
        for (count, step, quantity, expected) in [
            (7, 0.01, Quantity::Latency, false),
            (8, 0.01, Quantity::Latency, true),
            (8, 0.01, Quantity::Size, false),
            // Eight tenths of seven steps are 0.0056 and 0.0028.
            (8, 0.001, Quantity::Latency, true),
            (8, 0.0005, Quantity::Latency, false),
        ] {
            let carried = carried(&power(count, step, -1.0), quantity, 0.0);
            assert_eq!(carried.is_some(), expected, "{count} {step}");
        }
        let kept = kept_of_values(1, &[1.0]);
        let trials = power(9, 0.01, -1.0);
        let summaries = trials.iter().map(|(hz, value)| summary(&kept, Some(clock(*hz)), value.exp()));
        let mut summaries: Vec<Summary<'_>> = summaries.collect();
        summaries[8].core_hz = None;
        assert_eq!(carry(&mut summaries, Quantity::Latency, 3e9), None);
    }

    #[test]
    fn a_power_that_is_hardly_known_is_used_only_where_the_dependence_is_clear() {
        // Within each half all values are equal: 16 of 28 pairs fall, which chance does in 3 of 100 cases.
        assert_eq!(carried(&jump(-1.0, 0.0), Quantity::Latency, 0.0), None);
        // All 28 pairs fall. The slopes in the middle are -0.04 / 0.06 and what the values follow the clock by.
        let share = 0.04 / 0.06 + 0.001;
        let (falling, _) = carried(&jump(-1.0, 0.001), Quantity::Latency, 0.045).unwrap();
        // The error is 0.71: nothing and all may follow the clock. The middle of the clocks is 0.035.
        let error = [0.01 * (1.0 - share), 0.01 * share];
        assert_near(&[falling.share, falling.error[0], falling.error[1]], &[share, error[0], error[1]]);
        assert_near(&[falling.largest()], &[error[1]]);
        let (rising, _) = carried(&jump(1.0, 0.001), Quantity::Bandwidth, 0.045).unwrap();
        assert_near(&[rising.share, rising.error[0], rising.error[1]], &[share, error[1], error[0]]);
        assert_near(&[rising.largest()], &[error[1]]);
        assert_eq!(carried(&jump(1.0, 0.001), Quantity::Latency, 0.045), None, "it rises with the clock");
    }

    #[test]
    fn a_dependence_is_clear_in_its_own_direction_only() {
        // By chance six values fall all along in 9 of 1000 cases, and five in 27.
        for (values, falling, rising) in [
            (&[6.0, 5.0, 4.0, 3.0, 2.0, 1.0][..], true, false),
            (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], false, true),
            (&[5.0, 4.0, 3.0, 2.0, 1.0], false, false),
            (&[1.0, 2.0, 3.0, 4.0, 5.0], false, false),
            (&[1.0; 8], false, false),
        ] {
            let pairs: Vec<(f64, f64)> = values.iter().map(|value| (0.0, *value)).collect();
            assert_eq!((is_clear(&pairs, true), is_clear(&pairs, false)), (falling, rising), "{values:?}");
        }
    }

    #[test]
    fn only_positive_numbers_have_logarithms() {
        let kept = kept_of_values(1, &[1.0]);
        for (core_hz, typical, expected) in [
            (Some(1.0), 1.0, Some((0.0, 0.0))),
            (None, 1.0, None),
            (Some(0.0), 1.0, None),
            (Some(-1.0), 1.0, None),
            (Some(1.0), 0.0, None),
            (Some(1.0), -1.0, None),
            (Some(f64::NAN), 1.0, None),
        ] {
            assert_eq!(logarithms(&summary(&kept, core_hz, typical)), expected, "{core_hz:?} {typical}");
        }
    }

    #[test]
    fn no_share_is_beyond_none_or_all() {
        assert_eq!(shares(0.5, 0.25), [0.25, 0.75]);
        assert_eq!(shares(0.875, 0.25), [0.625, 1.0]);
        assert_eq!(shares(9.0, 0.5), [0.75, 1.0]);
        assert_eq!(shares(-9.0, 0.5), [0.0, 0.25]);
        assert_eq!(shares(0.5, f64::INFINITY), [0.0, 1.0]);
    }

    #[test]
    fn carrying_widens_each_end_by_what_it_may_be_off_there() {
        let carried = Carried { share: 1.0, error: [0.0, 0.04] };
        let (low, high) = carried.widen(100.0, Interval::at_level(98.0, 103.0, 0.95)).ends();
        assert!((low - 98.0).abs() < 1e-9 && (high - 105.0).abs() < 1e-9, "{low} {high}");
    }
}
