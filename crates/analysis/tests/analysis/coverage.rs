//! How often the interval of a run covers the truth.

use crate::simulated::{Course, Drift, Simulated, analyst, point, settings};
use analysis::Row;

/// The row of one run that stops as runs do.
fn run(machine: Simulated, precision: f64, least_rounds: u32, seed: u64) -> (Row, u32) {
    let planned = point("target", "");
    let id = planned.id.clone();
    let mut analyst = analyst(vec![planned], settings(precision, least_rounds));
    let mut course = Course::new(machine, 20, seed);
    let mut last = 0;
    for round in 1..=20 {
        analyst.add_trial(&course.trial(&id, round));
        analyst.end_round(round);
        last = round;
        if analyst.may_close(&id) {
            break;
        }
    }
    (analyst.row(&id).unwrap(), last)
}

#[test]
fn explore() {
    for (name, drift) in [
        ("none", Drift::None),
        ("linear", Drift::Linear(0.01)),
        ("sine", Drift::Sine(0.01)),
        ("sine2", Drift::Sine(0.02)),
    ] {
        for precision in [0.0, 0.01, 0.015, 0.02, 0.03, 0.05] {
            for least in [6, 8, 10, 12] {
                let machine = Simulated {
                    drift,
                    triples: 20,
                    ..Simulated::default()
                };
                let mut covered = 0;
                let mut rounds = 0;
                let mut closed = 0;
                let mut cc = 0;
                for seed in 0..2000 {
                    let (row, last) = run(machine, precision, least, seed);
                    let (low, high) = row.estimate.unwrap().interval.unwrap();
                    let ok = low <= machine.cost_ns && machine.cost_ns <= high;
                    covered += u32::from(ok);
                    rounds += last;
                    if row.verdict == analysis::Verdict::Measured {
                        closed += 1;
                        cc += u32::from(ok);
                    }
                }
                println!(
                    "{name} p={precision} least={least} cov={:.3} rounds={:.1} measured={} cov|m={:.3}",
                    covered as f64 / 2000.0,
                    rounds as f64 / 2000.0,
                    closed,
                    cc as f64 / closed as f64
                );
            }
        }
    }
}
