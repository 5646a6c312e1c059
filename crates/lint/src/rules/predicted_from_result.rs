//! A prediction that is another result of the same report.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table};
use crate::tellings;
use quantity::Printed;

/// Digits in which the two must be the same. Nobody prints more than the most: such a prediction was computed from its
/// parts by a program, which says from which.
const DIGITS: std::ops::RangeInclusive<u32> = 3..=7;
/// What a network does is predicted from facts of the link and of the kernel, not from itself by another name.
const NETWORK: &str = "network";

pub(crate) const RULE: Rule = Rule {
    id: "predicted_from_result",
    code: "E33",
    what: "A prediction for a network that is, digit by digit, what the same report measured as the round trip or the \
           rate of the same network by another name.",
    why: "It holds the kernels, the cards and the peer that it is to predict: agreement says nothing.",
    wrong_when: "Both come from the same facts, and one of the two agrees with them to its last digit.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let tellings = tellings::all(table);
    let first = |of: fn(&Row) -> Option<Printed>| {
        let rows = tellings.iter().filter_map(move |telling| {
            let found = telling.rows.iter().copied().find(|row| of(row).is_some());
            found.filter(|row| row.belongs(NETWORK))
        });
        rows.collect::<Vec<&Row>>()
    };
    let (predictions, results) = (first(|row| row.predicted), first(|row| row.measured));
    let found = predictions.into_iter().filter_map(|row| {
        let predicted = row.predicted.filter(|figure| DIGITS.contains(&figure.digits))?;
        let source = results.iter().copied().find(|source| {
            let alike = (&source.report, &source.unit_text) == (&row.report, &row.unit_text)
                && source.params.get("path") == row.params.get("path");
            alike
                && source.operation != row.operation
                && source.measured.is_some_and(|told| told.value == predicted.value)
        })?;
        let text = format!(
            "the prediction of {} is the result of {}",
            row.told(row.predicted),
            source.operation
        );
        Some(Finding::new(&[row, source], text))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    const HEADING: &str = "operation,parameter,predicted,measured,unit\n";

    #[test]
    fn a_ping_that_became_a_prediction_is_found() {
        let text = "round_trip.icmp,peer=remote,200,231,us\nround_trip.tcp,peer=remote,231,252,us\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 1);
    }

    #[test]
    fn other_peers_short_figures_and_other_families_are_none() {
        let text = "round_trip.icmp,peer=loopback,200,231,us\nround_trip.tcp,peer=remote,231,252,us\n\
                    bandwidth.flows,peer=y,1.283172906,1.3,GB/s\nbandwidth.tcp,peer=y,1,1.283172906,GB/s\n\
                    round_trip.udp,peer=x,100,2.1,us\nconnection.connect,peer=x,2.1,4,us\nloop,,1.25,2.44,ns\ncall,,2.44,3,ns\n";
        assert_eq!(count(&RULE, &format!("{HEADING}{text}")), 0);
    }
}
