//! Simulated weeks: how often an event is false, and which planted changes are found.

use crate::scene::{Machine, Plant, watched};
use watch::Conditions;

const WEEK_S: f64 = 7.0 * 86_400.0;

#[test]
fn quiet_weeks_have_few_false_alarms() {
    let mut alarms = 0;
    for (seed, noise, daily) in [(1, 0.02, 0.0), (2, 0.05, 0.0), (3, 0.02, 0.1)] {
        let mut machine = Machine::new(seed);
        (machine.noise, machine.daily) = (noise, daily);
        let (_, seen) = watched(&mut machine, WEEK_S / 3.0);
        alarms += seen.began.len();
    }
    // In sum a week.
    assert_eq!(alarms, 0);
}

#[test]
fn share_of_planted_changes_that_is_found_depends_on_their_size() {
    let mut found = Vec::new();
    for factor in [1.01, 1.05, 1.2, 1.3, 1.5] {
        let seen = (0..10).filter(|&seed| {
            let mut machine = Machine::new(100 + seed);
            let (conditions, factors) = (Conditions::default(), vec![("memory", factor)]);
            machine.plants.push(Plant { from_s: 1_200.0, to_s: 2_400.0, conditions, factors });
            let (_, seen) = watched(&mut machine, 2_400.0);
            !seen.began.is_empty()
        });
        found.push(seen.count());
    }
    println!("of 10 changes by 1 %, 5 %, 20 %, 30 %, 50 %: {found:?}");
    // The threshold is 20 %: smaller ones are for change points over the records.
    assert_eq!((found[0], found[1], found[3], found[4]), (0, 0, 10, 10));
}
