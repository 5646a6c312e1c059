//! A document on a terminal.

use super::Block;
use crate::page::Page;
use crate::plot::INDENT;
use crate::remark::{NoteGroup, Remark, short_names};
use crate::style::Paint;
use crate::wording::{MOST_NAMED as MOST_POINTS, few, printable, sentence, width_of};
use analysis::{Answer, Finding};
use std::io;

/// What stands before texts and facts of a part.
const INSET: &str = "  ";

/// Writes the blocks. An empty line stands before a heading, a table, and what is not of the block before.
pub(crate) fn write(blocks: &[Block], page: &mut Page<'_>) -> io::Result<()> {
    write_inset(blocks, "", page)
}

/// Writes the blocks, texts and facts behind an inset.
fn write_inset(blocks: &[Block], inset: &str, page: &mut Page<'_>) -> io::Result<()> {
    let mut before: Option<&Block> = None;
    for block in blocks {
        if !matches!(block, Block::Title(_)) {
            if before.is_some_and(|before| is_apart(before, block)) {
                page.blank()?;
            }
            match block {
                // A page does not begin with an empty line.
                Block::Part(title, blocks) if before.is_none() => {
                    page.text("", "  ", title, Paint::Strong)?;
                    write_inset(blocks, INSET, page)?;
                }
                _ => write_block(block, inset, page)?,
            }
            before = Some(block);
        }
    }
    Ok(())
}

/// Whether an empty line belongs between two blocks; a heading brings its own.
fn is_apart(before: &Block, block: &Block) -> bool {
    match block {
        Block::Text(..) => !matches!(before, Block::Text(..)),
        Block::Facts(_) => !matches!(before, Block::Text(..)),
        Block::List { .. } | Block::Table(_) => true,
        Block::Plot { .. } | Block::Matrix(_) => matches!(before, Block::Plot { .. } | Block::Matrix(_)),
        Block::Title(_) | Block::Heat(_) | Block::Part(..) | Block::Folded { .. } => false,
        Block::Remark(_) | Block::Group(_) | Block::Answer(_) => false,
    }
}

/// Before the lines of a map.
const MAP_INSET: &str = "  ";

fn write_block(block: &Block, inset: &str, page: &mut Page<'_>) -> io::Result<()> {
    match block {
        Block::Title(_) | Block::Heat(_) => Ok(()),
        Block::Matrix(matrix) => {
            let (lines, meaning) = matrix.lines(page.width.saturating_sub(MAP_INSET.len()), page.style.ascii);
            page.text(MAP_INSET, MAP_INSET, &matrix.title, Paint::Plain)?;
            lines.iter().try_for_each(|line| writeln!(page.out, "{MAP_INSET}{line}"))?;
            page.text(MAP_INSET, MAP_INSET, &meaning, Paint::Faint)
        }
        Block::Text(text, paint) => page.text(inset, &format!("{inset}  "), text, *paint),
        Block::Facts(facts) => {
            let widest = facts.iter().map(|(label, _)| width_of(label)).max().unwrap_or(0) + 2;
            facts.iter().try_for_each(|(label, cell)| {
                let first = format!("{inset}{label:widest$}");
                let other = format!("{inset}{:widest$}", "");
                page.text(&first, &other, &cell.text, cell.paint)
            })
        }
        Block::List { items, most } => {
            for item in items.iter().take(*most) {
                page.text("  ", "      ", item, Paint::Plain)?;
            }
            match items.len().saturating_sub(*most) {
                0 => Ok(()),
                more => page.text("  ", "      ", &format!("and {more} more (--all)"), Paint::Faint),
            }
        }
        Block::Table(table) => {
            page.table(table)?;
            let mut caption = table.caption.iter();
            caption.try_for_each(|caption| page.text("", "  ", caption, Paint::Faint))
        }
        Block::Plot { title, lines, legend } => {
            page.text("  ", "      ", title, Paint::Plain)?;
            let lines = lines.iter().map(|line| format!("{:INDENT$}{}", "", printable(line)));
            page.lines(&lines.collect::<Vec<_>>())?;
            page.text("      ", "      ", legend, Paint::Faint)
        }
        Block::Remark(found) => remark(found, page),
        Block::Group(found) => group(found, page),
        Block::Answer(answered) => answer(answered, page),
        Block::Part(title, blocks) => {
            page.heading(title, Paint::Strong)?;
            write_inset(blocks, INSET, page)
        }
        Block::Folded { summary, blocks, is_wanted } => match is_wanted {
            true => {
                page.heading(summary, Paint::Strong)?;
                write(blocks, page)
            }
            false => Ok(()),
        },
    }
}

/// A line of what is said of the line above.
fn below(text: &str, paint: Paint, page: &mut Page<'_>) -> io::Result<()> {
    page.text("      ", "      ", text, paint)
}

fn remedy(text: Option<&str>, page: &mut Page<'_>) -> io::Result<()> {
    let mut text = text.into_iter();
    text.try_for_each(|text| page.text("      → ", "        ", text, Paint::Plain))
}

/// The points and, further in, what is said of them and what helps.
fn remark(remark: &Remark, page: &mut Page<'_>) -> io::Result<()> {
    page.text("  ", "  ", &few(&short_names(&remark.points), MOST_POINTS), Paint::Plain)?;
    below(&remark.text, Paint::Faint, page)?;
    remedy(remark.remedy.as_deref(), page)
}

/// Points of a group that are named; documents name all.
const MOST_NAMED: usize = 12;

/// What is said of all, and below it the points, each with what is its own.
fn group(group: &NoteGroup, page: &mut Page<'_>) -> io::Result<()> {
    page.text("  ", "    ", &group.heading, Paint::Plain)?;
    let more = group.points.len().saturating_sub(MOST_NAMED);
    let items = group.items().into_iter().take(MOST_NAMED);
    let mut words: Vec<String> = items
        .map(|(name, own)| match own {
            "" => name,
            own if group.lines => format!("{name}: {own}"),
            own => format!("{name} ({own})"),
        })
        .collect();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    if group.lines {
        let mut lines = words.iter();
        lines.try_for_each(|line| page.text("      ", "          ", line, Paint::Faint))?;
    } else {
        below(&words.join(", "), Paint::Faint, page)?;
    }
    remedy(group.remedy.as_deref(), page)
}

fn answer(answer: &Answer, page: &mut Page<'_>) -> io::Result<()> {
    page.text("  ", "    ", answer.question.asks, Paint::Plain)?;
    let says = sentence(&crate::answers::sentence(answer));
    match answer.finding {
        Finding::Untested(_) => {
            below(&says, Paint::Warning, page)?;
            remedy(crate::answers::remedy(answer).as_deref(), page)
        }
        Finding::Decided(_) | Finding::Undecided(_) => {
            below(&says, Paint::Plain, page)?;
            below(&format!("({})", answer.leaves_open), Paint::Faint, page)
        }
    }
}
