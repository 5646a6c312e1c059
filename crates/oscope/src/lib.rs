//! The command: arguments, supervisor, progress, exit codes.
//!
//! **Invariant:** the supervisor knows trials and no operation by name; the lists of operations and services are given
//! to [`main_with`], so that tests can run the whole program over operations with mistakes built in.
#![forbid(unsafe_code)]
// It panics where standard error cannot be written: see `notice`.
#![deny(clippy::print_stderr)]

mod actor_counts;
mod arguments;
mod baselines;
mod cargo_directories;
mod commands;
mod environments;
mod exit;
mod history;
mod kept;
mod leftovers;
mod misspelt_command;
mod notice;
mod operation_list;
mod output;
mod own_operation;
mod peer_link;
mod placement;
mod plan;
mod records;
mod same_machine;
mod select;
mod stack;
mod suggest;
mod supervisor;
mod terminal;
mod unanswered;
mod user_predictions;
mod work_directory;

pub use arguments::Arguments;
pub use commands::lmbench::{Coverage as LmbenchLine, coverage as lmbench_lines};
pub use exit::Exit;

use crate::notice::notice;
use arguments::Command;
use clap::Parser;
use measure::Operation;
use std::process::ExitCode;

/// The list of operations that a program offers.
pub type Operations = &'static [&'static Operation];

/// The list of services that a program offers to its peers.
pub type Services = &'static [&'static peer::Service];

/// Runs the program with these operations and services.
pub fn main_with(operations: Operations, services: Services) -> ExitCode {
    if count::guest::is_guest() {
        count::guest::run(operations);
        return ExitCode::SUCCESS;
    }
    cargo_directories::leave_out();
    // Workers start for every trial: they need no parser, and its memory would be theirs.
    for (words, stay) in [(&["worker"][..], false), (&["worker", "--stay"], true)] {
        if std::env::args_os().skip(1).eq(words.iter().copied()) {
            let operations = own_operation::with_own(operations);
            return exit::conclude(commands::worker::run(operations, stay, None)).into();
        }
    }
    let arguments = match stack::with_room(arguments) {
        Ok(arguments) => arguments,
        Err(exit) => return exit.into(),
    };
    sys::limits::report_full_files();
    if arguments.version {
        return exit::conclude(commands::version(arguments.verbose)).into();
    }
    let Some(command) = arguments.command else {
        return exit::conclude(commands::welcome()).into();
    };
    let exit = match needs_first_thread(&command) {
        true => exit::conclude(perform(command, operations, services)),
        false => stack::with_room(|| exit::conclude(perform(command, operations, services))),
    };
    exit.into()
}

/// The arguments of the command line, or how the program ends without a command.
fn arguments() -> Result<Arguments, Exit> {
    Arguments::try_parse().map_err(|error| {
        if let Some(tip) = misspelt_command::meant(&error) {
            notice!("{tip}");
        }
        // Help and version go to standard output and are no error; a closed pipe is none either.
        let _ = error.print();
        if error.use_stderr() { exit::of_wrong_arguments(std::env::args_os()) } else { Exit::Success }
    })
}

/// Whether a command measures, forks, or becomes another program: on the first thread, with the stack that the user gave.
fn needs_first_thread(command: &Command) -> bool {
    matches!(command, Command::Worker { .. } | Command::Launch { .. } | Command::Session)
}

fn perform(command: Command, operations: Operations, services: Services) -> anyhow::Result<Exit> {
    match command {
        Command::Run(run) => commands::run::run(operations, run),
        Command::List(list) => commands::list::run(operations, &list),
        Command::Explain(explain) => commands::explain::run(operations, &explain),
        Command::Describe(describe) => commands::describe::run(&describe),
        Command::Dump(dump) => commands::dump::run(&dump),
        Command::Predict(predict) => commands::predict::run(operations, &predict),
        Command::Report(report) => commands::report::run(operations, &report),
        Command::Compare(compare) => commands::compare::run(operations, &compare),
        Command::Count(count) => commands::count::run(operations, &count),
        Command::Export(export) => commands::export::run(&export),
        Command::Fleet(fleet) => commands::fleet::run(operations, &fleet),
        Command::History(history) => commands::history::run(operations, &history),
        Command::Ab(ab) => commands::ab::run(operations, ab),
        Command::Gate(gate) => commands::gate::run(&gate),
        Command::Baseline(baseline) => commands::baseline::run(&baseline),
        Command::Reference(reference) => commands::reference::run(&reference),
        Command::Museum(museum) => commands::museum::run(operations, museum),
        Command::Lint(lint) => commands::lint::run(&lint),
        Command::Lmbench(lmbench) => commands::lmbench::run(operations, lmbench),
        Command::Watch(watch) => commands::watch::run(operations, &watch),
        Command::Selftest => commands::selftest::run(operations),
        Command::Help(help) => commands::help::run(&help),
        Command::Completions(completions) => commands::completions::run(&completions),
        Command::Serve(serve) => commands::serve::run(&serve),
        Command::Session => commands::serve::session(services),
        Command::Worker { stay, several } => {
            commands::worker::run(own_operation::with_own(operations), stay, several)
        }
        Command::Launch { setting, command } => environments::launch::run(setting, &command),
        Command::Cleanup { folder } => commands::cleanup::run(&folder),
    }
}
