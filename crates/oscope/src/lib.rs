//! The command: arguments, supervisor, progress, exit codes.
//!
//! **Invariant:** the supervisor knows trials and no operation by name; the list of operations is given
//! to [`main_with`], so that tests can run the whole program over operations with mistakes built in.
#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod exit;
mod placement;
mod plan;
mod records;
mod select;
mod supervisor;
mod terminal;

pub use arguments::Arguments;
pub use exit::Exit;

use arguments::Command;
use clap::Parser;
use measure::Operation;
use std::process::ExitCode;

/// The list of operations that a program offers.
pub type Operations = &'static [&'static Operation];

/// Runs the program with these operations.
pub fn main_with(operations: Operations) -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to standard output and are no error; a closed pipe is none either.
            let _ = error.print();
            return if error.use_stderr() {
                Exit::Usage
            } else {
                Exit::Success
            }
            .into();
        }
    };
    let result = match arguments.command {
        Command::Run(run) => commands::run::run(operations, run),
        Command::List(list) => commands::list::run(operations, &list),
        Command::Explain(explain) => commands::explain::run(operations, &explain),
        Command::Describe(describe) => commands::describe::run(&describe),
        Command::Dump(dump) => commands::dump::run(&dump),
        Command::Predict(predict) => commands::predict::run(operations, &predict),
        Command::Report(report) => commands::report::run(operations, &report),
        Command::Compare(compare) => commands::compare::run(&compare),
        Command::Completions(completions) => commands::completions::run(&completions),
        Command::Worker => commands::worker::run(operations),
    };
    exit::conclude(result).into()
}
