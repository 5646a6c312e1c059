//! Rules for what trials show: trends, outliers, modes, spread, too few of them.

use crate::claims::Claim;
use crate::context::{Context, ENOUGH_TRIALS};
use crate::finding::{Check, Finding, Rule};
use crate::series::Series;
use crate::statistics::{decreasing, ends, farthest, mean};
use crate::table::{Row, grouped};
use quantity::Quantity;

/// Parameters with which the cost only grows.
const GROWING: [&str; 4] = ["arguments", "competitors", "processes", "threads"];
/// The first point must cost this share more than the second, and this many standard errors of both.
const COLD: f64 = 0.15;
const ERRORS: f64 = 2.0;
/// Trials behind a deviation where their number is not given; few, so that the error is not underestimated.
const TRIALS: f64 = 5.0;

/// The chance below which a decrease is no accident; with five trials only a decrease at every step is rarer.
const TREND_CHANCE: f64 = 0.0085;
/// The first trial must exceed the mean of the later half by this share: less is noise of good runs.
const WARM_UP: f64 = 0.25;

/// The chance below which a value this far out does not belong to the others.
const OUTLIER_CHANCE: f64 = 1e-3;
/// It must shift the mean by this share; less does no harm.
const SHIFT: f64 = 0.02;
/// Without trials: the maximum is this many times the mean, and the deviation this share of it.
const FAR: f64 = 3.0;
const WIDE: f64 = 1.0 / 3.0;
/// One value that made all of the deviation s would be one among (distance / s)² values and shift their mean by
/// s² / distance: this share of the mean is no harm.
const MAY_SHIFT: f64 = 0.05;
/// Share of the mean. From 1 on, mean − deviation is no longer a time; 0.95 is that in two digits.
const AS_WIDE: f64 = 0.95;

/// Fewer trials than this in all, and in a cluster, are not two modes.
const FEWEST: usize = 7;
const IN_A_CLUSTER: usize = 2;
/// The gap between the clusters, in widths of the wider one: a normal distribution never has such a gap.
const GAP: f64 = 4.0;
/// The upper cluster is this many times the lower one; nearer ones hardly change a mean.
const CLUSTER_RATIO: f64 = 1.2;

/// Maximum over minimum, without the value that is farthest from the others.
const SPREAD: f64 = 3.0;
/// Seconds, where the clock is unknown: a shorter time is below a cycle, and what a subtraction left.
const CYCLE: f64 = 1e-10;

/// Fewer trials give no interval: of four, two of three deviations are off by more than a third.
const ENOUGH: f64 = 5.0;

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "cold_first",
        code: "E23",
        what: "The first point of a sweep (no arguments, no competitors) slower than all others, which do more.",
        example: "operation,parameter,measured,unit\ncall,arguments=0,15.3,ns\ncall,arguments=1,11.5,ns\n\
                  call,arguments=2,11.4,ns\n",
        why: "It was measured first, with cold caches, always in the same order.",
        wrong_when: "More work really is faster, for example because another core wakes up.",
        checks: &[Check::Table(cold_first)],
    },
    Rule {
        id: "warm_up",
        code: "E24",
        what: "Trials that decrease one after the other, the first a quarter or more above the later half.",
        example: "operation,unit,run1,run2,run3,run4,run5\nfile.read,ms,0.352,0.226,0.198,0.193,0.137\n",
        why: "No steady state was reached: the mean is that of no state of the machine.",
        wrong_when: "The trials were sorted before they were printed.",
        checks: &[Check::Series(ENOUGH_TRIALS, warm_up)],
    },
    Rule {
        id: "outlier",
        code: "E25",
        what: "One trial far from all others that shifts their mean by 2 % or more; or a maximum of three times the mean \
               with a deviation of a third of it.",
        example: "operation,unit,run1,run2,run3,run4,run5,run6\nsyscall.read,us,1.82,1.84,5.2,1.83,1.84,1.85\n",
        why: "The mean is not that of the usual case. A median would hardly have moved.",
        wrong_when: "The tail is part of the question, and a median is given elsewhere.",
        checks: &[Check::Table(outlying_trials), Check::Claims(far_maximum)],
    },
    Rule {
        id: "two_modes",
        code: "E26",
        what: "Trials in two clusters with an empty gap between them, four times as wide as the wider cluster.",
        example: "operation,unit,run1,run2,run3,run4,run5,run6,run7\nfault,us,212,214,209,391,388,211,395\n",
        why: "Two kinds of event happened: the mean is that of neither, and the deviation is the gap.",
        wrong_when: "Something that the row does not name was changed between the trials on purpose.",
        checks: &[Check::Series(ENOUGH_TRIALS, two_modes)],
    },
    Rule {
        id: "wide_deviation",
        code: "E26",
        what: "A time or a rate with a deviation as large as its mean.",
        example: "operation,measured,deviation,unit\nfile.read,40,50,us\n",
        why: "Mean − deviation is below zero: the mean may hide two kinds of event, or a few outliers.",
        wrong_when: "The times are distributed exponentially, as arrivals are; a mean alone still hides it.",
        checks: &[Check::WholeClaims(wide_deviation)],
    },
    Rule {
        id: "trials_differ",
        code: "E28",
        what: "Trials of one measurement that differ by a factor of three or more, also without the most distant one.",
        example: "operation,unit,run1,run2,run3,run4,run5,run6,run7\nfork,us,548,322,231,177,433,117,89\n",
        why: "An unnamed cause varies from run to run and decides the result: the mean is that of none of them.",
        wrong_when: "The measured quantity is distributed so widely itself, as waiting times are.",
        checks: &[Check::Series(ENOUGH_TRIALS, trials_differ)],
    },
    Rule {
        id: "too_few",
        code: "E29",
        what: "A result from fewer than five trials, where the table gives their number and not how long each took.",
        example: "operation,measured,unit,trials\nprocess.create.fork,98,us,3\n",
        why: "So few trials give no meaningful deviation or interval.",
        wrong_when: "Each trial is the mean of many, and the deviation is that of those.",
        checks: &[Check::Claims(too_few), Check::Table(deviations_of_few)],
    },
];

