//! Where a view is written: a terminal, or Markdown.

use report::{Cell, Column, Paint, Style, Table, printable};
use std::io::{self, Write};

/// The column of text behind the numbers.
pub const FUNCTIONS: &str = "functions";

/// Where a view is written to.
pub struct Page<'a> {
    pub is_markdown: bool,
    pub width: usize,
    pub style: Style,
    pub out: &'a mut dyn Write,
}

impl Page<'_> {
    pub fn heading(&mut self, text: &str) -> io::Result<()> {
        match self.is_markdown {
            true => writeln!(self.out, "# oscope: {}\n", printable(text)),
            false => report::wrap(&printable(text), self.width)
                .iter()
                .try_for_each(|line| writeln!(self.out, "{}", self.style.paint(line, Paint::Strong))),
        }
    }

    pub fn paragraph(&mut self, text: &str) -> io::Result<()> {
        match self.is_markdown {
            true => writeln!(self.out, "{}\n", printable(text)),
            false => report::wrap(&printable(text), self.width)
                .iter()
                .try_for_each(|line| writeln!(self.out, "{line}")),
        }
    }

    pub fn table(&mut self, headings: &[(&str, u8)], rows: &[Vec<String>]) -> io::Result<()> {
        if self.is_markdown {
            let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
            writeln!(self.out, "{}", line(headings.iter().map(|(name, _)| (*name).to_owned()).collect()))?;
            let is_text = |at: usize, name: &str| at == 0 || name == FUNCTIONS;
            let rule = headings
                .iter()
                .enumerate()
                .map(|(at, (name, _))| if is_text(at, name) { "---" } else { "---:" }.to_owned());
            writeln!(self.out, "{}", line(rule.collect()))?;
            for row in rows {
                writeln!(
                    self.out,
                    "{}",
                    line(row.iter().map(|cell| printable(cell).replace('|', "\\|")).collect())
                )?;
            }
            return writeln!(self.out);
        }
        let columns = headings.iter().enumerate().map(|(at, (name, priority))| match at {
            0 => Column::name((*name).to_owned(), 0, 24, 60),
            _ => Column::number((*name).to_owned(), *priority),
        });
        let mut table = Table::new(columns.collect());
        for row in rows {
            table.row(row.iter().map(|cell| Cell::from(printable(cell).into_owned())).collect());
        }
        crate::output::table(&table, self.width, self.style, self.out)
    }
}
