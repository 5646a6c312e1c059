//! Rules for predictions: made after the measurement, from it, or not from the terms beside them.

use crate::claims::Claim;
use crate::context::Context;
use crate::finding::{Check, Finding, Rule};
use crate::table::{Row, Table};
use quantity::{Printed, Quantity};

/// Digits in which a prediction may not equal its result: by accident it does in one of thousands.
const DIGITS: u32 = 4;
/// Several together: this near, with this chance each (predictions of a report are spread by a factor of 1.2 at the very
/// least), and less likely together than this.
const NEAR: f64 = 0.005;
const CHANCE_EACH: f64 = 0.03;
const CHANCE: f64 = 1e-4;
/// Operations that take a known number of cycles.
const COUNTED: [&str; 5] = ["clock", "loop", "arithmetic", "branch", "call"];
/// Share of an Ethernet link that is payload of TCP, with and without timestamps and jumbo frames.
const FRAMING: std::ops::Range<f64> = 0.935..0.955;
/// A prediction that is off by less was a good one, and may be a sum.
const GOOD: f64 = 0.02;

/// Digits in which a prediction and another result must be equal. More are printed only by a program, which computed the
/// prediction from parts that it names.
const SAME_DIGITS: std::ops::RangeInclusive<u32> = 3..=7;

/// Digits of each of several rows by which their sums are no accident; of a single row it takes `DIGITS`.
const DIGITS_EACH: u32 = 2;
/// Beyond the printed digits, a sum may differ by this share.
const OFF: f64 = 0.01;

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "prediction_equals_result",
        code: "E32",
        what: "A prediction that equals its result in four digits or more; many in one report within half a percent; or one \
               that differs in one section and equals the result in another.",
        example: "operation,predicted,measured,unit\nswitch.process.pipe,1234.5,1234.5,ns\n",
        why: "It was made after the measurement, or from it.",
        wrong_when: "The hardware fixes the result to that many digits, as it does the rate of a clock.",
        checks: &[
            Check::WholeClaims(became_result),
            Check::WholeClaims(equal_to_result),
            Check::Reports(many_near_results),
        ],
    },
    Rule {
        id: "predicted_from_result",
        code: "E33",
        what: "A prediction for a network operation that equals, digit by digit, another result over the same path.",
        example: "operation,parameter,predicted,measured,unit\nnetwork.round_trip.icmp,path=remote,200,231,us\n\
                  network.round_trip.tcp,path=remote,231,252,us\n",
        why: "It includes the kernels, the cards and the peer that it should predict: agreement shows nothing.",
        wrong_when: "Both come from the same facts, and one of the two agrees with them to its last digit.",
        checks: &[Check::Table(predicted_from_result)],
    },
    Rule {
        id: "residual",
        code: "E34",
        what: "Base hardware performance and software overhead that add up to the result to its last digit, and not to the \
               prediction beside it.",
        example: "operation,hardware,software,predicted,measured,unit\nswitch.process.pipe,500,2311.5,2000,2811.5,ns\n",
        why: "The overhead was not estimated: it is the result minus the hardware.",
        wrong_when: "The overhead was measured separately, and the sum is right by chance.",
        checks: &[Check::Reports(residual)],
    },
    Rule {
        id: "sums",
        code: "E49",
        what: "A prediction that is not the sum of the base hardware performance and the software overhead beside it.",
        example: "operation,hardware,software,predicted,unit\nsyscall.read,35,60,120,ns\n",
        why: "One of the three values belongs to another prediction.",
        wrong_when: "The prediction combines its terms otherwise than by adding them.",
        checks: &[Check::Claims(sums)],
    },
];

fn pair(row: &Row) -> Option<(Printed, Printed)> {
    row.predicted.zip(row.measured)
}

fn equal_to_result(context: &Context<'_>, claim: &Claim<'_>) -> Option<Finding> {
    let row = coarsest(claim).filter(|row| equals(row) && !is_framing(context.table, row))?;
    Some(Finding::new(&[row], format!("predicted and measured are both {}", row.shown())))
}

/// Many predictions of a report that are near their results.
fn many_near_results(context: &Context<'_>, report: &str) -> Option<Finding> {
    // A number of cycles is known beforehand.
    let estimated: Vec<&Row> = context
        .claims
        .iter()
        .filter_map(coarsest)
        .filter(|row| row.report == report && !row.belongs_to_any(&COUNTED))
        .collect();
    let is_near =
        |(predicted, measured): (Printed, Printed)| (predicted.value / measured.value - 1.0).abs() < NEAR;
    let near = estimated.iter().copied().filter(|row| pair(row).is_some_and(is_near));
    let near: Vec<&Row> = near.collect();
    let found = near.len() > 2 && at_least(near.len(), estimated.len(), CHANCE_EACH) < CHANCE;
    let text = format!("{} of {} predictions are within 0.5 % of the result", near.len(), estimated.len());
    found.then(|| Finding { subject: report.to_owned(), ..Finding::new(&near, text) })
}

