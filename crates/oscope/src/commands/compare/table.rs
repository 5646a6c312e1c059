//! `oscope compare --table`: records in the form of the reports' table.

use super::opened::names;
use super::output::written;
use crate::Operations;
use crate::arguments::{Compare as Arguments, ComparedForm};
use crate::exit::{Exit, usage};
use crate::records::read;
use crate::select::{self, TABLE};
use analysis::Analysis;
use record::Record;
use report::{Form, TableRecord, View};
use std::ops::RangeInclusive;
use std::path::PathBuf;

/// Records that one table takes.
pub const RECORDS: RangeInclusive<usize> = 2..=30;

pub(super) fn run(operations: Operations, arguments: &Arguments) -> anyhow::Result<Exit> {
    let paths = &arguments.records;
    if !RECORDS.contains(&paths.len()) {
        return Err(usage(format!(
            "--table takes {} to {} records, not {}",
            RECORDS.start(),
            RECORDS.end(),
            paths.len()
        )));
    }
    if arguments.format == ComparedForm::Json {
        return Err(usage("--table has the forms terminal, markdown, html and csv"));
    }
    let class = Class::read(operations, paths, names(paths, &arguments.label)?)?;
    let views = class.views();
    if views.len() < paths.len() {
        return Err(usage("a run ended before its plan was written: leave out its record"));
    }
    written(arguments, |width, style, out| {
        let form = match arguments.format {
            ComparedForm::Markdown => Form::Markdown,
            ComparedForm::Html => Form::Html,
            ComparedForm::Latex => Form::Latex,
            ComparedForm::Csv => Form::Csv,
            ComparedForm::Terminal | ComparedForm::Json => Form::Terminal(width, style),
        };
        report::records_table(&views, form, out)
    })?;
    Ok(Exit::Success)
}

/// Records that are shown in one table.
#[derive(Default)]
pub struct Class(Vec<(String, Record, Analysis)>);

impl Class {
    /// Reads these records, each with what it is called.
    ///
    /// # Errors
    /// When one cannot be read.
    pub fn read(operations: Operations, paths: &[PathBuf], names: Vec<String>) -> anyhow::Result<Self> {
        let of = |(path, name): (&PathBuf, String)| {
            let record = read(path)?;
            let analysis = analysed(operations, &record);
            Ok((name, record, analysis))
        };
        Ok(Self(paths.iter().zip(names).map(of).collect::<anyhow::Result<_>>()?))
    }

    /// What the table shows of those that have a plan.
    pub fn views(&self) -> Vec<TableRecord<'_>> {
        let all = self.0.iter();
        let views = all.filter_map(|(name, record, analysis)| {
            Some(TableRecord {
                name,
                view: View {
                    header: &record.header,
                    machine: &record.machine,
                    peer: record.peer.as_ref(),
                    plan: record.plan.as_ref()?,
                    analysis,
                    end: record.end.as_ref(),
                },
            })
        });
        views.collect()
    }
}

/// What a record says of the rows of the table; nothing where it has none of them.
fn analysed(operations: Operations, record: &Record) -> Analysis {
    let mut analysis = analysis::analyse(record);
    if select::keep(operations, &[TABLE.to_owned()], &mut analysis).is_err() {
        analysis.keep(|_| false);
    }
    analysis
}
