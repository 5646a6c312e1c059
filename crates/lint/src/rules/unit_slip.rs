//! The same digits in two units.

use crate::finding::{Finding, Rule};
use crate::series::{self, Series};
use crate::statistics::{ends, mean};
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Printed;

/// Units are slipped by powers of a thousand, by bits for bytes, and by both.
const SLIPS: [f64; 6] = [8.0, 1e3, 8e3, 1e6, 8e6, 1e9];
/// Digits that must be the same; a single one is so by accident in one of nine.
const DIGITS: u32 = 2;

/// How far a cycle must be from a nanosecond for the two not to be the same.
const NO_NANOSECOND: f64 = 0.1;
/// Powers of 1024 by powers of 1000, and the digits by which that is seen.
const BINARY: [f64; 3] = [1.024, 1.048_576, 1.073_741_824];
const BINARY_DIGITS: u32 = 3;

pub(crate) const RULE: Rule = Rule {
    id: "unit_slip",
    code: "E37",
    what: "One result told twice with the same digits and in units that differ by 8, 1000 or a million, or in cycles and \
           nanoseconds, or in powers of 1024 and of 1000; or trials whose mean or ends are told so.",
    why: "One of the two units is wrong.",
    wrong_when: "Two different things happen to have the same digits in different units.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let all = series::all(table);
    for telling in tellings::all(table) {
        let Some(first) = telling.rows.first() else {
            continue;
        };
        let of_it = |series: &&Series<'_>| {
            series.essence == telling.essence
                && series.first().is_some_and(|row| {
                    (&row.report, &row.operation, row.quantity)
                        == (&first.report, &first.operation, first.quantity)
                })
        };
        let beside: Vec<&Series<'_>> = all.iter().filter(of_it).collect();
        let slips: Vec<(Vec<&Row>, String)> = telling
            .rows
            .iter()
            .enumerate()
            .filter_map(|(at, row)| {
                let others = telling.rows.iter().skip(at + 1).copied();
                told_so(row, others).or_else(|| trials_so(row, &beside))
            })
            .collect();
        let rows: Vec<&Row> = slips.iter().flat_map(|(rows, _)| rows.clone()).collect();
        findings.extend(slips.first().map(|(_, text)| Finding::new(&rows, text.clone())));
    }
    findings.extend(between_series(&all));
    findings
}

/// Whether the units of two rows differ by one of the slips: the same digits cannot be right in both.
fn slipped(a: &Row, b: &Row) -> bool {
    // Cycles for nanoseconds, where the clock says that a cycle is none.
    if a.in_cycles() != b.in_cycles() {
        let (cycle, other) = if a.in_cycles() { (a, b) } else { (b, a) };
        let nanosecond = other.factor() == Some(1e-9);
        let period = cycle.period.filter(|_| nanosecond);
        return period.is_some_and(|period| (period / 1e-9 - 1.0).abs() > NO_NANOSECOND);
    }
    let (Some(one), Some(other)) = (a.factor(), b.factor()) else {
        return false;
    };
    let factor = (one / other).max(other / one);
    SLIPS.iter().any(|slip| (factor / slip - 1.0).abs() < 1e-6)
}

/// Whether the units of two rows differ as `GiB/s` and `GB/s` do.
fn binary(a: &Row, b: &Row) -> bool {
    let factor = a
        .factor()
        .zip(b.factor())
        .map(|(one, other)| (one / other).max(other / one));
    factor.is_some_and(|factor| BINARY.iter().any(|step| (factor / step - 1.0).abs() < 1e-6))
}

/// Whether two figures have the same digits, as far as the coarser goes.
fn same_digits(a: Printed, b: Printed) -> bool {
    a.digits.min(b.digits) >= DIGITS
        && (a.value - b.value).abs() <= 0.5 * a.step.max(b.step) + 1e-12 * a.value.abs()
}

fn told_so<'t>(row: &'t Row, mut others: impl Iterator<Item = &'t Row>) -> Option<(Vec<&'t Row>, String)> {
    let figure = row.measured?;
    let other = others.find(|other| {
        let same = other.measured.is_some_and(|told| same_digits(figure, told));
        same && (slipped(row, other) || (figure.digits >= BINARY_DIGITS && binary(row, other)))
    })?;
    Some((
        vec![row, other],
        format!(
            "{} here and {} there",
            row.told(row.measured),
            other.told(other.measured)
        ),
    ))
}

