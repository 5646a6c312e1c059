//! `oscope compare --table`: records in the form of the reports' table.

use super::opened::names;
use super::written;
use crate::Operations;
use crate::arguments::{Compare as Arguments, ComparedForm};
use crate::commands::report::read;
use crate::exit::{Exit, usage};
use crate::select::{self, TABLE};
use analysis::Analysis;
use record::Record;
use report::{TableForm, TableRecord, View};
use std::ops::RangeInclusive;

/// Records that one table takes.
const RECORDS: RangeInclusive<usize> = 2..=30;

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
    let names = names(paths, &arguments.label)?;
    let records: Vec<Record> = paths
        .iter()
        .map(|path| read(path))
        .collect::<anyhow::Result<_>>()?;
    let analyses: Vec<Analysis> = records
        .iter()
        .map(|record| analysed(operations, record))
        .collect();
    let views = records.iter().zip(&analyses).zip(&names);
    let views = views.filter_map(|((record, analysis), name)| {
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
    let views: Vec<TableRecord<'_>> = views.collect();
    if views.len() < records.len() {
        return Err(usage(
            "a run ended before its plan was written: leave out its record",
        ));
    }
    written(arguments, |width, style, out| {
        let form = match arguments.format {
            ComparedForm::Markdown => TableForm::Markdown,
            ComparedForm::Html => TableForm::Html,
            ComparedForm::Latex => TableForm::Latex,
            ComparedForm::Csv => TableForm::Csv,
            ComparedForm::Terminal | ComparedForm::Json => TableForm::Terminal(width, style),
        };
        report::records_table(&views, form, out)
    })?;
    Ok(Exit::Success)
}

/// What a record says of the rows of the table; nothing where it has none of them.
fn analysed(operations: Operations, record: &Record) -> Analysis {
    let mut analysis = analysis::analyse(record);
    if select::keep(operations, &[TABLE.to_owned()], &mut analysis).is_err() {
        analysis.keep(|_| false);
    }
    analysis
}
