//! Rules for units: the same digits in two units, wrong conversions, times and rates that do not match.

use crate::claims::Claim;
use crate::context::Context;
use crate::finding::{Check, Finding, Rule};
use crate::series::Series;
use crate::statistics::{ends, mean};
use crate::table::Row;
use quantity::{Printed, Quantity};

/// Seconds: a day. No single operation of a table takes longer.
const LONGEST: f64 = 86_400.0;

/// Seconds of the units in which programs count time, and counters of 32, 63 and 64 bits with the digits that show one.
const COUNTED_IN: [f64; 5] = [1e-12, 1e-9, 1e-6, 1e-3, 1.0];
const COUNTERS: [(f64, u32, &str); 3] = [
    (18_446_744_073_709_551_616.0, 4, "2⁶⁴"),
    (9_223_372_036_854_775_808.0, 4, "2⁶³"),
    (4_294_967_296.0, 8, "2³²"),
];
/// What a wrapped counter is below its end at the most, as a share, beyond its printed digits.
const NEAR_END: f64 = 1e-9;

/// What 1024 and 1000 differ by: in thousands, millions and billions.
const BINARY: [f64; 3] = [1.024, 1.048_576, 1.073_741_824];

/// Converted values are printed with fewer digits; a mistake is a factor.
const OFF: f64 = 0.05;

/// Units are mistaken by powers of a thousand, by bits for bytes, and by both.
const SLIPS: [f64; 6] = [8.0, 1e3, 8e3, 1e6, 8e6, 1e9];
/// Digits that must be equal: a single one is by accident in one of nine; to see powers of 1024 takes more.
const DIGITS: u32 = 2;
const BINARY_DIGITS: u32 = 3;
/// Trials that must be equal in two units.
const TRIALS: usize = 3;
/// A cycle that is nearer to a nanosecond is the same in print.
const NO_NANOSECOND: f64 = 0.1;

/// A product that is off by more belongs to another row.
const PRODUCT_OFF: f64 = 0.1;
/// Rows that must match for the two columns to be of one thing; and more than half of all.
const FEWEST: usize = 3;
/// Parameters for how many operations run at once.
const AT_ONCE: &str = "threads iodepth depth queue_depth numjobs jobs clients streams processes";

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "negative_duration",
        code: "E05",
        what: "A time below zero that is not a difference by its name.",
        example: "operation,measured,unit\nprocess.end.wait,-3,ns\n",
        why: "More was subtracted than was measured, or the two timestamps are from different clocks.",
        wrong_when: "The row is a difference of two times, and its name does not say so.",
        checks: &[Check::Points(negative_duration)],
    },
    Rule {
        id: "impossible_duration",
        code: "E36",
        what: "A time longer than a day.",
        example: "operation,measured,unit\nprocess.end.wait,4.1E+6,s\n",
        why: "One of the two timestamps was never taken, or a counter wrapped.",
        wrong_when: "The operation runs for days.",
        checks: &[Check::Points(impossible_duration)],
    },
    Rule {
        id: "wrapped_counter",
        code: "E36",
        what: "A time that is 2⁶⁴, 2⁶³ or 2³² of picoseconds, nanoseconds, microseconds, milliseconds or seconds, in all of \
               its digits.",
        example: "operation,mean (ms),max (ms)\nquery,0.52,18446744073709.54\n",
        why: "A negative difference was kept in an unsigned counter: the clock went back, or the end is before the start.",
        wrong_when: "A limit of that many units was set on purpose.",
        checks: &[Check::Points(wrapped_counter)],
    },
    Rule {
        id: "binary_units",
        code: "E37",
        what: "A size or rate that is given in two decimal units (MB and GB) that agree only by a factor of 1024.",
        example: "operation,measured,unit\nfile.cache_size,7296,MB\nfile.cache_size,7.125,GB\n",
        why: "Powers of 1024 were named like powers of 1000: 2.4 % per step.",
        wrong_when: "The two values are of two measurements that happen to differ by 2.4 %.",
        checks: &[Check::WholeClaims(binary_units)],
    },
    Rule {
        id: "si_disagrees",
        code: "E37",
        what: "A result in base units that is not the printed value in its printed unit.",
        example: "operation,measured,unit,quantity,measured_si\nnetwork.bandwidth.tcp,100,Mb/s,bandwidth,100000000\n",
        why: "One of the two units is wrong, mostly by 8, 1000 or 1024.",
        wrong_when: "The column was not converted but measured separately.",
        checks: &[Check::Operations(si_disagrees)],
    },
    Rule {
        id: "unit_slip",
        code: "E37",
        what: "One result that is given twice with the same digits, in units that differ by 8, 1000 or a million, in cycles \
               and nanoseconds, or in powers of 1024 and of 1000; or trials and their mean or ends.",
        example: "operation,measured,unit\nmemory.bandwidth.read,4520.78,MB/s\nmemory.bandwidth.read,4520.78,Mb/s\n",
        why: "One of the two units is wrong.",
        wrong_when: "Two different results happen to have the same digits in different units.",
        checks: &[Check::WholeClaims(slip_in_claim), Check::Table(slips_of_series)],
    },
    Rule {
        id: "reciprocal",
        code: "E37",
        what: "A time per operation and operations per second whose product is not 1, where it is in most other rows.",
        example: "benchmark,usecs/op,ops/sec\na,4,25000\nb,10,100000\nc,2,500000\nd,1,1000000\n",
        why: "One of the two was truncated, or is in another unit.",
        wrong_when: "Several operations ran at once in this row alone, and no parameter says so.",
        checks: &[Check::Table(reciprocal)],
    },
];

