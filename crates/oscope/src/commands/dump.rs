//! `oscope dump`: what is needed to describe this machine elsewhere.

use crate::arguments::Dump;
use crate::exit::{CliError, Exit};
use machine::Live;
use std::io::Write;

pub fn run(arguments: &Dump) -> anyhow::Result<Exit> {
    let mut text = machine::dump(&Live::machine()).to_json()?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if arguments.file.as_os_str() == "-" {
        std::io::stdout().lock().write_all(text.as_bytes())?;
    } else {
        let written = std::fs::write(&arguments.file, text);
        written.map_err(|error| CliError(Exit::File, format!("{}: {error}", arguments.file.display())))?;
    }
    Ok(Exit::Success)
}
