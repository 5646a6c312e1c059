//! Rules for summaries of trials: deviations, means, ends and quantiles that the sample cannot have, chosen values.

use crate::context::Context;
use crate::finding::{Check, Finding, Rule};
use crate::series::Series;
use crate::statistics::{deviation, ends, mean, median};
use crate::table::Row;

/// Beyond its rounding, a deviation may differ from the trials' by this share: trials are rounded, too.
const ROUNDING: f64 = 0.005;
/// A summary farther from the trials' mean than this share is of something else.
const RELATED: f64 = 0.2;
/// Digits from which on equality with one trial is no accident.
const DIGITS: u32 = 4;
/// Statistics that are a cut.
const CUTS: [&str; 5] = ["filter", "cutoff", "cut", "clip", "dropped"];

pub(crate) const RULES: &[Rule] = &[
    Rule {
        id: "deviation_kind",
        code: "E27",
        what: "A deviation that is not that of the trials beside it; one that is a standard error or a percentage; or n in \
               one table and n − 1 in another of the same report.",
        example: "operation,unit,run1,run2,run3,run4,run5,run6,mean,stddev\n\
                  a,ns,10.12,11.48,9.03,10.77,12.31,8.94,10.44,0.549\n",
        why: "A reader takes it for the deviation of a trial, and compares what is not comparable.",
        wrong_when: "The deviation is of samples that are not in the table.",
        checks: &[Check::Table(deviation_kind)],
    },
    Rule {
        id: "dropped_by_value",
        code: "E30",
        what: "A row that names a cut-off: values above or below it were dropped.",
        example: "operation,parameter,maximum,measured,unit\nmemory.latency,statistic=filter,2000,,cycles\n",
        why: "A dropped value is part of the distribution; only a named cause justifies leaving it out.",
        wrong_when: "The row describes the cut-off of another publication.",
        checks: &[Check::Points(dropped_by_value)],
    },
    Rule {
        id: "extreme_as_result",
        code: "E31",
        what: "A minimum, maximum, peak or ceiling that a prediction is compared with, or that is the only value of an \
               operation.",
        example: "operation,parameter,measured,predicted,unit\nmemory.bandwidth.read,statistic=maximum,7.1,8,GB/s\n",
        why: "The best of several is not an estimate: it improves with the number of trials.",
        wrong_when: "The question is the best case, and so is the prediction.",
        checks: &[Check::Operations(extreme_as_result)],
    },
    Rule {
        id: "picked_trial",
        code: "E31",
        what: "A result that equals one of the trials in four or more digits, and is neither their mean nor their median.",
        example: "operation,unit,run1,run2,run3,run4,run5,mean\na,ns,1393.21,1416.13,1421.98,1377.13,1380.23,1416.13\n",
        why: "One trial was chosen: the best, the worst, or the nearest to the prediction.",
        wrong_when: "Another centre than mean and median coincides with a trial, and the row does not name it.",
        checks: &[Check::Summaries(picked_trial)],
    },
    Rule {
        id: "impossible_summary",
        code: "E49",
        what: "A result outside its minimum and maximum, a minimum above the maximum, a deviation that is negative or \
               larger than the range, quantiles that decrease, a maximum below the mean, or a mean above what the quantiles \
               allow.",
        example: "operation,measured,minimum,maximum,unit\nsyscall.read,3,6,9,ns\n",
        why: "No sample has such a summary: one value belongs elsewhere.",
        wrong_when: "Minimum and maximum are of another sample than the mean.",
        checks: &[Check::Table(impossible_summary)],
    },
    Rule {
        id: "mean_of_trials",
        code: "E49",
        what: "A result near the trials beside it that is neither their mean nor their median as printed; or a minimum or \
               maximum that is not theirs.",
        example: "operation,unit,run1,run2,run3,run4,run5,mean\na,us,3.12,3.09,3.11,3.14,3.10,4.11\n",
        why: "Trials and summary are of different runs, or one was typed by hand.",
        wrong_when: "The summary is of more trials than are printed, or of another centre.",
        checks: &[Check::Summaries(mean_of_trials)],
    },
];

