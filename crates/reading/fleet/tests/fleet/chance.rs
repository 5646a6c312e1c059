//! How many machines and runs are called odd where none is: no more than is claimed.

use crate::machines::{Made, fleet_of, imports};
use fleet::survey;

/// What is claimed: in a fleet without a fault anything is called odd with this probability, in the whole report.
const CLAIMED: f64 = 0.01;

/// How many of many fleets without a fault have a machine or a run that is called odd.
fn alarms(fleets: u64, made: &Made) -> u64 {
    let has_alarm = |seed: &u64| {
        let found = survey(&fleet_of(imports(&Made { seed: *seed, ..made.clone() }, |_| None)));
        found.types.iter().any(|of| !of.odd.is_empty() || !of.odd_runs.is_empty())
    };
    (0..fleets).filter(has_alarm).count() as u64
}

/// Checks that fleets like these, this number of each, have no more alarms than chance gives at the claimed rate: three deviations
/// above its mean. `OSCOPE_FLEETS` times as many are made where it is set.
fn check(fleets: u64, made: &[Made]) {
    let more = std::env::var("OSCOPE_FLEETS").ok().and_then(|more| more.parse().ok());
    let fleets = fleets * more.unwrap_or(1);
    let mean = (fleets * made.len() as u64) as f64 * CLAIMED;
    let most = mean + 3.0 * (mean * (1.0 - CLAIMED)).sqrt();
    let found: Vec<u64> = made.iter().map(|made| alarms(fleets, made)).collect();
    let all: u64 = found.iter().sum();
    eprintln!("alarms in {fleets} fleets of each kind: {found:?}");
    assert!(all as f64 <= most, "{found:?} of {fleets} fleets each, at most {most} in all");
}

fn made(machines: usize, runs: usize, together: f64) -> Made {
    Made { machines, runs, together, ..Made::default() }
}

#[test]
fn false_alarms_of_fleets_keep_the_claimed_rate() {
    check(40, &[made(5, 1, 0.0), made(6, 2, 0.0), made(12, 1, 0.0), made(8, 5, 0.0), made(30, 2, 0.0)]);
}

#[test]
fn false_alarms_of_runs_of_one_machine_keep_the_claimed_rate() {
    check(80, &[made(1, 5, 0.0), made(1, 8, 0.0), made(1, 6, 0.02)]);
}

#[test]
fn false_alarms_keep_the_claimed_rate_where_the_points_of_a_run_vary_together() {
    check(50, &[made(5, 1, 0.02), made(8, 2, 0.02), made(20, 1, 0.02)]);
}
