//! The table of costs: a line for each row, as wide as the page, and what its signs mean.

use super::rows::{Named, costs_of};
use super::scale::{self, Marks};
use crate::page::Page;
use crate::style::Paint;
use crate::wording::{cut_end, hang, joined, width_of};
use crate::{View, cells, cores, cycles, reasons};
use analysis::{Row, Tier};
use quantity::Quantity;
use std::io;

/// The columns beside the scale are at least this wide where there is room.
const VALUE: usize = 13;
const HALF: usize = 8;
const RATIO: usize = 8;
const USER: usize = 9;
const TIER: usize = 3;
/// Spaces before each of them, and where there is less room.
const GAP: usize = 2;
const LEAST_GAP: usize = 1;
/// The scale is left out where it would have fewer columns: a factor of 2.5 is one of 24 columns over nine decades.
const LEAST_SCALE: usize = 24;
const MOST_SCALE: usize = 64;
const LEAST_NAME: usize = 12;
/// A narrower screen has the cause behind the name.
const LEAST_WITH_CAUSE: usize = 80;

/// How wide the columns are; one of no width is left out.
#[derive(Debug, Clone, Copy, Default)]
struct Widths {
    name: usize,
    value: usize,
    cycles: usize,
    signs: usize,
    half: usize,
    cause: usize,
    scale: usize,
    ratio: usize,
    tier: usize,
    user: usize,
}

impl Widths {
    fn new(view: &View<'_>, rows: &[Named<'_>], width: usize) -> Self {
        let longest = rows.iter().map(|(name, _)| width_of(name)).max().unwrap_or(0);
        let roomy = Self::of_numbers(view, rows, width, true);
        let widths = match roomy.numbers() + longest <= width {
            true => roomy,
            false => Self::of_numbers(view, rows, width, false).within(width),
        };
        let room = width.saturating_sub(widths.numbers());
        let beside_scale = room.saturating_sub(2 + LEAST_SCALE);
        let without_room = rows.iter().filter(|(name, _)| width_of(name) > beside_scale).count();
        if beside_scale < LEAST_NAME || 2 * without_room > rows.len() {
            return Self { name: longest.min(room), ..widths };
        }
        let name = longest.min(beside_scale);
        Self { name, scale: (room - 2 - name).min(MOST_SCALE), ..widths }
    }

    /// The columns beside the scale, each as wide as its widest text and a gap.
    fn of_numbers(view: &View<'_>, rows: &[Named<'_>], width: usize, is_roomy: bool) -> Self {
        let widest = |text: &dyn Fn(&Row) -> String| {
            rows.iter().map(|(_, row)| width_of(&text(row))).max().unwrap_or(0)
        };
        let column = |least: usize, title: &str, text: &dyn Fn(&Row) -> String| match widest(text) {
            0 => 0,
            widest if is_roomy => least.max(GAP + widest.max(width_of(title))),
            widest => LEAST_GAP + widest.max(width_of(title)),
        };
        let of_tier = |tier| rows.iter().any(|(_, row)| row.predicted().is_some_and(|one| one.tier == tier));
        let has_tiers = of_tier(Tier::Facts) && of_tier(Tier::Parts);
        let cause = column(0, "", &|row| reasons::word(row).to_owned());
        Self {
            value: column(VALUE, MEASURED, &cells::measured),
            cycles: if view.has_cycles {
                column(0, cycles::TITLE, &|row| cycles::measured(view, row))
            } else {
                0
            },
            signs: 1 + 1 + widest(&|row| cores::clock_mark(view.analysis, row).to_owned()),
            half: column(HALF, "", &cells::half_width),
            cause: if width >= LEAST_WITH_CAUSE { cause } else { 0 },
            ratio: column(RATIO, RATIO_TITLE, &cells::ratio),
            tier: if has_tiers { TIER } else { 0 },
            user: column(USER, USER_TITLE, &cells::user_ratio),
            ..Self::default()
        }
    }

    /// Without the least important columns where all have no room: no number is cut.
    fn within(mut self, width: usize) -> Self {
        let least_first: [fn(&mut Self) -> &mut usize; 6] = [
            |all| &mut all.tier,
            |all| &mut all.cause,
            |all| &mut all.half,
            |all| &mut all.ratio,
            |all| &mut all.user,
            |all| &mut all.cycles,
        ];
        for column in least_first {
            if self.numbers() > width {
                *column(&mut self) = 0;
            }
        }
        self
    }

    /// The columns of the numbers and words.
    fn numbers(&self) -> usize {
        self.value + self.cycles + self.signs + self.half + self.cause + self.ratio + self.tier + self.user
    }

    fn heading(&self) -> String {
        let named = |title, width| if width > 0 { title } else { "" };
        self.written(
            &padded("", self.name),
            [MEASURED, named(cycles::TITLE, self.cycles), "", named("±", self.half), ""],
            &padded(&scale::labels(self.scale), self.scale),
            [named(RATIO_TITLE, self.ratio), "", named(USER_TITLE, self.user)],
        )
    }

    /// The line of a row behind this name.
    fn line(&self, view: &View<'_>, short: &str, row: &Row, marks: Marks) -> String {
        let line = match costs_of(row) {
            Some(costs) => scale::line(costs, self.scale, marks),
            None => " ".repeat(self.scale),
        };
        let when = |width: usize, text: String| if width > 0 { text } else { String::new() };
        let clock = cores::clock_mark(view.analysis, row);
        // The sign of the clock has a column where any row has it.
        let signs = format!(" {clock:>before$}{}", cells::mark(row.verdict), before = self.signs - 2);
        let ratio = when(self.ratio, cells::ratio(row));
        let tier = if ratio.is_empty() { "" } else { cells::tier(row) };
        self.written(
            &padded(short, self.name),
            [
                &cells::measured(row),
                &when(self.cycles, cycles::measured(view, row)),
                &signs,
                &when(self.half, cells::half_width(row)),
                &when(self.cause, format!(" {}", reasons::word(row))),
            ],
            &line,
            [&ratio, &when(self.tier, tier.to_owned()), &when(self.user, cells::user_ratio(row))],
        )
    }

    /// Texts in these columns.
    fn written(&self, name: &str, before: [&str; 5], scale: &str, after: [&str; 3]) -> String {
        let Self { value, cycles, signs, half, cause, ratio, tier, user, .. } = *self;
        let ([measured, in_cycles, sign, width, why], [of, from, of_user]) = (before, after);
        let gap = if self.scale > 0 { "  " } else { "" };
        format!(
            "{name}{measured:>value$}{in_cycles:>cycles$}{sign:signs$}{width:>half$}{why:cause$}{gap}{scale}{of:>ratio$}{from:>tier$}{of_user:>user$}"
        )
    }
}

