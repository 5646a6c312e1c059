//! `oscope export`: the records of many machines as tables that other programs read.

mod jsonl;
#[cfg(feature = "parquet")]
mod parquet;
mod superbench;
mod tables;

use crate::arguments::{Export, ExportForm, Replace};
use crate::commands::fleet::{RecordFile, in_parallel, records};
use crate::exit::{Exit, nothing, unusable, unwritable};
use crate::notice::notice;
use crate::records::read;
use std::path::Path;
use tables::{Rows, Table, TableWriter};

/// Records that are held in memory at a time.
const AT_ONCE: usize = 32;

pub fn run(arguments: &Export) -> anyhow::Result<Exit> {
    let folder = &arguments.folder;
    let found = records(folder).map_err(|error| unusable(folder, error))?;
    if found.is_empty() {
        return Err(unusable(folder, "no record in it"));
    }
    std::fs::create_dir_all(&arguments.output).map_err(|error| unwritable(&arguments.output, &error))?;
    let mut writer = writer(arguments.form, &arguments.output, arguments.replace)?;
    let mut used = 0;
    for files in found.chunks(AT_ONCE) {
        for (file, tables) in files.iter().zip(in_parallel(files, tables_of)) {
            match tables {
                Ok(tables) => {
                    used += 1;
                    for (table, rows) in tables {
                        writer.rows(table, rows)?;
                    }
                }
                Err(error) => notice!("oscope: {}: left out: {error}", file.name),
            }
        }
    }
    writer.finish()?;
    if used == 0 {
        return Err(nothing("no record could be used"));
    }
    Ok(Exit::Success)
}

fn writer(form: ExportForm, folder: &Path, replace: Replace) -> anyhow::Result<Box<dyn TableWriter>> {
    Ok(match form {
        ExportForm::Jsonl => Box::new(jsonl::Files::create(folder, replace)?),
        ExportForm::Superbench => Box::new(superbench::Summary::create(folder, replace)?),
        #[cfg(feature = "parquet")]
        ExportForm::Parquet => Box::new(parquet::Files::create(folder, replace)?),
        #[cfg(not(feature = "parquet"))]
        ExportForm::Parquet => {
            return Err(crate::exit::usage(
                "this oscope was built without the feature parquet; use jsonl, or build it with --features parquet",
            ));
        }
    })
}

/// All tables of one record.
fn tables_of(file: &RecordFile) -> Result<Vec<(&'static Table, Rows)>, String> {
    let record = read(&file.path).map_err(|error| format!("{error:#}"))?;
    Ok(tables::rows_of_record(file, &record))
}
