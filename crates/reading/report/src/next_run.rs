//! The interval of the next run in words: the deviation between runs, and from what that is known.

use crate::wording::{many, some_joined};
use analysis::{BetweenRuns, Row};
use quantity::{show_interval, show_percent};

/// The deviation between runs, and from what it is known.
fn deviation(between: BetweenRuns, record: &str) -> String {
    let deviation = show_percent(between.deviation);
    match between.records {
        0 => format!("{deviation}, from the table"),
        records => format!("{deviation}, from {}", many(records, record)),
    }
}

/// The same where the runs are those that are shown, and none is earlier than all of them.
pub(crate) fn of_runs(between: BetweenRuns) -> String {
    deviation(between, "record")
}

/// The interval in which the next run finds the value, and what it is made of.
pub(crate) fn words(row: &Row) -> Option<String> {
    let (between, (low, high)) = (row.between_runs()?, row.next_run()?.ends());
    let interval = show_interval(low, high, row.quantity());
    Some(format!("{interval}; the deviation between runs is {}", deviation(between, "earlier record")))
}

/// From what the deviations between the runs of these points are known.
pub(crate) fn sources(rows: &[Row]) -> Option<String> {
    let known = rows.iter().filter(|row| row.next_run().is_some());
    let records: Vec<usize> = known.filter_map(|row| Some(row.between_runs()?.records)).collect();
    let (by_records, table): (Vec<usize>, Vec<usize>) = records.iter().partition(|records| **records > 0);
    let by_records = by_records.iter().min().zip(by_records.iter().max()).map(|(least, most)| {
        let least = if least == most { String::new() } else { format!("{least} to ") };
        format!("from {least}{} for {}", many(*most, "earlier record"), many(by_records.len(), "point"))
    });
    let table = (!table.is_empty()).then(|| format!("from the table for {}", many(table.len(), "point")));
    let sources = some_joined(by_records.into_iter().chain(table), ", ")?;
    Some(format!("±: of the next run; the deviation between runs is {sources}"))
}
