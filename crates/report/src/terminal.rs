//! The result on a terminal: machine, table, lines of sweeps, troubles, notes, and how it ended.

use crate::cells;
use crate::groups::{OperationRows, areas};
use crate::page::Page;
use crate::plot::{self, Glyphs};
use crate::reasons::reasons;
use crate::remarks::{self, NoteGroup, Remark, TROUBLES, short_names};
use crate::results::{Shown, operation, results};
use crate::style::{Paint, Style};
use crate::table::Cell;
use crate::wording::{few, many, sentence};
use crate::{View, closing, cores, facts};
use analysis::{Answer, Finding, Verdict};
use record::Machine;
use std::io::{self, Write};

/// Where the text behind a label begins.
const LABEL_WIDTH: usize = 11;

/// Writes the view for a terminal of this width. No line is wider.
///
/// # Errors
/// When `out` cannot be written.
pub fn terminal(view: &View<'_>, width: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page { width, style, out };
    machine(view, &mut page)?;
    summary(view, &mut page)?;
    sweeps(view, &mut page)?;
    plots(view, &mut page)?;
    for verdict in TROUBLES {
        troubles(view, verdict, &mut page)?;
    }
    references(view, &mut page)?;
    notes(view, &mut page)?;
    answers(view, &mut page)?;
    page.blank()?;
    for line in closing::accuracy(view) {
        page.text("", "  ", &line, Paint::Plain)?;
    }
    page.text("", "", &closing::closing(view), Paint::Strong)
}

impl Page<'_> {
    /// The points and, further in, what is said of them and what helps.
    fn remark(&mut self, remark: &Remark) -> io::Result<()> {
        self.text("  ", "  ", &few(&short_names(&remark.points)), Paint::Plain)?;
        self.text("      ", "      ", &remark.text, Paint::Faint)?;
        match &remark.remedy {
            Some(remedy) => self.text("      → ", "        ", remedy, Paint::Plain),
            None => Ok(()),
        }
    }
}

/// Writes the machine in a few lines, as the view begins with it.
///
/// # Errors
/// When `out` cannot be written.
pub fn machine_text(machine: &Machine, width: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page { width, style, out };
    let other = " ".repeat(LABEL_WIDTH);
    for (label, text) in facts::summary(machine) {
        page.text(&format!("{label:LABEL_WIDTH$}"), &other, &text, Paint::Plain)?;
    }
    Ok(())
}

fn machine(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let other = " ".repeat(LABEL_WIDTH);
    machine_text(view.machine, page.width, page.style, page.out)?;
    for (label, text) in view
        .peer
        .map_or_else(Vec::new, |peer| facts::other_end(peer, view.machine))
    {
        page.text(&format!("{label:LABEL_WIDTH$}"), &other, &text, Paint::Plain)?;
    }
    let run = [("run", closing::opening(view))].into_iter();
    for (label, text) in run.chain(cores::run(view.analysis)) {
        page.text(&format!("{label:LABEL_WIDTH$}"), &other, &text, Paint::Plain)?;
    }
    Ok(())
}

