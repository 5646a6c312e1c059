//! Where a comparison is written.

use crate::arguments::Compare as Arguments;
use crate::exit::unwritable;
use crate::terminal;
use report::Style;
use std::fs::File;
use std::io::{BufWriter, Write};

/// Writes to the file that the user named, or to standard output.
pub fn written(
    arguments: &Arguments,
    write: impl FnOnce(usize, Style, &mut dyn Write) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    match &arguments.output {
        None => {
            let (width, style) = (terminal::width_of_output(), terminal::style_of_output());
            write(width, style, &mut std::io::stdout().lock())?;
        }
        Some(file) => {
            let wrap = |error: std::io::Error| unwritable(file, &error);
            let mut out = BufWriter::new(File::create(file).map_err(wrap)?);
            write(120, Style::default(), &mut out).map_err(wrap)?;
            out.flush().map_err(wrap)?;
        }
    }
    Ok(())
}
