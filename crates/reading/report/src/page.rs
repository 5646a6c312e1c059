//! A page of a terminal: lines of at most its width, in its style.

use crate::style::{Paint, Style};
use crate::table::Table;
use crate::wording::hang;
use std::io::{self, Write};

/// Where the lines go.
pub struct Page<'a> {
    /// Columns of the terminal.
    pub width: usize,
    /// Its lines; `None` where it is no terminal and nothing has to fit.
    pub height: Option<usize>,
    /// Its style.
    pub style: Style,
    /// The terminal.
    pub out: &'a mut dyn Write,
}

impl<'a> Page<'a> {
    /// A page of this width that may be of any height.
    pub fn new(width: usize, style: Style, out: &'a mut dyn Write) -> Self {
        Self { width, height: None, style, out }
    }

    /// This page on a terminal of this height.
    pub fn of_height(self, height: Option<usize>) -> Self {
        Self { height, ..self }
    }

    /// An empty line.
    pub(crate) fn blank(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    /// Lines that already fit.
    pub(crate) fn lines(&mut self, lines: &[String]) -> io::Result<()> {
        lines.iter().try_for_each(|line| writeln!(self.out, "{line}"))
    }

    /// A text, wrapped, behind a first prefix and one for the other lines.
    pub(crate) fn text(&mut self, first: &str, other: &str, text: &str, paint: Paint) -> io::Result<()> {
        for line in hang(first, other, text, self.width) {
            writeln!(self.out, "{}", self.style.paint(&line, paint))?;
        }
        Ok(())
    }

    /// A table with its heading.
    pub(crate) fn table(&mut self, table: &Table) -> io::Result<()> {
        self.lines(&table.heading(self.width, self.style))?;
        self.lines(&table.body(self.width, self.style))
    }

    /// A heading after an empty line.
    pub(crate) fn heading(&mut self, text: &str, paint: Paint) -> io::Result<()> {
        self.blank()?;
        self.text("", "  ", text, paint)
    }
}
