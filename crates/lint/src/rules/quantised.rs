//! Trials that are all multiples of a step that is coarse beside them.

use crate::finding::{Finding, Rule};
use crate::series::{Series, long};
use crate::statistics::median;
use crate::table::Table;
use quantity::Quantity;

/// The chance below which it is no accident that all trials are multiples of a step.
const CHANCE: f64 = 1e-6;
/// A step beyond this share of the result is seen in it: a good batch keeps the step below 0.1 %, a reader sees 2 %.
const COARSE: f64 = 0.02;
/// More steps than this in a value are not told apart from a fine clock's.
const MOST_STEPS: f64 = 1e6;

pub(crate) const RULE: Rule = Rule {
    id: "quantised",
    code: "E08",
    what: "Trials that are all whole multiples of a step worth more than 2 % of them: of 500 ns, or of one whole \
           nanosecond where the others have decimals.",
    why: "The clock could not tell more: the spread is the clock's, and the deviation says nothing.",
    wrong_when: "The figures were rounded so coarsely for print only, and others in the same unit were not.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let series = long(table);
    let meant = series.iter().filter(|series| {
        series
            .first()
            .is_some_and(|row| row.is(Quantity::Latency) && !row.params.is_derived())
    });
    meant.filter_map(|one| judge(one, &series)).collect()
}

/// Whether trials in the same unit are told more finely and to more digits: then these were not rounded for print.
fn told_finely(series: &Series<'_>, all: &[Series<'_>]) -> bool {
    let digits = |series: &Series<'_>| (median(&series.values()).abs() / series.place()).log10().floor();
    all.iter().any(|other| {
        let alike = series
            .first()
            .zip(other.first())
            .is_some_and(|(one, other)| (&one.report, &one.unit_text) == (&other.report, &other.unit_text));
        alike && other.place() < 0.5 * series.place() && digits(other) > digits(series)
    })
}

fn judge(series: &Series<'_>, all: &[Series<'_>]) -> Option<Finding> {
    let (values, place, first) = (series.values(), series.place(), series.first()?);
    let steps: Vec<u64> = values
        .iter()
        .filter_map(|value| whole_steps(value / place))
        .collect();
    let distinct = steps.iter().any(|step| Some(step) != steps.first());
    if steps.len() != values.len() || !distinct {
        return None;
    }
    let common = steps.iter().copied().fold(0, greatest_common_divisor);
    let step = common as f64 * place;
    // Of whole numbers, one in `common` is a multiple of it.
    let by_chance = (common as f64).powi(1 - i32::try_from(values.len()).ok()?);
    let multiple = common > 1 && by_chance < CHANCE;
    // Whole units: a time has decimals unless nothing told them.
    let whole = common >= 1 && place == 1.0 && !first.in_cycles();
    let decimal = (step.log10() - step.log10().round()).abs() < 1e-9;
    let rounded = decimal && !told_finely(series, all);
    if !(multiple || whole) || rounded || step < COARSE * median(&values) {
        return None;
    }
    let text = format!(
        "all {} trials are multiples of {step} {}: the clock tells no more",
        values.len(),
        first.unit_text
    );
    Some(Finding::new(&series.rows, text))
}

fn whole_steps(steps: f64) -> Option<u64> {
    let rounded = steps.round();
    ((0.0..MOST_STEPS).contains(&rounded) && (steps - rounded).abs() < 1e-3).then_some(rounded as u64)
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    // Each turn at least halves the larger in two turns.
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    #[test]
    fn multiples_of_five_hundred_and_whole_units_are_found() {
        let values = ["5500", "7500", "6500", "6000", "8500", "7000", "6500", "6000"];
        assert_eq!(count(&RULE, &trials("a", "ns", &values, "")), 1);
        assert_eq!(
            count(
                &RULE,
                &trials(
                    "a",
                    "us",
                    &["27", "29", "25", "31", "24"],
                    &finer(&["191.4", "192.7", "190.8", "191.1", "193.9"])
                )
            ),
            1
        );
        let ticks = ["72", "72", "60", "72", "84", "72", "60", "72", "72", "84"];
        assert_eq!(count(&RULE, &trials("a", "cycles", &ticks, "")), 1);
    }

    fn finer(values: &[&str]) -> String {
        let row = |(at, value): (usize, &&str)| format!("b,trial={at},us,{value},\n");
        values.iter().enumerate().map(row).collect()
    }

    #[test]
    fn figures_rounded_for_print_are_none() {
        let two_digits = ["12", "13", "12", "14", "12"];
        assert_eq!(
            count(
                &RULE,
                &trials(
                    "a",
                    "us",
                    &two_digits,
                    &finer(&["1.6", "1.7", "1.6", "1.5", "1.6"])
                )
            ),
            0
        );
    }

    #[test]
    fn decimals_large_numbers_and_cycles_are_none() {
        assert_eq!(
            count(
                &RULE,
                &trials("a", "ns", &["27.13", "29.71", "25.02", "31.44", "24.90"], "")
            ),
            0
        );
        assert_eq!(
            count(
                &RULE,
                &trials("a", "ns", &["255", "253", "260", "257", "265"], "")
            ),
            0
        );
        assert_eq!(
            count(&RULE, &trials("a", "cycles", &["20", "21", "20", "22", "20"], "")),
            0
        );
        assert_eq!(
            count(&RULE, &trials("a", "ns", &["20", "20", "20", "20", "20"], "")),
            0
        );
    }
}
