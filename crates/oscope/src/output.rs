//! Where a result is written: standard output, or the file that the user named.

use crate::exit::unwritable;
use crate::terminal::{self, PLAIN_WIDTH};
use report::{Style, Table};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes to the file, or else to standard output, in the width and the style that it has.
pub fn write(
    file: Option<&Path>,
    content: impl FnOnce(usize, Style, &mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let Some(file) = file else {
        let (width, style) = (terminal::width_of_output(), terminal::style_of_output());
        return Ok(content(width, style, &mut io::stdout().lock())?);
    };
    let written = File::create(file).map(BufWriter::new).and_then(|mut out| {
        content(PLAIN_WIDTH, Style::default(), &mut out)?;
        out.flush()
    });
    written.map_err(|error| unwritable(file, &error).into())
}

/// Writes a table.
pub fn table(table: &Table, width: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (heading, body) = (table.heading(width, style), table.body(width, style));
    heading.iter().chain(&body).try_for_each(|line| writeln!(out, "{line}"))
}

/// Writes a paragraph behind `lead`; its further lines are indented.
pub fn paragraph(lead: &str, text: &str, indent: usize, width: usize, out: &mut dyn Write) -> io::Result<()> {
    for (at, line) in report::wrap(text, width.saturating_sub(indent)).iter().enumerate() {
        match at {
            0 => writeln!(out, "{lead}{line}")?,
            _ => writeln!(out, "{:indent$}{line}", "")?,
        }
    }
    Ok(())
}
