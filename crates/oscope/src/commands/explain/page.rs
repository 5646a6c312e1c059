//! Headings and paragraphs of an explanation.

use crate::output::paragraph;
use report::Style;
use std::io::{self, Write};

/// A page of a width.
pub(super) struct Page<'w> {
    pub(super) out: &'w mut dyn Write,
    pub(super) width: usize,
    pub(super) style: Style,
}

impl Page<'_> {
    /// The same page for a view of the crate `report`.
    pub(super) fn of_report(&mut self) -> report::Page<'_> {
        report::Page::new(self.width, self.style, self.out)
    }

    pub(super) fn heading(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out)?;
        paragraph("", text, 2, self.width, self.out)
    }

    /// A paragraph, its first line behind `lead`, further lines indented as far.
    pub(super) fn paragraph(&mut self, lead: &str, text: &str) -> io::Result<()> {
        paragraph(lead, text, lead.chars().count(), self.width, self.out)
    }
}
