//! Rules for values that are given more than once: conflicting claims, and copies under another operation.

use crate::claims::Claim;
use crate::context::Context;
use crate::finding::{Check, Finding, Rule};
use crate::series::Series;
use crate::table::Row;
use quantity::Printed;

/// Trials that must be equal one after the other, with this many digits each.
const TRIALS: usize = 3;
const TRIAL_DIGITS: u32 = 3;
/// Digits of a single value: two of a hundred values agree in five digits by accident in one table of twenty.
const DIGITS: u32 = 5;

/// Rates of one operation in two places of a report that differ by more contradict each other.
const RATES: f64 = 0.02;
/// In one section, rows without a trial may be repetitions: they differ by less than this.
const REPETITION: f64 = 0.2;
/// Values that differ by less were rounded twice.
const LEAST: f64 = 2e-3;
/// Share by which 1024 and 1000 differ, and some rounding.
const BINARY: f64 = 0.03;
/// A prediction that is a range is in the column of base units by its middle; the ends are this far from it.
const RANGE: f64 = 0.1;

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "copied",
        code: "E49",
        what: "Three different trials, or one value of five digits, that are given for another operation or point as well.",
        example: "operation,parameter,measured,unit\nfile.read.lines,size=4,0.021591,s\n\
                  file.remote.lines,size=4,0.021591,s\n",
        why: "One of the two was copied from the other.",
        wrong_when: "A coarse clock gives few different values.",
        checks: &[Check::Table(copied)],
    },
    Rule {
        id: "conflicting_values",
        code: "E49",
        what: "One result, prediction, base or deviation of the same operation and parameters that is given in two places \
               with different values, beyond their rounding.",
        example: "section,operation,measured,unit\n3.1,process.create.fork,187.8,us\n7,process.create.fork,178.3,us\n",
        why: "Only one of them can be what was measured or predicted, and a reader cannot know which.",
        wrong_when: "The two rows are of different things, and their parameters do not say so.",
        checks: &[Check::WholeClaims(conflicting_values)],
    },
];

fn copied(context: &Context<'_>) -> Vec<Finding> {
    let pairs = context.pairs_of_series();
    let trials = pairs.filter_map(|(one, other)| copied_trials(one, other));
    let single = context.first_of_claims(|row| {
        let digits =
            row.measured.is_some_and(|figure| figure.digits >= DIGITS && !is_round_in_binary(figure.value));
        row.is_timed() && row.params.is_plain() && digits
    });
    let values = single.iter().enumerate().filter_map(|(at, row)| {
        let value = row.measured.map(|figure| figure.value);
        let twin = single.iter().skip(at + 1).find(|other| {
            let same_value = other.measured.map(|figure| figure.value) == value;
            let same = other.report == row.report && other.unit_text == row.unit_text && same_value;
            // At another point of the same operation, a value may be that of a part of the sweep.
            same && other.operation != row.operation && other.params.essence() == row.params.essence()
        })?;
        let text = format!("{} is also the result of {}", row.shown(), row.operation);
        Some(Finding::new(&[twin, row], text))
    });
    trials.chain(values).collect()
}

/// Whether a value is few times a power of two, which a coarse clock or a block size makes: it has no five digits.
fn is_round_in_binary(value: f64) -> bool {
    let mut rest = value.abs();
    // No number has more factors of two than this.
    for _ in 0..64 {
        if rest < 2.0 || rest % 2.0 != 0.0 {
            break;
        }
        rest /= 2.0;
    }
    rest.fract() == 0.0 && rest < 1000.0
}

fn copied_trials(one: &Series<'_>, other: &Series<'_>) -> Option<Finding> {
    let (a, b) = (one.first, other.first);
    if a.report != b.report || (a.operation == b.operation && one.essence == other.essence) {
        return None;
    }
    let pairs = one.rows.iter().zip(&other.rows).filter_map(|(a, b)| a.measured.zip(b.measured));
    let same = pairs.filter(|(a, b)| a.value == b.value && a.digits >= TRIAL_DIGITS);
    let mut same: Vec<f64> = same.map(|(figure, _)| figure.value).collect();
    same.sort_by(f64::total_cmp);
    same.dedup();
    let text = format!("the trials equal those of {}", a.subject());
    // A coarse clock gives few different values, and often the same.
    (same.len() >= TRIALS).then(|| Finding::new(&[other.rows.as_slice(), &one.rows].concat(), text))
}

