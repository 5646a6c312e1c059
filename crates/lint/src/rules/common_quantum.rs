//! Trials of one report whose times are all multiples of one quantum that is no round number.

use crate::finding::{Finding, Rule};
use crate::series::{Series, long};
use crate::table::{Table, grouped};
use quantity::Quantity;

/// Quanta are looked for between so many units of the last place, and so many.
const QUANTA: (f64, f64) = (3.0, 50.0);
/// How near to a multiple, in units of the last place: half of one is its rounding, the rest is left by the tries.
const NEAR: f64 = 0.53;
/// Next quantum that is tried, as a share of the last; at most so many steps fit into a value, so that trying in
/// these shares never jumps over the right one: 1e-5 × 1000 steps is a hundredth of a quantum.
const NEXT: f64 = 1.00001;
const MOST_STEPS: f64 = 1000.0;
/// The chance below which a quantum is believed, all quanta tried taken together.
const CHANCE: f64 = 1e-6;
/// Values that may be off: misprints, and means that slipped in among the trials.
const STRAY: f64 = 0.05;

pub(crate) const RULE: Rule = Rule {
    id: "common_quantum",
    code: "E08",
    what: "Short times that are all multiples of one quantum, such as 41.67 ns or that divided by the iterations.",
    why: "It is the step of a coarse clock: a batch was too short for it.",
    wrong_when: "The times are counts of cycles converted at the core's own clock.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let series = long(table);
    let mut findings = Vec::new();
    for report in table.reports() {
        for (place, unit) in places(&series, report) {
            let alike: Vec<&Series<'_>> = series
                .iter()
                .filter(|one| fits(one, report, place, unit))
                .collect();
            let mut values: Vec<f64> = alike.iter().flat_map(|one| one.values()).collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            if let Some(quantum) = quantum(&values, place) {
                findings.extend(by_operation(&alike, quantum));
            }
        }
    }
    findings
}

/// Last places and units of the short times of a report.
fn places<'t>(series: &[Series<'t>], report: &str) -> Vec<(f64, &'t str)> {
    let mut places: Vec<(f64, &str)> = Vec::new();
    for one in series {
        let place = (one.place(), one.first().map_or("", |row| row.unit_text.as_str()));
        if fits(one, report, place.0, place.1) && !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Whether a series is short enough for its quantum to be seen, and told to this place of this unit.
fn fits(series: &Series<'_>, report: &str, place: f64, unit: &str) -> bool {
    let longest = MOST_STEPS * QUANTA.0 * place;
    series.place() == place
        && series
            .values()
            .iter()
            .all(|&value| value > 0.0 && value < longest)
        && series.first().is_some_and(|row| {
            (row.report.as_str(), row.unit_text.as_str()) == (report, unit)
                && row.is(Quantity::Latency)
                && !row.in_cycles()
                && !row.params.is_derived()
        })
}

/// The quantum of which all values are multiples to the last place, if that is no accident.
fn quantum(values: &[f64], place: f64) -> Option<f64> {
    let tries = ((QUANTA.1 / QUANTA.0).ln() / NEXT.ln()).ceil();
    let on = |value: f64, quantum: f64| {
        let steps = value / quantum;
        (steps - steps.round()).abs() * quantum <= NEAR * place
    };
    let allowed = (STRAY * values.len() as f64) as usize;
    let mut quantum = QUANTA.1 * place;
    for _ in 0..tries as usize {
        // From here on even a perfect fit would be no more than chance.
        if by_chance(values.len(), 0, place / quantum) * tries >= CHANCE {
            return None;
        }
        let strays = values.iter().filter(|&&value| !on(value, quantum));
        let off = strays.take(allowed + 1).count();
        if off <= allowed && by_chance(values.len(), off, place / quantum) * tries < CHANCE {
            // Decimal steps are how a number was rounded, which is another rule's.
            let decimal = (quantum / place).round() * place;
            return (!on_decimal(values, decimal, place)).then_some(quantum);
        }
        quantum /= NEXT;
    }
    None
}

/// The chance that all but so many of the values are near a multiple, each by a chance of its own; all ways to choose
/// the strays are counted.
fn by_chance(count: usize, strays: usize, place_of_quantum: f64) -> f64 {
    let share = 2.0 * NEAR * place_of_quantum;
    let ways: f64 = (0..strays)
        .map(|at| (count - at) as f64 / (at + 1) as f64)
        .product();
    ways * share.powi(i32::try_from(count - strays).unwrap_or(i32::MAX))
}

fn on_decimal(values: &[f64], step: f64, place: f64) -> bool {
    let exact = |value: &f64| ((value / step).round() * step - value).abs() < 0.01 * place;
    values.iter().all(exact)
}

/// One finding for each operation.
fn by_operation(series: &[&Series<'_>], quantum: f64) -> Vec<Finding> {
    let rows = series.iter().flat_map(|one| one.rows.iter().copied());
    let operations = grouped(rows.map(|row| (&row.operation, row)));
    let told = |rows: &[&crate::Row]| {
        let unit = rows.first().map(|row| row.unit_text.clone()).unwrap_or_default();
        format!(
            "all {} trials are multiples of {quantum:.5} {unit}: the step of the clock, spread over a batch",
            rows.len()
        )
    };
    operations
        .iter()
        .map(|(_, rows)| Finding::new(rows, told(rows)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    #[test]
    fn multiples_of_a_twenty_fourth_are_found() {
        let values: Vec<String> = [
            169, 158, 167, 175, 170, 142, 150, 122, 305, 367, 339, 404, 416, 226, 276, 228, 265, 256, 307,
            312, 241, 283, 323,
        ]
        .iter()
        .map(|steps| format!("{:.2}", f64::from(*steps) / 24.0))
        .collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        assert_eq!(count(&RULE, &trials("a", "ns", &values, "")), 1);
    }

    #[test]
    fn plain_times_are_none() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..5 {
            let values: Vec<String> = (0..28)
                .map(|_| format!("{:.2}", 5.0 + 10.0 * random.f64()))
                .collect();
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            assert_eq!(count(&RULE, &trials("a", "ns", &values, "")), 0);
        }
    }
}
