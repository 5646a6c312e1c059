//! The time of a whole file that is too short for its bytes: it is that of one block.

use crate::finding::{Finding, Rule};
use crate::table::{Row, Table, grouped};
use quantity::Quantity;

/// Bytes per second that no memory of one machine moves.
const FASTEST: f64 = 1e12;

pub(crate) const RULE: Rule = Rule {
    id: "axis_unit",
    code: "E19",
    what: "Times of files of several sizes that would mean more bytes per second than the report's memory gives.",
    why: "The time is that of a block or a byte, and the table calls it that of the file.",
    wrong_when: "A parameter `file` names the file in which one access was made; `block=` or a unit per block says so.",
    check,
};

fn check(table: &Table) -> Vec<Finding> {
    let too_fast = |row: &&Row| {
        let told = row.params.bytes("file").zip(row.result());
        told.is_some_and(|(bytes, time)| bytes / time > memory(table, &row.report))
    };
    let files = table.rows.iter().filter(|row| moves_files(row));
    let sweep = |row: &Row| row.params.essence().without(&["file"]);
    grouped(
        files
            .filter(too_fast)
            .map(|row| ((&row.report, &row.operation, sweep(row)), row)),
    )
    .iter()
    .map(|(_, rows)| Finding::new(rows, sentence(rows)))
    .collect()
}

/// A time of an operation on a file whose size is told, and not per block.
fn moves_files(row: &Row) -> bool {
    row.is(Quantity::Latency)
        && row.operation.starts_with("file.")
        && row.unit.is_some_and(|unit| !unit.per_part)
        && row.params.is_plain()
        && row.params.get("block").is_none()
        && row.result().is_some_and(|time| time > 0.0)
}

/// The fastest rate of memory that a report tells, or what none reaches.
fn memory(table: &Table, report: &str) -> f64 {
    let rows = table
        .of(report)
        .filter(|row| row.is(Quantity::Bandwidth) && row.belongs("memory"));
    let rates = rows.flat_map(|row| [row.si(row.measured), row.si(row.predicted), row.si(row.base)]);
    rates.flatten().reduce(f64::max).unwrap_or(FASTEST)
}

fn sentence(rows: &[&Row]) -> String {
    let worst = rows.last().map(|row| {
        format!(
            "{} in {}",
            row.params.get("file").unwrap_or_default(),
            row.told(row.measured)
        )
    });
    format!(
        "{} is faster than memory: the time is that of one block, not of the file",
        worst.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::count;

    #[test]
    fn a_file_faster_than_memory_is_found_once_per_sweep() {
        let text = "operation,parameter,measured,unit\nmemory.bandwidth.read,,10,GB/s\nfile.read,file=16MB,50,us\nfile.read,file=256MB,44,us\n";
        assert_eq!(count(&RULE, text), 1);
    }

    #[test]
    fn times_of_blocks_that_say_so_and_of_files_are_none() {
        let text = "operation,parameter,measured,unit\nfile.read,file=256MB,44,us/block\nfile.read,file=256MB block=4KB,44,us\nfile.read,file=256MB,90,ms\n";
        assert_eq!(count(&RULE, text), 0);
    }
}
