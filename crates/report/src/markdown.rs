//! The result as a Markdown document that can be read in an issue.

use crate::document::markdown::escaped;
use crate::document::{self, Block};
use crate::groups::areas;
use crate::plot::{self, Glyphs};
use crate::published::{self, Published};
use crate::reasons::reasons;
use crate::remarks::{self, NoteGroup, Remark, TROUBLES};
use crate::results::{Shown, operation, results};
use crate::table::{Cell, Column, Table};
use crate::wording::{hang, sentence};
use crate::{View, cells, closing, cores, facts};
use analysis::{Finding, Row};
use std::io::{self, Write};

/// Writes the document.
///
/// # Errors
/// When `out` cannot be written.
pub fn markdown(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# oscope\n")?;
    writeln!(out, "{}\n", escaped(&sentence(&closing::closing(view))))?;
    for line in closing::accuracy(view) {
        writeln!(out, "{}\n", escaped(&sentence(&line)))?;
    }
    machine(view, out)?;
    let shown = Shown::of(&view.analysis.rows);
    for (area, operations) in areas(&view.analysis.rows) {
        let mut table = results(PLOT_WIDTH, shown);
        operations
            .iter()
            .for_each(|group| operation(group, shown, &mut table));
        let part = Block::Part(area.to_owned(), vec![Block::Table(table)]);
        document::markdown::write(&[part], out)?;
    }
    if !view.analysis.rows.is_empty() {
        writeln!(out, "{}\n", escaped(&sentence(cells::TIERS)))?;
    }
    if shown.state {
        writeln!(out, "{}\n", escaped(&sentence(&cores::legend())))?;
    }
    cpus(view, out)?;
    sweeps(view, out)?;
    stands(view, out)?;
    plots(view, out)?;
    for verdict in TROUBLES {
        let heading = format!("{} {}", cells::mark(verdict), verdict.word());
        let found = remarks::troubles(&view.analysis.rows, verdict);
        let groups = reasons(&view.analysis.rows, verdict);
        section(&heading, remarks::meaning(verdict), &groups, &found, out)?;
    }
    let found = remarks::references(&view.analysis.contrasts);
    let heading = format!("{} reference methods", cells::REFERENCE_MARK);
    section(
        &heading,
        "kept to be compared with, not to be relied upon",
        &[],
        &found,
        out,
    )?;
    notes(view, out)?;
    answers(view, out)
}

fn answers(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let asked = || view.analysis.answers.iter().filter(|answer| answer.asked);
    if asked().next().is_none() {
        return Ok(());
    }
    writeln!(out, "\n## answers\n")?;
    for answer in asked() {
        let said = escaped(&sentence(&crate::answers::sentence(answer)));
        write!(out, "- **{}** {said}", escaped(answer.question.asks))?;
        match answer.finding {
            Finding::Untested(_) => writeln!(out)?,
            _ => writeln!(out, " *({})*", escaped(answer.leaves_open))?,
        }
    }
    Ok(())
}

fn machine(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    for (label, text) in facts::summary(view.machine) {
        writeln!(out, "- **{label}**: {}", escaped(&text))?;
    }
    for (label, text) in view
        .peer
        .map_or_else(Vec::new, |peer| facts::other_end(peer, view.machine))
    {
        writeln!(out, "- **{label}**: {}", escaped(&text))?;
    }
    let run = [("run", closing::opening(view))].into_iter();
    for (label, text) in run.chain(cores::run(view.analysis)) {
        writeln!(out, "- **{label}**: {}", escaped(&text))?;
    }
    writeln!(out)
}

/// How each CPU was used.
fn cpus(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = cores::cpu_rows(view.analysis);
    if rows.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(cores::CPU_COLUMNS.map(|name| Column::number(name, 0)).to_vec());
    rows.into_iter()
        .for_each(|row| table.row(row.map(Cell::from).to_vec()));
    let part = Block::Part(cores::OPERATION.to_owned(), vec![Block::Table(table)]);
    document::markdown::write(&[part], out)
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
            write!(
                out,
                "- `{}` here {}",
                first.point.id.operation,
                escaped(&standing.here)
            )?;
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

fn sweeps(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    if view.analysis.lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "## sweeps\n")?;
    for line in &view.analysis.lines {
        writeln!(
            out,
            "- `{}`: {}",
            line.sweep,
            escaped(&remarks::sweep(line, view.analysis))
        )?;
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
        writeln!(out, "{}\n", escaped(&sentence(&plot::title(drawing))))?;
        writeln!(out, "```text\n{}\n", lines.join("\n"))?;
        let legend = hang("", "", &legend, PLOT_WIDTH);
        writeln!(out, "{}\n```\n", legend.join("\n"))?;
    }
    Ok(())
}

fn section(
    heading: &str,
    meaning: &str,
    groups: &[NoteGroup],
    found: &[Remark],
    out: &mut dyn Write,
) -> io::Result<()> {
    if found.is_empty() && groups.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "## {}\n\n{}\n",
        escaped(heading),
        escaped(&sentence(meaning))
    )?;
    groups.iter().try_for_each(|group| note_group(group, out))?;
    found.iter().try_for_each(|found| remark(found, out))?;
    writeln!(out)
}

/// What is said of all, what helps, and below it every point with what is its own.
fn note_group(group: &NoteGroup, out: &mut dyn Write) -> io::Result<()> {
    let remedy = group
        .remedy
        .map_or_else(String::new, |remedy| format!(" → {remedy}"));
    writeln!(out, "- {}{}:", escaped(&group.heading), escaped(&remedy))?;
    group.points.iter().try_for_each(|(id, own)| {
        let own = if own.is_empty() {
            String::new()
        } else {
            format!(": {}", escaped(own))
        };
        writeln!(out, "  - `{id}`{own}")
    })
}

/// One item; all points are named, since a document has room.
fn remark(remark: &Remark, out: &mut dyn Write) -> io::Result<()> {
    let points: Vec<String> = remark.points.iter().map(|point| format!("`{point}`")).collect();
    write!(out, "- {}: {}", points.join(", "), escaped(&remark.text))?;
    match &remark.remedy {
        Some(remedy) => writeln!(out, " → {}", escaped(remedy)),
        None => writeln!(out),
    }
}

fn notes(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = &view.analysis.rows;
    let (found, unpredicted) = (remarks::notes(rows), remarks::unpredicted(rows));
    let whole = crate::notes::of_run(view.analysis);
    if found.is_empty() && unpredicted.is_empty() && whole.is_empty() {
        return Ok(());
    }
    writeln!(out, "## notes\n")?;
    for note in whole {
        writeln!(out, "- {}", escaped(&note))?;
    }
    found.iter().try_for_each(|group| note_group(group, out))?;
    unpredicted.iter().try_for_each(|found| remark(found, out))
}