fn negative_duration(_: &Context<'_>, row: &Row) -> Option<String> {
    let time = row.result().filter(|_| row.is_time_of_one() && !row.is_difference())?;
    (time < 0.0).then(|| format!("{} is below zero", row.shown()))
}

fn impossible_duration(_: &Context<'_>, row: &Row) -> Option<String> {
    let time = row.result().filter(|_| row.is_time_of_one() && !row.is_difference())?;
    let days = time / LONGEST;
    (time > LONGEST && wrapped(row, row.measured).is_none())
        .then(|| format!("{} is {days:.0} days", row.shown()))
}

fn wrapped_counter(_: &Context<'_>, row: &Row) -> Option<String> {
    let quantiles = row.quantiles.iter().map(|(_, figure)| Some(*figure));
    let figures = [row.measured, row.maximum, row.minimum, row.deviation].into_iter().chain(quantiles);
    let counter = { figures }.find_map(|figure| Some((figure, wrapped(row, figure)?)))?;
    let (figure, (name, seconds)) = counter;
    let unit = ["ps", "ns", "µs", "ms", "s"].into_iter().zip(COUNTED_IN).find(|(_, one)| *one == seconds)?.0;
    Some(format!("{} is {name} {unit}: a counter wrapped below zero", row.figure(figure)))
}

/// The counter that a time is the end of, and its unit in seconds.
fn wrapped(row: &Row, figure: Option<Printed>) -> Option<(&'static str, f64)> {
    let figure = figure.filter(|_| row.is(Quantity::Latency))?;
    let factor = row.factor()?;
    COUNTERS.into_iter().find_map(|(end, digits, name)| {
        let unit = COUNTED_IN.into_iter().find(|unit| {
            let value = figure.value * factor / unit;
            let slack = end * NEAR_END + 1.5 * figure.place * factor / unit;
            figure.digits >= digits && (value - end).abs() <= slack
        })?;
        Some((name, unit))
    })
}

fn binary_units(_: &Context<'_>, claim: &Claim<'_>) -> Option<Finding> {
    let amounts = claim.pairs().into_iter().filter(|(a, b)| is_amount(a) && is_amount(b));
    let (a, b) = { amounts }.find(|(a, b)| only_by_1024(a, b) || only_by_1024(b, a))?;
    let text = format!("{} and {} are equal only in powers of 1024", a.shown(), b.shown());
    Some(Finding::new(&[a, b], text))
}

