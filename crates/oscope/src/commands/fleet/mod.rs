//! `oscope fleet`: many machines.

mod import;
mod kubernetes;
mod launch;
mod node;
mod report;
mod rounds;
mod slurm;
mod ssh;

pub use import::{RecordFile, in_parallel, records};

use crate::Operations;
use crate::arguments::{Fleet, FleetCommand};
use crate::exit::Exit;

pub fn run(operations: Operations, arguments: &Fleet) -> anyhow::Result<Exit> {
    match &arguments.command {
        FleetCommand::Report(arguments) => report::run(operations, arguments),
        FleetCommand::Slurm(arguments) => slurm::run(operations, arguments),
        FleetCommand::Ssh(arguments) => ssh::run(operations, arguments),
        FleetCommand::Kubernetes(arguments) => kubernetes::run(operations, arguments),
        FleetCommand::Rounds { nodes } => rounds::run(nodes),
        FleetCommand::Node(arguments) => node::run(operations, arguments),
    }
}
