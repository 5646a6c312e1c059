//! `oscope fleet`: many machines.

mod import;
mod report;

use crate::Operations;
use crate::arguments::{Fleet, FleetCommand};
use crate::exit::Exit;

pub fn run(operations: Operations, arguments: &Fleet) -> anyhow::Result<Exit> {
    match &arguments.command {
        FleetCommand::Report(arguments) => report::run(operations, arguments),
    }
}