/// The headings.
const MEASURED: &str = "measured";
const RATIO_TITLE: &str = "ratio";
const USER_TITLE: &str = "user's";

/// Writes the table. A name without room has a line of its own.
pub(super) fn costs(view: &View<'_>, rows: &[Named<'_>], page: &mut Page<'_>) -> io::Result<()> {
    if rows.is_empty() {
        return page.text("", "", "No point was measured.", Paint::Plain);
    }
    let (widths, marks) = (Widths::new(view, rows, page.width), Marks::new(page.style.ascii));
    page.lines(&[page.style.paint(&cut_end(widths.heading().trim_end(), page.width), Paint::Faint)])?;
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
    let any = |is_so: &dyn Fn(&Row) -> bool| rows.iter().any(|(_, row)| is_so(row));
    let when = |is_so: bool, text: &str| if is_so { text.to_owned() } else { String::new() };
    let has = |quantity| any(&|row| row.quantity() == quantity);
    let [measured, predicted, both] = marks.time;
    let user = when(widths.user > 0, &format!(", {} by the user", marks.user));
    let [one, other, both_at_once] = marks.transfer;
    let is_transfer = any(&|row| costs_of(row).is_some_and(|costs| costs.is_transfer));
    let transfers = when(is_transfer, &format!("; {one} {other} {both_at_once} bandwidth (time of 4 KiB)"));
    let scale = format!("{measured} measured, {predicted} predicted, {both} both{user}{transfers}");
    let states = any(&|row| !row.undecided_states().is_empty());
    let why = when(any(&|row| !reasons::word(row).is_empty()), ", and why");
    let noisy = any(&|row| row.verdict == analysis::Verdict::Noisy);
    let tiers = when(widths.tier > 0, " (T1 from parts, T0 a guess from facts)");
    let meaning = match has(Quantity::Bandwidth) {
        true if has(Quantity::Latency) => "above 1× a time is slower, a bandwidth faster",
        true => "above 1× is faster",
        false => "above 1× is slower",
    };
    let of_user = when(widths.user > 0, "user's = measured / predicted by the user");
    let own = "own.*: the program's own word for n, because it declares no system calls";
    let has_cycles = view.has_cycles && any(&|row| !cycles::measured(view, row).is_empty());
    let lacks_cycles = has_cycles && widths.cycles == 0;
    let parts = [
        when(widths.scale > 0, &scale),
        when(states, "a | b two states, neither clearly the more frequent"),
        when(widths.half > 0, &format!("± of the next run{}{why}", whose_runs(rows))),
        when(noisy, "~ noisy in this run"),
        cores::at_clock(view.analysis).unwrap_or_default(),
        when(widths.ratio > 0, &format!("ratio = measured / predicted{tiers}: {meaning}")),
        of_user,
        when(any(&counts_itself), own),
        when(lacks_cycles, "no room for cycles"),
    ];
    joined(parts.iter().filter(|part| !part.is_empty()), "; ")
}

/// From which runs it is known what runs differ by.
fn whose_runs(rows: &[Named<'_>]) -> &'static str {
    let counts = || rows.iter().filter_map(|(_, row)| Some(row.between_runs()?.records));
    match (counts().any(|records| records > 0), counts().any(|records| records == 0)) {
        (true, true) => " (by earlier runs, here or on other machines)",
        (true, false) => " (by earlier runs here)",
        (false, true) => " (by runs on other machines)",
        (false, false) => "",
    }
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
