//! Plateaus of a rising staircase: how high each step is, and where it ends.

use crate::isotonic;
use crate::order::median;

/// A stretch of a curve that hardly rises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plateau {
    /// Its height: the median of its values.
    pub height: f64,
    /// Where it begins.
    pub first: f64,
    /// The last place that belongs to it.
    pub last: f64,
    /// Where the curve crosses from it to the next, half way on a logarithmic scale; `None` for the last.
    pub edge: Option<f64>,
}

/// What counts as a plateau.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shape {
    /// Factor by which values of one plateau may differ.
    pub flat: f64,
    /// Factor in place that a plateau spans at least.
    pub long: f64,
    /// Factor by which neighbours differ at least; nearer ones are one.
    pub step: f64,
}

/// The plateaus of a curve given as (place, value), both positive, in rising order of places.
///
/// The curve is made monotonic first (a larger working set is never faster; what falls is noise), then stretches
/// within `flat` of their median are taken from left to right, the longest at each place.
pub fn plateaus(curve: &[(f64, f64)], shape: Shape) -> Vec<Plateau> {
    let usable = curve.iter().filter(|(place, value)| *place > 0.0 && *value > 0.0);
    let (places, logs): (Vec<f64>, Vec<f64>) = usable.map(|(place, value)| (*place, value.ln())).unzip();
    let fitted = isotonic::non_decreasing(&logs);
    let stretches = joined(&fitted, stretches(&places, &fitted, shape), shape);
    let heights: Vec<f64> = stretches.iter().map(|stretch| height(&fitted, stretch)).collect();
    let next = heights.iter().skip(1).map(Some).chain([None]);
    stretches
        .iter()
        .zip(heights.iter().zip(next))
        .filter_map(|(stretch, (height, next))| {
            Some(Plateau {
                height: height.exp(),
                first: *places.get(stretch.start)?,
                last: *places.get(stretch.end - 1)?,
                edge: next.and_then(|next| crossing(&places, &fitted, (height + next) / 2.0)),
            })
        })
        .collect()
}

type Stretch = std::ops::Range<usize>;

/// Stretches that are flat and long enough, from left to right, without overlap.
fn stretches(places: &[f64], fitted: &[f64], shape: Shape) -> Vec<Stretch> {
    let (flat, mut found, mut start) = (shape.flat.ln(), Vec::new(), 0);
    while let (Some(place), Some(low)) = (places.get(start), fitted.get(start)) {
        let end = fitted.partition_point(|value| *value <= low + flat);
        let last = places.get(end - 1).unwrap_or(place);
        let is_last = end == fitted.len();
        if *last >= place * shape.long || (is_last && end - start > 2) {
            found.push(start..end);
            start = end;
        } else {
            start += 1;
        }
    }
    found
}

/// Neighbours that differ by less than a step become one.
fn joined(fitted: &[f64], stretches: Vec<Stretch>, shape: Shape) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    for stretch in stretches {
        match all.last_mut() {
            Some(before) if height(fitted, &stretch) - height(fitted, before) < shape.step.ln() => {
                before.end = stretch.end;
            }
            _ => all.push(stretch),
        }
    }
    all
}

/// The median of the values of a stretch.
fn height(fitted: &[f64], stretch: &Stretch) -> f64 {
    fitted.get(stretch.clone()).and_then(median).unwrap_or(0.0)
}