fn is_amount(row: &Row) -> bool {
    let decimal = !row.unit_text.contains('i') && row.measured.is_some();
    decimal && (row.is(Quantity::Size) || row.is(Quantity::Bandwidth))
}

/// Whether `fine`, in the unit a thousand times smaller, rounds to `coarse` by 1024 and not by 1000.
fn only_by_1024(fine: &Row, coarse: &Row) -> bool {
    let steps = coarse.factor().zip(fine.factor()).map(|(large, small)| large / small);
    let is_step = steps.is_some_and(|steps| (steps / 1000.0 - 1.0).abs() < 1e-9);
    fine.measured.zip(coarse.measured).is_some_and(|(fine, coarse)| {
        let [binary, decimal] =
            [1024.0, 1000.0].map(|step| (fine.value / step - coarse.value).abs() <= 0.5 * coarse.step);
        is_step && binary && !decimal
    })
}

fn si_disagrees(_: &Context<'_>, row: &Row) -> Option<String> {
    // Cycles are converted by this very column.
    let by_unit = row.si(row.measured).filter(|value| *value != 0.0 && !row.in_cycles())?;
    let factor = row.measured_si? / by_unit;
    let off = factor.is_finite() && (factor - 1.0).abs() >= OFF;
    off.then(|| format!("the value in base units is {factor:.4} times the printed one"))
}

/// The factor between the units of two rows, at least 1.
fn between(a: &Row, b: &Row) -> Option<f64> {
    let (one, other) = a.factor().zip(b.factor())?;
    Some((one / other).max(other / one))
}

fn is_one_of(factor: Option<f64>, known: &[f64]) -> bool {
    factor.is_some_and(|factor| known.iter().any(|one| (factor / one - 1.0).abs() < 1e-6))
}

/// Whether the units of two rows differ by a common mistake: the same digits cannot be right in both.
fn differ_by_unit_slip(a: &Row, b: &Row) -> bool {
    // Cycles for nanoseconds, where a cycle is not a nanosecond.
    if a.in_cycles() != b.in_cycles() {
        let (cycles, other) = if a.in_cycles() { (a, b) } else { (b, a) };
        let period = cycles.period.filter(|_| other.factor() == Some(1e-9));
        return period.is_some_and(|period| (period / 1e-9 - 1.0).abs() > NO_NANOSECOND);
    }
    is_one_of(between(a, b), &SLIPS)
}

fn slip_in_claim(context: &Context<'_>, claim: &Claim<'_>) -> Option<Finding> {
    let first = claim.rows.first()?;
    let beside: Vec<&Series<'_>> = context
        .all_series
        .iter()
        .filter(|series| series.essence == claim.essence && series.first.same_quantity(first))
        .collect();
    let slips = claim.rows.iter().enumerate().filter_map(|(at, row)| {
        let later = claim.rows.get(at + 1..).unwrap_or_default();
        between_rows(row, later).or_else(|| beside.iter().find_map(|series| between_trials(row, series)))
    });
    let (rows, texts): (Vec<Vec<&Row>>, Vec<String>) = slips.unzip();
    Some(Finding::new(&rows.concat(), texts.into_iter().next()?))
}

fn slips_of_series(context: &Context<'_>) -> Vec<Finding> {
    context.pairs_of_series().filter_map(|(one, other)| between_series(one, other)).collect()
}

fn between_rows<'t>(row: &'t Row, later: &[&'t Row]) -> Option<(Vec<&'t Row>, String)> {
    let figure = row.measured?;
    let other = later.iter().find(|other| {
        let same = other.measured.is_some_and(|given| {
            let digits = figure.digits.min(given.digits);
            let off = (figure.value - given.value).abs();
            digits >= DIGITS && off <= 0.5 * figure.step.max(given.step) + 1e-12 * figure.value.abs()
        });
        let binary = figure.digits >= BINARY_DIGITS && is_one_of(between(row, other), &BINARY);
        same && (differ_by_unit_slip(row, other) || binary)
    })?;
    let text = format!("{} in line {} and {} in line {}", row.shown(), row.line, other.shown(), other.line);
    Some((vec![row, other], text))
}

