//! The table of costs: a line for each row, as wide as the page, and what its signs mean.

use super::rows::{Named, costs_of};
use super::scale::{self, Marks};
use crate::page::Page;
use crate::style::Paint;
use crate::wording::{cut_end, hang, width_of};
use crate::{View, cells, cores, cycles, reasons};
use analysis::{Row, Tier};
use quantity::Quantity;
use std::io;

/// The columns beside the scale, and the space before each.
const VALUE: usize = 13;
const CYCLES: usize = 11;
const MARK: usize = 2;
const HALF: usize = 8;
const RATIO: usize = 8;
const TIER: usize = 3;
const USER: usize = 9;
/// The scale is left out where it would have fewer columns: a factor of 2.5 is one of 24 columns over nine decades.
const LEAST_SCALE: usize = 24;
const MOST_SCALE: usize = 64;
const LEAST_NAME: usize = 12;
/// A narrower screen has the cause behind the name.
const LEAST_WITH_CAUSE: usize = 80;

/// How wide the columns are; one of no width is left out.
#[derive(Debug, Clone, Copy)]
struct Widths {
    name: usize,
    value: usize,
    cycles: usize,
    cause: usize,
    scale: usize,
    tier: usize,
    user: usize,
}

impl Widths {
    fn new(view: &View<'_>, rows: &[Named<'_>], width: usize) -> Self {
        let when = |is_so: bool, width: usize| if is_so { width } else { 0 };
        let causes = rows.iter().map(|(_, row)| reasons::word(row)).filter(|cause| !cause.is_empty());
        let cause = causes.map(|cause| 2 + width_of(cause)).max().unwrap_or(0);
        let widest = rows.iter().map(|(_, row)| width_of(&cells::measured(row))).max().unwrap_or(0);
        let of_tier = |tier| rows.iter().any(|(_, row)| row.predicted().is_some_and(|one| one.tier == tier));
        let widths = Self {
            name: 0,
            value: VALUE.max(widest + 2),
            cycles: when(view.has_cycles, CYCLES),
            cause: when(width >= LEAST_WITH_CAUSE, cause),
            scale: 0,
            tier: when(of_tier(Tier::Facts) && of_tier(Tier::Parts), TIER),
            user: when(cells::has_user(rows.iter().map(|(_, row)| *row)), USER),
        };
        let room = width.saturating_sub(widths.numbers());
        let beside_scale = room.saturating_sub(2 + LEAST_SCALE);
        let longest = rows.iter().map(|(name, _)| width_of(name)).max().unwrap_or(0);
        let without_room = rows.iter().filter(|(name, _)| width_of(name) > beside_scale).count();
        if beside_scale < LEAST_NAME || 2 * without_room > rows.len() {
            return Self { name: longest.min(room), ..widths };
        }
        let name = longest.min(beside_scale);
        Self { name, scale: (room - 2 - name).min(MOST_SCALE), ..widths }
    }

    /// The columns of the numbers and words.
    fn numbers(&self) -> usize {
        self.value + self.cycles + MARK + HALF + self.cause + RATIO + self.tier + self.user
    }

    fn heading(&self, view: &View<'_>) -> String {
        let Self { name, value, cycles, cause, scale, tier, user } = *self;
        let (gap, labels) = (self.gap(), padded(&scale::labels(scale), scale));
        let [measured, mark, half, ratio, none] = ["measured", "", "±", "ratio", ""];
        let in_cycles = if view.has_cycles { cycles::TITLE } else { "" };
        let of_user = if user > 0 { "user's" } else { "" };
        format!(
            "{none:name$}{measured:>value$}{in_cycles:>cycles$}{mark:MARK$}{half:>HALF$}{none:cause$}{gap}{labels}{ratio:>RATIO$}{none:tier$}{of_user:>user$}"
        )
    }

    /// What stands before the scale.
    fn gap(&self) -> &'static str {
        if self.scale > 0 { "  " } else { "" }
    }

    /// The line of a row behind this name.
    fn line(&self, view: &View<'_>, short: &str, row: &Row, marks: Marks) -> String {
        let Self { name, value, cycles, cause, scale, tier, user } = *self;
        let line = match costs_of(row) {
            Some(costs) => scale::line(costs, scale, marks),
            None => " ".repeat(scale),
        };
        let (short, gap) = (padded(short, name), self.gap());
        let (clock, mark) = (cores::clock_mark(view.analysis, row), cells::mark(row.verdict));
        let (measured, half, ratio) = (cells::measured(row), cells::half_width(row), cells::ratio(row));
        let of_user = cells::user_ratio(row);
        let why = if cause > 0 { format!(" {}", reasons::word(row)) } else { String::new() };
        let in_cycles = if view.has_cycles { cycles::measured(view, row) } else { String::new() };
        let from = if tier > 0 && !ratio.is_empty() { cells::tier(row) } else { "" };
        format!(
            "{short}{measured:>value$}{in_cycles:>cycles$}{clock:1}{mark:1}{half:>HALF$}{why:cause$}{gap}{line}{ratio:>RATIO$}{from:>tier$}{of_user:>user$}"
        )
    }
}

