//! How a run went round by round, and what the samples of a point look like together.

use crate::simulated::{point, row_of};
use analysis::{Analysis, Row};
use quantity::Quantity;

/// Rows of which every trial in the third round took a tenth more.
fn rows(count: usize, quantity: Quantity) -> Vec<Row> {
    let row = |index: usize| {
        let mut row = row_of(point(&format!("made.up{index}"), ""), 8, |_| {});
        row.point.quantity = quantity;
        let typical = row.estimate.as_ref().unwrap().typical;
        for trial in &mut row.trials {
            let slower = if trial.round == 3 { 1.1 } else { 1.0 };
            trial.typical = match quantity {
                Quantity::Bandwidth => typical / slower,
                _ => typical * slower,
            };
        }
        row
    };
    (0..count).map(row).collect()
}

#[test]
fn slow_round_deviates_from_one() {
    for quantity in [Quantity::Latency, Quantity::Bandwidth] {
        let drift = Analysis::from_rows(rows(6, quantity), 8, Vec::new()).drift_by_round;
        assert_eq!(drift.len(), 8);
        for round in drift {
            let expected = if round.round == 3 { 1.1 } else { 1.0 };
            assert!((round.middle - expected).abs() < 1e-9, "{round:?}");
            assert!(round.quartiles.0 <= round.middle && round.middle <= round.quartiles.1);
            assert_eq!(round.trials, 6);
        }
    }
}

#[test]
fn few_points_and_sizes_give_no_drift() {
    let drift = |rows| Analysis::from_rows(rows, 8, Vec::new()).drift_by_round;
    assert_eq!(drift(rows(4, Quantity::Latency)), []);
    assert_eq!(drift(rows(6, Quantity::Size)), []);
}

#[test]
fn a_row_with_a_number_has_its_samples_counted() {
    let row = row_of(point("made.up", ""), 8, |_| {});
    let all = row.distribution.expect("there are samples");
    let typical = row.estimate.unwrap().typical;
    assert!(all.samples() > 12 && all.low <= typical && typical <= all.high, "{all:?}");
}
