//! `cargo xtask environments`: the table of `docs/ENVIRONMENTS.md`, from the CSV form of a comparison on standard input.

use anyhow::{Result, ensure};
use std::collections::BTreeMap;
use std::io::Read;

/// A row of the CSV form: the columns up to `decision` hold no commas.
struct Row<'t> {
    point: String,
    environment: &'t str,
    native: Option<f64>,
    ratio: Option<[f64; 3]>,
}

/// Reads the rows and prints the table.
///
/// # Errors
/// When there is no row.
pub fn print() -> Result<bool> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let rows: Vec<Row<'_>> = text.lines().skip(1).filter_map(row).collect();
    ensure!(
        !rows.is_empty(),
        "no rows; give it what `oscope compare RECORD --format csv` writes"
    );
    print!("{}", table(&rows));
    Ok(true)
}

fn row(line: &str) -> Option<Row<'_>> {
    let cells: Vec<&str> = line.split(',').collect();
    let number = |at: usize| cells.get(at)?.parse::<f64>().ok();
    // A cost less that of a control can come out below zero: no ratio says anything then.
    let interval = number(10).filter(|low| *low > 0.0).zip(number(11));
    Some(Row {
        point: format!("{} {}", cells.first()?, cells.get(1)?).trim().to_owned(),
        environment: cells.get(5)?,
        native: number(6),
        ratio: number(9)
            .zip(interval)
            .map(|(ratio, (low, high))| [ratio, low, high]),
    })
}

/// One line for each environment, one column for each point.
fn table(rows: &[Row<'_>]) -> String {
    let mut points: Vec<&str> = Vec::new();
    let mut lines: Vec<(&str, BTreeMap<&str, String>)> = Vec::new();
    let mut native = BTreeMap::new();
    for row in rows {
        if !points.contains(&row.point.as_str()) {
            points.push(&row.point);
        }
        if let Some(ns) = row.native {
            native.insert(
                row.point.as_str(),
                quantity::show(ns, None, quantity::Quantity::Latency),
            );
        }
        let cell = row.ratio.map_or_else(
            || "–".to_owned(),
            |[ratio, low, high]| format!("{} ({} … {})", short(ratio), short(low), short(high)),
        );
        match lines.iter_mut().find(|(name, _)| *name == row.environment) {
            Some((_, cells)) => drop(cells.insert(&row.point, cell)),
            None => lines.push((row.environment, BTreeMap::from([(row.point.as_str(), cell)]))),
        }
    }
    let line = |name: &str, cells: &BTreeMap<&str, String>| {
        let cells: Vec<&str> = points
            .iter()
            .map(|point| cells.get(point).map_or("–", String::as_str))
            .collect();
        format!("| {name} | {} |\n", cells.join(" | "))
    };
    let mut text = format!("| environment | {} |\n", points.join(" | "));
    text += &format!("| --- |{}\n", " --- |".repeat(points.len()));
    text += &line("native", &native);
    lines.iter().for_each(|(name, cells)| text += &line(name, cells));
    text
}

/// Three digits.
fn short(value: f64) -> String {
    let digits = if value < 10.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_lines_and_points_are_columns() {
        let csv = [
            "syscall.getppid,method=raw,os,latency,ns,box,100,125,factor,1.25,1.2,1.3,slower,,",
            "switch,,os,latency,ns,box,2000,,,,,,not comparable,,\"failed, there\"",
            "switch,,os,latency,ns,cage,2000,-9,factor,-8.1,-9.5,3.2,undecided,,",
            "syscall.getppid,method=raw,os,latency,ns,cage,100,12345,factor,123.45,99.5,150.2,slower,,",
        ];
        let rows: Vec<Row<'_>> = csv.iter().filter_map(|line| row(line)).collect();
        let text = table(&rows);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "| environment | syscall.getppid method=raw | switch |");
        assert_eq!(lines[3], "| box | 1.25 (1.20 … 1.30) | – |");
        assert_eq!(lines[4], "| cage | 123 (99.5 … 150) | – |");
    }
}
