//! The table that narrows while a run goes on, as lines; and one line per round where there is no terminal.

use crate::cells;
use crate::closing::seconds;
use crate::columns::{Cell, Column, Table};
use crate::groups::areas;
use crate::style::{Paint, Style};
use crate::wording::{cut_end, many, width_of};
use analysis::{Row, Verdict};
use quantity::show_percent;
use record::PointId;

/// Cells of the bar that shows how many points are narrow enough.
const BAR: usize = 16;
/// The header and the table's two lines of heading.
const LINES_ABOVE: usize = 3;

/// How far a run has come.
#[derive(Debug, Clone, Copy)]
pub struct LiveState<'a> {
    /// The round that is going on, or has just ended, from 1.
    pub round: u32,
    /// Seconds since the first round began.
    pub elapsed_s: f64,
    /// Seconds that the rounds may take.
    pub budget_s: f64,
    /// Points that need no further trial.
    pub closed: usize,
    /// All points that can be tried.
    pub total: usize,
    /// The point that is being tried.
    pub current: Option<&'a PointId>,
    /// What is known so far.
    pub rows: &'a [Row],
}

/// The lines of the live table: at most `height`, none wider than `width`.
///
/// When there are more rows than lines, those around the current point are shown.
pub fn live(state: &LiveState<'_>, width: usize, height: usize, style: Style) -> Vec<String> {
    let mut lines = vec![style.paint(&cut_end(&progress(state, width), width), Paint::Strong)];
    let shown: Vec<(&Row, String)> = named(state.rows)
        .into_iter()
        .filter(|(row, _)| is_shown(row, state))
        .collect();
    let room = height.saturating_sub(LINES_ABOVE);
    if !shown.is_empty() && room > 0 {
        let table = table(&shown, state, width);
        lines.extend(table.heading(width, style));
        let current = shown
            .iter()
            .position(|(row, _)| is_current(row, state))
            .unwrap_or(shown.len());
        lines.extend(window(table.body(width, style), current, room, width));
    }
    lines.truncate(height);
    lines
}

/// Each row with the operation and the parameters that tell its point from the operation's others.
fn named(rows: &[Row]) -> Vec<(&Row, String)> {
    let groups = areas(rows).into_iter().flat_map(|(_, operations)| operations);
    let mut named = Vec::new();
    for group in groups {
        let alone = group.points.len() == 1;
        for (row, own) in group.points {
            let name = match alone {
                true => row.point.id.to_string(),
                false => format!("{} {own}", row.point.id.operation),
            };
            named.push((row, name));
        }
    }
    named
}

fn is_current(row: &Row, state: &LiveState<'_>) -> bool {
    state.current == Some(&row.point.id)
}

/// A row is shown from its first trial on, and while it is being tried.
fn is_shown(row: &Row, state: &LiveState<'_>) -> bool {
    row.estimate.is_some() || !row.trials.is_empty() || is_current(row, state)
}

fn progress(state: &LiveState<'_>, width: usize) -> String {
    let filled = (BAR * state.closed)
        .checked_div(state.total)
        .unwrap_or(0)
        .min(BAR);
    let bar = format!("{}{}", "━".repeat(filled), "╌".repeat(BAR - filled));
    let parts = [
        Some(format!("round {}", state.round)),
        Some(format!(
            "{} of {}",
            seconds(state.elapsed_s),
            seconds(state.budget_s)
        )),
        Some(format!("{} of {} narrow", state.closed, state.total)),
        Some(bar),
        state.current.map(|current| format!("▸ {current}")),
    ];
    let mut line = String::new();
    for part in parts.into_iter().flatten() {
        let between = if line.is_empty() { "" } else { "  " };
        // The table below marks the current point too, so what does not fit is left out.
        if width_of(&line) + between.len() + width_of(&part) <= width || line.is_empty() {
            line = format!("{line}{between}{part}");
        }
    }
    line
}

/// Whether the interval is narrow enough, or the verdict's sign.
fn narrow(row: &Row) -> Cell {
    match (row.verdict, &row.estimate) {
        (Verdict::Measured, Some(_)) => Cell::new("●", Paint::Good),
        (Verdict::Noisy, Some(_)) => Cell::new("○", Paint::Warning),
        (verdict, None) if !row.trials.is_empty() => Cell::new(cells::mark(verdict), cells::paint(verdict)),
        _ => Cell::default(),
    }
}

fn table(rows: &[(&Row, String)], state: &LiveState<'_>, width: usize) -> Table {
    // Names are worth more here than the last columns of numbers: the eye looks for the one that moves.
    let least_name = (width * 2 / 5).clamp(24, 48);
    let mut table = Table::new(vec![
        Column::name("  point", 0, least_name, usize::MAX),
        Column::number("typical", 0),
        Column::word("", 0),
        Column::number("±", 1),
        Column::number("ratio", 2),
        Column::number("predicted", 3),
        Column::number("trials", 4),
    ]);
    for (row, name) in rows {
        let current = is_current(row, state);
        let (sign, paint) = if current {
            ("▸", Paint::Strong)
        } else {
            (" ", Paint::Plain)
        };
        let untried = row.estimate.is_none() && row.trials.is_empty();
        let typical = if untried {
            String::new()
        } else {
            cells::measured(row)
        };
        table.row(vec![
            Cell::new(cells::marked(&format!("{sign} {name}"), row), paint),
            typical.into(),
            narrow(row),
            cells::half_width(row).into(),
            cells::ratio(row).into(),
            cells::predicted(row, |predicted| predicted.total).into(),
            cells::trials(row).into(),
        ]);
    }
    table
}

/// The lines around the current one, and below them how many there are before and after.
fn window(lines: Vec<String>, current: usize, room: usize, width: usize) -> Vec<String> {
    let all = lines.len();
    if all <= room {
        return lines;
    }
    // One line is for the row itself; from two on the last says what is not shown.
    let (room, words) = if room < 2 { (room, 0) } else { (room - 1, 1) };
    let first = current.saturating_sub(room / 2).min(all - room);
    let last = format!("  … {first} above, {} below", all - room - first);
    let shown = lines.into_iter().skip(first).take(room);
    shown
        .chain(std::iter::repeat_n(cut_end(&last, width), words))
        .collect()
}

/// One line on a round that is complete, for outputs that are no terminal.
pub fn plain_line(state: &LiveState<'_>) -> String {
    let half = |row: &Row| row.estimate.as_ref()?.half_width();
    let widest = state
        .rows
        .iter()
        .filter_map(|row| Some((half(row).filter(|half| half.is_finite())?, &row.point.id)))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let widest = widest.map_or_else(String::new, |(half, id)| {
        format!(", widest ± {} ({id})", show_percent(half))
    });
    format!(
        "round {}: {}, {} narrow enough{widest}, {}",
        state.round,
        many(state.total, "point"),
        state.closed,
        seconds(state.elapsed_s),
    )
}
