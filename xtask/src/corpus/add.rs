//! A machine more in the corpus: its folder, from a record or a table of points, and a dump.

use crate::report_csv;
use analysis::{Row, analyse};
use anyhow::{Context, Result, ensure};
use machine::Dump;
use record::{PointId, Record, renamed};
use reference::MeasuredPoint;
use std::path::Path;

/// The folders of the machines, below the root.
const FOLDER: &str = "crates/reading/reference/data/machines-measured";

/// Significant digits of a value.
const DIGITS: usize = 6;

/// Writes the folder of a machine; gives whether it did.
///
/// # Errors
/// When the results or the dump cannot be read, or the folder cannot be written.
pub fn add(root: &Path, name: &str, results: &str, dump: &str) -> Result<bool> {
    let points = points(Path::new(results))?;
    ensure!(!points.is_empty(), "{results}: there are no points in it");
    let text = std::fs::read_to_string(dump).with_context(|| dump.to_owned())?;
    let machine = Dump::from_json(&text).with_context(|| dump.to_owned())?.to_json()?;
    let folder = root.join(FOLDER).join(name);
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    std::fs::write(folder.join("machine.json"), machine)?;
    let mut writer = csv::Writer::from_path(folder.join("points.csv"))?;
    points.iter().try_for_each(|point| writer.serialize(point))?;
    writer.flush()?;
    println!(
        "{} points in {FOLDER}/{name}; put \"{name}\" and what it is into CORPUS, crates/reading/reference/src/corpus.rs",
        points.len()
    );
    Ok(true)
}

fn points(results: &Path) -> Result<Vec<MeasuredPoint>> {
    if results.extension().is_some_and(|ending| ending == "csv") {
        let text = std::fs::read_to_string(results).with_context(|| results.display().to_string())?;
        let rows: Vec<report_csv::Row> = report_csv::read(&text)?;
        return Ok(rows.into_iter().map(of_table).collect());
    }
    let rows = analyse(&Record::read(results)?).rows;
    Ok(rows.iter().map(of_row).collect())
}

/// A row of a table, which older versions wrote with other names and without a state.
fn of_table(row: report_csv::Row) -> MeasuredPoint {
    let written = PointId::new(&row.operation, &row.point).to_string();
    let current = renamed::current(&written);
    let (operation, point) = current.split_once(' ').unwrap_or((&current, ""));
    MeasuredPoint {
        operation: operation.to_owned(),
        point: point.to_owned(),
        verdict: row.verdict,
        typical: row.typical.map(rounded),
        low: row.low.map(rounded),
        high: row.high.map(rounded),
        state: row.state,
    }
}

fn of_row(row: &Row) -> MeasuredPoint {
    let estimate = row.estimate.as_ref();
    let interval = estimate.and_then(|estimate| estimate.interval);
    MeasuredPoint {
        operation: row.point.id.operation.clone(),
        point: row.point.id.point.clone(),
        verdict: row.verdict.word().to_owned(),
        typical: estimate.map(|estimate| rounded(estimate.typical)),
        low: interval.map(|interval| rounded(interval.low)),
        high: interval.map(|interval| rounded(interval.high)),
        state: row.core.map_or("", |core| core.state.word()).to_owned(),
    }
}

fn rounded(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TABLE: &str = "operation,point,area,verdict,typical,low,high\n\
        loop.iteration,counter=register n=16,cpu,noisy,0.33468261,0.327407629,0.639436843\n\
        file.sync,,file,skipped,,,\n";

    #[test]
    fn a_table_becomes_a_folder_with_current_names() {
        let folder = tempfile::tempdir().unwrap();
        let dump = Dump::default().to_json().unwrap();
        let [table, dump] = [("points.csv", TABLE), ("dump.json", &dump)].map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        });
        assert!(add(folder.path(), "new", &table, &dump).unwrap());
        let own = folder.path().join(FOLDER).join("new");
        let points = std::fs::read_to_string(own.join("points.csv")).unwrap();
        assert_eq!(
            points,
            "operation,point,verdict,typical,low,high,state\n\
             loop.iteration,counter=register iterations=16,noisy,0.334683,0.327408,0.639437,\n\
             file.sync,,skipped,,,,\n"
        );
        let machine = std::fs::read_to_string(own.join("machine.json")).unwrap();
        assert_eq!(Dump::from_json(&machine).unwrap(), Dump::default());
    }

    #[test]
    fn what_is_no_result_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join("empty.csv");
        std::fs::write(&empty, TABLE.lines().next().unwrap()).unwrap();
        let refused = add(folder.path(), "new", &empty.display().to_string(), "dump.json");
        assert!(refused.unwrap_err().to_string().contains("no points"));
    }
}
