//! The false alarms and the planted steps that `docs/HISTORY.md` cites: minutes, in release.

#[path = "../tests/stats/nights.rs"]
mod nights;

use fastrand::Rng;
use nights::{ALL, DEVIATION, YEAR, found, nights, planted};

fn main() {
    alarms();
    powers();
}

/// Whether a night of a year says that the newest level began among the last ten nights, each night judged anew.
fn has_alarm(year: &[f64], series: usize) -> bool {
    let mut nights = (20..=year.len()).rev();
    nights.any(|night| found(&year[..night], series).iter().any(|change| change.at + 10 >= night))
}

/// Years of noise with a false alarm.
fn alarms() {
    for (noise, series) in ALL.into_iter().flat_map(|noise| [(noise, 1), (noise, 500)]) {
        let years = 1000;
        let alarms = (0..years)
            .filter(|seed| has_alarm(&nights(&mut Rng::with_seed(*seed), YEAR, noise, DEVIATION), series));
        println!("{noise:?}, {series} series: {} of {years} years have an alarm", alarms.count());
    }
}

/// Percent of planted steps that are found within 3 to 60 nights.
fn powers() {
    for (noise, series) in ALL.into_iter().flat_map(|noise| [(noise, 1), (noise, 500)]) {
        for deviations in [1.0, 2.0, 6.0, 20.0] {
            let found = [3, 5, 10, 20, 60].map(|after| {
                let seen = (0..500).filter(|seed| {
                    let changes = found(&planted(*seed, noise, 100, after, deviations), series);
                    changes.iter().any(|change| change.earliest <= 100 && 100 <= change.latest)
                });
                format!("{:.0}", seen.count() as f64 / 5.0)
            });
            println!("| {noise:?}, {series} | {deviations} | {} |", found.join(" | "));
        }
    }
}
