//! `oscope fleet report`: what the records of many machines say.

use super::import;
use crate::arguments::FleetReport;
use crate::commands::compare::table::{self, Class};
use crate::exit::{Exit, nothing, unusable};
use crate::operation_list::labels;
use crate::records::name_of;
use crate::{Operations, output};
use fleet::{Fleet, Suspect};
use report::FleetView;
use std::path::{Path, PathBuf};

pub fn run(operations: Operations, arguments: &FleetReport) -> anyhow::Result<Exit> {
    let folder = arguments.folder.display().to_string();
    let (fleet, problems) =
        import::fleet(&arguments.folder).map_err(|error| unusable(&arguments.folder, error))?;
    if fleet.machines.is_empty() && problems.is_empty() {
        let remedy = format!("'oscope run -o {folder}/MACHINE.oscope.jsonl' writes one");
        return Err(unusable(&arguments.folder, format!("no record in it; {remedy}")));
    }
    let survey = fleet::survey(&fleet);
    let labels = labels(operations);
    let class = class(operations, &arguments.folder, &fleet);
    let class = class.views();
    let view = FleetView {
        folder: &folder,
        fleet: &fleet,
        survey: &survey,
        problems: &problems,
        labels: &labels,
        class: &class,
        is_full: arguments.full,
        precision: arguments.precision,
    };
    output::write(&arguments.output, output::marks(arguments.format), |width, style, out| {
        report::fleet(&view, arguments.format.on(width, style), out)
    })?;
    if fleet.machines.is_empty() {
        return Err(nothing("no record could be used"));
    }
    let mut odd = survey.types.iter().flat_map(|of| &of.odd);
    let is_odd = odd.any(|odd| odd.suspect == Suspect::Machine);
    Ok(match arguments.strict && is_odd {
        true => Exit::Findings,
        false => Exit::Success,
    })
}

/// The records themselves, where they are few enough for the table of a class.
fn class(operations: Operations, folder: &Path, fleet: &Fleet) -> Class {
    let runs = fleet.machines.iter().flat_map(|machine| &machine.runs);
    let names: Vec<String> = runs.map(|run| run.file.clone()).collect();
    if !table::RECORDS.contains(&names.len()) {
        return Class::default();
    }
    let paths: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
    let names = names.iter().map(|name| name_of(Path::new(name)));
    // What was read a moment ago is read again; where that fails the table is left out.
    Class::read(operations, &paths, names.collect()).unwrap_or_default()
}
