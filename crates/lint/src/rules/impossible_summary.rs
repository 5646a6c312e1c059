//! Mean, ends and deviation that cannot be of the same sample.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings;

pub(crate) const RULE: Rule = Rule {
    id: "impossible_summary",
    code: "E49",
    what: "A result outside its own smallest and largest, a smallest above the largest, a deviation that is negative or \
           larger than the whole range, quantiles that fall, or a maximum told below the mean.",
    why: "No sample has such a summary: a figure belongs elsewhere.",
    wrong_when: "Smallest and largest are of another sample than the mean.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for row in &table.rows {
        let text = judge(row).or_else(|| quantiles(row));
        findings.extend(text.map(|text| Finding::new(&[row], text)));
    }
    let tellings = tellings::all(table);
    let rows: Vec<&Row> = tellings
        .iter()
        .flat_map(|telling| telling.rows.iter().copied())
        .collect();
    let ends = rows.iter().filter(|row| row.params.is_extreme());
    findings.extend(ends.filter_map(|end| beyond_its_mean(end, &rows)));
    findings
}

/// Smallest, quantiles and largest that do not rise.
fn quantiles(row: &Row) -> Option<String> {
    let mut told = row.quantiles.clone();
    told.extend(row.minimum.map(|figure| (0.0, figure)));
    told.extend(row.maximum.map(|figure| (1.0, figure)));
    told.sort_by(|a, b| a.0.total_cmp(&b.0));
    let falls = told.windows(2).find_map(|pair| {
        let [(low, small), (high, large)] = pair else {
            return None;
        };
        (large.value < small.value - small.place.max(large.place)).then_some((low, small, high, large))
    });
    let (low, small, high, large) = falls?;
    let percent = |share: &f64| {
        format!("{:.4}", share * 100.0)
            .trim_end_matches('0')
            .trim_end_matches('.')
            .to_owned()
    };
    Some(format!(
        "{} % lie below {} and {} % below {}",
        percent(high),
        row.told(Some(*large)),
        percent(low),
        row.told(Some(*small))
    ))
}

/// A maximum below the mean of the same thing, or a minimum above it.
fn beyond_its_mean(end: &Row, rows: &[&Row]) -> Option<Finding> {
    let statistic = end.params.get("statistic")?;
    let sign = match statistic {
        "maximum" | "max" => 1.0,
        "minimum" | "min" => -1.0,
        _ => return None,
    };
    let point = end.params.essence().without(&["statistic"]);
    let mean = rows.iter().find(|row| {
        (&row.report, &row.operation, row.quantity, &row.unit_text)
            == (&end.report, &end.operation, end.quantity, &end.unit_text)
            && row.params.essence() == point
            && row.measured.is_some()
    })?;
    let (extreme, centre) = (end.measured?, mean.measured?);
    let short = sign * (centre.value - extreme.value) > extreme.step.max(centre.step);
    short.then(|| {
        let text = format!(
            "the {statistic} is {} and the result {}",
            end.told(end.measured),
            mean.told(mean.measured)
        );
        Finding::new(&[end, *mean], text)
    })
}

fn judge(row: &Row) -> Option<String> {
    let value = |figure: Option<quantity::Printed>| figure.map(|figure| figure.value);
    // What is printed may be off by one of its last digits.
    let slack: f64 = [row.measured, row.minimum, row.maximum]
        .into_iter()
        .flatten()
        .map(|figure| figure.step)
        .fold(0.0, f64::max);
    let (low, high) = (value(row.minimum), value(row.maximum));
    if low.zip(high).is_some_and(|(low, high)| low > high) {
        return Some(format!(
            "the smallest, {}, is above the largest, {}",
            row.told(row.minimum),
            row.told(row.maximum)
        ));
    }
    if value(row.deviation).is_some_and(|deviation| deviation < 0.0) {
        return Some(format!("a deviation of {}", row.told(row.deviation)));
    }
    let mean = value(row.measured)?;
    if low.is_some_and(|low| mean < low - slack) || high.is_some_and(|high| mean > high + slack) {
        return Some(format!(
            "{} lies outside {} to {}",
            row.told(row.measured),
            row.told(row.minimum),
            row.told(row.maximum)
        ));
    }
    let range = high? - low?;
    // With n − 1 and two values the deviation is 0.71 of the range; it is never more.
    (value(row.deviation)? > range + slack && range > 0.0).then(|| {
        format!(
            "a deviation of {} within a range of {range}",
            row.told(row.deviation)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn impossible_summaries_are_found_and_possible_ones_are_none() {
        let heading = "operation,measured,deviation,minimum,maximum,unit\n";
        assert_eq!(
            count(
                &RULE,
                &format!("{heading}a,3,1,6,9,ns\nb,7,1,4,4.5,us\nc,5,9,4,6,ns\nd,,,9,6,ns\ne,5,-1,,,ns\n")
            ),
            5
        );
        assert_eq!(
            count(
                &RULE,
                &format!("{heading}a,5.1,1,4,9,ns\nb,203,78,124,761,us\nc,5,,,,ns\n")
            ),
            0
        );
    }

    #[test]
    fn quantiles_that_fall_and_maxima_below_the_mean_are_found() {
        let text = "operation,median (us),p95 (us),p99 (us),min (us),max (us)\na,3.1,3.6,4.9,2.9,61\nb,2.9,3.1,2.8,2.4,41\n\
                    c,0.12,0.3,0.4,0.21,0.5\n";
        assert_eq!(count(&RULE, text), 2);
        let text = "operation,parameter,measured,unit\na,,1171,MB/s\na,statistic=maximum,1166,MB/s\nb,,3,us\n\
                    b,statistic=minimum,2.5,us\n";
        assert_eq!(count(&RULE, text), 1);
    }
}
