//! `oscope dump`: what is needed to describe this machine elsewhere.

use crate::arguments::Dump;
use crate::exit::{Exit, file_error};
use machine::Live;
use std::io::Write;

pub fn run(arguments: &Dump) -> anyhow::Result<Exit> {
    let text = machine::dump(&Live::machine()).to_json()?;
    let text = format!("{}\n", text.trim_end_matches('\n'));
    if arguments.file.as_os_str() == "-" {
        std::io::stdout().lock().write_all(text.as_bytes())?;
    } else {
        std::fs::write(&arguments.file, text).map_err(|error| file_error(&arguments.file, error))?;
    }
    Ok(Exit::Success)
}