/// What a value called deviation can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    /// The deviation with n − 1.
    Sample,
    /// The deviation with n.
    Population,
    /// The standard error of the mean.
    StandardError,
    /// A percentage of the mean.
    Percentage,
    /// None of these.
    Unknown,
}

fn deviation_kind(context: &Context<'_>) -> Vec<Finding> {
    let summaries = context.summaries().filter(|(series, row)| series.is_summarised_by(row));
    let judged: Vec<(Spread, &Row)> =
        summaries.filter_map(|(series, row)| Some((spread(series, row)?, row))).collect();
    let single = judged.iter().filter_map(|(spread, row)| {
        let is = match spread {
            Spread::Sample | Spread::Population => return None,
            Spread::StandardError => "the standard error of the mean, not the deviation of a trial",
            Spread::Percentage => "a percentage of the mean",
            Spread::Unknown => "not the deviation of the trials beside it",
        };
        Some(Finding::new(&[row], format!("{} is {is}", row.figure(row.deviation))))
    });
    let mixed = context.table.reports().into_iter().filter_map(|report| {
        let [sample, population] = [Spread::Sample, Spread::Population].map(|meant| {
            let rows = judged.iter().filter(|(spread, row)| *spread == meant && row.report == report);
            rows.map(|(_, row)| *row).collect::<Vec<&Row>>()
        });
        let text = format!("{} deviations with n − 1, {} with n", sample.len(), population.len());
        let both = !sample.is_empty() && !population.is_empty();
        let subject = report.to_owned();
        both.then(|| Finding { subject, ..Finding::new(&[sample, population].concat(), text) })
    });
    single.chain(mixed).collect()
}

/// What a row's deviation is; `None` where it has none, or the trials do not differ.
fn spread(series: &Series<'_>, row: &Row) -> Option<Spread> {
    let (given, values) = (row.deviation?, &series.values);
    let (count, sample) = (values.len() as f64, deviation(values));
    let population = sample * ((count - 1.0) / count).sqrt();
    if sample <= 0.0 {
        return None;
    }
    // Coarse trials do not distinguish n and n − 1, which differ by half of 1/n.
    if series.place > 0.1 * sample {
        // Rounding of the trials and of the deviation is less than half of a place each.
        let rounding = 0.55 * (series.place + given.place);
        let range = population - rounding..=sample * (1.0 + ROUNDING) + rounding;
        return (!range.contains(&given.value)).then_some(Spread::Unknown);
    }
    let candidates = [
        (Spread::Sample, sample),
        (Spread::Population, population),
        (Spread::StandardError, sample / count.sqrt()),
        (Spread::StandardError, population / count.sqrt()),
        (Spread::Percentage, 100.0 * sample / mean(values)),
    ];
    // Trials that are rounded to a place blur the deviation by as much.
    let blur = given.place + 0.5 * series.place + ROUNDING * sample;
    let distances = candidates.map(|(spread, value)| (spread, (value - given.value).abs()));
    let near = distances.into_iter().filter(|(_, distance)| *distance <= blur);
    let nearest = near.min_by(|a, b| a.1.total_cmp(&b.1));
    Some(nearest.map_or(Spread::Unknown, |(spread, _)| spread))
}

fn dropped_by_value(_: &Context<'_>, row: &Row) -> Option<String> {
    let is_cut = row.params.get("statistic").is_some_and(|word| CUTS.contains(&word));
    is_cut.then(|| "values were dropped because they exceeded a limit, not for a named cause".to_owned())
}

fn extreme_as_result(context: &Context<'_>, row: &Row) -> Option<String> {
    let is_plain =
        |other: &Row| other.same_quantity(row) && other.measured.is_some() && !other.params.is_extreme();
    let is_extreme = row.params.is_extreme() && row.measured.is_some();
    let found = is_extreme && (row.predicted.is_some() || !context.table.rows.iter().any(is_plain));
    found.then(|| format!("the {} is given as the result", row.params.get("statistic").unwrap_or_default()))
}

