//! `oscope compare --table`: records in the form of the reports' table.

use super::subjects::names;
use crate::arguments::{Compare as Arguments, Form};
use crate::exit::{Exit, usage};
use crate::select::{self, TABLE};
use crate::{Operations, output, records};
use analysis::Analysis;
use record::Record;
use report::TableRecord;
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Records that one table takes.
pub const RECORDS: RangeInclusive<usize> = 2..=30;

pub(super) fn run(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    let paths = &arguments.records;
    if !RECORDS.contains(&paths.len()) {
        let (least, most) = (RECORDS.start(), RECORDS.end());
        return Err(usage(format!("--table takes {least} to {most} records, not {}", paths.len())));
    }
    if arguments.format == Form::Json {
        return Err(usage("--table has the forms terminal, markdown, html and csv"));
    }
    let class = Class::read(operations, paths, names(paths, &arguments.label)?)?;
    let views = class.views();
    if views.len() < paths.len() {
        return Err(usage("a run ended before its plan was written: leave out its record"));
    }
    output::write(&arguments.output, output::marks(arguments.format), |width, style, out| {
        report::records_table(&views, arguments.format.on(width, style), out)
    })?;
    Ok(Exit::Success)
}

/// Records that are shown in one table, each with its name.
#[derive(Default)]
pub struct Class(Vec<(String, Record, Analysis)>);

impl Class {
    /// Reads these records, and analyses what they say of the rows of the table; nothing where one has none of them.
    pub fn read(operations: Operations, paths: &[PathBuf], names: Vec<String>) -> anyhow::Result<Self> {
        let records = paths.iter().zip(names).map(|(path, name)| {
            let record = records::read(path)?;
            let mut analysis = analysis::analyse(&record);
            if select::keep(operations, &[TABLE.to_owned()], &mut [(&name, &mut analysis)]).is_err() {
                analysis.keep(|_| false);
            }
            Ok((name, record, analysis))
        });
        Ok(Self(records.collect::<anyhow::Result<_>>()?))
    }

    /// What the table shows of those that have a plan.
    pub fn views(&self) -> Vec<TableRecord<'_>> {
        let views = self.0.iter().filter_map(|(name, record, analysis)| {
            Some(TableRecord { name, view: records::view(record, analysis)? })
        });
        views.collect()
    }
}
