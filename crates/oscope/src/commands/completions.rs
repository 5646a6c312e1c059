//! `oscope completions`: for a shell, from the same declarations as the command line.

use crate::arguments::{Arguments, Completions};
use crate::exit::Exit;
use clap::CommandFactory;

pub fn run(arguments: &Completions) -> anyhow::Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "oscope", &mut text);
    std::io::Write::write_all(&mut std::io::stdout(), &text)?;
    Ok(Exit::Success)
}
