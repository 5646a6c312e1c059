//! One thing told twice, and differently.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings::{self, Telling};
use quantity::Printed;

/// In one section, rows without a trial may be repetitions: they differ by less than this.
const REPETITION: f64 = 0.2;
/// Figures that differ by less were rounded twice on their way.
const LEAST: f64 = 2e-3;
/// Share by which 1024 and 1000 differ, with a little for rounding.
const BINARY: f64 = 0.03;
/// A prediction that is told as a range stands in the base-unit column with its middle; ends are so far from it.
const RANGE: f64 = 0.1;

pub(crate) const RULE: Rule = Rule {
    id: "told_twice",
    code: "E49",
    what: "One result, prediction, base or deviation of the same operation and parameters that is told in two places \
           with different figures, beyond their rounding.",
    why: "Only one of them can be what was measured or predicted, and a reader cannot know which.",
    wrong_when: "The two rows are of different things, and their parameters do not say so.",
    check,
};

/// A column, and how it is called.
type Column = (&'static str, fn(&Row) -> Option<Printed>);

const COLUMNS: [Column; 4] = [
    ("result", |row| row.measured),
    ("prediction", |row| row.predicted),
    ("base", |row| row.base),
    ("deviation", |row| row.deviation),
];

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for telling in tellings::all(table) {
        let columns = COLUMNS.iter().filter_map(|column| pair(&telling, column));
        let mut found: Vec<(Vec<&Row>, String)> = columns.collect();
        found.extend(middle(&telling));
        found.extend(ranges(&telling));
        let rows: Vec<&Row> = found.iter().flat_map(|(rows, _)| rows.clone()).collect();
        let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        if !rows.is_empty() {
            findings.push(Finding::new(&rows, texts.join("; ")));
        }
    }
    findings
}

/// The first two rows that tell a column differently.
fn pair<'t>(telling: &Telling<'t>, (name, of): &Column) -> Option<(Vec<&'t Row>, String)> {
    let all = pairs(&telling.rows);
    let (a, b) = all
        .into_iter()
        .find(|(a, b)| of(a).zip(of(b)).is_some_and(|(x, y)| differ(a, x, b, y)))?;
    Some((
        vec![a, b],
        format!("{name} {} here and {} there", a.told(of(a)), b.told(of(b))),
    ))
}

fn pairs<'t>(rows: &[&'t Row]) -> Vec<(&'t Row, &'t Row)> {
    let each = rows.iter().enumerate();
    each.flat_map(|(at, a)| rows.iter().skip(at + 1).map(|b| (*a, *b)))
        .filter(|(a, b)| a.beside == b.beside)
        .collect()
}

/// Whether two figures differ by more than one of the last digits of the coarser; cut off or rounded is the same.
fn differ(a: &Row, x: Printed, b: &Row, y: Printed) -> bool {
    let factors = match (a.unit_text == b.unit_text, a.factor().zip(b.factor())) {
        (true, _) => (1.0, 1.0),
        (false, Some(factors)) => factors,
        (false, None) => return false,
    };
    let (one, other) = (x.value * factors.0, y.value * factors.1);
    let slack = (x.step * factors.0).max(y.step * factors.1) * 1.000_001;
    let share = (one - other).abs() / one.abs().max(other.abs());
    // The same digits in two units are a slip of the unit, which is another rule's.
    let digits = (x.value - y.value).abs() <= 0.5 * x.step.max(y.step) && a.unit_text != b.unit_text;
    let apart = a.section != b.section || share > REPETITION;
    // Powers of 1024 for powers of 1000 are another rule's, too.
    let binary = a.unit_text != b.unit_text && share < BINARY;
    (one - other).abs() > slack && apart && !digits && !binary && share > LEAST
}

/// A prediction that is a range in one place (only its middle is in the table) and a figure far from it in another.
fn middle<'t>(telling: &Telling<'t>) -> Option<(Vec<&'t Row>, String)> {
    let range = |row: &Row| row.predicted_si.filter(|_| row.predicted.is_none());
    let (a, b) = pairs(&telling.rows).into_iter().find(|(a, b)| {
        let one = range(a)
            .zip(b.si(b.predicted))
            .or(range(b).zip(a.si(a.predicted)));
        one.is_some_and(|(range, figure)| (figure / range - 1.0).abs() > RANGE && a.section != b.section)
    })?;
    let of = |row: &Row| match row.predicted {
        Some(_) => row.told(row.predicted),
        None => format!("a range about {:.3e}", row.predicted_si.unwrap_or_default()),
    };
    Some((
        vec![a, b],
        format!("prediction {} here and {} there", of(a), of(b)),
    ))
}