fn picked_trial(series: &Series<'_>, row: &Row) -> Option<Finding> {
    let (given, values) = (row.measured?, &series.values);
    let trial = series.rows.iter().find(|trial| {
        let printed = trial.measured.is_some_and(|value| value.value == given.value);
        printed && trial.unit_text == row.unit_text
    })?;
    let is_centre = is_centre(values, given.value, given.step.max(series.place));
    let (shown, number) = (row.shown(), trial.params.get("trial")?);
    let text = format!("{shown} is trial {number}; the mean of the trials is {:.6}", mean(values));
    (given.digits >= DIGITS && !is_centre).then(|| Finding::new(&[row, trial], text))
}

/// Whether a value is the mean or the median, up to this much.
fn is_centre(values: &[f64], value: f64, slack: f64) -> bool {
    [mean(values), median(values)].iter().any(|centre| (centre - value).abs() <= slack)
}

fn impossible_summary(context: &Context<'_>) -> Vec<Finding> {
    let ends = context.claimed().filter(|row| row.params.is_extreme());
    let beyond = ends.filter_map(|end| beyond_its_mean(context, end));
    let alone = context.table.rows.iter().filter_map(|row| {
        let text = contradiction(row).or_else(|| quantiles(row)).or_else(|| mean_beyond_quantiles(row))?;
        Some(Finding::new(&[row], text))
    });
    alone.chain(beyond).collect()
}

/// Minimum, quantiles and maximum that do not increase.
fn quantiles(row: &Row) -> Option<String> {
    let mut given = row.quantiles.clone();
    given.extend(row.minimum.map(|figure| (0.0, figure)));
    given.extend(row.maximum.map(|figure| (1.0, figure)));
    given.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Groups of two in order.
    let pairs = given.iter().zip(given.iter().skip(1));
    let ((low, small), (high, large)) = pairs
        .into_iter()
        .find(|((_, small), (_, large))| large.value < small.value - small.place.max(large.place))?;
    let (small, large) = (row.figure(Some(*small)), row.figure(Some(*large)));
    let [low, high] = [low, high].map(|share| (share * 1e6).round() / 1e4);
    Some(format!("{high} % of the sample are below {large} and {low} % below {small}"))
}

/// A mean above every sample's that has these quantiles and this maximum: each part of the sample at its upper end.
fn mean_beyond_quantiles(row: &Row) -> Option<String> {
    let mean = row.measured.filter(|_| !row.is_median() && !row.quantiles.is_empty())?;
    let mut ends = row.quantiles.clone();
    ends.push((1.0, row.maximum?));
    ends.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut below = 0.0;
    let mut most = 0.0;
    for (share, figure) in &ends {
        most += (share - below) * (figure.value + figure.step);
        below = *share;
    }
    let (shown, unit) = (row.shown(), &row.unit_text);
    (mean.value - mean.step > most).then(|| {
        format!("a mean of {shown}; a sample with these quantiles has one of {most:.4} {unit} at most")
    })
}

/// A maximum below the mean of the same thing, or a minimum above it.
fn beyond_its_mean(context: &Context<'_>, end: &Row) -> Option<Finding> {
    let statistic = end.params.get("statistic")?;
    let sign = match statistic {
        "maximum" | "max" => 1.0,
        "minimum" | "min" => -1.0,
        _ => return None,
    };
    let point = end.params.essence().without(&["statistic"]);
    let mean = context.claimed().find(|row| {
        let same = row.same_quantity(end) && row.unit_text == end.unit_text && row.params.essence() == point;
        same && row.measured.is_some()
    })?;
    let (extreme, centre) = (end.measured?, mean.measured?);
    let text = format!("the {statistic} is {} and the result {}", end.shown(), mean.shown());
    let beyond = sign * (centre.value - extreme.value) > extreme.step.max(centre.step);
    beyond.then(|| Finding::new(&[end, mean], text))
}

