//! Tables as JSON lines: a file for each.

use super::tables::{Rows, TABLES, Table, TableWriter, Value};
use crate::arguments::Replace;
use crate::exit::unwritable;
use crate::output::{self, Mark};
use serde_json::Map;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file with a line of JSON for each row.
pub struct JsonLines {
    path: PathBuf,
    out: BufWriter<File>,
}

impl JsonLines {
    /// A new file of this name, or one in the place of an earlier export, which has this mark.
    pub fn create(folder: &Path, name: &str, mark: Mark, replace: Replace) -> anyhow::Result<Self> {
        let path = folder.join(name);
        let file = output::create(&path, &[mark], replace)?;
        Ok(Self { path, out: BufWriter::new(file) })
    }

    /// Writes a line.
    pub fn line(&mut self, line: &Map<String, serde_json::Value>) -> anyhow::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        self.out.write_all(b"\n").map_err(|error| unwritable(&self.path, &error).into())
    }

    /// Writes what is left.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        self.out.flush().map_err(|error| unwritable(&self.path, &error).into())
    }
}

/// Every table says of which machine and run a row is.
const MARK: Mark = Mark { begins: "{\"", holds: &["\"machine\":", "\"run\":"] };

/// The files of all tables.
pub struct Files(Vec<(&'static Table, JsonLines)>);

impl Files {
    /// New files in this directory.
    pub fn create(folder: &Path, replace: Replace) -> anyhow::Result<Self> {
        let files = TABLES.into_iter().map(|table| {
            let name = format!("{}.jsonl", table.name);
            Ok((table, JsonLines::create(folder, &name, MARK, replace)?))
        });
        Ok(Self(files.collect::<anyhow::Result<_>>()?))
    }
}

impl TableWriter for Files {
    fn rows(&mut self, table: &'static Table, rows: Rows) -> anyhow::Result<()> {
        let Some((_, file)) = self.0.iter_mut().find(|(one, _)| *one == table) else {
            return Ok(());
        };
        rows.into_iter().try_for_each(|row| {
            let known = table.columns().zip(row);
            file.line(&known.map(|((name, _), value)| (name.to_owned(), json(value))).collect())
        })
    }

    fn finish(mut self: Box<Self>) -> anyhow::Result<()> {
        self.0.iter_mut().try_for_each(|(_, file)| file.finish())
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
