//! A document as Markdown that can be read in an issue.

use super::Block;
use crate::cells::REFERENCE_MARK;
use crate::table::{Align, Cell, Table};
use crate::wording::sentence;
use std::io::{self, Write};

/// Text without the characters that Markdown would take for its own.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '|' | '<' | '>' | '*' | '`' | '[' | ']' | '_' | '~' | '\\' => out.extend(['\\', letter]),
            '\n' | '\r' => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

/// Writes the blocks, each behind an empty line but for the first.
pub(crate) fn write(blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    blocks.iter().try_for_each(|block| write_block(block, out))
}

fn write_block(block: &Block, out: &mut dyn Write) -> io::Result<()> {
    match block {
        Block::Title(title) => writeln!(out, "# oscope: {}\n", escaped(title)),
        Block::Text(text, _) => writeln!(out, "{}\n", escaped(&sentence(text))),
        Block::Facts(facts) => {
            for (label, cell) in facts {
                writeln!(out, "- **{}**: {}", escaped(label), escaped(&cell.text))?;
            }
            writeln!(out)
        }
        Block::List { items, .. } => {
            for item in items {
                writeln!(out, "- {}", escaped(item))?;
            }
            writeln!(out)
        }
        Block::Table(table) => write_table(table, out),
        Block::Part(title, blocks) => {
            writeln!(out, "## {}\n", escaped(title))?;
            write(blocks, out)
        }
        Block::Folded {
            summary,
            blocks,
            is_wanted,
        } => match is_wanted {
            true => {
                writeln!(out, "## {}\n", escaped(summary))?;
                write(blocks, out)
            }
            false => Ok(()),
        },
    }
}

fn write_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let columns = || table.in_documents().filter(|(_, column)| !column.is_drawn);
    let titles: Vec<String> = columns()
        .map(|(_, column)| escaped(column.long_title()))
        .collect();
    let aligns = columns().map(|(_, column)| match column.align {
        Align::Left => ":--",
        Align::Right => "--:",
    });
    writeln!(out, "| {} |", titles.join(" | "))?;
    writeln!(out, "| {} |", aligns.collect::<Vec<_>>().join(" | "))?;
    for cells in table.rows() {
        let fields = columns().map(|(index, _)| cells.get(index).map_or_else(String::new, field));
        writeln!(out, "| {} |", fields.collect::<Vec<_>>().join(" | "))?;
    }
    writeln!(out)
}

fn field(cell: &Cell) -> String {
    match &cell.point {
        Some(id) => {
            let name = format!("`{}`", id.to_string().replace(['`', '|'], "'"));
            match cell.text.strip_suffix(REFERENCE_MARK) {
                Some(_) => format!("{name} {REFERENCE_MARK}"),
                None => name,
            }
        }
        None => escaped(&cell.text),
    }
}