/// A summary with the digits of the trials' mean or ends in another unit, or their ends times a factor in the same one.
fn between_trials<'t>(row: &'t Row, series: &Series<'t>) -> Option<(Vec<&'t Row>, String)> {
    let (first, values) = (series.first, &series.values);
    let ((low, high), unit) = (ends(values), series.unit());
    let rows: Vec<&Row> = std::iter::once(row).chain(series.rows.iter().copied()).collect();
    let (minimum, maximum) = (row.figure(row.minimum), row.figure(row.maximum));
    let equals = |figure: Option<Printed>, value: f64| {
        figure.is_some_and(|figure| figure.digits >= DIGITS && (figure.value - value).abs() <= figure.step)
    };
    if differ_by_unit_slip(row, first) {
        // Ends may be given in the digits of the right unit: 10 to 16 ms for trials of 0.010 to 0.016 ms.
        let as_ends = equals(row.minimum, low) && equals(row.maximum, high);
        let figure = if as_ends { minimum } else { row.shown() };
        let found = as_ends || equals(row.measured, mean(values));
        return found.then(|| (rows, format!("{figure}, and trials in {unit} with the same digits")));
    }
    let ends = [(row.minimum, low), (row.maximum, high)];
    let found = first.unit_text == row.unit_text
        && SLIPS.iter().any(|slip| {
            ends.into_iter().all(|(figure, value)| {
                figure.is_some_and(|figure| {
                    figure.digits >= 1 && (figure.value / slip - value).abs() <= 0.5 * figure.place / slip
                })
            })
        });
    found.then(|| (rows, format!("{minimum} to {maximum}, and trials of {low} to {high} {unit}")))
}

/// Trials that are given in two tables and in two units, with the same digits.
fn between_series(one: &Series<'_>, other: &Series<'_>) -> Option<Finding> {
    let (a, b) = (one.first, other.first);
    if one.essence != other.essence || !a.same_quantity(b) || !differ_by_unit_slip(a, b) {
        return None;
    }
    let text = format!("the same trials in {} and in {}", a.unit_text, b.unit_text);
    let same = one.rows.iter().filter(|row| {
        let mut twins = other.rows.iter().filter_map(|twin| row.measured.zip(twin.measured));
        twins
            .any(|(x, y)| x.digits.min(y.digits) >= DIGITS && (x.value - y.value).abs() <= x.step.max(y.step))
    });
    let found = same.count() >= TRIALS;
    found.then(|| Finding::new(&[one.rows.as_slice(), &other.rows].concat(), text))
}

fn reciprocal(context: &Context<'_>) -> Vec<Finding> {
    let products = context.table.rows.iter().filter_map(|row| Some((row, operations_at_once(row)?)));
    let (right, off): (Vec<_>, Vec<_>) =
        products.partition(|(_, product)| (product - 1.0).abs() < PRODUCT_OFF);
    if right.len() < FEWEST || right.len() <= off.len() {
        return Vec::new();
    }
    off.into_iter()
        .map(|(row, product)| {
            let (shown, rate) = (row.shown(), row.per_second.unwrap_or_default());
            Finding::new(&[row], format!("{shown} × {rate} per second is {product:.3}, not 1"))
        })
        .collect()
}

