//! The table that narrows while a run goes on, as lines; and a line from time to time where there is no terminal.

use crate::cells;
use crate::groups::areas;
use crate::run_summary::seconds;
use crate::style::{Paint, Style};
use crate::table::{Cell, Column, Columns, Table};
use crate::thresholds::MUCH_WAITING;
use crate::wording::{cut_end, many, width_of};
use analysis::{Row, Verdict};
use quantity::show_percent;
use record::PointId;

/// Cells of the bar that shows how many points are measured.
const BAR: usize = 16;
/// The sign of the point that is being tried.
const CURRENT: &str = "▸";
/// Lines of the table's heading.
const HEADING: usize = 2;

/// How far a run has come, before one of its trials.
#[derive(Debug, Clone, Copy)]
pub struct LiveState<'a> {
    /// The round that is going on, from 1.
    pub round: u32,
    /// Points that had their trial in it.
    pub tried: usize,
    /// All points that have one in it.
    pub in_round: usize,
    /// Seconds since the first round began.
    pub elapsed_s: f64,
    /// Seconds until it is likely to end; `None` while nothing is known of that.
    pub left_s: Option<f64>,
    /// Points that would be measured if the run ended now.
    pub measured: usize,
    /// All points that can be tried.
    pub total: usize,
    /// Share of the time that workers waited for a quiet core; `None` where none waits.
    pub waited: Option<f64>,
    /// Share of the time for which the busiest core was quiet; `None` where no core was probed.
    pub quiet_share: Option<f64>,
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
    let shown: Vec<(&Row, String)> =
        named(state.rows).into_iter().filter(|(row, _)| is_shown(row, state)).collect();
    let waiting = waiting(state).map(|waiting| style.paint(&cut_end(&waiting, width), Paint::Warning));
    lines.extend(waiting);
    let room = height.saturating_sub(lines.len() + HEADING);
    if !shown.is_empty() && room > 0 {
        let table = table(&shown, state, width);
        lines.extend(table.heading(width, style));
        let body = table.body(width, style);
        let current = body.iter().position(|line| line.contains(CURRENT)).unwrap_or(body.len());
        lines.extend(window(body, current, room, width));
    }
    lines.truncate(height);
    lines
}

/// Each row with the operation and the parameters that tell its point from the operation's others.
fn named(rows: &[Row]) -> Vec<(&Row, String)> {
    let groups = areas(rows).into_iter().flat_map(|(_, operations)| operations);
    let named = groups.flat_map(|group| {
        let is_alone = group.points.len() == 1;
        group.points.into_iter().map(move |(row, own)| match is_alone {
            true => (row, row.point.id.to_string()),
            false => (row, format!("{} {own}", row.point.id.operation)),
        })
    });
    named.collect()
}

fn is_current(row: &Row, state: &LiveState<'_>) -> bool {
    state.current == Some(&row.point.id)
}

/// A row is shown from its first trial on, and while it is being tried.
fn is_shown(row: &Row, state: &LiveState<'_>) -> bool {
    row.estimate.is_some() || !row.trials.is_empty() || is_current(row, state)
}

fn progress(state: &LiveState<'_>, width: usize) -> String {
    let filled = (BAR * state.measured).checked_div(state.total).unwrap_or(0).min(BAR);
    let bar = format!("{}{}", "━".repeat(filled), "╌".repeat(BAR - filled));
    let parts = [
        Some(format!("round {}", state.round)),
        Some(times(state)),
        Some(format!("{} of {} measured", state.measured, state.total)),
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
    let point = Column::name("  point", 0, least_name, usize::MAX);
    let columns = Columns::new(point, |(row, name): &&(&Row, String)| {
        let (sign, paint) =
            if is_current(row, state) { (CURRENT, Paint::Strong) } else { (" ", Paint::Plain) };
        Cell::new(cells::marked(&format!("{sign} {name}"), row), paint)
    })
    .with(Column::number("typical", 0), |(row, _)| match row.estimate.is_none() && row.trials.is_empty() {
        true => String::new(),
        false => cells::measured(row),
    })
    .with(Column::word("", 0), |(row, _)| narrow(row))
    .with(Column::number("±", 1), |(row, _)| cells::half_width(row))
    .with(Column::number("ratio", 2), |(row, _)| cells::ratio(row))
    .with(Column::number("predicted", 3), |(row, _)| cells::total(row))
    .with(Column::number("trials", 4), |(row, _)| cells::trials(row));
    columns.table_of(rows)
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
    shown.chain(std::iter::repeat_n(cut_end(&last, width), words)).collect()
}

/// The time that has passed, and the time that is left.
fn times(state: &LiveState<'_>) -> String {
    let left = state.left_s.map(|left| format!(", {} left", whole_seconds(left)));
    format!("{}{}", whole_seconds(state.elapsed_s), left.unwrap_or_default())
}

fn whole_seconds(time: f64) -> String {
    match time.round() {
        0.0 => "0 s".to_owned(),
        time => seconds(time),
    }
}

/// What takes the time, where that is not the measurement.
fn waiting(state: &LiveState<'_>) -> Option<String> {
    let quiet = state.quiet_share.filter(|_| state.waited.is_some_and(|waited| waited >= MUCH_WAITING))?;
    Some(format!("waiting for a quiet core: quiet for {} of the time", show_percent(quiet)))
}

/// One line, for outputs that are not a terminal.
pub fn plain_line(state: &LiveState<'_>) -> String {
    let done = match state.round {
        1 => format!("{} of {} tried", state.tried, many(state.in_round, "point")),
        _ => format!("{} of {} measured", state.measured, many(state.total, "point")),
    };
    let waiting = waiting(state).map(|waiting| format!("; {waiting}"));
    let (round, times) = (state.round, times(state));
    format!("round {round}, {times}: {done}{}", waiting.unwrap_or_default())
}