/// Where a rising curve passes a value, between two places on a logarithmic scale.
fn crossing(places: &[f64], fitted: &[f64], value: f64) -> Option<f64> {
    let after = fitted.partition_point(|one| *one < value);
    let before = after.checked_sub(1)?;
    let (low, high) = (fitted.get(before)?, fitted.get(after)?);
    let (left, right) = (places.get(before)?.ln(), places.get(after)?.ln());
    let share = if high > low { (value - low) / (high - low) } else { 0.5 };
    Some((left + share * (right - left)).exp())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SHAPE: Shape = Shape { flat: 1.2, long: 1.5, step: 1.3 };

    /// A machine with caches of these sizes and latencies, and memory of the last latency.
    fn machine(levels: &[(f64, f64)], memory: f64, wobble: f64) -> Vec<(f64, f64)> {
        let mut seed = 1_u64;
        (0..130)
            .map(|step| {
                let size = 4.0 * 2_f64.powf(f64::from(step) / 8.0);
                let mut latency = levels.first().map_or(memory, |level| level.1);
                for (index, (capacity, here)) in levels.iter().enumerate() {
                    let next = levels.get(index + 1).map_or(memory, |level| level.1);
                    // Beyond its capacity a cache keeps a share that falls off within an octave.
                    let kept = (2.0 * capacity / size - 1.0).clamp(0.0, 1.0);
                    if size > *capacity {
                        latency = kept * here + (1.0 - kept) * next;
                    }
                }
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let luck = (seed >> 33) as f64 / f64::from(1_u32 << 31);
                (size, latency * (1.0 + wobble * luck))
            })
            .collect()
    }

    #[test]
    fn the_levels_of_known_machines_are_found() {
        for levels in [
            vec![(32.0, 1.2), (256.0, 3.5), (8192.0, 12.0)],
            vec![(48.0, 1.7), (2048.0, 5.3), (16_384.0, 36.0)],
            vec![(64.0, 1.0), (1024.0, 4.0)],
        ] {
            for wobble in [0.0, 0.05] {
                let found = plateaus(&machine(&levels, 100.0, wobble), SHAPE);
                assert_eq!(found.len(), levels.len() + 1, "{levels:?}: {found:?}");
                for (plateau, (capacity, latency)) in found.iter().zip(&levels) {
                    let (edge, height) = (plateau.edge.unwrap() / capacity, plateau.height / latency);
                    assert!((0.95..1.6).contains(&edge), "{levels:?}: {found:?}");
                    assert!((0.95..1.1).contains(&height), "{levels:?}: {found:?}");
                }
                assert_eq!(found.last().unwrap().edge, None);
            }
        }
    }

    #[test]
    fn a_flat_curve_is_one_plateau_and_a_slope_is_none() {
        let flat: Vec<(f64, f64)> = (1..100).map(|place| (f64::from(place), 5.0)).collect();
        assert_eq!(plateaus(&flat, SHAPE).len(), 1);
        let slope: Vec<(f64, f64)> = (1..40).map(|place| (1.2_f64.powi(place), 2_f64.powi(place))).collect();
        assert!(plateaus(&slope, SHAPE).is_empty());
        assert!(plateaus(&[], SHAPE).is_empty());
        assert!(plateaus(&[(1.0, -1.0), (0.0, 2.0)], SHAPE).is_empty());
    }

    #[test]
    fn an_edge_is_where_the_curve_passes_the_middle_on_a_logarithmic_scale() {
        let curve = [(1.0, 1.0), (2.0, 1.0), (4.0, 1.0), (8.0, 1.5), (16.0, 4.0), (32.0, 4.0), (64.0, 4.0)];
        let found = plateaus(&curve, SHAPE);
        let ends: Vec<(f64, f64)> = found.iter().map(|plateau| (plateau.first, plateau.last)).collect();
        assert_eq!(ends, [(1.0, 4.0), (16.0, 64.0)]);
        assert!((found[0].edge.unwrap() - 9.803_554_6).abs() < 1e-6, "{found:?}");
        // A value of zero is no measurement.
        let spoilt = [&[(0.5, 0.0)], &curve[..]].concat();
        assert_eq!(plateaus(&spoilt, SHAPE), found);
    }

    #[test]
    fn the_last_plateau_may_be_short_but_has_three_places() {
        for (places, expected) in [(2, 0), (3, 1)] {
            let rise = (0..6).map(|at| (1.2_f64.powi(at), 2_f64.powi(at)));
            let last = (0..places).map(|at| (3.0 + 0.1 * f64::from(at), 40.0));
            assert_eq!(plateaus(&rise.chain(last).collect::<Vec<_>>(), SHAPE).len(), expected);
        }
    }
}