/// What contradicts itself in a row.
fn contradiction(row: &Row) -> Option<String> {
    // A printed value may be off by one in its last digit.
    let steps = [row.measured, row.minimum, row.maximum].into_iter().flatten().map(|figure| figure.step);
    let slack = steps.fold(0.0, f64::max);
    let [low, high, deviation] =
        [row.minimum, row.maximum, row.deviation].map(|figure| figure.map(|figure| figure.value));
    let (minimum, maximum) = (row.figure(row.minimum), row.figure(row.maximum));
    let shown = row.figure(row.deviation);
    if low.zip(high).is_some_and(|(low, high)| low > high) {
        return Some(format!("the minimum, {minimum}, is above the maximum, {maximum}"));
    }
    if deviation.is_some_and(|deviation| deviation < 0.0) {
        return Some(format!("the deviation is {shown}, below zero"));
    }
    let mean = row.measured?.value;
    if low.is_some_and(|low| mean < low - slack) || high.is_some_and(|high| mean > high + slack) {
        return Some(format!("{} is outside of {minimum} to {maximum}", row.shown()));
    }
    let range = high? - low?;
    // With n − 1 and two values the deviation is 0.71 of the range; it is never more.
    (deviation? > range + slack && range > 0.0)
        .then(|| format!("a deviation of {shown} in a range of {range}"))
}

fn mean_of_trials(series: &Series<'_>, row: &Row) -> Option<Finding> {
    // Rows beside the trials: of the same chapter, equal up to the first space (`3.3 Table 3` and `3.3 text`). A summary
    // elsewhere is rounded otherwise, and compared as a repeated claim.
    let [of_trials, of_row] = [series.first, row].map(|row| row.section.split(' ').next());
    if !series.is_summarised_by(row) || of_trials != of_row {
        return None;
    }
    let text = other_mean(series, row).or_else(|| other_ends(series, row))?;
    Some(Finding::new(&[vec![row], series.rows.clone()].concat(), text))
}

fn other_mean(series: &Series<'_>, row: &Row) -> Option<String> {
    let (given, values) = (row.measured?, &series.values);
    let slack = given.step.max(0.51 * series.place) * 1.000_001;
    let centre = mean(values);
    // A mean in the row of the trials is theirs, however far off.
    let related = series.first.line == row.line || (given.value / centre - 1.0).abs() < RELATED;
    let found = related && !is_centre(values, given.value, slack) && !values.contains(&given.value);
    found.then(|| format!("{}; the mean of the trials is {centre:.6}", row.shown()))
}