/// A column, and its name.
type Column = (&'static str, fn(&Row) -> Option<Printed>);

const COLUMNS: [Column; 4] = [
    ("result", |row| row.measured),
    ("prediction", |row| row.predicted),
    ("base", |row| row.base),
    ("deviation", |row| row.deviation),
];

/// Two rows of a claim, and what each says.
type Conflict<'t> = (&'t Row, String, &'t Row, String);

fn conflicting_values(_: &Context<'_>, claim: &Claim<'_>) -> Option<Finding> {
    let columns = COLUMNS.iter().filter_map(|column| values(claim, column));
    let all = columns.chain(predicted_range(claim)).chain(ranges(claim)).chain(rates(claim));
    let found = all.map(|(a, one, b, other)| {
        ([a, b], format!("{one} in line {} and {other} in line {}", a.line, b.line))
    });
    let (rows, texts): (Vec<[&Row; 2]>, Vec<String>) = found.unzip();
    (!rows.is_empty()).then(|| Finding::new(&rows.concat(), texts.join("; ")))
}

/// The first two rows with different values in a column.
fn values<'t>(claim: &Claim<'t>, (name, of): &Column) -> Option<Conflict<'t>> {
    let (a, b) = claim
        .comparable()
        .into_iter()
        .find(|(a, b)| of(a).zip(of(b)).is_some_and(|(x, y)| differ(a, x, b, y)))?;
    Some((a, format!("{name} {}", a.figure(of(a))), b, b.figure(of(b))))
}

/// Operations or bytes per second beside the result, of one operation in two places.
fn rates<'t>(claim: &Claim<'t>) -> Option<Conflict<'t>> {
    let share =
        |a: Option<f64>, b: Option<f64>| a.zip(b).map_or(0.0, |(a, b)| (a - b).abs() / a.abs().max(b.abs()));
    let elsewhere = claim.comparable().into_iter().filter(|(a, b)| a.section != b.section);
    let (a, b) = { elsewhere }.find(|(a, b)| share(a.per_second, b.per_second) > RATES)?;
    let [rate_of_a, rate_of_b] =
        [a, b].map(|row| format!("{} per second", row.per_second.unwrap_or_default()));
    Some((a, rate_of_a, b, rate_of_b))
}

/// Whether two values differ by more than one of the last digits of the coarser: rounding and truncation are the same.
fn differ(a: &Row, x: Printed, b: &Row, y: Printed) -> bool {
    let same_unit = a.unit_text == b.unit_text;
    let factors = if same_unit { Some((1.0, 1.0)) } else { a.factor().zip(b.factor()) };
    let Some((first, second)) = factors else {
        return false;
    };
    let (one, other) = (x.value * first, y.value * second);
    let slack = (x.step * first).max(y.step * second) * 1.000_001;
    let share = (one - other).abs() / one.abs().max(other.abs());
    // The same digits in two units, and powers of 1024 for powers of 1000, are rules of their own.
    let same_digits = (x.value - y.value).abs() <= 0.5 * x.step.max(y.step);
    let other_rule = !same_unit && (same_digits || share < BINARY);
    let is_repetition = a.section == b.section && share <= REPETITION;
    (one - other).abs() > slack && !is_repetition && !other_rule && share > LEAST
}

/// A prediction that is a range in one place (the table has its middle) and a value far from it in another.
fn predicted_range<'t>(claim: &Claim<'t>) -> Option<Conflict<'t>> {
    let (a, b) = claim.comparable().into_iter().find(|(a, b)| {
        let one = middle_of_range(a).zip(b.si(b.predicted));
        let one = one.or(middle_of_range(b).zip(a.si(a.predicted)));
        one.is_some_and(|(range, value)| (value / range - 1.0).abs() > RANGE && a.section != b.section)
    })?;
    let [of_a, of_b] = [a, b].map(|row| match row.predicted {
        Some(_) => row.figure(row.predicted),
        None => format!("a range around {:.3e}", row.predicted_si.unwrap_or_default()),
    });
    Some((a, format!("prediction {of_a}"), b, of_b))
}

/// The middle of a prediction that is a range.
fn middle_of_range(row: &Row) -> Option<f64> {
    row.predicted_si.filter(|_| row.predicted.is_none())
}

/// A result that is a range and does not include the value, or equal the range, of another row.
fn ranges<'t>(claim: &Claim<'t>) -> Option<Conflict<'t>> {
    let plain = claim.rows.first().is_some_and(|row| row.params.is_plain());
    let (a, b) = claim
        .comparable()
        .into_iter()
        .filter(|(a, b)| plain && a.unit_text == b.unit_text && a.section != b.section)
        .find(|(a, b)| match (range(a), range(b)) {
            (Some(one), Some(other)) => !same_range(one, other),
            (Some(range), None) => b.measured.is_some_and(|value| is_outside(value, range)),
            (None, Some(range)) => a.measured.is_some_and(|value| is_outside(value, range)),
            (None, None) => false,
        })?;
    // The range first.
    let (a, b) = if range(a).is_some() { (a, b) } else { (b, a) };
    let [of_a, of_b] = [a, b].map(|row| match row.measured {
        Some(_) => row.shown(),
        None => format!("{} to {}", row.figure(row.minimum), row.figure(row.maximum)),
    });
    Some((a, of_a, b, of_b))
}

