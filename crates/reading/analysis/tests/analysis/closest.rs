//! Whose prediction was closest, over records of several users.

use crate::simulated::point;
use analysis::{Closest, KnownValue, Row, Verdict, closest, rows_of_known};
use record::{Machine, PlannedPoint, Prediction, UserPrediction};

/// A row that was measured as 100 within this share, and predicted so by its user.
fn row(guess: Option<f64>, share: f64, verdict: Verdict) -> Row {
    let user = guess.map(|typical| UserPrediction {
        typical,
        hardware: None,
        software: None,
        because: String::new(),
    });
    let known = KnownValue {
        point: PlannedPoint { user, ..point("a", "") },
        prediction: Prediction { from_facts: Vec::new(), from_parts: Vec::new() },
        verdict,
        typical: Some(100.0),
        interval: Some((100.0 * (1.0 - share), 100.0 * (1.0 + share))),
    };
    rows_of_known(&Machine::default(), vec![known]).remove(0)
}

fn among(rows: &[Row]) -> Vec<Option<Closest>> {
    closest(&rows.iter().map(Some).collect::<Vec<_>>())
}

#[test]
fn factors_decide_either_way() {
    let measured = |guess: f64| row(Some(guess), 0.01, Verdict::Measured);
    let rows = [measured(50.0), measured(190.0), measured(1000.0)];
    assert_eq!(among(&rows), [None, Some(Closest::Nearest), None]);
}

#[test]
fn what_the_intervals_leave_open_is_tied() {
    let measured = |guess: f64| row(Some(guess), 0.1, Verdict::Measured);
    let rows = [measured(98.0), measured(105.0), measured(400.0)];
    assert_eq!(among(&rows), [Some(Closest::Tied), Some(Closest::Tied), None]);
}

#[test]
fn rows_that_are_noisy_or_not_predicted_do_not_count() {
    let rows = [
        row(Some(100.0), 0.01, Verdict::Noisy),
        row(None, 0.01, Verdict::Measured),
        row(Some(300.0), 0.01, Verdict::Measured),
    ];
    assert_eq!(among(&rows), [None; 3]);
    assert_eq!(closest(&[]), []);
    assert_eq!(closest(&[None, None]), [None; 2]);
}
