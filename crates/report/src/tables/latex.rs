//! Tables as LaTeX.

use crate::document::Block;
use crate::latex::{PREAMBLE, plain};
use crate::table::{Align, Line, Table};
use crate::wording::sentence;
use std::io::{self, Write};

/// A table of more rows than this goes over several pages.
const ONE_PAGE: usize = 45;

/// Writes a document, for pdflatex.
pub(super) fn write(blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(PREAMBLE.as_bytes())?;
    writeln!(out, "\\pagestyle{{empty}}\n\\begin{{document}}")?;
    inner(blocks, out)?;
    writeln!(out, "\\end{{document}}")
}

fn inner(blocks: &[Block], out: &mut dyn Write) -> io::Result<()> {
    for block in blocks {
        match block {
            Block::Title(title) => {
                writeln!(
                    out,
                    "\\section*{{{}}}",
                    plain(sentence(title).trim_end_matches('.'))
                )?;
            }
            Block::Table(rows) => table(rows, out)?,
            Block::Text(text, _) => writeln!(out, "{{\\small {}\\par}}", plain(&sentence(text)))?,
            Block::Part(_, blocks) => inner(blocks, out)?,
            _ => {}
        }
    }
    Ok(())
}

/// A table with the columns of a terminal, for which their order was chosen: shrunk to the width of the page where it
/// fits on one, and over several pages where it does not.
fn table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let says = |index: usize| {
        table
            .rows()
            .any(|cells| cells.get(index).is_some_and(|cell| !cell.text.is_empty()))
    };
    let on_terminals = |index: usize| {
        table
            .columns
            .get(index)
            .is_some_and(|column| column.is_on_terminals())
    };
    let shown = (0..table.columns.len()).filter(|index| says(*index) && on_terminals(*index));
    let shown: Vec<usize> = shown.collect();
    let columns = || shown.iter().filter_map(|index| table.columns.get(*index));
    let aligns = columns().map(|column| match column.align {
        Align::Left => 'l',
        Align::Right => 'r',
    });
    let aligns: String = aligns.collect();
    let titles: Vec<String> = columns().map(|column| plain(&column.title)).collect();
    let titles = titles.join(" & ");
    let (begin, end) = match table.rows().count() > ONE_PAGE {
        true => (
            format!("\\begin{{longtable}}{{@{{}}{aligns}@{{}}}}\\hline\n{titles}\\\\\\hline\\endhead"),
            "\\hline\\end{longtable}",
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
                let fields: Vec<String> = fields.map(|cell| plain(cell.text.trim_start())).collect();
                writeln!(out, "{}\\\\", fields.join(" & "))?;
            }
            Line::Span { .. } => {}
        }
    }
    writeln!(out, "{end}}}")?;
    match &table.caption {
        Some(caption) => writeln!(out, "{{\\small {}\\par}}", plain(&sentence(caption))),
        None => Ok(()),
    }
}