/// The area with its number of points and their verdicts.
fn area_heading(area: &str, operations: &[OperationRows<'_>]) -> String {
    let rows = operations
        .iter()
        .flat_map(|group| group.points.iter().map(|(row, _)| *row));
    let points = many(rows.clone().count(), "point");
    format!("{area}: {points}, {}", closing::verdicts(rows))
}

fn summary(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    if view.analysis.rows.is_empty() {
        return Ok(());
    }
    let shown = Shown::of(&view.analysis.rows);
    let mut table = results(page.width, shown);
    for (index, (area, operations)) in areas(&view.analysis.rows).iter().enumerate() {
        if index > 0 {
            table.head(Cell::default());
        }
        table.head(Cell::new(area_heading(area, operations), Paint::Strong));
        operations
            .iter()
            .for_each(|group| operation(group, shown, &mut table));
    }
    page.blank()?;
    page.lines(&table.heading(page.width, page.style))?;
    page.lines(&table.body(page.width, page.style))?;
    page.blank()?;
    page.text("", "", cells::TIERS, Paint::Faint)?;
    if shown.state {
        page.text("", "", &cores::legend(), Paint::Faint)?;
    }
    Ok(())
}

fn sweeps(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    if view.analysis.lines.is_empty() {
        return Ok(());
    }
    page.heading("sweeps", Paint::Strong)?;
    for line in &view.analysis.lines {
        page.text("  ", "      ", &format!("{}:", line.sweep), Paint::Plain)?;
        page.text(
            "      ",
            "      ",
            &remarks::sweep(line, view.analysis),
            Paint::Plain,
        )?;
    }
    Ok(())
}

pub(crate) fn plots(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let glyphs = if page.style.ascii {
        Glyphs::ASCII
    } else {
        Glyphs::UNICODE
    };
    let room = page.width.saturating_sub(plot::INDENT);
    let drawn = view.analysis.drawings.iter();
    let drawn: Vec<_> = drawn
        .filter_map(|drawing| Some((drawing, plot::plot(drawing, room, &glyphs)?)))
        .collect();
    if !drawn.is_empty() {
        page.heading("plots", Paint::Strong)?;
    }
    let indent = " ".repeat(plot::INDENT);
    for (index, (drawing, (lines, legend))) in drawn.iter().enumerate() {
        if index > 0 {
            page.blank()?;
        }
        page.text("  ", "      ", &plot::title(drawing), Paint::Plain)?;
        let lines: Vec<String> = lines.iter().map(|line| format!("{indent}{line}")).collect();
        page.lines(&lines)?;
        page.text("      ", "      ", legend, Paint::Faint)?;
    }
    Ok(())
}

pub(crate) fn troubles(view: &View<'_>, verdict: Verdict, page: &mut Page<'_>) -> io::Result<()> {
    let found = remarks::troubles(&view.analysis.rows, verdict);
    let groups = reasons(&view.analysis.rows, verdict);
    if found.is_empty() && groups.is_empty() {
        return Ok(());
    }
    let (mark, word) = (cells::mark(verdict), verdict.word());
    page.heading(
        &format!("{mark} {word}: {}", remarks::meaning(verdict)),
        cells::paint(verdict),
    )?;
    groups.iter().try_for_each(|group| note_group(group, page))?;
    found.iter().try_for_each(|remark| page.remark(remark))
}

fn references(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let found = remarks::references(&view.analysis.contrasts);
    if found.is_empty() {
        return Ok(());
    }
    let mark = cells::REFERENCE_MARK;
    page.heading(
        &format!("{mark} reference methods: kept to be compared with, not to be relied upon"),
        Paint::Plain,
    )?;
    found.iter().try_for_each(|remark| page.remark(remark))
}

pub(crate) fn notes(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let rows = &view.analysis.rows;
    let (found, unpredicted) = (remarks::notes(rows), remarks::unpredicted(rows));
    let whole = crate::notes::of_run(view.analysis);
    if found.is_empty() && unpredicted.is_empty() && whole.is_empty() {
        return Ok(());
    }
    page.heading("notes", Paint::Strong)?;
    for note in whole {
        page.text("  ", "      ", &note, Paint::Plain)?;
    }
    found.iter().try_for_each(|group| note_group(group, page))?;
    unpredicted.iter().try_for_each(|remark| page.remark(remark))
}

/// Points of a group of notes that a terminal names; documents name all.
const MOST_NOTED: usize = 12;

/// What is said of all, and below it the points, each with what is its own.
fn note_group(group: &NoteGroup, page: &mut Page<'_>) -> io::Result<()> {
    page.text("  ", "    ", &group.heading, Paint::Plain)?;
    let more = group.points.len().saturating_sub(MOST_NOTED);
    let items = group.items().into_iter().take(MOST_NOTED);
    let item = |(name, own): (String, &str)| match own {
        "" => name,
        own if group.lines => format!("{name}: {own}"),
        own => format!("{name} ({own})"),
    };
    let mut words: Vec<String> = items.map(item).collect();
    if more > 0 {
        words.push(format!("and {more} more"));
    }
    if group.lines {
        let mut lines = words.iter();
        lines.try_for_each(|line| page.text("      ", "          ", line, Paint::Faint))?;
    } else {
        page.text("      ", "      ", &words.join(", "), Paint::Faint)?;
    }
    let mut remedy = group.remedy.iter();
    remedy.try_for_each(|remedy| page.text("      → ", "        ", remedy, Paint::Plain))
}

/// The questions that belong to this run, each with its answer and what that leaves open.
pub(crate) fn answers(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let asked = || view.analysis.answers.iter().filter(|answer| answer.asked);
    if asked().next().is_none() {
        return Ok(());
    }
    page.heading("answers", Paint::Strong)?;
    asked().try_for_each(|answer| answer_lines(answer, page))
}

fn answer_lines(answer: &Answer, page: &mut Page<'_>) -> io::Result<()> {
    page.text("  ", "    ", answer.question.asks, Paint::Plain)?;
    let paint = match answer.finding {
        Finding::Untested(_) => Paint::Warning,
        Finding::Decided(_) | Finding::Undecided(_) => Paint::Plain,
    };
    page.text(
        "      ",
        "      ",
        &sentence(&crate::answers::sentence(answer)),
        paint,
    )?;
    match (&answer.finding, crate::answers::remedy(answer)) {
        (Finding::Untested(_), None) => Ok(()),
        (Finding::Untested(_), Some(remedy)) => page.text("      → ", "        ", &remedy, Paint::Plain),
        _ => page.text(
            "      ",
            "      ",
            &format!("({})", answer.leaves_open),
            Paint::Faint,
        ),
    }
}

/// Writes every question with its answer, for a terminal of this width.
///
/// # Errors
/// When `out` cannot be written.
pub fn answers_text(answers: &[Answer], width: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page { width, style, out };
    answers
        .iter()
        .try_for_each(|answer| answer_lines(answer, &mut page))
}
