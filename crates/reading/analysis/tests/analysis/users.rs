//! A user's own predictions beside the program's.

use crate::predictions::{from_parts, run};
use crate::simulated::point;
use analysis::{Analysis, Closer, Row, Verdict};
use record::{Formula, PlannedPoint, Prediction, UserPrediction};

/// A point that costs 100 ns, of which the user says this, and the program that.
fn row_with(user: f64, program: Option<f64>) -> Row {
    let planned = PlannedPoint {
        user: Some(UserPrediction { typical: user, hardware: None, software: None, because: String::new() }),
        ..point("whole", "")
    };
    let prediction =
        program.map_or_else(Prediction::default, |program| from_parts(Formula::exactly(program)));
    run(planned, prediction)
}

#[test]
fn closer_prediction_has_the_smaller_factor() {
    for (user, program, closer) in [
        (90.0, Some(200.0), Some(Closer::User)),
        (300.0, Some(110.0), Some(Closer::Program)),
        (50.0, Some(190.0), Some(Closer::Program)),
        (50.0, Some(200.0), Some(Closer::Neither)),
        (100.01, Some(100.0), Some(Closer::Neither)),
        (100.0, None, None),
        (100.0, Some(-5.0), Some(Closer::User)),
    ] {
        assert_eq!(row_with(user, program).closer(), closer, "{user} against {program:?}");
    }
}

#[test]
fn over_all_the_geometric_means_are_compared_where_both_predicted() {
    let rows = vec![
        row_with(50.0, Some(110.0)),
        row_with(200.0, Some(110.0)),
        row_with(100.0, Some(400.0)),
        row_with(800.0, None),
    ];
    assert!(rows.iter().all(|row| row.verdict == Verdict::Measured));
    let contest = Analysis::from_rows(rows, 12, Vec::new()).accuracy.user.unwrap();
    let close = |one: f64, other: f64| (one / other - 1.0).abs() < 0.02;
    assert_eq!(contest.points, 4);
    assert!(close(contest.mean, 32f64.powf(0.25)), "{contest:?}");
    let duel = contest.shown.unwrap();
    assert_eq!((duel.points, duel.user_closer, duel.program_closer), (3, 1, 2));
    assert!(
        close(duel.user, 4f64.powf(1.0 / 3.0)) && close(duel.program, 4.84f64.powf(1.0 / 3.0)),
        "{duel:?}"
    );
    assert_eq!(contest.from_facts, None);
}

#[test]
fn noisy_rows_have_no_winner_and_are_counted_beside_the_score() {
    let mut noisy = row_with(90.0, Some(200.0));
    noisy.verdict = Verdict::Noisy;
    assert_eq!(noisy.closer(), None);
    let rows = vec![row_with(90.0, Some(200.0)), noisy];
    let user = Analysis::from_rows(rows, 12, Vec::new()).accuracy.user.unwrap();
    assert_eq!((user.points, user.noisy), (1, 1));
    assert_eq!(user.shown.map(|duel| duel.user_closer), Some(1));
}

#[test]
fn no_user_predictions_no_user_accuracy() {
    let row = run(point("whole", ""), from_parts(Formula::exactly(1.0)));
    assert_eq!(Analysis::from_rows(vec![row], 1, Vec::new()).accuracy.user, None);
}
