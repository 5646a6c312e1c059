//! The answer in one look: which machine, how far to trust the run, what things cost, what stands out, how to go on.

mod costs;
mod highlights;
mod rows;
pub(crate) mod scale;
mod trust;

pub(crate) use highlights::{highlights, sections};
pub use rows::Label;
pub(crate) use rows::{Named, costs_of, shown};
pub(crate) use trust::trust;

use crate::document::terminal::write;
use crate::page::Page;
use crate::style::Paint;
use crate::wording::{cut_end, hang, many, width_of};
use crate::{View, brief_machine, disturbances, pairs, run_summary, tails};
use costs::costs;
use highlights::Finding;
use rows::{LEAST_ROWS, most_important};
use std::io;

/// Lines that name the next commands and the record, below the screen.
const BELOW: usize = 3;

/// Lines that a screen has on the lowest terminal.
const LEAST_LINES: usize = 47;

/// Findings that stay where rows would have to give way.
const LEAST_FOUND: usize = 3;

/// Writes the screen, no line wider than the page. On a terminal it is as high as that, and 50 lines where that is lower; in a pipe or
/// a file nothing is left out.
///
/// # Errors
/// When the page cannot be written.
pub fn first_screen(view: &View<'_>, labels: &[Label<'_>], page: &mut Page<'_>) -> io::Result<()> {
    let (width, style) = (page.width, page.style);
    let (mut rows, mut more) = shown(view, labels);
    let mut found = highlights(view, &rows);
    let mut hidden = 0;
    let draw = |rows: &[Named<'_>], more, found: (&[Finding], usize), text: &mut Vec<u8>| {
        screen(view, (rows, more), found, &mut Page::new(width, style, text))
    };
    let lines_of = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
    let most = page.height.map_or(usize::MAX, |height| height.saturating_sub(BELOW).max(LEAST_LINES));
    let mut text = Vec::new();
    draw(&rows, more, (&found, hidden), &mut text)?;
    if lines_of(&text) > most && found.len() > LEAST_FOUND {
        hidden = found.len() - LEAST_FOUND;
        found.truncate(LEAST_FOUND);
        text.clear();
        draw(&rows, more, (&found, hidden), &mut text)?;
    }
    let lines = lines_of(&text);
    if lines > most && rows.len() > LEAST_ROWS {
        // That there are other points takes a line itself.
        let excess = lines - most + usize::from(more == 0);
        let kept = rows.len().saturating_sub(excess).max(LEAST_ROWS);
        more += rows.len() - kept;
        rows = most_important(rows, kept, |id| found.iter().any(|finding| finding.points.contains(id)));
        text.clear();
        draw(&rows, more, (&found, hidden), &mut text)?;
    }
    page.out.write_all(&text)
}

/// Writes what is slow, and why, alone.
///
/// # Errors
/// When the page cannot be written.
pub fn what_is_slow(view: &View<'_>, labels: &[Label<'_>], page: &mut Page<'_>) -> io::Result<()> {
    let (rows, _) = shown(view, labels);
    let found = highlights(view, &rows);
    if sections(&found, &rows).is_empty() {
        let nothing = "No point was measured that has a prediction or was measured on other machines.";
        return page.text("", "  ", nothing, Paint::Plain);
    }
    findings((&found, 0), &rows, page)
}

/// Writes how far the run can be trusted, and what disturbed it.
///
/// # Errors
/// When the page cannot be written.
pub fn trust_text(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    for (line, paint) in trust(view) {
        page.text("", "  ", &line, paint)?;
    }
    disturbances::brief(view).iter().try_for_each(|line| page.text("! ", "  ", line, Paint::Warning))
}

/// Writes what stands out, a paragraph each, and how many findings have no room.
fn findings((found, hidden): (&[Finding], usize), rows: &[Named<'_>], page: &mut Page<'_>) -> io::Result<()> {
    sections(found, rows).iter().try_for_each(|(heading, found)| {
        let stop = if found.is_empty() { "." } else { ":" };
        page.heading(&format!("{heading}{stop}"), Paint::Strong)?;
        found.iter().try_for_each(|finding| {
            let sign = if finding.is_slow { "! " } else { "- " };
            page.text(sign, "  ", &finding.sentence, Paint::Plain)
        })
    })?;
    match hidden {
        0 => Ok(()),
        _ => page.text("", "  ", &format!("… and {hidden} more: oscope explain slow"), Paint::Faint),
    }
}

/// The whole screen with these rows of costs, these many others, and what stands out.
fn screen(
    view: &View<'_>,
    (rows, more): (&[Named<'_>], usize),
    found: (&[Finding], usize),
    page: &mut Page<'_>,
) -> io::Result<()> {
    machine(view, page)?;
    // What is said of trust is said of medians.
    let tails = tails::brief(view, page.width);
    for (line, paint) in if tails.is_empty() { trust(view) } else { Vec::new() } {
        page.text("", "  ", &line, paint)?;
    }
    for line in disturbances::brief(view) {
        page.text("! ", "  ", &line, Paint::Warning)?;
    }
    page.blank()?;
    if !tails.is_empty() {
        return write(&tails, page);
    }
    costs(view, rows, page)?;
    if more > 0 {
        let text = format!("… and {}: oscope report --full", many(more, "other point"));
        page.text("", "  ", &text, Paint::Faint)?;
    }
    if let Some(line) = tails::headline(view, rows) {
        page.text("", "  ", &line, Paint::Plain)?;
    }
    pairs::brief(view).iter().try_for_each(|line| page.text("", "  ", line, Paint::Plain))?;
    findings(found, rows, page)
}

/// A narrower screen does without the duration of the run.
const LEAST_WITH_DURATION: usize = 50;

/// Processor, memory hierarchy and system, a line each.
fn machine(view: &View<'_>, page: &mut Page<'_>) -> io::Result<()> {
    let lines = brief_machine::in_three_lines(view);
    let lasted = run_summary::lasted(view);
    let hardware = lines.first().map_or(0, |line| width_of(line));
    let lasted = match page.width {
        width if width < LEAST_WITH_DURATION => "",
        // The rounds give way before the machine is cut.
        width if width < hardware + 2 + width_of(&lasted) => lasted.split(',').next().unwrap_or_default(),
        _ => lasted.as_str(),
    };
    let wrapped = lines.iter().enumerate().flat_map(|(index, line)| {
        let paint = if index == 0 { Paint::Strong } else { Paint::Plain };
        hang("", "  ", line, page.width).into_iter().map(move |part| (part, paint))
    });
    let wrapped: Vec<(String, Paint)> = wrapped.collect();
    // Where the first line has no room, another one may.
    let has_room = |(line, _): &(String, Paint)| width_of(line) + 2 + width_of(lasted) <= page.width;
    let with_duration = wrapped.iter().position(has_room).filter(|_| !lasted.is_empty()).unwrap_or(0);
    for (index, (line, paint)) in wrapped.iter().enumerate() {
        let behind = if index == with_duration { lasted } else { "" };
        let between = if behind.is_empty() { 0 } else { 2 };
        let line = cut_end(line, page.width.saturating_sub(width_of(behind) + between));
        let gap = page.width.saturating_sub(width_of(&line) + width_of(behind));
        let line = format!("{}{}{behind}", page.style.paint(&line, *paint), " ".repeat(gap));
        page.lines(&[line.trim_end().to_owned()])?;
    }
    let peer = view.peer.map(|peer| format!("peer: {}, {}", peer.address, peer.program));
    let others = peer.into_iter().chain(run_summary::environments(view.plan));
    others.into_iter().try_for_each(|line| page.text("", "  ", &line, Paint::Plain))
}