fn other_ends(series: &Series<'_>, row: &Row) -> Option<String> {
    let (low, high) = ends(&series.values);
    let slack = 0.51 * series.place;
    let [low_is_off, high_is_off] = [(row.minimum?, low), (row.maximum?, high)]
        .map(|(figure, end)| (figure.value - end).abs() > figure.place.max(slack) * 1.000_001);
    // One of both must be the trials' own, or they are of another sample.
    let found = low_is_off != high_is_off;
    let (minimum, maximum) = (row.figure(row.minimum), row.figure(row.maximum));
    found.then(|| format!("{minimum} to {maximum}; the trials range from {low} to {high}"))
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{expect, expect_count, expect_trials};

    #[test]
    fn deviation_of_another_kind_is_found() {
        let (fine, coarse) = ("10.12 11.48 9.03 10.77 12.31 8.94", "173 171 174 172 173 171 172 174");
        for (count, values, summary) in [
            (1, fine, "a,statistic=mean,ns,10.44,0.549\n"),
            (1, fine, "a,statistic=mean,ns,10.44,12.9\n"),
            (1, fine, "a,statistic=mean,ns,10.44,3.3\n"),
            (0, fine, "a,statistic=mean,ns,10.44,1.34\n"),
            (0, fine, "a,statistic=mean,ns,10.44,1.23\n"),
            (1, fine, "a,,ns,10.44,1.34\na,statistic=mean,ns,10.44,1.23\n"),
            // Beyond the rounding of the trials.
            (1, coarse, "a,statistic=mean,ns,172.5,0.0\n"),
            (1, coarse, "a,statistic=mean,ns,172.5,31.2\n"),
            (0, coarse, "a,statistic=mean,ns,172.5,1.2\n"),
            (0, coarse, "a,statistic=mean,ns,172.5,1.1\n"),
            (0, coarse, "a,statistic=mean,ns,172.5,1\n"),
        ] {
            expect_trials("deviation_kind", count, "ns", values, summary);
        }
    }

    #[test]
    fn cut_is_found_and_a_bound_is_not() {
        let text = "a,statistic=filter,2000,,cycles\na,statistic=bound,10,,ns\n";
        expect_count("dropped_by_value", 1, "operation,parameter,maximum,measured,unit\n", text);
    }

    #[test]
    fn extreme_is_found_unless_a_result_is_beside_it() {
        for (count, rows) in [
            (2, "a,statistic=maximum,7,8,MB/s\nb,statistic=ceiling,7,,MB/s\n"),
            (0, "a,statistic=maximum,7,,MB/s\na,statistic=median,6,8,MB/s\n"),
        ] {
            expect_count("extreme_as_result", count, "operation,parameter,measured,predicted,unit\n", rows);
        }
    }

    #[test]
    fn chosen_trial_is_found_and_mean_median_and_maximum_are_not() {
        let values = "1393.21 1416.13 1421.98 1377.13 1380.23";
        for (count, summary) in [
            (1, "a,,ns,1416.13,\n"),
            (0, "a,,ns,1397.74,\n"),
            (0, "a,,ns,1393.21,\n"),
            (0, "a,statistic=maximum,ns,1421.98,\n"),
        ] {
            expect_trials("picked_trial", count, "ns", values, summary);
        }
    }

    #[test]
    fn contradictory_summaries_are_found() {
        let (plain, quantiles, statistics) = (
            "operation,measured,deviation,minimum,maximum,unit\n",
            "operation,median (us),p95 (us),p99 (us),min (us),max (us)\n",
            "operation,parameter,measured,unit\n",
        );
        for (count, heading, rows) in [
            (5, plain, "a,3,1,6,9,ns\nb,7,1,4,4.5,us\nc,5,9,4,6,ns\nd,,,9,6,ns\ne,5,-1,,,ns\n"),
            (0, plain, "a,5.1,1,4,9,ns\nb,203,78,124,761,us\nc,5,,,,ns\n"),
            (2, quantiles, "a,3.1,3.6,4.9,2.9,61\nb,2.9,3.1,2.8,2.4,41\nc,0.12,0.3,0.4,0.21,0.5\n"),
            (
                1,
                statistics,
                "a,,1171,MB/s\na,statistic=maximum,1166,MB/s\nb,,3,us\nb,statistic=minimum,2.5,us\n",
            ),
        ] {
            expect_count("impossible_summary", count, heading, rows);
        }
    }

    #[test]
    fn mean_above_what_the_quantiles_allow_is_found() {
        let heading = "test,mean (us),p50 (us),p90 (us),p99 (us),max (us)\n";
        expect(
            "impossible_summary",
            heading,
            &["a,300,10,20,40,900\n"],
            &["a,13,10,20,40,900\n", "a,300,10,20,40,\n"],
        );
    }

    #[test]
    fn mean_of_other_trials_is_found() {
        let values = "9.42 11.49 10.96 12.79 13.00";
        for (count, mean) in [(1, "11.41"), (0, "11.53"), (0, "11.5"), (0, "11.49"), (0, "12"), (0, "25.0")] {
            let more = format!("a,statistic=mean,ns,{mean},\n");
            expect_trials("mean_of_trials", count, "ns", values, &more);
        }
        expect_trials("mean_of_trials", 0, "ns", values, "a,statistic=mean trials=500,ns,11.41,\n");
        let heading = "test,run1,run2,run3,run4,run5,average,unit\n";
        expect("mean_of_trials", heading, &["a,3.12,3.09,3.11,3.14,3.10,4.11,us\n"], &[]);
    }
}
