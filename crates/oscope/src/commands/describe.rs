//! `oscope describe`: the machine, each fact with its source or the reason why it is unknown.

use crate::arguments::Describe;
use crate::exit::{Exit, unusable};
use crate::terminal;
use machine::{Dump, Live, Tree};
use std::path::Path;

pub fn run(arguments: &Describe) -> anyhow::Result<Exit> {
    let machine = match (&arguments.from, &arguments.root) {
        (Some(file), _) => machine::describe(&read_dump(file)?),
        (None, Some(root)) if root.is_dir() => machine::describe(&Live::below(root)),
        (None, Some(root)) => return Err(unusable(root, "no such directory")),
        (None, None) => machine::describe(&Live::machine()),
    };
    let mut out = std::io::stdout().lock();
    if arguments.form.is_json() {
        report::describe_json(&machine, &mut out)?;
    } else {
        report::machine_text(&machine, &mut terminal::page_of_output(&mut out))?;
    }
    Ok(Exit::Success)
}

/// The machine that a dump holds.
pub fn read_dump(file: &Path) -> anyhow::Result<impl Tree> {
    let text = std::fs::read_to_string(file).map_err(|error| unusable(file, error))?;
    Dump::from_json(&text).map_err(|error| unusable(file, error))
}