/// The row that gives prediction and result of a claim in the fewest digits: others may be converted from it.
fn coarsest<'t>(claim: &Claim<'t>) -> Option<&'t Row> {
    claim
        .rows
        .iter()
        .copied()
        .filter(|row| row.is_timed() && pair(row).is_some() && !row.belongs("clock.frequency"))
        .min_by_key(|row| digits(row))
}

fn digits(row: &Row) -> u32 {
    pair(row).map_or(0, |(predicted, measured)| predicted.digits.min(measured.digits))
}

fn equals(row: &Row) -> bool {
    digits(row) >= DIGITS && pair(row).is_some_and(|(predicted, measured)| predicted.value == measured.value)
}

/// A prediction that differs from the result in one section and equals it in another.
fn became_result(_: &Context<'_>, claim: &Claim<'_>) -> Option<Finding> {
    let is_same =
        |(predicted, measured): (Printed, Printed)| predicted.value == measured.value && measured.digits > 1;
    let late = claim.rows.iter().copied().find(|row| pair(row).is_some_and(is_same) && !equals(row))?;
    let early = claim.rows.iter().copied().find(|row| {
        let elsewhere = row.section != late.section && row.unit_text == late.unit_text;
        elsewhere
            && pair(row).is_some_and(|(predicted, measured)| {
                let off = (predicted.value - measured.value).abs();
                off > GOOD * measured.value && off > predicted.place.max(measured.place)
            })
    })?;
    let (first, second) = (early.figure(early.predicted), late.figure(late.predicted));
    let lines = (early.line, late.line);
    let text = format!("predicted {first} in line {} and {second}, the result, in line {}", lines.0, lines.1);
    Some(Finding::new(&[late, early], text))
}

/// A rate that follows from the frames of a link: payload is 94 to 95 % of what Ethernet carries, to all digits.
fn is_framing(table: &Table, row: &Row) -> bool {
    let link = table.machine(&row.report).and_then(|machine| machine.link);
    let share = row.result().zip(row.si(row.base).or(link)).map(|(rate, link)| rate / link);
    row.is(Quantity::Bandwidth) && share.is_some_and(|share| FRAMING.contains(&share))
}

/// The chance of `wanted` or more among `count`, each with this chance.
fn at_least(wanted: usize, count: usize, chance: f64) -> f64 {
    // Probabilities of 0, 1, 2… hits.
    let mut hits = vec![1.0];
    for _ in 0..count {
        let missed = hits.iter().map(|p| p * (1.0 - chance)).chain([0.0]);
        let hit = std::iter::once(0.0).chain(hits.iter().map(|p| p * chance));
        hits = missed.zip(hit).map(|(missed, hit)| missed + hit).collect();
    }
    hits.iter().skip(wanted).sum()
}

fn predicted_from_result(context: &Context<'_>) -> Vec<Finding> {
    let network_rows = |of: fn(&Row) -> Option<Printed>| {
        let rows = context.first_of_claims(|row| of(row).is_some()).into_iter();
        rows.filter(|row| row.belongs("network")).collect::<Vec<&Row>>()
    };
    let (predictions, results) = (network_rows(|row| row.predicted), network_rows(|row| row.measured));
    let found = predictions.into_iter().filter_map(|row| {
        let predicted = row.predicted.filter(|figure| SAME_DIGITS.contains(&figure.digits))?;
        let path = row.params.get("path");
        let source = results.iter().find(|source| {
            let same = source.report == row.report
                && source.unit_text == row.unit_text
                && source.params.get("path") == path;
            let equal = source.measured.is_some_and(|result| result.value == predicted.value);
            same && equal && source.operation != row.operation
        })?;
        let text =
            format!("the prediction of {} is the result of {}", row.figure(row.predicted), source.operation);
        Some(Finding::new(&[row, source], text))
    });
    found.collect()
}

fn residual(context: &Context<'_>, report: &str) -> Option<Finding> {
    let rows = context.first_of_claims(|row| row.report == report && digits_of_residual(row).is_some());
    let first = rows.first()?;
    let figures = [first.base, first.software, first.measured, first.predicted];
    let [base, software, measured, predicted] = figures.map(|figure| first.figure(figure));
    let text = format!("{base} + {software} is the result, {measured}; the prediction is {predicted}");
    let enough = rows.len() > 1 || digits_of_residual(first) >= Some(DIGITS);
    enough.then(|| Finding::new(&rows, text))
}

