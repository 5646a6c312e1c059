//! Tables as JSON lines: a file for each.

use super::tables::{Rows, TABLES, Table, TableWriter, Value};
use crate::exit::unwritable;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// The files.
pub struct Lines(Vec<(&'static Table, PathBuf, BufWriter<File>)>);

impl Lines {
    /// New files in this directory.
    pub fn create(folder: &Path) -> anyhow::Result<Self> {
        let file = |table: &&'static Table| {
            let path = folder.join(format!("{}.jsonl", table.name));
            let file = File::create(&path).map_err(|error| unwritable(&path, &error))?;
            Ok((*table, path, BufWriter::new(file)))
        };
        Ok(Self(TABLES.iter().map(file).collect::<anyhow::Result<_>>()?))
    }
}

impl TableWriter for Lines {
    fn rows(&mut self, table: &'static Table, rows: Rows) -> anyhow::Result<()> {
        let Some((_, path, out)) = self.0.iter_mut().find(|(one, ..)| *one == table) else {
            return Ok(());
        };
        for row in rows {
            let known = table.columns().zip(row);
            let line: serde_json::Map<String, serde_json::Value> =
                known.map(|((name, _), value)| (name.to_owned(), json(value))).collect();
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n").map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        for (_, path, out) in &mut self.0 {
            out.flush().map_err(|error| unwritable(path, &error))?;
        }
        Ok(())
    }
}

fn json(value: Value) -> serde_json::Value {
    match value {
        Value::Text(text) => text.into(),
        Value::Number(number) => number.into(),
        Value::Count(count) => count.into(),
        Value::Unknown => serde_json::Value::Null,
    }
}
