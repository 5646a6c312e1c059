//! The answer in one look: which machine, how far to trust the run, what things cost, what stands out, how to go on.

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
use crate::wording::{ambiguous, cut_end, cut_middle, hang, many, width_of};
use crate::{View, brief_machine, cells, cores, cycles, disturbances, reasons, run_summary, tails};
use highlights::Finding;
use quantity::Quantity;
use rows::LEAST_ROWS;
use scale::Marks;
use std::io;

/// Lines at most: the screen has 50, and three of them name the next commands and the record.
const MOST_LINES: usize = 47;

/// Findings that stay where rows would have to give way.
const LEAST_FOUND: usize = 3;

/// Writes the screen: at most 50 lines, none wider than the page.
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
    let mut text = Vec::new();
    draw(&rows, more, (&found, hidden), &mut text)?;
    if lines_of(&text) > MOST_LINES && found.len() > LEAST_FOUND {
        hidden = found.len() - LEAST_FOUND;
        found.truncate(LEAST_FOUND);
        text.clear();
        draw(&rows, more, (&found, hidden), &mut text)?;
    }
    let lines = lines_of(&text);
    if lines > MOST_LINES && rows.len() > LEAST_ROWS {
        // That there are other points takes a line itself.
        let excess = lines - MOST_LINES + usize::from(more == 0);
        let kept = rows.len().saturating_sub(excess).max(LEAST_ROWS);
        more += rows.len() - kept;
        rows.truncate(kept);
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

/// The columns beside the scale, and the space before each.
const VALUE: usize = 13;
const CYCLES: usize = 11;
const MARK: usize = 2;
const HALF: usize = 8;
const RATIO: usize = 8;
const USER: usize = 9;
/// What stands behind the half width where it does not say why a row is marked.
const CAUSE: usize = 10;
/// The scale gets narrower where names would be cut off, and is left out where it would have fewer columns.
const LEAST_SCALE: usize = 12;
const MOST_SCALE: usize = 64;
const LEAST_NAME: usize = 12;
/// A narrower screen does without the cause.
const LEAST_WITH_CAUSE: usize = 80;

/// The table of costs.
fn costs(view: &View<'_>, rows: &[Named<'_>], page: &mut Page<'_>) -> io::Result<()> {
    if rows.is_empty() {
        return page.text("", "", "No point was measured.", Paint::Plain);
    }
    let has_cause = rows.iter().any(|(_, row)| !reasons::word(row).is_empty());
    let cause_width = if has_cause && page.width >= LEAST_WITH_CAUSE { CAUSE } else { 0 };
    let cycles_width = if view.has_cycles { CYCLES } else { 0 };
    let user_width = if cells::has_user(rows.iter().map(|(_, row)| *row)) { USER } else { 0 };
    let numbers = VALUE + cycles_width + MARK + HALF + cause_width + RATIO + user_width;
    let longest = rows.iter().map(|(name, _)| width_of(name)).max().unwrap_or(0);
    let room = page.width.saturating_sub(numbers);
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    let beside_scale = room.saturating_sub(2 + LEAST_SCALE);
    // The scale is left out where two names would read alike beside it, and would not without it, or most would be cut.
    let is_cut = |name: &&&str| width_of(name) > beside_scale;
    let is_in_the_way = is_ambiguous(&names, beside_scale) && !is_ambiguous(&names, room)
        || 2 * names.iter().filter(is_cut).count() > names.len();
    let with_scale = beside_scale >= LEAST_NAME && !is_in_the_way;
    let most_name = if with_scale { room - 2 - LEAST_SCALE } else { room };
    let name_width = longest.min(most_name);
    let scale_width = if with_scale { (room - 2 - name_width).min(MOST_SCALE) } else { 0 };
    let marks = Marks::new(page.style.ascii);
    let gap = if with_scale { "  " } else { "" };
    let (name, scale) = (" ".repeat(name_width), padded(&scale::labels(scale_width), scale_width));
    let [measured, mark, half, ratio] = ["measured", "", "±", "ratio"];
    let user = if user_width > 0 { "user's" } else { "" };
    let in_cycles = if view.has_cycles { cycles::TITLE } else { "" };
    let no_cause = " ".repeat(cause_width);
    let heading = format!(
        "{name}{measured:>VALUE$}{in_cycles:>cycles_width$}{mark:MARK$}{half:>HALF$}{no_cause}{gap}{scale}{ratio:>RATIO$}{user:>user_width$}"
    );
    page.lines(&[page.style.paint(&cut_end(&heading, page.width), Paint::Faint)])?;
    for ((name, row), is_ambiguous) in rows.iter().zip(ambiguous(&names, name_width)) {
        let line = match costs_of(row) {
            Some(costs) => scale::line(costs, scale_width, marks),
            None => " ".repeat(scale_width),
        };
        // A name that would read like another has a line of its own.
        if is_ambiguous {
            page.lines(&[page.style.paint(&cut_middle(name, page.width), cells::paint(row.verdict))])?;
        }
        let short = if is_ambiguous { String::new() } else { cut_middle(name, name_width) };
        let (name, mark) = (padded(&short, name_width), cells::mark(row.verdict));
        let clock = cores::clock_mark(view.analysis, row);
        let (measured, half, ratio) = (cells::measured(row), cells::half_width(row), cells::ratio(row));
        let user = cells::user_ratio(row);
        let cause = match cause_width {
            0 => String::new(),
            width => padded(&format!(" {}", reasons::word(row)), width),
        };
        let in_cycles = if view.has_cycles { cycles::measured(view, row) } else { String::new() };
        let text = format!(
            "{name}{measured:>VALUE$}{in_cycles:>cycles_width$}{clock:1}{mark:1}{half:>HALF$}{cause}{gap}{line}{ratio:>RATIO$}{user:>user_width$}"
        );
        let text = cut_end(text.trim_end(), page.width);
        page.lines(&[page.style.paint(&text, cells::paint(row.verdict))])?;
    }
    page.text("", "  ", &legend(view, rows, marks, with_scale), Paint::Faint)
}