/// How many operations at once a time and a rate mean, where one is to wait for the other.
fn operations_at_once(row: &Row) -> Option<f64> {
    let counts = AT_ONCE.split(' ').filter_map(|name| row.params.number(name));
    let single = { counts }.all(|count| count <= 1.0);
    Some(row.time()? * row.per_second?).filter(|product| single && *product > 0.0)
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{expect, expect_count, expect_trials};

    #[test]
    fn wrapped_counter_is_found_and_other_long_times_are_not() {
        let found = [
            "a,0.5,18446744073709.54\n",
            "a,0.5,18446744073709551.6\n",
            "a,0.5,9223372036854.78\n",
            "a,0.5,4294.9672\n",
        ];
        let right = ["a,0.5,4294.9\n", "a,0.5,18446.7\n", "a,0.5,18500000000000.1\n"];
        expect("wrapped_counter", "operation,mean (ms),max (ms)\n", &found, &right);
    }

    #[test]
    fn negative_times_and_days_are_found_and_differences_are_not() {
        let heading = "operation,parameter,measured,unit,measured_si\n";
        let negative = "a,,-3,ns,\n";
        let right = "b,difference=a-b,-3,ns,\nswitch.process.refill,,-3,ns,\nx,statistic=stddev,-3,ns,\n";
        expect("negative_duration", heading, &[negative], &[right]);
        let text = "exit,,1.9E+16,cycles,8562246.7\na,,-3,ns,\nb,difference=a-b,-3,ns,\nswitch.process.refill,,-3,ns,\n\
                    sleep,,3600,s,\n";
        expect_count("impossible_duration", 1, heading, text);
    }

    #[test]
    fn amounts_that_agree_only_by_1024_are_found() {
        let right = ["cache,7296,MB\ncache,7.3,GB\n", "cache,7296,MiB\ncache,7.125,GiB\n"];
        expect("binary_units", "operation,measured,unit\n", &["cache,7296,MB\ncache,7.1,GB\n"], &right);
    }

    #[test]
    fn wrong_conversion_is_found() {
        let right = "a,100,Mb/s,bandwidth,12500000\nb,5,log2 KB,size,32768\nc,7,cycles,latency,3e-9\n";
        let heading = "operation,measured,unit,quantity,measured_si\n";
        expect("si_disagrees", heading, &["a,100,Mb/s,bandwidth,100000000\n"], &[right]);
    }

    #[test]
    fn same_digits_in_two_units_are_found() {
        let trials = "0.030 0.032 0.031 0.030 0.030";
        expect_trials("unit_slip", 1, "us", trials, "a,,ms,0.0306,\n");
        expect_trials("unit_slip", 0, "us", trials, "a,,ns,30.6,\n");
        let timed = "a,22.1,GB/s,\na,22.1,GiB/s,\nb,262,cycles,\nb,262,ns,\nc,4,cycles,2e-9\nc,2,ns,\n";
        expect_count("unit_slip", 2, "operation,measured,unit,measured_si\n", timed);
        let ends = "a,trial=1,0.010,,,ms\na,trial=2,0.016,,,ms\na,,,10,16,ms\n";
        expect_count("unit_slip", 1, "operation,parameter,measured,minimum,maximum,unit\n", ends);
        let right =
            "1,a,,1328278,ns\n2,a,,1.33,ms\n1,b,peer=x,5,us\n1,b,peer=y,5,ms\n1,c,,12,ns\n2,c,,12.4,ns\n";
        let heading = "section,operation,parameter,measured,unit\n";
        expect("unit_slip", heading, &["1,a,,4520.78,Mb/s\n2,a,,4520.78,MB/s\n"], &[right]);
    }

    #[test]
    fn row_whose_product_is_not_one_is_found() {
        let right = ["a,4,250000\nb,10,100000\nc,2,500000\n", "a,4,2500\nb,10,100\nc,2,500\n"];
        let found = "a,4,25000\nb,10,100000\nc,2,500000\nd,1,1000000\n";
        expect("reciprocal", "benchmark,usecs/op,ops/sec\n", &[found], &right);
        let deep = "a,1,80,12500\nb,1,40,25000\nc,1,20,50000\nd,32,100,312000\n";
        expect_count("reciprocal", 0, "test,iodepth,lat_avg_us,iops\n", deep);
    }
}
