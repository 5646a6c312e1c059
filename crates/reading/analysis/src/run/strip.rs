//! A series of values as a strip of levels.

use stats::order::{Sorted, median};

/// Share of the median that a strip covers at least, so that a quiet point is flat.
const LEAST_RANGE: f64 = 0.04;

/// Share of the values at either end that may lie outside: one outlier would make the others flat.
const OUTSIDE: f64 = 0.02;

/// A cell of a strip.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StripCell {
    /// How high its values lie, from 0 to 1; `None` where none is known.
    pub level: Option<f64>,
    /// Whether a new level begins with one of its values.
    pub begins_level: bool,
}

/// The values in order of time in at most `width` cells: where there are more values, the median of several each. New levels
/// begin with the values at `steps`.
pub(super) fn strip(values: &[Option<f64>], steps: &[usize], width: usize) -> Vec<StripCell> {
    let sorted = Sorted::from_values(values.iter().flatten());
    let quantile = |share| sorted.quantile(share).unwrap_or(0.0);
    let (low, high, middle) = (quantile(OUTSIDE), quantile(1.0 - OUTSIDE), quantile(0.5));
    let range = (high - low).max(middle.abs() * LEAST_RANGE);
    let start = (low + high - range) / 2.0;
    let each = values.len().div_ceil(width.max(1)).max(1);
    let cells = values.chunks(each).enumerate().map(|(cell, values)| {
        let within = cell * each..cell * each + values.len();
        let share = |value: f64| if range > 0.0 { ((value - start) / range).clamp(0.0, 1.0) } else { 0.5 };
        StripCell {
            level: median(values.iter().flatten()).map(share),
            begins_level: steps.iter().any(|step| within.contains(step)),
        }
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(values: &[Option<f64>], width: usize) -> Vec<Option<f64>> {
        strip(values, &[], width).into_iter().map(|cell| cell.level).collect()
    }

    #[test]
    fn a_step_stands_out_and_noise_does_not() {
        let step: Vec<Option<f64>> = [1.0, 1.0, 2.0, 2.0].map(Some).to_vec();
        assert_eq!(levels(&step, 10), [0.0, 0.0, 1.0, 1.0].map(Some));
        let begins: Vec<bool> = strip(&step, &[2], 2).iter().map(|cell| cell.begins_level).collect();
        assert_eq!(begins, [false, true]);
        let noise = levels(&[100.0, 100.2, 99.8].map(Some), 10);
        assert!(noise.iter().flatten().all(|level| (0.4..0.6).contains(level)), "{noise:?}");
        assert_eq!(levels(&[Some(0.0); 2], 10), [Some(0.5); 2]);
    }

    #[test]
    fn many_values_share_a_cell_and_missing_ones_have_no_level() {
        let many: Vec<Option<f64>> = (0..100).map(|at| Some(if at < 50 { 1.0 } else { 3.0 })).collect();
        assert_eq!(levels(&many, 10), [[Some(0.0); 5], [Some(1.0); 5]].concat());
        assert_eq!(levels(&[Some(1.0), None, Some(3.0)], 10), [Some(0.0), None, Some(1.0)]);
        assert_eq!(levels(&[], 10), []);
    }
}
