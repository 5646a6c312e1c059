//! `oscope dump`: what is needed to describe this machine elsewhere.

use crate::arguments::Dump;
use crate::exit::{Exit, unusable};
use crate::output::{self, Mark};
use machine::Live;
use record::Record;
use std::path::Path;

/// How a description begins.
const MARK: Mark = Mark { begins: "{\n  \"format\": \"oscope machine\"", holds: &[] };

pub fn run(arguments: &Dump) -> anyhow::Result<Exit> {
    if let Some(file) = arguments.file.as_deref().filter(|file| file.as_os_str() != "-") {
        return Err(refused(file));
    }
    let text = machine::dump(&Live::machine()).to_json()?;
    output::write(&arguments.output, &[MARK], |_, _, out| writeln!(out, "{}", text.trim_end_matches('\n')))?;
    Ok(Exit::Success)
}

/// The error of a file that is named without an option, as commands take what they read.
fn refused(file: &Path) -> anyhow::Error {
    let shown = file.display();
    let writes = format!("'oscope dump -o {shown}' writes the description of this machine to it");
    let why = match (Record::read(file), file.exists()) {
        (Ok(_), _) => format!("it is a record, and dump reads none: 'oscope report {shown}' shows it"),
        (Err(_), true) => format!("dump reads no file: {writes} (add --force to replace what it holds)"),
        (Err(_), false) => format!("dump reads no file: {writes}"),
    };
    unusable(file, why)
}