fn cold_first(context: &Context<'_>) -> Vec<Finding> {
    let points = context.claims.iter().filter_map(|claim| {
        let plain = claim.rows.iter().filter(|row| row.is_time_of_one() && row.params.is_plain());
        let row = plain.min_by_key(|row| row.line).filter(|row| row.result().is_some())?;
        let (name, at) = GROWING.iter().find_map(|name| Some((*name, row.params.number(name)?)))?;
        let rest = row.params.essence().without(&GROWING);
        Some(((&row.report, &row.operation, name, rest), (at, *row)))
    });
    let sweeps = grouped(points).into_iter();
    sweeps.filter_map(|(_, points)| slow_first(points)).collect()
}

fn slow_first(mut points: Vec<(f64, &Row)>) -> Option<Finding> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rows: Vec<&Row> = points.iter().map(|(_, row)| *row).collect();
    let (first, second) = (*rows.first()?, *rows.get(1)?);
    let (cost, next) = (first.result()?, second.result()?);
    let slowest = rows.iter().skip(1).filter_map(|row| row.result()).all(|other| other < cost);
    let variances = [first, second].map(|row| {
        row.si(row.deviation).unwrap_or(0.0).powi(2) / row.params.number("trials").unwrap_or(TRIALS)
    });
    let errors = variances.iter().sum::<f64>().sqrt();
    // Of two points, one is slower by accident too often.
    let found = rows.len() > 2 && slowest && cost >= next * (1.0 + COLD) && cost - next >= ERRORS * errors;
    let text =
        format!("the first point takes {}, the second {} with more work", first.shown(), second.shown());
    found.then(|| Finding::new(&rows, text))
}

fn warm_up(_: &Context<'_>, series: &Series<'_>) -> Option<String> {
    let (values, unit) = (&series.values, series.unit());
    let (first, late) = (*values.first()?, mean(values.get(values.len() / 2..)?));
    let is_peak = first > late * (1.0 + WARM_UP) && ends(values).1 == first;
    let found = series.first.is(Quantity::Latency) && decreasing(values) < TREND_CHANCE && is_peak;
    found.then(|| format!("the trials decrease from {first} to {late:.4} {unit}: no steady state"))
}

/// A mean, a deviation and a maximum that one outlier explains.
fn far_maximum(_: &Context<'_>, row: &Row) -> Option<String> {
    let (mean, maximum, deviation) = (row.measured?.value, row.maximum?.value, row.deviation?.value);
    let wide = (WIDE * mean..AS_WIDE * mean).contains(&deviation);
    let shifts = deviation.powi(2) > MAY_SHIFT * mean * (maximum - mean);
    let found = row.is(Quantity::Latency) && !row.is_median() && maximum > FAR * mean && wide && shifts;
    let (maximum, mean) = (row.figure(row.maximum), row.shown());
    found.then(|| format!("the maximum, {maximum}, is over three times the mean, {mean}"))
}

fn outlying_trials(context: &Context<'_>) -> Vec<Finding> {
    context.series().filter_map(|series| outlying_trial(context, series)).collect()
}

fn outlying_trial(context: &Context<'_>, series: &Series<'_>) -> Option<Finding> {
    // A median does not shift.
    if !series.first.is_timed() || series.has_median(context.table) {
        return None;
    }
    let values = &series.values;
    let (at, chance) = farthest(values)?;
    let mut others = values.clone();
    let far = others.remove(at);
    let shift = mean(values) / mean(&others) - 1.0;
    if chance > OUTLIER_CHANCE || shift.abs() < SHIFT {
        return None;
    }
    let row = series.rows.get(at)?;
    let (trial, unit, percent) = (row.params.get("trial")?, &row.unit_text, shift * 100.0);
    Some(Finding::new(&[row], format!("trial {trial}, {far} {unit}, shifts the mean by {percent:+.0} %")))
}

