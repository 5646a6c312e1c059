//! A document as Markdown that can be read in an issue.

use super::block::{Block, lists};
use crate::cells::FLAWED_MARK;
use crate::plot::DOCUMENT_WIDTH;
use crate::remark::{NoteGroup, Remark};
use crate::table::{Align, Cell, Column, Table};
use crate::wording::{hang, joined, printable, sentence};
use analysis::{Answer, Finding};
use std::io::{self, Write};

/// Text without the characters that Markdown would take for its own.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in printable(text).chars() {
        match letter {
            '|' | '<' | '>' | '*' | '`' | '[' | ']' | '_' | '~' | '\\' => out.extend(['\\', letter]),
            other => out.push(other),
        }
    }
    out
}

/// Writes the blocks, each behind an empty line but for the first.
pub(crate) fn write(blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    for (list, alike) in lists(blocks) {
        alike.iter().try_for_each(|block| write_block(block, out))?;
        if list.is_some() {
            writeln!(out)?;
        }
    }
    Ok(())
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
        Block::Heat(_) => Ok(()),
        Block::Matrix(matrix) => {
            let (lines, meaning) = matrix.lines(DOCUMENT_WIDTH, true);
            writeln!(out, "{}\n\n```text\n{}\n\n{meaning}\n```\n", escaped(&matrix.title), lines.join("\n"))
        }
        Block::Plot { title, lines, legend } => {
            let (title, lines) =
                (escaped(&sentence(title)), joined(lines.iter().map(|line| printable(line)), "\n"));
            let legend = hang("", "", legend, DOCUMENT_WIDTH).join("\n");
            writeln!(out, "{title}\n\n```text\n{lines}\n\n{legend}\n```\n")
        }
        Block::Remark(found) => remark(found, out),
        Block::Group(found) => group(found, out),
        Block::Answer(answered) => answer(answered, out),
        Block::Part(title, blocks) => {
            writeln!(out, "## {}\n", escaped(title))?;
            write(blocks, out)
        }
        Block::Folded { summary, blocks, is_wanted } => match is_wanted {
            true => {
                writeln!(out, "## {}\n", escaped(summary))?;
                write(blocks, out)
            }
            false => Ok(()),
        },
    }
}

fn write_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let columns: Vec<(usize, &Column)> =
        table.in_documents().filter(|(_, column)| !column.is_drawn).collect();
    let titles = columns.iter().map(|(_, column)| escaped(column.long_title()));
    let aligns = columns.iter().map(|(_, column)| match column.align {
        Align::Left => ":--",
        Align::Right => "--:",
    });
    writeln!(out, "| {} |", joined(titles, " | "))?;
    writeln!(out, "| {} |", joined(aligns, " | "))?;
    for cells in table.rows() {
        let fields = columns.iter().map(|(index, _)| cells.get(*index).map_or_else(String::new, field));
        writeln!(out, "| {} |", joined(fields, " | "))?;
    }
    writeln!(out)
}

fn field(cell: &Cell) -> String {
    match &cell.point {
        Some(id) => {
            let name = code(&id.to_string());
            match cell.text.strip_suffix(FLAWED_MARK) {
                Some(_) => format!("{name} {FLAWED_MARK}"),
                None => name,
            }
        }
        None => escaped(&cell.text),
    }
}

/// An id or a command as it is typed.
fn code(text: &str) -> String {
    format!("`{}`", printable(text).replace(['`', '|'], "'"))
}

/// What helps, behind what it helps against.
fn remedy(text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!(" → {}", escaped(text)))
}

/// One item; all points are named, since a document has room.
fn remark(remark: &Remark, out: &mut dyn Write) -> io::Result<()> {
    let points = joined(remark.points.iter().map(|id| code(&id.to_string())), ", ");
    let remedy = remedy(remark.remedy.as_deref());
    writeln!(out, "- {points}: {}{remedy}", escaped(&remark.text))
}

/// What is said of all, what helps, and below it every point with what is its own.
fn group(group: &NoteGroup, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "- {}{}:", escaped(&group.heading), remedy(group.remedy.as_deref()))?;
    group.points.iter().try_for_each(|(id, own)| {
        let own = if own.is_empty() { String::new() } else { format!(": {}", escaped(own)) };
        writeln!(out, "  - {}{own}", code(&id.to_string()))
    })
}

fn answer(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let says = escaped(&sentence(&crate::answers::sentence(answer)));
    let rest = match answer.finding {
        Finding::Untested(_) => {
            crate::answers::remedy(answer).map_or_else(String::new, |run| format!(" → {}", code(&run)))
        }
        _ => format!(" *({})*", escaped(answer.leaves_open)),
    };
    writeln!(out, "- **{}** {says}{rest}", escaped(answer.question.asks))
}
