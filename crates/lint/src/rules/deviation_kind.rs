//! A deviation that is not the deviation of the trials beside it, or of two kinds in one report.

use crate::finding::{Finding, Rule};
use crate::series::{Series, long};
use crate::statistics::{deviation, mean};
use crate::table::{Row, Table};

/// What a number called deviation can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// With n − 1.
    Sample,
    /// With n.
    Population,
    /// Of the mean, not of a trial.
    OfTheMean,
    /// In percent of the mean.
    Percent,
    /// None of these.
    Unknown,
}

/// Beyond the rounding of what is printed, a recomputed deviation may differ by this share: trials are rounded too.
const ROUNDING: f64 = 0.005;

pub(crate) const RULE: Rule = Rule {
    id: "deviation_kind",
    code: "E27",
    what: "A deviation that the trials beside it do not have; one that is the standard error or a percentage; or n \
           in one table and n − 1 in another of the same report.",
    why: "A reader takes it for the deviation of one trial, and compares what cannot be compared.",
    wrong_when: "The deviation is of samples that are not in the table.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let series = long(table);
    let mut judged: Vec<(Kind, &Row)> = Vec::new();
    for one in &series {
        for row in one.summaries(table).filter(|row| same_unit(one, row)) {
            judged.extend(kind(one, row).map(|kind| (kind, row)));
        }
    }
    let mut findings: Vec<Finding> = judged
        .iter()
        .filter_map(|(kind, row)| alone(*kind, row))
        .collect();
    for report in table.reports() {
        findings.extend(mixed(&judged, report));
    }
    findings
}

fn same_unit(series: &Series<'_>, row: &Row) -> bool {
    series
        .first()
        .is_some_and(|first| first.unit_text == row.unit_text)
        && row
            .params
            .number("trials")
            .is_none_or(|trials| trials == series.rows.len() as f64)
}

/// Which kind a row's deviation is; `None` when it has none, or the trials do not differ.
fn kind(series: &Series<'_>, row: &Row) -> Option<Kind> {
    let (told, values) = (row.deviation?, series.values());
    let (count, sample) = (values.len() as f64, deviation(&values));
    let centre = mean(&values);
    // Trials rounded to a place blur the deviation by as much.
    let blur = told.place + 0.5 * series.place() + ROUNDING * sample;
    // Coarse trials tell no kind: n and n − 1 differ by half of 1/n.
    if sample <= 0.0 {
        return None;
    }
    if series.place() > 0.1 * sample {
        // What rounding of the trials and of the deviation can do is less than half of a place each.
        let rounding = 0.55 * (series.place() + told.place);
        let population = sample * ((count - 1.0) / count).sqrt();
        let none = told.value + rounding < population || told.value > sample * (1.0 + ROUNDING) + rounding;
        return none.then_some(Kind::Unknown);
    }
    let is = |value: f64| (value - told.value).abs() <= blur;
    let candidates = [
        (Kind::Sample, sample),
        (Kind::Population, sample * ((count - 1.0) / count).sqrt()),
        (Kind::OfTheMean, sample / count.sqrt()),
        (
            Kind::OfTheMean,
            sample * ((count - 1.0) / count).sqrt() / count.sqrt(),
        ),
        (Kind::Percent, 100.0 * sample / centre),
    ];
    let nearest = candidates.into_iter().filter(|(_, value)| is(*value));
    let best = nearest.min_by(|a, b| (a.1 - told.value).abs().total_cmp(&(b.1 - told.value).abs()));
    Some(best.map_or(Kind::Unknown, |(kind, _)| kind))
}

fn alone(kind: Kind, row: &Row) -> Option<Finding> {
    let says = match kind {
        Kind::Sample | Kind::Population => return None,
        Kind::OfTheMean => "is the standard error of the mean, not the deviation of a trial",
        Kind::Percent => "is a percentage of the mean",
        Kind::Unknown => "is no deviation of the trials beside it",
    };
    Some(Finding::new(
        &[row],
        format!("{} {says}", row.told(row.deviation)),
    ))
}

fn mixed(judged: &[(Kind, &Row)], report: &str) -> Option<Finding> {
    let of = |kind: Kind| {
        let rows = judged
            .iter()
            .filter(move |(known, row)| *known == kind && row.report == report);
        rows.map(|(_, row)| *row).collect::<Vec<&Row>>()
    };
    let (sample, population) = (of(Kind::Sample), of(Kind::Population));
    if sample.is_empty() || population.is_empty() {
        return None;
    }
    let text = format!(
        "{} deviations are taken with n − 1, {} with n",
        sample.len(),
        population.len()
    );
    let rows: Vec<&Row> = sample.into_iter().chain(population).collect();
    let subject = report.to_owned();
    Some(Finding {
        subject,
        ..Finding::new(&rows, text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{count, trials};

    const VALUES: [&str; 6] = ["10.12", "11.48", "9.03", "10.77", "12.31", "8.94"];

    #[test]
    fn the_standard_error_a_percentage_and_another_number_are_found() {
        for wrong in ["0.549", "12.9", "3.3"] {
            assert_eq!(
                count(
                    &RULE,
                    &trials(
                        "a",
                        "ns",
                        &VALUES,
                        &format!("a,statistic=mean,ns,10.44,{wrong}\n")
                    )
                ),
                1,
                "{wrong}"
            );
        }
    }

    #[test]
    fn coarse_trials_tell_no_kind_but_what_is_none() {
        let coarse = ["173", "171", "174", "172", "173", "171", "172", "174"];
        for (told, found) in [("0.0", 1), ("31.2", 1), ("1.2", 0), ("1.1", 0), ("1", 0)] {
            let table = trials("a", "ns", &coarse, &format!("a,statistic=mean,ns,172.5,{told}\n"));
            assert_eq!(count(&RULE, &table), found, "{told}");
        }
    }

    #[test]
    fn both_right_kinds_alone_are_none_and_together_one() {
        for right in ["1.34", "1.23"] {
            assert_eq!(
                count(
                    &RULE,
                    &trials(
                        "a",
                        "ns",
                        &VALUES,
                        &format!("a,statistic=mean,ns,10.44,{right}\n")
                    )
                ),
                0,
                "{right}"
            );
        }
        let both = trials(
            "a",
            "ns",
            &VALUES,
            "a,,ns,10.44,1.34\na,statistic=mean,ns,10.44,1.23\n",
        );
        assert_eq!(count(&RULE, &both), 1);
    }
}
