//! Predictions that agree with the results better than any prediction can.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings::{self, Telling};
use quantity::{Printed, Quantity};

/// Digits in which one prediction may not equal its result: by accident it does in one of thousands.
const DIGITS: u32 = 4;
/// Several together: so near, with this chance each (predictions of a report are spread by a factor of 1.2 at the
/// very least), less likely together than this.
const NEAR: f64 = 0.005;
const CHANCE_EACH: f64 = 0.03;
const CHANCE: f64 = 1e-4;

/// Operations whose cost is counted in cycles, which a processor then takes.
const COUNTED: [&str; 5] = ["clock", "loop", "arithmetic", "branch", "call"];
/// Share of an Ethernet link that is payload of TCP, with and without time stamps and larger frames.
const FRAMING: std::ops::Range<f64> = 0.935..0.955;
/// A prediction that is off by less was a good one.
const APART: f64 = 0.02;

pub(crate) const RULE: Rule = Rule {
    id: "too_good",
    code: "E32",
    what: "A prediction that equals its result in four digits or more, or many in one report that are within half a \
           percent; or one that was another where it was made and is the result where both are summed up.",
    why: "It was made after the measurement, or from it.",
    wrong_when: "The result is fixed by the hardware to that many digits, as the rate of a clock is.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for report in table.reports() {
        let rows: Vec<&Row> = tellings::all(table)
            .iter()
            .filter_map(|telling| coarsest(&telling.rows, report))
            .collect();
        findings.extend(
            tellings::all(table)
                .iter()
                .filter_map(|telling| became(telling, report)),
        );
        let equal = rows.iter().filter(|row| equals(row) && !is_framing(table, row));
        findings.extend(equal.map(|row| {
            Finding::new(
                &[*row],
                format!("predicted and measured are both {}", row.told(row.measured)),
            )
        }));
        let rows: Vec<&Row> = rows.into_iter().filter(|row| !counts_cycles(row)).collect();
        let near: Vec<&Row> = rows.iter().copied().filter(|row| is_near(row)).collect();
        if near.len() > 2 && at_least(near.len(), rows.len(), CHANCE_EACH) < CHANCE {
            let text = format!(
                "{} of {} predictions are within half a percent of the result",
                near.len(),
                rows.len()
            );
            findings.push(Finding {
                subject: report.to_owned(),
                ..Finding::new(&near, text)
            });
        }
    }
    findings
}

/// The row that tells prediction and result of a thing with the fewest digits: another may only be converted from it.
fn coarsest<'t>(rows: &[&'t Row], report: &str) -> Option<&'t Row> {
    let meant = rows.iter().copied().filter(|row| {
        let timed = row.is(Quantity::Latency) || row.is(Quantity::Bandwidth);
        row.report == report
            && timed
            && row.predicted.is_some()
            && row.measured.is_some()
            && !row.operation.starts_with("clock.frequency")
    });
    meant.min_by_key(|row| digits(row))
}

fn digits(row: &Row) -> u32 {
    let of = |figure: Option<Printed>| figure.map_or(0, |figure| figure.digits);
    of(row.predicted).min(of(row.measured))
}

fn equals(row: &Row) -> bool {
    let values = row.predicted.zip(row.measured);
    digits(row) >= DIGITS && values.is_some_and(|(predicted, measured)| predicted.value == measured.value)
}

/// A prediction that differs from the result in one place and equals it in another.
fn became(telling: &Telling<'_>, report: &str) -> Option<Finding> {
    let pair = |row: &Row| row.predicted.zip(row.measured);
    let of_report = || telling.rows.iter().copied().filter(|row| row.report == report);
    let late = of_report().find(|row| {
        let same = |(predicted, measured): (Printed, Printed)| {
            predicted.value == measured.value && measured.digits > 1
        };
        pair(row).is_some_and(same) && !equals(row)
    })?;
    let early = of_report().find(|row| {
        let other = |(predicted, measured): (Printed, Printed)| {
            let off = (predicted.value - measured.value).abs();
            off > APART * measured.value && off > predicted.place.max(measured.place)
        };
        row.section != late.section && row.unit_text == late.unit_text && pair(row).is_some_and(other)
    })?;
    let text = format!(
        "predicted {} there and {} here, which is the result",
        early.told(early.predicted),
        late.told(late.predicted)
    );
    Some(Finding::new(&[late, early], text))
}

/// A rate over a link that follows from its frames: payload is 94 to 95 % of what Ethernet carries, to all its digits.
fn is_framing(table: &Table, row: &Row) -> bool {
    let machine = table.machine(&row.report).and_then(|machine| machine.link);
    let carried = row.si(row.base).or(machine);
    let share = row.result().zip(carried).map(|(rate, carried)| rate / carried);
    row.is(Quantity::Bandwidth) && share.is_some_and(|share| FRAMING.contains(&share))
}

/// What takes a number of cycles that is known beforehand, or is a fact of a clock.
fn counts_cycles(row: &Row) -> bool {
    COUNTED.iter().any(|prefix| row.belongs(prefix))
}

fn is_near(row: &Row) -> bool {
    let values = row.predicted.zip(row.measured);
    values.is_some_and(|(predicted, measured)| (predicted.value / measured.value - 1.0).abs() < NEAR)
}

/// The chance of so many or more among `count`, each with this chance.
fn at_least(wanted: usize, count: usize, chance: f64) -> f64 {
    let mut ways = vec![1.0];
    for _ in 0..count {
        let mut next = vec![0.0; ways.len() + 1];
        for (hits, probability) in ways.iter().enumerate() {
            if let Some(cell) = next.get_mut(hits) {
                *cell += probability * (1.0 - chance);
            }
            if let Some(cell) = next.get_mut(hits + 1) {
                *cell += probability * chance;
            }
        }
        ways = next;
    }
    ways.iter().skip(wanted).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    const HEADING: &str = "section,operation,predicted,measured,unit\n";

    #[test]
    fn equal_digits_and_many_near_ones_are_found() {
        assert_eq!(count(&RULE, &format!("{HEADING}1,a,1234.5,1234.5,ns\n")), 1);
        let near: String = (1..9).map(|n| format!("1,op{n},{n}0.0,{n}0.01,ns\n")).collect();
        assert_eq!(count(&RULE, &format!("{HEADING}{near}")), 1);
    }

    #[test]
    fn a_prediction_that_became_the_result_is_found() {
        let text = "3,a,3.0,3.4,us\n7,a,3.4,3.4,us\n3,b,20,24,us\n7,b,20,24,us\n3,c,24.1,24.2,us\n7,c,24.2,24.2,us\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 1);
        let counted: String = (1..9)
            .map(|n| format!("1,arithmetic.add,{n}0.0,{n}0.01,ns\n"))
            .collect();
        assert_eq!(count(&RULE, &format!("{HEADING}{counted}")), 0);
        let framed = "operation,base,predicted,measured,unit\nbandwidth.tcp,2500,2354,2354,Mb/s\n";
        assert_eq!(count(&RULE, framed), 0);
    }

    #[test]
    fn round_figures_converted_ones_and_usual_errors_are_none() {
        let text = "1,a,200,200,ns\n2,b,20,20,cycles\n3,b,7.160,7.160,ns\n1,c,90,104.2,ns\n1,size,32768,32768,bytes\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 0);
        assert!((at_least(1, 2, 0.5) - 0.75).abs() < 1e-12);
    }
}
