//! Markdown of the project's documents as plain text of a width.

use super::topics::level;
use crate::output::paragraph;
use std::io::{self, Write};

/// Spaces between two columns of a table.
const GAP: usize = 2;
/// A last column that is narrower than this stands below the others.
const LEAST_LAST: usize = 24;

/// What a line belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Block {
    Blank,
    Heading,
    Code,
    Table,
    /// Its first line, with the columns of its mark.
    Item(usize),
    Text,
}

impl Block {
    fn of(line: &str, before: Self) -> Self {
        let trimmed = line.trim_start();
        let mark = trimmed.find(' ').map_or("", |end| trimmed.split_at(end).0);
        let is_number =
            mark.len() > 1 && mark.trim_end_matches('.').bytes().all(|byte| byte.is_ascii_digit());
        match before {
            _ if trimmed.is_empty() => Self::Blank,
            Self::Blank | Self::Code if line.starts_with("    ") => Self::Code,
            _ if level(line) > 0 => Self::Heading,
            _ if trimmed.starts_with('|') => Self::Table,
            _ if mark == "-" || mark.ends_with('.') && is_number => Self::Item(mark.len() + 1),
            Self::Item(mark) => Self::Item(mark),
            _ => Self::Text,
        }
    }

    /// Whether a line of `self` goes on with what one of `before` began.
    fn goes_on(self, before: Self, line: &str) -> bool {
        let is_first = matches!(self, Self::Item(mark) if !line.starts_with(&" ".repeat(mark)));
        self == before && !is_first && !matches!(self, Self::Heading | Self::Blank)
    }
}

/// Writes lines of Markdown for a terminal.
pub fn write(lines: &[&str], width: usize, out: &mut dyn Write) -> io::Result<()> {
    let (mut before, mut block): (Block, Vec<&str>) = (Block::Blank, Vec::new());
    let mut is_fenced = false;
    for line in lines {
        // Lines of a program stay as they are: joined, a comment would swallow the rest.
        let is_fence = line.starts_with("```");
        if is_fence || is_fenced {
            flush(before, &std::mem::take(&mut block), width, out)?;
            (is_fenced, before) = (is_fenced != is_fence, Block::Code);
            if !is_fence {
                writeln!(out, "{}", format!("    {line}").trim_end())?;
            }
            continue;
        }
        let kind = Block::of(line, before);
        if !kind.goes_on(before, line) {
            flush(before, &block, width, out)?;
            block.clear();
        }
        block.push(line);
        before = kind;
    }
    flush(before, &block, width, out)
}

fn flush(kind: Block, lines: &[&str], width: usize, out: &mut dyn Write) -> io::Result<()> {
    let joined = without_marks(&lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" "));
    match kind {
        _ if lines.is_empty() => Ok(()),
        Block::Blank => writeln!(out),
        Block::Heading => writeln!(out, "{}", joined.trim_start_matches('#').trim().to_uppercase()),
        Block::Code => lines.iter().try_for_each(|line| writeln!(out, "{}", line.trim_end())),
        Block::Table => table(lines, width, out),
        Block::Item(mark) => paragraph("  ", &joined, mark + 2, width, out),
        Block::Text => paragraph("", &joined, 0, width, out),
    }
}

/// Text without marks of Markdown: links become their words.
pub fn without_marks(text: &str) -> String {
    let mut words = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        words.push_str(before);
        match after.split_once("](").and_then(|(name, link)| Some((name, link.split_once(')')?.1))) {
            Some((name, after)) if !name.contains('[') => {
                words.push_str(name);
                rest = after;
            }
            _ => {
                words.push('[');
                rest = after;
            }
        }
    }
    words.push_str(rest);
    words.replace("**", "").replace("\\|", "|")
}

/// A table in columns; where the last would be too narrow, each of its cells stands below its row.
fn table(lines: &[&str], width: usize, out: &mut dyn Write) -> io::Result<()> {
    let rows: Vec<Vec<String>> = lines
        .iter()
        .filter(|line| !line.chars().all(|letter| "|-: ".contains(letter)))
        .map(|line| {
            line.trim().trim_matches('|').split(" | ").map(|cell| without_marks(cell.trim())).collect()
        })
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0) + GAP
        })
        .collect();
    let lead: usize = widths.iter().take(columns.saturating_sub(1)).sum();
    let is_wide = lead + LEAST_LAST > width;
    for row in &rows {
        let Some((last, first)) = row.split_last() else {
            continue;
        };
        if is_wide {
            for (at, cell) in row.iter().enumerate() {
                let indent = if at == 0 { 0 } else { 4 };
                paragraph(&" ".repeat(indent), cell, indent, width, out)?;
            }
            continue;
        }
        let front = first.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        paragraph(&front.collect::<String>(), last, lead, width, out)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::topics::{TOPICS, section};
    use super::*;

    fn shown(text: &str, width: usize) -> String {
        let mut out = Vec::new();
        write(&text.lines().collect::<Vec<_>>(), width, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_kind_of_block_is_laid_out() {
        let text = "## The head\n\nSome **words** in\na [link](x.md) and [E01].\n\n    code  stays\n\n\
                    - one item that\n  goes on\n- two\n\n| a | b |\n| --- | --- |\n| long | some words here |\n";
        assert_eq!(
            shown(text, 40),
            "THE HEAD\n\nSome words in a link and [E01].\n\n    code  stays\n\n  - one item that goes on\n  - two\n\n\
             a     b\nlong  some words here\n"
        );
        assert!(shown(text, 24).contains("\nlong\n    some words here\n"), "{}", shown(text, 24));
        assert!(shown(text, 16).contains("  - one item\n    that goes on\n"), "{}", shown(text, 16));
    }

    #[test]
    fn lines_of_a_program_stay_as_they_are() {
        let text = "Ask:\n\n```sql\n-- 1. Which?\nSELECT 1;\n\n- 2\n```\n\nThen\ngo on.\n";
        let expected = "Ask:\n\n    -- 1. Which?\n    SELECT 1;\n\n    - 2\n\nThen go on.\n";
        assert_eq!(shown(text, 40), expected);
    }

    #[test]
    fn no_line_of_a_topic_is_wider_than_asked_but_for_code() {
        for topic in TOPICS {
            let sections = topic.sections.iter().flat_map(|(document, heading)| section(document, heading));
            let text = shown(&sections.flatten().collect::<Vec<_>>().join("\n"), 80);
            let wide = text.lines().find(|line| line.chars().count() > 80 && !line.starts_with("    "));
            assert_eq!(wide, None, "{}", topic.name);
            assert!(!text.contains("]("), "{}: a link is left", topic.name);
        }
    }
}
