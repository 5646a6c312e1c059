//! The first configuration of a sweep dearer than those that do more.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table, grouped};
use crate::tellings;

/// Parameters with which the cost can only grow.
const GROWING: [&str; 4] = ["arguments", "competitors", "processes", "threads"];
/// The first must be dearer than the second by this share and by so many of their deviations' standard errors.
const DEARER: f64 = 0.15;
const ERRORS: f64 = 2.0;
/// Trials behind a deviation where they are not told; few, so that the error is not taken for too small.
const TRIALS: f64 = 5.0;

pub(crate) const RULE: Rule = Rule {
    id: "cold_first",
    code: "E23",
    what: "The first point of a sweep (no arguments, no competitors) dearer than all the others, which do more.",
    why: "It was measured first and cold, always in the same order.",
    wrong_when: "Doing more is truly cheaper, for example because another core wakes up.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut points = Vec::new();
    for telling in tellings::all(table) {
        let rows = telling
            .rows
            .into_iter()
            .filter(|row| row.is_time_of_one() && row.params.is_plain());
        let Some(row) = rows
            .min_by_key(|row| row.line)
            .filter(|row| row.result().is_some())
        else {
            continue;
        };
        let swept = GROWING
            .iter()
            .find_map(|name| Some((*name, row.params.number(name)?)));
        let Some((name, at)) = swept else { continue };
        let rest = row.params.essence().without(&GROWING);
        points.push((
            (row.report.as_str(), row.operation.as_str(), name, rest),
            (at, row),
        ));
    }
    grouped(points)
        .into_iter()
        .filter_map(|(_, points)| judge(points))
        .collect()
}

fn judge(mut points: Vec<(f64, &Row)>) -> Option<Finding> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    let rows: Vec<&Row> = points.iter().map(|(_, row)| *row).collect();
    let (first, second) = (*rows.first()?, *rows.get(1)?);
    let (cost, next) = (first.result()?, second.result()?);
    let dearest = rows
        .iter()
        .skip(1)
        .filter_map(|row| row.result())
        .all(|other| other < cost);
    let error = |row: &Row| {
        row.si(row.deviation).unwrap_or(0.0).powi(2) / row.params.number("trials").unwrap_or(TRIALS)
    };
    let errors = (error(first) + error(second)).sqrt();
    // Three points at least: of two, one is dearer by accident too often.
    if rows.len() < 3 || !dearest || cost < next * (1.0 + DEARER) || cost - next < ERRORS * errors {
        return None;
    }
    let told = (first.told(first.measured), second.told(second.measured));
    Some(Finding::new(
        &rows,
        format!(
            "the first point takes {}, the second only {}, and it does more",
            told.0, told.1
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    const HEADING: &str = "operation,parameter,measured,unit,deviation\n";

    #[test]
    fn a_cold_first_point_is_found() {
        let text =
            "call,arguments=0,15.26,ns,1.89\ncall,arguments=1,11.49,ns,1.5\ncall,arguments=2,11.39,ns,1.4\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 1);
    }

    #[test]
    fn growing_and_noisy_sweeps_are_none() {
        let text = "call,arguments=0,1.2,ns,0.1\ncall,arguments=1,1.4,ns,0.1\ncall,arguments=2,1.3,ns,0.1\n\
                    noisy,arguments=0,15,ns,9\nnoisy,arguments=1,11,ns,8\nnoisy,arguments=2,12,ns,8\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 0);
    }
}
