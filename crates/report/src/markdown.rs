//! The result as a Markdown document that can be read in an issue.

use crate::document::Block;
use crate::document::markdown::{escaped, write};
use crate::groups::areas;
use crate::plot::{self, Glyphs};
use crate::published::{self, Published};
use crate::results::{Shown, operation, results};
use crate::wording::{hang, sentence};
use crate::{View, cells, closing, cores, full, machines, scene};
use analysis::Row;
use std::io::{self, Write};

/// Writes the document.
///
/// # Errors
/// When `out` cannot be written.
pub fn markdown(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# oscope\n")?;
    let mut blocks = vec![Block::text(closing::closing(view))];
    blocks.extend(full::accuracy(view));
    blocks.push(full::machine(view));
    let shown = Shown::of(&view.analysis.rows);
    for (area, operations) in areas(&view.analysis.rows) {
        let mut table = results(PLOT_WIDTH, shown);
        operations.iter().for_each(|group| operation(group, shown, &mut table));
        blocks.push(Block::Part(area.to_owned(), vec![Block::Table(table)]));
    }
    blocks.extend((!view.analysis.rows.is_empty()).then(|| Block::text(cells::TIERS)));
    blocks.extend(shown.state.then(|| Block::text(cores::legend())));
    blocks.extend(full::cpus(view.analysis));
    blocks.extend(machines::beside(view));
    blocks.extend(full::sweeps(view));
    write(&blocks, out)?;
    stands(view, out)?;
    plots(view, out)?;
    write(&full::said(view), out)
}

/// What five reports published, beside what the operations came to here.
fn stands(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let published = Published::carried();
    let mut is_first = true;
    for (_, operations) in areas(&view.analysis.rows) {
        for group in &operations {
            let rows: Vec<&Row> = group.points.iter().map(|(row, _)| *row).collect();
            let (Some(standing), Some(first)) = (published.standing(&rows), rows.first()) else {
                continue;
            };
            if is_first {
                writeln!(
                    out,
                    "## where this machine stands\n\n{}\n",
                    escaped(&sentence(published::MEANING))
                )?;
                is_first = false;
            }
            write!(out, "- `{}` here {}", first.point.id.operation, escaped(&standing.here))?;
            for by_report in &standing.others {
                write!(
                    out,
                    "; **{}** {}{}",
                    by_report.report,
                    escaped(&by_report.figures),
                    escaped(&by_report.doubt())
                )?;
            }
            writeln!(out)?;
        }
    }
    if is_first {
        return Ok(());
    }
    writeln!(out)?;
    for (report, machine) in published.machines() {
        writeln!(out, "- **{report}**: {}", escaped(&machine))?;
    }
    writeln!(out)
}

/// Columns of a plot in a document: what a page shows without a bar to scroll.
const PLOT_WIDTH: usize = 80;

fn plots(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (index, drawing) in view.analysis.drawings.iter().enumerate() {
        let Some((lines, legend)) = plot::plot(drawing, PLOT_WIDTH, &Glyphs::ASCII) else {
            continue;
        };
        if index == 0 {
            writeln!(out, "## plots\n")?;
        }
        writeln!(out, "{}\n", escaped(&sentence(&scene::title(drawing))))?;
        writeln!(out, "```text\n{}\n", lines.join("\n"))?;
        let legend = hang("", "", &legend, PLOT_WIDTH);
        writeln!(out, "{}\n```\n", legend.join("\n"))?;
    }
    Ok(())
}