/// The ends of a result that is a range.
fn range(row: &Row) -> Option<(Printed, Printed)> {
    row.minimum.zip(row.maximum).filter(|_| row.measured.is_none())
}

fn same_range(one: (Printed, Printed), other: (Printed, Printed)) -> bool {
    let slack = one.0.step.max(one.1.step);
    [(one.0, other.0), (one.1, other.1)]
        .into_iter()
        .all(|(x, y)| (x.value - y.value).abs() < slack.max(1e-9 * x.value.abs()))
}

fn is_outside(value: Printed, (low, high): (Printed, Printed)) -> bool {
    let slack = low.step.max(high.step).max(value.step);
    value.value < low.value - slack || value.value > high.value + slack
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{HEADING, expect, expect_count};

    #[test]
    fn copies_are_found() {
        let text = "ping,trial=1,5.798,us\nping,trial=2,5.565,us\nping,trial=3,7.427,us\ntcp,trial=1,5.798,us\n\
                    tcp,trial=2,5.565,us\ntcp,trial=3,7.427,us\nlocal,size=4,0.021591,s\nremote,size=4,0.021591,s\n";
        expect_count("copied", 2, HEADING, text);
        let right = "1,a,,16886.29,ns\n2,a,,16886.29,ns\n1,b,,250,ns\n1,c,,250,ns\n";
        expect_count("copied", 0, "section,operation,parameter,measured,unit\n", right);
    }

    #[test]
    fn round_numbers_in_binary_are_no_copies() {
        let heading = "operation,measured,unit\n";
        expect(
            "copied",
            heading,
            &["a,10485761,MB/s\nb,10485761,MB/s\n"],
            &["a,10485760,MB/s\nb,10485760,MB/s\n"],
        );
    }

    #[test]
    fn two_rates_of_one_operation_contradict_each_other() {
        let heading = "operation,source,bs,iops,lat avg (us)\n";
        let found = ["w,summary,4k,111000,70\nw,samples,4k,132163.42,\n"];
        let right = [
            "w,summary,4k,111000,70\nw,samples,4k,111020,\n",
            "w,summary,4k,111000,70\nw,samples,8k,99000,\n",
        ];
        expect(RULE, heading, &found, &right);
    }

    #[test]
    fn machines_with_several_conditions_are_no_repetition() {
        expect(RULE, "host,test,idle (us),busy (us)\n", &[], &["a,pipe,5.1,9.3\nb,pipe,7.4,12.2\n"]);
    }

    const RULE: &str = "conflicting_values";

    #[test]
    fn label_distinguishes_rows_and_an_opinion_does_not() {
        for (count, column) in [(0, "language"), (1, "remark")] {
            let heading = format!("operation,measured,unit,{column}\n");
            expect_count(RULE, count, &heading, "a,61,ns,x\na,121,ns,y\n");
        }
    }

    #[test]
    fn different_values_are_found_in_every_column() {
        let found = [
            "1,a,,,,187.8,,,,us\n2,a,,,,187.3,,,,us\n",
            "1,a,,,0.405,,,,,ms\n2,a,,,0.045,,,,,ms\n",
            "1,a,,84.19,,,,,,MB/s\n2,a,,113.6,,,,,,MB/s\n",
            "1,a,,,,29,0.4,,,ns\n2,a,,,,29,3.1,,,ns\n",
            "1,a,statistic=conclusion,,,1200000,,,,ns\n1,a,,,,730359,,,,ns\n",
            "1,a,,,,,,6,7,ns\n2,a,,,,,,6,8,ns\n",
            "1,a,,,,21468,,,,ns\n2,a,,,,,,3000,5000,ns\n",
        ];
        // Rounding, repetition, other points.
        let right = [
            "1,a,,,,196.1417,,,,ns\n2,a,,,,196,,,,ns\n",
            "1,a,,,,1.246,,,,ms\n2,a,,,,1.2,,,,ms\n",
            "1,a,,,,111,,,,MB/s\n2,a,,,,112,,,,MB/s\n",
            "1,a,,,,6625,,,,ns\n2,a,,,,6.6,,,,us\n",
            "1,a,,,,10.1,,,,ns\n1,a,,,,10.4,,,,ns\n",
            "1,a,n=1,,,10.1,,,,ns\n2,a,n=2,,,14.4,,,,ns\n",
            "1,a,,,,7.5,,,,ns\n2,a,fit=slope,,,2,,,,ns\n",
            "1,a,,,,4743,,,,ns\n2,a,,,,,,3000,5000,ns\n",
        ];
        let heading = "section,operation,parameter,base,predicted,measured,deviation,minimum,maximum,unit\n";
        expect(RULE, heading, &found, &right);
    }
}
