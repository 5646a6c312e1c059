//! What records found of a cache: first the answer, then the points that tell of it.

use super::analysed_record::AnalysedRecord;
use super::facts;
use super::page::Page;
use crate::Operations;
use crate::arguments::HistoryFolder;
use crate::operation_list::operation;
use analysis::{Answer, Row};
use measure::Operation;
use quantity::parse_bytes;
use record::{Machine, PointId};
use std::path::Path;

/// An operation that tells of the cache, and the earlier record that has it where the newest one lacks it.
type Found = (&'static Operation, Option<AnalysedRecord>);

/// Writes what the newest record, or an earlier one, found of a cache.
pub(super) fn measured(
    operations: Operations,
    (named, history): (Option<&Path>, &HistoryFolder),
    (newest, machine): (Option<&AnalysedRecord>, &Machine),
    cache: &str,
    page: &mut Page<'_>,
) -> anyhow::Result<()> {
    let (mut found, mut missing): (Vec<Found>, Vec<&str>) = Default::default();
    for operation in analysis::CACHE_OPERATIONS.iter().filter_map(|id| operation(operations, id)) {
        let tells_of_it =
            |id: &PointId| id.operation == operation.id && analysis::tells_of_cache(id, machine, cache);
        let older = newest.filter(|_| named.is_none()).map(|newest| newest.older(history, tells_of_it));
        let older = older.transpose()?.flatten();
        match older.as_ref().or(newest).is_some_and(|found| found.has(tells_of_it)) {
            true => found.push((operation, older)),
            false => missing.push(operation.id),
        }
    }
    let found: Vec<(&Operation, &AnalysedRecord, bool)> = found
        .iter()
        .filter_map(|(operation, older)| Some((*operation, older.as_ref().or(newest)?, older.is_some())))
        .collect();
    let rows = |operation: &Operation, record: &'_ AnalysedRecord| -> Vec<Row> {
        let tells_of_it = |row: &&Row| {
            let id = &row.point.id;
            id.operation == operation.id && analysis::tells_of_cache(id, machine, cache)
        };
        record.analysis.rows.iter().filter(tells_of_it).cloned().collect()
    };
    let all: Vec<Row> = found.iter().flat_map(|(operation, record, _)| rows(operation, record)).collect();
    let answers: Vec<&Answer> = found
        .iter()
        .flat_map(|(operation, record, _)| facts::answers_of(&record.analysis.answers, operation.id, cache))
        .collect();
    let load = smallest_load(&all);
    if !answers.is_empty() || load.is_some() {
        writeln!(page.out)?;
        report::explain_size_of_cache(&answers, load, &mut page.of_report())?;
    }
    for (operation, record, is_older) in found {
        page.heading(&format!("{}: {}", operation.id, operation.title))?;
        if is_older {
            page.paragraph("  ", &record.heading())?;
        }
        let rows = rows(operation, record);
        report::explain_briefly(&rows.iter().collect::<Vec<_>>(), &mut page.of_report())?;
    }
    if !missing.is_empty() {
        page.heading(&format!("not measured yet: oscope run {}", missing.join(" ")))?;
    }
    Ok(())
}

/// The load from the smallest working set that tells of the cache: the surest that it is held there.
fn smallest_load(rows: &[Row]) -> Option<&Row> {
    let loads = rows.iter().filter(|row| row.estimate.is_some());
    let loads =
        loads.filter_map(|row| Some((parse_bytes(row.point.id.parameter("bytes")?).ok()?.bytes(), row)));
    loads.min_by_key(|(bytes, _)| *bytes).map(|(_, row)| row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::Estimate;
    use record::PlannedPoint;

    #[test]
    fn load_from_the_smallest_working_set_with_a_number_is_that_of_the_cache() {
        let row = |point: &str, has_number: bool| Row {
            estimate: has_number.then(Estimate::default),
            ..Row::new(PlannedPoint::new(PointId::new("load", point)))
        };
        let rows = [
            row("bytes=16MiB", true),
            row("bytes=4MiB", true),
            row("bytes=2MiB", false),
            row("level=3", true),
        ];
        let found = smallest_load(&rows).map(|row| row.point.id.point.as_str());
        assert_eq!(found, Some("bytes=4MiB"));
        assert_eq!(smallest_load(&rows[3..]), None);
    }
}
