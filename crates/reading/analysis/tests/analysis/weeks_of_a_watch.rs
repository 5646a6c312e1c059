//! What a history finds in the ring of a watch. `cargo run --release -p oscope-analysis --example weeks` has the whole table.

use crate::weeks::{ALL, Noise, QUIET, WEEK, Week, is_found, steps};

#[test]
fn quiet_weeks_have_no_steps_whatever_their_noise_and_their_days() {
    let quiet = ALL.map(|noise| Week { noise, ..QUIET });
    for week in quiet.into_iter().chain([Week { daily: 0.03, ..QUIET }, Week { daily: 0.1, ..QUIET }]) {
        for seed in 0..3 {
            assert_eq!(steps(&week, seed), [], "{week:?} {seed}");
        }
    }
}

#[test]
fn shifts_are_found_from_a_length_on_that_depends_on_their_size() {
    for (minutes, size, least, most) in [
        (10, 0.01, 0, 0),
        (240, 0.01, 8, 10),
        (WEEK - 5_000, 0.01, 8, 10),
        (5, 0.2, 0, 0),
        (10, 0.05, 10, 10),
        (10, 0.2, 10, 10),
    ] {
        let found = (0..10).filter(|seed| {
            let shift = (4_000 + 37 * *seed as usize, minutes, size);
            let week = Week { noise: Noise::Normal, shift: Some(shift), ..QUIET };
            is_found(&steps(&week, 1_000 + seed), shift)
        });
        let found = found.count();
        assert!((least..=most).contains(&found), "{minutes} minutes of {size}: {found}");
    }
}

#[test]
fn a_drift_of_a_week_is_called_drift() {
    let found: Vec<_> = (0..5).flat_map(|seed| steps(&Week { drift: 0.05, ..QUIET }, seed)).collect();
    assert!(!found.is_empty() && found.iter().all(|step| step.is_drift), "{found:?}");
}