/// Writes the table. A name without room has a line of its own.
pub(super) fn costs(view: &View<'_>, rows: &[Named<'_>], page: &mut Page<'_>) -> io::Result<()> {
    if rows.is_empty() {
        return page.text("", "", "No point was measured.", Paint::Plain);
    }
    let (widths, marks) = (Widths::new(view, rows, page.width), Marks::new(page.style.ascii));
    page.lines(&[page.style.paint(&cut_end(widths.heading(view).trim_end(), page.width), Paint::Faint)])?;
    for (name, row) in rows {
        let name = match reasons::word(row) {
            cause if widths.cause > 0 || cause.is_empty() => name.clone(),
            cause => format!("{name} ({cause})"),
        };
        let has_room = width_of(&name) <= widths.name;
        let above = if has_room { Vec::new() } else { hang("", "  ", &name, page.width) };
        let line = widths.line(view, if has_room { &name } else { "" }, row, marks);
        let lines = above.into_iter().chain([cut_end(line.trim_end(), page.width)]);
        let painted = lines.map(|line| page.style.paint(&line, cells::paint(row.verdict)));
        page.lines(&painted.collect::<Vec<String>>())?;
    }
    page.text("", "  ", &legend(view, rows, marks, widths), Paint::Faint)
}

/// What the signs and the columns mean.
fn legend(view: &View<'_>, rows: &[Named<'_>], marks: Marks, widths: Widths) -> String {
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
    let (has_user, with_scale) = (widths.user > 0, widths.scale > 0);
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
    let noisy = rows.iter().any(|(_, row)| row.verdict == analysis::Verdict::Noisy);
    let noisy = if noisy { "~ noisy by the ± of this run; " } else { "" };
    let tiers = if widths.tier > 0 { " (T1 from parts, T0 a guess from facts)" } else { "" };
    let clock = cores::at_clock(view.analysis).map_or_else(String::new, |clock| format!("; {clock}"));
    let own = match rows.iter().any(|(_, row)| counts_itself(row)) {
        true => "; own.*: the program's own word for n, because it declares no system calls",
        false => "",
    };
    format!("{signs}{noisy}± of the next run{clock}; ratio = measured / predicted{tiers}{meaning}{user}{own}")
}

/// Whether a row is of a user's program that declares no system calls: then no witness shows that it did n iterations.
fn counts_itself(row: &Row) -> bool {
    let is_counted = row.point.witnesses.iter().any(|witness| witness.counter.starts_with("calls"));
    row.point.id.operation.starts_with("own.") && !is_counted
}

/// The text, with spaces up to this width.
fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(width_of(text))))
}