fn two_modes(context: &Context<'_>, series: &Series<'_>) -> Option<String> {
    let first = series.first;
    // A summary with a median or the modes shows them.
    let shown = series.has_median(context.table)
        || ["mode", "modes", "weight"].iter().any(|name| first.params.has(name));
    let (low, high) = clusters(series).filter(|_| first.is_timed() && !shown)?;
    let (few, many, unit) = (low.len(), high.len(), series.unit());
    let (low, high) = (mean(&low), mean(&high));
    Some(format!("{few} trials near {low:.5} and {many} near {high:.5} {unit}, none between"))
}

/// The two clusters of the trials, where there are two.
fn clusters(series: &Series<'_>) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut sorted = series.values.clone();
    sorted.sort_by(f64::total_cmp);
    if sorted.len() < FEWEST || *sorted.first()? <= 0.0 {
        return None;
    }
    let gaps = (IN_A_CLUSTER..=sorted.len() - IN_A_CLUSTER)
        .filter_map(|at| Some((at, sorted.get(at)? - sorted.get(at.checked_sub(1)?)?)));
    let (at, gap) = gaps.max_by(|a, b| a.1.total_cmp(&b.1))?;
    let (low, high) = sorted.split_at(at);
    let [low_width, high_width] = [low, high].map(|cluster| Some(cluster.last()? - cluster.first()?));
    let wider = low_width?.max(high_width?).max(series.place);
    (gap > GAP * wider && mean(high) > CLUSTER_RATIO * mean(low)).then(|| (low.to_vec(), high.to_vec()))
}

fn wide_deviation(context: &Context<'_>, claim: &Claim<'_>) -> Option<Finding> {
    let rows: Vec<&Row> = claim.rows.iter().copied().filter(|row| row.deviation.is_some()).collect();
    let first = rows.first()?;
    // One wide deviation beside another of the same claim is a conflict, which is another rule's; and where the table
    // has the trials, they show the outlier.
    let all_wide = rows.iter().all(|row| {
        let figures = row.measured.zip(row.deviation);
        let wide = figures
            .is_some_and(|(mean, deviation)| mean.value > 0.0 && deviation.value >= AS_WIDE * mean.value);
        // Beside a median a deviation of any size is honest: it shows what the median leaves out.
        let has_median = row.is_median() || row.quantiles.iter().any(|(share, _)| *share == 0.5);
        wide && row.is_timed() && !has_median && !row.params.is_derived()
    });
    let found = all_wide && !context.has_trials_of(first);
    let (mean, deviation) = (first.shown(), first.figure(first.deviation));
    let (centre, spread) = first.measured.zip(first.deviation)?;
    let times = spread.value / centre.value;
    let size =
        if times < 1.5 { "as large as the mean".to_owned() } else { format!("{times:.1} times the mean") };
    let text = format!(
        "{mean} ± {deviation}: the deviation is {size}; a few outliers or two kinds of event would do that"
    );
    found.then(|| Finding::new(&rows, text))
}

fn trials_differ(_: &Context<'_>, series: &Series<'_>) -> Option<String> {
    let mut values = series.values.clone();
    values.sort_by(f64::total_cmp);
    let ranges = [values.split_last()?.1, values.split_first()?.1]
        .map(|values| Some(values.last()? / values.first()?));
    let [without_last, without_first] = ranges;
    let without_one = without_last?.min(without_first?);
    let (low, high, unit) = (values.first()?, values.last()?, series.unit());
    // Less than a cycle is what a subtraction left; two clusters are another rule's.
    let cycle = series.first.period.unwrap_or(CYCLE);
    let is_time =
        series.first.is(Quantity::Latency) && series.first.result().is_some_and(|time| time >= cycle);
    let found = *low > 0.0 && without_one >= SPREAD && is_time && clusters(series).is_none();
    found.then(|| {
        format!("the trials range from {low} to {high} {unit}: an unnamed cause varies between them")
    })
}

fn too_few(_: &Context<'_>, row: &Row) -> Option<String> {
    let trials = row.params.number("trials").filter(|trials| (1.0..ENOUGH).contains(trials))?;
    // A trial that lasted a known time is the mean of all that happened in it.
    let is_single = row.is_timed() && row.measured.is_some() && row.test_time.is_none();
    is_single.then(|| format!("{} from {trials} trials", row.shown()))
}

