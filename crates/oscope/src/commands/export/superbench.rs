//! Estimates in the form of SuperBench's `results-summary.jsonl`: a line for each run, a number for each point, so that
//! `sb result diagnosis` and `sb result summary` run on them.

use super::tables::{ESTIMATES, Rows, Table, TableWriter, Value};
use crate::exit::unwritable;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The file.
pub struct Nodes {
    path: PathBuf,
    out: BufWriter<File>,
}

impl Nodes {
    /// A new file in this directory.
    pub fn create(folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join("results-summary.jsonl");
        let file = File::create(&path).map_err(|error| unwritable(&path, &error))?;
        Ok(Self { path, out: BufWriter::new(file) })
    }
}

impl TableWriter for Nodes {
    fn rows(&mut self, table: &'static Table, rows: Rows) -> anyhow::Result<()> {
        if *table != ESTIMATES {
            return Ok(());
        }
        let Some(first) = rows.first() else { return Ok(()) };
        let value = |row: &[Value], name: &str| {
            let place = table.columns().position(|(column, _)| column == name);
            place.and_then(|place| row.get(place).cloned())
        };
        let text = |row: &[Value], name: &str| match value(row, name) {
            Some(Value::Text(text)) => text,
            _ => String::new(),
        };
        let mut line = serde_json::Map::new();
        line.insert("node".to_owned(), text(first, "machine").into());
        for row in &rows {
            let Some(Value::Number(typical)) = value(row, "typical") else {
                continue;
            };
            let benchmark = match text(row, "environment") {
                native if native.is_empty() => "oscope".to_owned(),
                environment => format!("oscope:{environment}"),
            };
            // A name of SuperBench is benchmark/metric, without blanks; what stands behind a colon is a rank.
            let point = text(row, "point").replace([' ', ':'], ",");
            let metric = [text(row, "operation"), point].join(",");
            line.insert(format!("{benchmark}/{}", metric.trim_end_matches(',')), typical.into());
        }
        serde_json::to_writer(&mut self.out, &line)?;
        self.out.write_all(b"\n").map_err(|error| unwritable(&self.path, &error))?;
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        self.out.flush().map_err(|error| unwritable(&self.path, &error))?;
        Ok(())
    }
}