/// The digits in which base and software make the result and not the prediction; `None` where they do not.
fn digits_of_residual(row: &Row) -> Option<u32> {
    let (base, software, (predicted, measured)) = (row.base?, row.software?, pair(row)?);
    let is_result = (base.value + software.value - measured.value).abs() < 0.5 * measured.place;
    let is_prediction = (predicted.value / measured.value - 1.0).abs() < GOOD;
    let terms = software.value > 0.0 && base.value > 0.0 && software.digits >= DIGITS_EACH;
    (is_result && !is_prediction && terms && measured.digits >= DIGITS_EACH).then_some(measured.digits)
}

fn sums(_: &Context<'_>, row: &Row) -> Option<String> {
    let (base, software, predicted) = (row.base?, row.software?, row.predicted?);
    // A rate is reduced by its overhead in one way or another.
    let sums = [base.value + software.value, base.value - software.value];
    let off = sums.map(|sum| (sum - predicted.value).abs()).into_iter().fold(f64::INFINITY, f64::min);
    let slack = predicted.step.max(base.place).max(software.place).max(OFF * predicted.value.abs());
    let [base, software, predicted] =
        [row.base, row.software, row.predicted].map(|figure| row.figure(figure));
    (off > slack).then(|| format!("{base} + {software} is not {predicted}"))
}

#[cfg(test)]
mod tests {
    use super::at_least;
    use crate::rules::testing::{expect, expect_count};

    #[test]
    fn equal_digits_and_many_near_predictions_are_found() {
        const RULE: &str = "prediction_equals_result";
        let rows = |name: fn(u32) -> String| -> String {
            (1..9).map(|n| format!("1,{},{n}0.0,{n}0.01,ns\n", name(n))).collect()
        };
        let (near, counted) = (rows(|n| format!("op{n}")), rows(|_| "arithmetic.add".to_owned()));
        let became = "3,a,3.0,3.4,us\n7,a,3.4,3.4,us\n3,b,20,24,us\n7,b,20,24,us\n3,c,24.1,24.2,us\n7,c,24.2,24.2,us\n";
        let found = ["1,a,1234.5,1234.5,ns\n", &near, became];
        let right = "1,a,200,200,ns\n2,b,20,20,cycles\n3,b,7.160,7.160,ns\n1,c,90,104.2,ns\n1,size,32768,32768,bytes\n";
        expect(RULE, "section,operation,predicted,measured,unit\n", &found, &[right, &counted]);
        let framed = "bandwidth.tcp,2500,2354,2354,Mb/s\n";
        expect_count(RULE, 0, "operation,base,predicted,measured,unit\n", framed);
        assert!((at_least(1, 2, 0.5) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn result_that_became_a_prediction_is_found() {
        let text = "round_trip.icmp,peer=remote,200,231,us\nround_trip.tcp,peer=remote,231,252,us\n";
        let right = "round_trip.icmp,peer=loopback,200,231,us\nround_trip.tcp,peer=remote,231,252,us\n\
                     bandwidth.flows,peer=y,1.283172906,1.3,GB/s\nbandwidth.tcp,peer=y,1,1.283172906,GB/s\n\
                     round_trip.udp,peer=x,100,2.1,us\nconnection.connect,peer=x,2.1,4,us\nloop,,1.25,2.44,ns\n\
                     call,,2.44,3,ns\n";
        let heading = "operation,parameter,predicted,measured,unit\n";
        expect("predicted_from_result", heading, &[text], &[right]);
    }

    #[test]
    fn residual_is_found_in_several_rows_or_to_many_digits() {
        let found = ["a,500,2310,2000,2810,ns\nb,500,1690,1500,2190,ns\n", "a,500,2311.5,2000,2811.5,ns\n"];
        let right = "a,500,1500,2000,2810,ns\nb,500,1690,2190,2190,ns\nc,5,2,6,7,ns\n";
        expect("residual", "operation,hardware,software,predicted,measured,unit\n", &found, &[right]);
    }

    #[test]
    fn prediction_that_is_not_its_sum_is_found() {
        let heading = "operation,hardware,software,predicted,unit\n";
        expect_count("sums", 2, heading, "a,2.00,0.052,2.52,ns\nb,8000,4000,12150,MB/s\n");
        let right = "a,0.247,3.7,3.9,ns\nb,10.024,0.004,10.03,ms\nc,0.24,0.05,0.3,ms\nd,,5,9,ns\n";
        expect_count("sums", 0, heading, right);
    }
}
