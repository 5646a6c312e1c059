//! A fleet: its types, its odd machines and what they are a sign of, how far machines and runs lie apart.

mod blocks;
mod json;
mod machines;
mod problems;

use crate::document::{Form, write};
use crate::first_screen::Label;
use crate::tables::TableRecord;
use ::fleet::{Fleet, Problem, Survey};
use std::io::{self, Write};

/// What a view of a fleet shows.
#[derive(Debug, Clone, Copy)]
pub struct FleetView<'v> {
    /// Where the records are.
    pub folder: &'v str,
    /// The machines.
    pub fleet: &'v Fleet,
    /// What was found out.
    pub survey: &'v Survey,
    /// What is wrong with the records.
    pub problems: &'v [Problem],
    /// What the points of the headline are called: tables show these, unless everything is wanted.
    pub labels: &'v [Label<'v>],
    /// The records themselves, where they are few enough for one table: a class.
    pub class: &'v [TableRecord<'v>],
    /// Whether everything is wanted.
    pub is_full: bool,
    /// The half width, as a share, for which machines and runs are counted.
    pub precision: f64,
}

/// Writes a fleet.
///
/// # Errors
/// When `out` cannot be written.
pub fn fleet(view: &FleetView<'_>, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Json => json::write(view, out),
        _ => write(&blocks::document(view), form, out),
    }
}