fn deviations_of_few(context: &Context<'_>) -> Vec<Finding> {
    let short = context.all_series.iter().filter(|series| (series.rows.len() as f64) < ENOUGH);
    let found = short.filter_map(|series| {
        let mut summaries = series.summaries(context.table);
        let row = summaries.find(|row| row.deviation.is_some() && !row.params.has("trials"))?;
        let text = format!("a deviation of {} from {} trials", row.figure(row.deviation), series.rows.len());
        Some(Finding::new(&[row], text))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{expect, expect_count, expect_trials};

    const DEVIATION: &str = "section,operation,parameter,measured,deviation,unit\n";

    #[test]
    fn slow_first_point_is_found_and_growing_or_noisy_sweeps_are_not() {
        let text = "1,call,arguments=0,15.26,1.89,ns\n1,call,arguments=1,11.49,1.5,ns\n1,call,arguments=2,11.39,1.4,ns\n";
        let right = "1,call,arguments=0,1.2,0.1,ns\n1,call,arguments=1,1.4,0.1,ns\n1,call,arguments=2,1.3,0.1,ns\n\
                     1,noisy,arguments=0,15,9,ns\n1,noisy,arguments=1,11,8,ns\n1,noisy,arguments=2,12,8,ns\n";
        expect("cold_first", DEVIATION, &[text], &[right]);
    }

    #[test]
    fn trends_outliers_modes_and_spread_are_found() {
        let (outlier, modes) = ("1.82 1.84 5.2 1.83 1.84 1.85 1.83 1.84", "212 214 209 391 388 211 395 210");
        for (rule, count, unit, values, summary) in [
            ("warm_up", 1, "ms", "0.352 0.226 0.198 0.193 0.137", ""),
            ("warm_up", 0, "ms", "1.02 1.01 1.00 0.99 0.98", ""),
            ("warm_up", 0, "ms", "3.5 1.0 2.0 1.5 1.1", ""),
            ("warm_up", 0, "MB/s", "352 226 198 193 137", ""),
            ("outlier", 1, "ns", outlier, ""),
            ("outlier", 0, "ns", outlier, "a,statistic=median,ns,1.84,\n"),
            ("outlier", 0, "ns", "1.82 1.84 1.9 1.83 1.81 1.85 1.83 1.84", ""),
            ("two_modes", 1, "us", modes, "a,statistic=mean,us,278.75,91.4\n"),
            ("two_modes", 1, "us", "4.1 38.2 4.0 37.5 38.8 4.2 39.4 4.1", ""),
            ("two_modes", 0, "us", modes, "a,statistic=median,us,213,\n"),
            // An outlier, a trend, a coarse clock, near clusters.
            ("two_modes", 0, "us", "212 214 209 391 213 211 215 210", ""),
            ("two_modes", 0, "us", "9.8 8.6 7.7 6.9 6.1 5.5 5.1 4.7", ""),
            ("two_modes", 0, "us", "1 1 2 1 2 1 1 2", ""),
            ("two_modes", 0, "us", "100 101 100 102 108 109 108 109", ""),
            ("trials_differ", 1, "us", "548 322 231 177 433 117 89", ""),
            ("trials_differ", 0, "us", "100 105 102 900 99", ""),
            ("trials_differ", 0, "us", "100 105 102 120 99", ""),
            ("too_few", 1, "ns", "1 2 3", "a,,ns,2,1\n"),
            ("too_few", 0, "ns", "1 2 3 2 2", "a,,ns,2,0.7\n"),
        ] {
            expect_trials(rule, count, unit, values, summary);
        }
    }

    #[test]
    fn maximum_far_above_the_mean_is_found() {
        let heading = "operation,measured,deviation,minimum,maximum,unit\n";
        expect("outlier", heading, &["read,203,78,124,761,us\n"], &["read,203,20,124,261,us\n"]);
    }

    #[test]
    fn deviation_above_the_mean_is_found_once_per_claim() {
        let text = "1,a,,0.028,0.095,ms\n7,a,,0.028,0.095,ms\n";
        let right = "1,a,,0.029,0.004,ms\n7,a,,0.028,0.031,ms\n1,b,,10,1,ns\n1,c,,10,,ns\n";
        expect("wide_deviation", DEVIATION, &[text], &[right]);
        for (count, centre) in [(1, "mean"), (0, "median")] {
            let heading = format!("operation,{centre},deviation,unit\n");
            expect_count("wide_deviation", count, &heading, "a,40,50,ns\n");
        }
    }

    #[test]
    fn fewer_than_five_trials_are_found_where_their_number_is_known() {
        let text = "a,7,ns,1\nb,7,ns,12\nc,7,ns,\nd,,ns,0\n";
        expect_count("too_few", 1, "operation,measured,unit,trials\n", text);
        expect_count("too_few", 0, "test,score,unit,time (s),samples\n", "copy,706086.5,KBps,30.0,1\n");
    }
}
