//! Estimates in the form of SuperBench's `results-summary.jsonl`: a line for each run, a number for each point, so that
//! `sb result diagnosis` and `sb result summary` run on them.

use super::jsonl::JsonLines;
use super::tables::{ESTIMATES, Rows, Table, TableWriter, Value};
use crate::arguments::Replace;
use crate::output::Mark;
use std::path::Path;

/// How it begins: SuperBench's own summary has other metrics.
const MARK: Mark = Mark { begins: "{\"", holds: &["\"node\":", "\"oscope"] };

/// The file.
pub struct Summary(JsonLines);

impl Summary {
    /// A new file in this directory.
    pub fn create(folder: &Path, replace: Replace) -> anyhow::Result<Self> {
        JsonLines::create(folder, "results-summary.jsonl", MARK, replace).map(Self)
    }
}

impl TableWriter for Summary {
    fn rows(&mut self, table: &'static Table, rows: Rows) -> anyhow::Result<()> {
        if *table != ESTIMATES {
            return Ok(());
        }
        let Some(first) = rows.first() else { return Ok(()) };
        let mut line = serde_json::Map::new();
        line.insert("node".to_owned(), text(table, first, "machine").into());
        for row in &rows {
            let Some(Value::Number(typical)) = cell(table, row, "typical") else {
                continue;
            };
            let benchmark = match text(table, row, "environment") {
                native if native.is_empty() => "oscope".to_owned(),
                environment => format!("oscope:{environment}"),
            };
            // A name of SuperBench is benchmark/metric, without blanks; what stands behind a colon is a rank.
            let point = text(table, row, "point").replace([' ', ':'], ",");
            let metric = [text(table, row, "operation"), point].join(",");
            line.insert(format!("{benchmark}/{}", metric.trim_end_matches(',')), typical.into());
        }
        self.0.line(&line)
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        self.0.finish()
    }
}

fn cell(table: &Table, row: &[Value], column: &str) -> Option<Value> {
    let place = table.columns().position(|(name, _)| name == column)?;
    row.get(place).cloned()
}

fn text(table: &Table, row: &[Value], column: &str) -> String {
    match cell(table, row, column) {
        Some(Value::Text(text)) => text,
        _ => String::new(),
    }
}
