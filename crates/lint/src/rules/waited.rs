//! A connection that took as long as a person does.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table, grouped};

/// Times of a round trip to the same peer that a connection may take: it needs two or three.
const ROUND_TRIPS: f64 = 100.0;
/// Seconds, where no round trip is told. The first repetition of a lost packet comes after one second.
const LONG: f64 = 0.5;

pub(crate) const RULE: Rule = Rule {
    id: "waited",
    code: "E40",
    what: "Connecting, accepting or closing that takes a hundred round trips to that peer, or half a second.",
    why: "The interval holds the wait for the other side to start, or for a person.",
    wrong_when: "Packets were lost and sent again.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let waited = |row: &&Row| {
        let time = row.result().or(row.si(row.minimum));
        let trip = round_trip(table, &row.report, row.params.get("path"));
        let most = trip.map_or(LONG, |trip| trip * ROUND_TRIPS).max(LONG);
        time.is_some_and(|time| time > most)
    };
    let connections = table
        .rows
        .iter()
        .filter(|row| row.belongs("network.connection") && row.is_time_of_one());
    let found = connections.filter(waited);
    let found = grouped(found.map(|row| ((&row.report, &row.operation, row.params.get("path")), row)));
    let sentence = |rows: &[&Row]| {
        let told = rows
            .first()
            .map(|row| row.told(row.measured.or(row.minimum)))
            .unwrap_or_default();
        format!("{told} is the wait for somebody, not the cost of the call")
    };
    found
        .iter()
        .map(|(_, rows)| Finding::new(rows, sentence(rows)))
        .collect()
}

/// The longest round trip to a peer that a report tells.
fn round_trip(table: &Table, report: &str, path: Option<&str>) -> Option<f64> {
    let trips = table
        .of(report)
        .filter(|row| row.belongs("network.round_trip") && row.params.get("path") == path);
    trips.filter_map(|row| row.result()).reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn seconds_to_accept_are_found_and_slow_links_are_none() {
        let text = "operation,parameter,measured,unit\nround_trip.tcp,peer=far,20,ms\nround_trip.tcp,peer=loopback,30,us\n\
                    connection.accept,peer=loopback,2.4,s\nconnection.connect,peer=far,0.7,s\nconnection.close,peer=loopback,13,us\n";
        assert_eq!(count(&RULE, text), 1);
        let own = "operation,point,typical,unit\nnetwork.connection.connect,path=loopback cpu=same,0.7,s\n";
        assert_eq!(count(&RULE, own), 1);
    }
}