/// A summary whose digits are those of the trials' mean or ends, in another unit.
fn trials_so<'t>(row: &'t Row, beside: &[&Series<'t>]) -> Option<(Vec<&'t Row>, String)> {
    for series in beside {
        let Some(first) = series.first().filter(|first| slipped(row, first)) else {
            continue;
        };
        let values = series.values();
        let centre = mean(&values);
        let told = |figure: Option<Printed>, value: f64| {
            figure
                .is_some_and(|figure| figure.digits >= DIGITS && (figure.value - value).abs() <= figure.step)
        };
        // Ends may also be told in the digits of the right unit: 10 to 16 ms for trials of 0.010 to 0.016 ms.
        let (low, high) = ends(&values);
        let as_ends = told(row.minimum, low) && told(row.maximum, high);
        if told(row.measured, centre) || as_ends {
            let figure = if as_ends { row.minimum } else { row.measured };
            let text = format!(
                "{} here, and trials in {} with the same digits",
                row.told(figure),
                first.unit_text
            );
            return Some((
                std::iter::once(row).chain(series.rows.iter().copied()).collect(),
                text,
            ));
        }
    }
    // The same unit, and yet a thousand times the trials, end for end.
    for series in beside {
        let Some(first) = series.first().filter(|first| first.unit_text == row.unit_text) else {
            continue;
        };
        let (low, high) = ends(&series.values());
        let scaled = |slip: f64| {
            let near = |figure: Option<Printed>, value: f64| {
                figure.is_some_and(|figure| {
                    figure.digits >= 1 && (figure.value / slip - value).abs() <= 0.5 * figure.place / slip
                })
            };
            near(row.minimum, low) && near(row.maximum, high)
        };
        if SLIPS.iter().any(|&slip| scaled(slip)) {
            let text = format!(
                "{} to {} here, and trials of {low} to {high} {}",
                row.told(row.minimum),
                row.told(row.maximum),
                first.unit_text
            );
            return Some((
                std::iter::once(row).chain(series.rows.iter().copied()).collect(),
                text,
            ));
        }
    }
    None
}

/// Trials told twice in two tables, in two units: at least three of them with the same digits.
fn between_series(all: &[Series<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (at, one) in all.iter().enumerate() {
        for other in all
            .iter()
            .skip(at + 1)
            .filter(|other| other.essence == one.essence)
        {
            let (Some(a), Some(b)) = (one.first(), other.first()) else {
                continue;
            };
            let same = (&a.report, &a.operation, a.quantity) == (&b.report, &b.operation, b.quantity);
            if !same || !slipped(a, b) {
                continue;
            }
            let common = one.rows.iter().filter(|row| {
                other.rows.iter().any(|twin| {
                    row.measured.zip(twin.measured).is_some_and(|(x, y)| {
                        x.digits.min(y.digits) >= DIGITS && (x.value - y.value).abs() <= x.step.max(y.step)
                    })
                })
            });
            if common.count() >= 3 {
                let rows: Vec<&Row> = one.rows.iter().chain(&other.rows).copied().collect();
                findings.push(Finding::new(
                    &rows,
                    format!("the same trials in {} and in {}", a.unit_text, b.unit_text),
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    #[test]
    fn the_same_digits_in_two_units_are_found() {
        let two = "section,operation,measured,unit\n1,a,4520.78,Mb/s\n2,a,4520.78,MB/s\n";
        assert_eq!(count(&RULE, two), 1);
        let mean = trials(
            "a",
            "us",
            &["0.030", "0.032", "0.031", "0.030", "0.030"],
            "a,,ms,0.0306,\n",
        );
        assert_eq!(count(&RULE, &mean), 1);
        let binary = "operation,measured,unit\na,22.1,GB/s\na,22.1,GiB/s\nb,262,cycles\nb,262,ns\nc,4,cycles\nc,2,ns\n";
        let timed = binary
            .replace("unit", "unit,measured_si")
            .replace("c,4,cycles", "c,4,cycles,2e-9");
        assert_eq!(count(&RULE, &timed), 2);
        let ends = "operation,parameter,measured,minimum,maximum,unit\na,trial=1,0.010,,,ms\na,trial=2,0.016,,,ms\na,,,10,16,ms\n";
        assert_eq!(count(&RULE, ends), 1);
    }

    #[test]
    fn right_conversions_and_other_things_are_none() {
        let text = "section,operation,parameter,measured,unit\n1,a,,1328278,ns\n2,a,,1.33,ms\n1,b,peer=x,5,us\n1,b,peer=y,5,ms\n1,c,,12,ns\n2,c,,12.4,ns\n";
        assert_eq!(count(&RULE, text), 0);
        let mean = trials(
            "a",
            "us",
            &["0.030", "0.032", "0.031", "0.030", "0.030"],
            "a,,ns,30.6,\n",
        );
        assert_eq!(count(&RULE, &mean), 0);
    }
}
