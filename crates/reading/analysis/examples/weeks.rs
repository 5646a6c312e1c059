//! The false alarms and the planted shifts that `docs/WATCH.md` cites: a minute or two, in release.

#[path = "../tests/analysis/weeks.rs"]
mod weeks;

use weeks::{ALL, Noise, QUIET, WEEK, Week, is_found, steps};

/// Weeks of nine channels for each line of the false alarms, and of one channel for each planted shift.
const WEEKS: u64 = 20;
const PLANTS: u64 = 50;

fn main() {
    println!(
        "| noise of a minute | day's pattern | drift in a week | steps in a week of nine channels | called drift |"
    );
    let quiet = ALL.map(|noise| Week { noise, ..QUIET });
    let with = [
        Week { daily: 0.03, ..QUIET },
        Week { daily: 0.1, ..QUIET },
        Week { drift: 0.01, ..QUIET },
        Week { drift: 0.05, ..QUIET },
    ];
    for week in quiet.into_iter().chain(with) {
        let found: Vec<_> = (0..9 * WEEKS).flat_map(|seed| steps(&week, seed)).collect();
        let drifts = found.iter().filter(|step| step.is_drift).count();
        let in_a_week = found.len() as f64 / WEEKS as f64;
        let Week { noise, daily, drift, .. } = week;
        println!(
            "| {noise:?} | {:.0} % | {:.0} % | {in_a_week:.2} | {drifts} of {} |",
            100.0 * daily,
            100.0 * drift,
            found.len()
        );
    }
    println!("| shift | noise, day's pattern | 5 min | 10 min | 30 min | 1 h | 4 h | for good |");
    let kinds =
        [(Noise::Normal, 0.0), (Noise::HeavyTails, 0.0), (Noise::Correlated, 0.0), (Noise::Normal, 0.03)];
    for (size, (noise, daily)) in
        [0.01, 0.05, 0.2].into_iter().flat_map(|size| kinds.map(|kind| (size, kind)))
    {
        let found = [5, 10, 30, 60, 240, WEEK].map(|minutes| {
            let found = (0..PLANTS).filter(|seed| {
                let from = 4_000 + 37 * *seed as usize;
                let shift = (from, minutes.min(WEEK - from), size);
                let week = Week { noise, daily, shift: Some(shift), ..QUIET };
                is_found(&steps(&week, 1_000 + seed), shift)
            });
            format!("{}", 100 * found.count() as u64 / PLANTS)
        });
        println!("| {:.0} % | {noise:?}, {:.0} % | {} |", 100.0 * size, 100.0 * daily, found.join(" | "));
    }
}