/// A result told as a range that does not hold what another row tells, or another range.
fn ranges<'t>(telling: &Telling<'t>) -> Option<(Vec<&'t Row>, String)> {
    let as_range = |row: &Row| {
        row.measured
            .is_none()
            .then_some(row.minimum.zip(row.maximum))
            .flatten()
    };
    let plain = telling.rows.first().is_some_and(|row| row.params.is_plain());
    let (a, b, text) = pairs(&telling.rows).into_iter().find_map(|(a, b)| {
        if !plain || a.unit_text != b.unit_text || a.section == b.section {
            return None;
        }
        let (range, row, other) = match (as_range(a), as_range(b)) {
            (Some(range), _) => (range, a, b),
            (None, Some(range)) => (range, b, a),
            (None, None) => return None,
        };
        let slack = range.0.step.max(range.1.step);
        let told = format!("{} to {}", row.told(row.minimum), row.told(row.maximum));
        let outside = |figure: Printed| {
            figure.value < range.0.value - slack.max(figure.step)
                || figure.value > range.1.value + slack.max(figure.step)
        };
        match (as_range(other), other.measured) {
            (Some(second), _) => {
                let same =
                    |x: Printed, y: Printed| (x.value - y.value).abs() < slack.max(1e-9 * x.value.abs());
                (!same(range.0, second.0) || !same(range.1, second.1)).then(|| {
                    let second = format!("{} to {}", other.told(other.minimum), other.told(other.maximum));
                    (a, b, format!("{told} here and {second} there"))
                })
            }
            (None, Some(figure)) if outside(figure) => Some((
                a,
                b,
                format!("{told} here and {} there", other.told(other.measured)),
            )),
            _ => None,
        }
    })?;
    Some((vec![a, b], text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn a_column_that_nothing_knows_tells_rows_apart_and_an_opinion_does_not() {
        let rows = |column: &str| format!("operation,measured,unit,{column}\na,61,ns,x\na,121,ns,y\n");
        assert_eq!(count(&RULE, &rows("language")), 0);
        assert_eq!(count(&RULE, &rows("remark")), 1);
    }

    const HEADING: &str =
        "section,operation,parameter,base,predicted,measured,deviation,minimum,maximum,unit\n";

    #[test]
    fn different_figures_are_found_in_every_column() {
        for two in [
            "1,a,,,,187.8,,,,us\n2,a,,,,187.3,,,,us\n",
            "1,a,,,0.405,,,,,ms\n2,a,,,0.045,,,,,ms\n",
            "1,a,,84.19,,,,,,MB/s\n2,a,,113.6,,,,,,MB/s\n",
            "1,a,,,,29,0.4,,,ns\n2,a,,,,29,3.1,,,ns\n",
            "1,a,statistic=conclusion,,,1200000,,,,ns\n1,a,,,,730359,,,,ns\n",
            "1,a,,,,,,6,7,ns\n2,a,,,,,,6,8,ns\n",
            "1,a,,,,21468,,,,ns\n2,a,,,,,,3000,5000,ns\n",
        ] {
            assert_eq!(count(&RULE, &format!("{HEADING}{two}")), 1, "{two}");
        }
    }

    #[test]
    fn rounding_repetition_and_other_things_are_none() {
        for two in [
            "1,a,,,,196.1417,,,,ns\n2,a,,,,196,,,,ns\n",
            "1,a,,,,1.246,,,,ms\n2,a,,,,1.2,,,,ms\n",
            "1,a,,,,111,,,,MB/s\n2,a,,,,112,,,,MB/s\n",
            "1,a,,,,6625,,,,ns\n2,a,,,,6.6,,,,us\n",
            "1,a,,,,10.1,,,,ns\n1,a,,,,10.4,,,,ns\n",
            "1,a,n=1,,,10.1,,,,ns\n2,a,n=2,,,14.4,,,,ns\n",
            "1,a,,,,7.5,,,,ns\n2,a,fit=slope,,,2,,,,ns\n",
            "1,a,,,,4743,,,,ns\n2,a,,,,,,3000,5000,ns\n",
        ] {
            assert_eq!(count(&RULE, &format!("{HEADING}{two}")), 0, "{two}");
        }
    }
}
