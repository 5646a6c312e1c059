//! Tables as Parquet, compressed by zstd: a file for each.

use super::tables::{Rows, TABLES, Table, TableWriter, Value, ValueType};
use crate::arguments::Replace;
use crate::output::{self, Mark};
use anyhow::Context;
use parquet::basic::{Compression, ConvertedType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriter::{ByteArrayColumnWriter, DoubleColumnWriter};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// Rows of a group: enough for columns to be compressed well, and few enough for memory.
const GROUP: usize = 200_000;

/// What a file says of who wrote it, near its end.
const WRITTEN_BY: &str = concat!("oscope version ", env!("CARGO_PKG_VERSION"));

/// How a file of any version is known again.
const MARK: Mark = Mark { begins: "PAR1", holds: &["oscope version "] };

/// The files.
pub struct Files(Vec<Output>);

/// A file with the rows that wait for their group.
struct Output {
    table: &'static Table,
    waiting: Rows,
    writer: SerializedFileWriter<File>,
}

impl Files {
    /// New files in this directory.
    pub fn create(folder: &Path, replace: Replace) -> anyhow::Result<Self> {
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
        let properties = Arc::new(properties.set_created_by(WRITTEN_BY.to_owned()).build());
        let outputs = TABLES.iter().map(|table| {
            let path = folder.join(format!("{}.parquet", table.name));
            let file = output::create(&path, &[MARK], replace)?;
            let writer = SerializedFileWriter::new(file, schema(table)?, properties.clone())?;
            Ok(Output { table, waiting: Rows::new(), writer })
        });
        Ok(Self(outputs.collect::<anyhow::Result<_>>()?))
    }
}

/// Every column is optional: what is not known is null.
fn schema(table: &Table) -> anyhow::Result<Arc<Type>> {
    let mut fields = Vec::new();
    for (name, value_type) in table.columns() {
        let (physical, converted) = match value_type {
            ValueType::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8),
            ValueType::Number => (Physical::DOUBLE, ConvertedType::NONE),
            ValueType::Count => (Physical::INT64, ConvertedType::NONE),
        };
        let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        fields.push(Arc::new(builder.with_converted_type(converted).build()?));
    }
    let whole = Type::group_type_builder(table.name).with_fields(fields).build()?;
    Ok(Arc::new(whole))
}

impl Output {
    fn write_group(&mut self) -> anyhow::Result<()> {
        let rows = std::mem::take(&mut self.waiting);
        let mut group = self.writer.next_row_group()?;
        for place in 0..self.table.columns().count() {
            let mut column = group.next_column()?.context("a column less than the schema has")?;
            let values = rows.iter().map(|row| row.get(place).unwrap_or(&Value::Unknown));
            write_column(&mut column, values.collect())?;
            column.close()?;
        }
        group.close()?;
        Ok(())
    }
}

fn write_column(column: &mut SerializedColumnWriter<'_>, values: Vec<&Value>) -> anyhow::Result<()> {
    let levels: Vec<i16> = values.iter().map(|value| i16::from(**value != Value::Unknown)).collect();
    let levels = Some(levels.as_slice());
    let (mut texts, mut numbers, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for value in values {
        match value {
            Value::Text(text) => texts.push(ByteArray::from(text.as_str())),
            Value::Number(number) => numbers.push(*number),
            Value::Count(count) => counts.push(i64::try_from(*count)?),
            Value::Unknown => {}
        }
    }
    match column.untyped() {
        ByteArrayColumnWriter(_) => column.typed::<ByteArrayType>().write_batch(&texts, levels, None)?,
        DoubleColumnWriter(_) => column.typed::<DoubleType>().write_batch(&numbers, levels, None)?,
        _ => column.typed::<Int64Type>().write_batch(&counts, levels, None)?,
    };
    Ok(())
}

impl TableWriter for Files {
    fn rows(&mut self, table: &'static Table, rows: Rows) -> anyhow::Result<()> {
        let Some(output) = self.0.iter_mut().find(|output| output.table == table) else {
            return Ok(());
        };
        output.waiting.extend(rows);
        match output.waiting.len() >= GROUP {
            true => output.write_group(),
            false => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> anyhow::Result<()> {
        for mut output in self.0 {
            if !output.waiting.is_empty() {
                output.write_group()?;
            }
            output.writer.close()?;
        }
        Ok(())
    }
}
