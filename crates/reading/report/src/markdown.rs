//! The result as a Markdown document that can be read in an issue.

use crate::document::Block;
use crate::document::markdown::{escaped, write};
use crate::groups::{OperationRows, areas};
use crate::plot::{DOCUMENT_WIDTH, Glyphs};
use crate::published::{self, Published};
use crate::results::Results;
use crate::wording::sentence;
use crate::{View, cells, cores, cycles, machines, pairs, run_summary, scaling, sections, tails};
use std::io::{self, Write};

/// Writes the document.
///
/// # Errors
/// When `out` cannot be written.
pub fn markdown(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# oscope\n")?;
    let mut blocks = vec![Block::text(run_summary::outcome(view))];
    blocks.extend(sections::accuracy(view));
    blocks.push(sections::machine(view));
    let results = Results::new(view, DOCUMENT_WIDTH);
    for (area, operations) in areas(&view.analysis.rows) {
        let mut table = results.table();
        operations.iter().for_each(|group| results.add(group, &mut table));
        blocks.push(Block::Part(area.to_owned(), vec![Block::Table(table)]));
    }
    blocks.extend((!view.analysis.rows.is_empty()).then(|| Block::text(cells::TIERS)));
    blocks.extend(view.has_cycles.then(|| Block::text(cycles::MEANING)));
    blocks.extend(results.has_state.then(|| Block::text(cores::legend())));
    blocks.extend(tails::all(view, usize::MAX));
    blocks.extend(sections::cpus(view.analysis));
    blocks.extend(machines::beside(view));
    blocks.extend(sections::sweeps(view));
    blocks.extend(scaling::scaling(view));
    blocks.extend(pairs::pairs(view));
    write(&blocks, out)?;
    stands(view, out)?;
    let plots = sections::plots(view, DOCUMENT_WIDTH, &Glyphs::ASCII).into_iter();
    write(&plots.chain(sections::said(view)).collect::<Vec<_>>(), out)
}

/// What five reports published, beside what the operations came to here.
fn stands(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let published = Published::carried();
    let operations = areas(&view.analysis.rows).into_iter().flat_map(|(_, operations)| operations);
    let lines: Vec<String> = operations.filter_map(|group| standing(&group, &published)).collect();
    if lines.is_empty() {
        return Ok(());
    }
    let machines =
        published.machines().map(|(report, machine)| format!("- **{report}**: {}\n", escaped(&machine)));
    let (meaning, machines) = (escaped(&sentence(published::MEANING)), machines.collect::<String>());
    writeln!(out, "## published figures\n\n{meaning}\n\n{}\n\n{machines}", lines.join("\n"))
}

/// What the reports published of an operation, behind what it came to here.
fn standing(group: &OperationRows<'_>, published: &Published) -> Option<String> {
    let rows = group.rows();
    let standing = published.standing(&rows)?;
    let others = standing.others.iter().map(|by_report| {
        let (figures, doubt) = (escaped(&by_report.figures), escaped(&by_report.doubt()));
        format!("; **{}** {figures}{doubt}", by_report.report)
    });
    let (operation, here) = (&rows.first()?.point.id.operation, escaped(&standing.here));
    Some(format!("- `{operation}` here {here}{}", others.collect::<String>()))
}
