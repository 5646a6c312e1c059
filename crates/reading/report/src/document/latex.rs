//! A document as LaTeX.

use super::block::{Block, ItemList, lists};
use crate::latex::text::{PREAMBLE, code, plain};
use crate::remark::{NoteGroup, Remark, short_names};
use crate::table::{Align, Column, Line, Table};
use crate::wording::{capital, joined, sentence};
use analysis::{Answer, Finding};
use std::io::{self, Write};

/// A table of more rows than this goes over several pages.
const ONE_PAGE: usize = 45;

/// Writes a whole document, for pdflatex.
pub(crate) fn write_whole(blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(PREAMBLE.as_bytes())?;
    writeln!(out, "\\pagestyle{{empty}}\n\\begin{{document}}")?;
    write(blocks, out)?;
    writeln!(out, "\\end{{document}}")
}

/// Writes the blocks into a document; items that follow each other are one list.
pub(crate) fn write(blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    for (list, alike) in lists(blocks) {
        let list = list.map(|list| match list {
            ItemList::Answers => "description",
            ItemList::Remarks => "points",
        });
        if let Some(list) = list {
            writeln!(out, "\\begin{{{list}}}")?;
        }
        alike.iter().try_for_each(|block| write_block(block, out))?;
        if let Some(list) = list {
            writeln!(out, "\\end{{{list}}}")?;
        }
    }
    Ok(())
}

fn write_block(block: &Block, out: &mut dyn Write) -> io::Result<()> {
    match block {
        Block::Title(title) => writeln!(out, "\\section*{{{}}}", plain(&heading(title))),
        Block::Text(text, _) => writeln!(out, "{}\n", plain(&sentence(text))),
        Block::Facts(facts) => {
            writeln!(
                out,
                "\\begin{{longtable}}{{@{{}}lL{{14cm}}@{{}}}}\\hline\\endhead\\hline\\endlastfoot"
            )?;
            for (label, cell) in facts {
                writeln!(out, "{} & {}\\\\", plain(label), plain(&cell.text))?;
            }
            // Without a caption it has no number either.
            writeln!(out, "\\end{{longtable}}\\addtocounter{{table}}{{-1}}\n")
        }
        Block::List { items, .. } => {
            let mut items = items.iter();
            items.try_for_each(|item| writeln!(out, "{}\n", plain(&sentence(item))))
        }
        Block::Table(rows) => table(rows, out),
        Block::Heat(_) | Block::Matrix(_) | Block::Plot { .. } => Ok(()),
        Block::Remark(found) => writeln!(out, "\\item {}", remark(found)),
        Block::Group(found) => writeln!(out, "\\item {}", group(found)),
        Block::Answer(answered) => answer(answered, out),
        Block::Part(title, blocks) => {
            writeln!(out, "\\step{{{}.}}", plain(&heading(title)))?;
            write(blocks, out)
        }
        Block::Folded { blocks, is_wanted, .. } => match is_wanted {
            true => write(blocks, out),
            false => Ok(()),
        },
    }
}

/// With a capital, without a full stop.
fn heading(title: &str) -> String {
    capital(title.trim_start_matches(|letter: char| !letter.is_alphanumeric()))
}

/// A text without the commands that would tell more: a paper has results.
pub(crate) fn without_advice(text: &str) -> String {
    let mut parts = text.split(" → oscope");
    let first = parts.next().unwrap_or_default().to_owned();
    let behind = parts.map(|part| part.split_once(". ").map_or("", |(_, more)| more));
    behind.fold(first, |said, more| if more.is_empty() { said } else { format!("{said}. {more}") })
}

/// A remark and of which points it is made.
fn remark(remark: &Remark) -> String {
    let named = short_names(&remark.points);
    let named = joined(named.iter().map(|name| code(name)), ", ");
    let text = sentence(without_advice(&remark.text).trim_end_matches('.'));
    if named.is_empty() { plain(&text) } else { format!("{named}: {}", plain(&text)) }
}

/// What is said of all points, what helps, and of each point what is its own.
fn group(group: &NoteGroup) -> String {
    let items = group.items();
    let named = items.iter().map(|(name, own)| match *own {
        "" => code(name),
        own => format!("{} {}", code(name), plain(&without_advice(own))),
    });
    format!("{}: {}.", plain(&heading(&group.heading)), joined(named, ", "))
}

fn answer(answer: &Answer, out: &mut dyn Write) -> io::Result<()> {
    let said = plain(&sentence(&crate::answers::sentence(answer)));
    write!(out, "\\item[{{{}}}] {said}", plain(answer.question.asks))?;
    match answer.finding {
        Finding::Untested(_) => writeln!(out),
        _ => writeln!(out, " \\emph{{{}}}", plain(&sentence(answer.leaves_open))),
    }
}

/// A table with the columns of a terminal, for which their order was chosen: shrunk to the width of the page where it
/// fits on one, and over several pages where it does not.
fn table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let all = table.columns.iter().enumerate();
    let shown = all.filter(|(index, column)| column.is_on_terminals() && table.says(*index));
    let (shown, columns): (Vec<usize>, Vec<&Column>) = shown.unzip();
    let aligns = columns.iter().map(|column| match column.align {
        Align::Left => 'l',
        Align::Right => 'r',
    });
    let aligns: String = aligns.collect();
    let titles = joined(columns.iter().map(|column| plain(&column.title)), " & ");
    let (begin, end) = match table.rows().count() > ONE_PAGE {
        true => (
            format!("\\begin{{longtable}}{{@{{}}{aligns}@{{}}}}\\hline\n{titles}\\\\\\hline\\endhead"),
            "\\hline\\end{longtable}\\addtocounter{table}{-1}",
        ),
        false => (
            format!(
                "\\begin{{center}}\\resizebox{{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}}{{!}}{{%\n\
                 \\begin{{tabular}}{{@{{}}{aligns}@{{}}}}\\hline\n{titles}\\\\\\hline"
            ),
            "\\hline\\end{tabular}}\\end{center}",
        ),
    };
    writeln!(out, "{{\\footnotesize\\setlength{{\\tabcolsep}}{{3pt}}\n{begin}")?;
    for line in &table.lines {
        match line {
            Line::Heading(cell) => writeln!(out, "\\emph{{{}}}\\\\", plain(&cell.text))?,
            Line::Cells(cells) | Line::Parted(cells, _) => {
                let fields = shown.iter().filter_map(|index| cells.get(*index));
                let fields = joined(fields.map(|cell| plain(cell.text.trim_start())), " & ");
                writeln!(out, "{fields}\\\\")?;
            }
            Line::Span { cell, .. } => {
                let (count, text) = (shown.len(), plain(&cell.text));
                writeln!(out, "\\multicolumn{{{count}}}{{@{{}}p{{\\linewidth}}@{{}}}}{{\\quad {text}}}\\\\")?;
            }
        }
    }
    writeln!(out, "{end}}}")?;
    match &table.caption {
        Some(caption) => writeln!(out, "{{\\small {}\\par}}", plain(&sentence(caption))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paper_has_results_and_no_commands() {
        assert_eq!(
            without_advice("a guess; its parts would tell → oscope run 'a'"),
            "a guess; its parts would tell"
        );
        assert_eq!(without_advice("a guess → oscope run 'a.b' -x. It holds."), "a guess. It holds.");
        assert_eq!(without_advice("level 1 → level 2"), "level 1 → level 2");
    }
}