/// What the signs and the columns mean.
fn legend(view: &View<'_>, rows: &[Named<'_>], marks: Marks, with_scale: bool) -> String {
    let has = |quantity| rows.iter().any(|(_, row)| row.quantity() == quantity);
    let meaning = match has(Quantity::Bandwidth) {
        true if has(Quantity::Latency) => ": above 1× a time is slower, a bandwidth faster",
        true => ": above 1× is faster",
        false => ": above 1× is slower",
    };
    let [one, other, both_at_once] = marks.transfer;
    let transfers = match rows.iter().any(|(_, row)| costs_of(row).is_some_and(|costs| costs.is_transfer)) {
        true => format!("; {one} {other} {both_at_once} time of 4 KiB"),
        false => String::new(),
    };
    let [measured, predicted, both] = marks.time;
    let has_user = cells::has_user(rows.iter().map(|(_, row)| *row));
    let user = if has_user { "; user's = measured / predicted by the user" } else { "" };
    let signs = match with_scale {
        true if has_user => {
            format!(
                "{measured} measured, {predicted} predicted, {both} both, {} by the user{transfers}; ",
                marks.user
            )
        }
        true => format!("{measured} measured, {predicted} predicted, {both} both{transfers}; "),
        false => String::new(),
    };
    let clock = cores::at_clock(view.analysis).map_or_else(String::new, |clock| format!("; {clock}"));
    let own = if rows.iter().any(|(_, row)| counts_itself(row)) {
        "; own.*: the program's own word for n, because it declares no system calls"
    } else {
        ""
    };
    format!("{signs}± of the next run{clock}; ratio = measured / predicted{meaning}{user}{own}")
}

/// Whether a row is of a user's program that declares no system calls: then no witness shows that it did n iterations.
fn counts_itself(row: &analysis::Row) -> bool {
    let is_counted = row.point.witnesses.iter().any(|witness| witness.counter.starts_with("calls"));
    row.point.id.operation.starts_with("own.") && !is_counted
}

/// Whether any of these names reads like another one where they are cut to this width.
fn is_ambiguous(names: &[&str], width: usize) -> bool {
    ambiguous(names, width).contains(&true)
}

/// The text, with spaces up to this width.
fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(width_of(text))))
}
