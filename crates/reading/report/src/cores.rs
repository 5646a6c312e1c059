//! How the cores were used, in words: the state of each row, and for the run how long cores were quiet, their clock and
//! what waiting cost.

use crate::page::Page;
use crate::remark::NoteGroup;
use crate::run_summary::seconds;
use crate::style::Paint;
use crate::table::{Cell, Column, Columns, Table};
use crate::thresholds::{MOVED_CLOCK, QUIET_SPAN};
use crate::wording::{joined, many, printable};
use crate::{cells, disturbances};
use analysis::{Analysis, CoreState, CoreUse, CpuUse, QuietSpan, Row, RunPlacement, RunPlacements};
use quantity::{Quantity, show, show_percent, show_ratio};
use std::io;

/// The operation whose results are the use of the CPUs.
pub(crate) const OPERATION: &str = "noise.shared_core";

/// CPUs that a line names before it says how many more there are.
const MOST_NAMED: usize = 4;

/// What the words mean.
pub(crate) const STATES: &str = "shared = sampled while another program or guest used the other hardware thread of the core, mixed = sampled in any state, \
    no word = quiet";

/// What the words and the columns mean.
pub(crate) fn legend() -> String {
    format!(
        "{STATES}; slowdown = cost while shared / while quiet; untriggered = median of the samples taken in any state"
    )
}

/// Whether there is anything to say of the cores of these rows.
pub(crate) fn has_state<'r>(rows: impl IntoIterator<Item = &'r Row>) -> bool {
    let mut rows = rows.into_iter();
    rows.any(|row| !state(row).is_empty() || !slowdown(row).is_empty())
}

/// How the cores were used while a row got its value.
pub(crate) fn core_use(row: &Row) -> Option<CoreUse> {
    row.core.filter(|_| row.estimate.is_some())
}

/// The state that the value of a row is of; nothing for quiet, where no core was probed, and without a value.
pub(crate) fn state(row: &Row) -> &'static str {
    match core_use(row).map(|core| core.state) {
        None | Some(CoreState::Quiet) => "",
        Some(state) => state.word(),
    }
}

/// That state, as a warning.
pub(crate) fn state_cell(row: &Row) -> Cell {
    Cell::new(state(row), Paint::Warning)
}

/// What the shared state costs, as a multiple of the quiet one.
pub(crate) fn slowdown(row: &Row) -> String {
    let slowdown = core_use(row).and_then(|core| core.slowdown);
    slowdown.map_or_else(String::new, show_ratio)
}

/// The median without a trigger, as exact as the value.
pub(crate) fn untriggered(row: &Row) -> String {
    let value = core_use(row).and_then(|core| core.untriggered);
    value.map_or_else(String::new, |value| show(value, cells::half_of(row), row.quantity()))
}

/// Whether the median of all samples lies within the interval of the value.
fn is_alike(row: &Row) -> bool {
    let untriggered = core_use(row).and_then(|core| core.untriggered);
    let interval = row.estimate.as_ref().and_then(|estimate| estimate.interval);
    untriggered.zip(interval).is_some_and(|(value, interval)| (interval.low..=interval.high).contains(&value))
}

/// State, slow-down and untriggered median in a few words; nothing where the cores were not probed.
pub(crate) fn brief(row: &Row) -> String {
    let Some(core) = core_use(row) else {
        return String::new();
    };
    let untriggered = core.untriggered.filter(|_| !is_alike(row));
    let parts = [
        Some(state(row).to_owned()).filter(|state| !state.is_empty()),
        core.slowdown.map(|factor| format!("{} while shared", show_ratio(factor))),
        untriggered.map(|_| format!("untriggered {}", self::untriggered(row))),
    ];
    joined(parts.into_iter().flatten(), ", ")
}

/// All that is known of the cores of a row; `None` where they were not probed.
pub(crate) fn words(row: &Row) -> Option<String> {
    let core = core_use(row)?;
    let state = match core.state {
        CoreState::Quiet => "the value is of the quiet state",
        CoreState::Shared => "the value is of the shared state: too few samples were quiet",
        CoreState::Mixed => "the value is of all states: no trigger",
    };
    let share = core
        .quiet_share
        .map(|share| format!("{} of the untriggered samples were quiet", show_percent(share)));
    let slowdown = core.slowdown.map(|factor| format!("{} while shared", show_ratio(factor)));
    let untriggered = core.untriggered.map(|_| format!("untriggered median {}", untriggered(row)));
    let parts = [Some(state.to_owned()), share, slowdown, untriggered];
    Some(joined(parts.into_iter().flatten(), "; "))
}

/// How a value depends on the clock of the core; `None` where no clock is known.
pub(crate) fn clock_words(row: &Row) -> Option<String> {
    let estimate = row.estimate.as_ref()?;
    let clock = hertz(estimate.core_hz?);
    Some(match estimate.clock_share {
        Some(share) => {
            format!("{} of it scales with the core's clock; given at {clock}", show_percent(share))
        }
        None => format!("given as the core's clock ran, {clock} in the median"),
    })
}

/// What the shared state costs at each point, for a document without columns for it.
pub(crate) fn group(rows: &[&Row]) -> Option<NoteGroup> {
    let points = rows.iter().map(|row| (row.point.id.clone(), brief(row)));
    has_state(rows.iter().copied()).then(|| NoteGroup {
        heading: "state of the core, cost while it was shared, and untriggered median".to_owned(),
        points: points.filter(|(_, own)| !own.is_empty()).collect(),
        lines: false,
        remedy: None,
    })
}

pub(crate) fn hertz(clock: f64) -> String {
    show(clock, None, Quantity::Frequency)
}

/// The use of the cores over the run in a few labelled lines; lines of which nothing is known are absent.
pub(crate) fn run(analysis: &Analysis) -> Vec<(&'static str, String)> {
    let lines = [
        ("cores", cores(analysis)),
        ("core clock", clock(analysis)),
        ("placement", placement(&analysis.placements)),
        ("waiting", waiting(analysis)),
    ];
    lines.into_iter().filter_map(|(label, text)| Some((label, text?))).collect()
}

fn cores(analysis: &Analysis) -> Option<String> {
    let mut parts: Vec<String> = analysis.cpus.iter().take(MOST_NAMED).map(cpu).collect();
    let more = analysis.cpus.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        parts.push(format!("and {more} more"));
    }
    let slowdown = analysis.slowdown.map_or_else(String::new, |factor| {
        format!("; points cost {} while shared, in the median", show_ratio(factor))
    });
    (!parts.is_empty()).then(|| format!("{}{slowdown}", parts.join(", ")))
}

/// One CPU in a line: `CPU 1 quiet 62 % of the time (for 2.10 ms at a time, shared for 1.30 ms)`.
fn cpu(usage: &CpuUse) -> String {
    let share = show_percent(usage.quiet_share);
    let lengths = usage.quiet_ns.zip(usage.shared_ns).map(|(quiet, shared)| {
        let [quiet, shared] = [quiet, shared].map(|ns| show(ns, None, Quantity::Latency));
        format!(" (for {quiet} at a time, shared for {shared})")
    });
    format!("CPU {} quiet {share} of the time{}", usage.cpu, lengths.unwrap_or_default())
}

/// Behind a value that was not carried to the clock of the others.
const AS_RUN: &str = "°";

/// The clock that values were carried to, and the lowest that it ran at, where it moved.
fn moved(analysis: &Analysis) -> Option<[f64; 2]> {
    let (low, at) = (analysis.clock_range?[0], analysis.reference_hz.filter(|_| analysis.is_carried())?);
    (low < at * (1.0 - MOVED_CLOCK)).then_some([low, at])
}

/// Clocks from the lower to the higher one: `4.05 to 4.18 GHz`.
fn clocks(low: f64, high: f64) -> String {
    match (hertz(low), hertz(high)) {
        (low, high) if low == high => high,
        (low, high) => format!("{} to {high}", low.trim_end_matches(" GHz")),
    }
}

/// At which clock values hold, where it moved: the next run has values at its own.
pub(crate) fn at_clock(analysis: &Analysis) -> Option<String> {
    let (at, ran) = (moved(analysis)?[1], clocks(analysis.clock_range?[0], analysis.highest_hz?));
    Some(format!("values at {}, {AS_RUN} as the clock ran ({ran})", hertz(at)))
}

/// The sign of a time or a bandwidth that is not of the clock that the legend names.
pub(crate) fn clock_mark(analysis: &Analysis, row: &Row) -> &'static str {
    let is_timed = matches!(row.quantity(), Quantity::Latency | Quantity::Bandwidth);
    let is_as_run = row.estimate.as_ref().is_some_and(|estimate| estimate.clock_share.is_none());
    if is_timed && is_as_run && moved(analysis).is_some() { AS_RUN } else { "" }
}

fn clock(analysis: &Analysis) -> Option<String> {
    let ran = format!("the clock ran at {}", clocks(analysis.clock_range?[0], analysis.highest_hz?));
    let values = analysis.reference_hz.filter(|_| analysis.is_carried());
    let at = at_clock(analysis).or_else(|| Some(format!("values at {}; {ran}", hertz(values?))));
    Some(at.unwrap_or(ran))
}

fn waiting(analysis: &Analysis) -> Option<String> {
    let share = show_percent(analysis.waited?);
    Some(format!("{share} of the run was spent waiting for quiet cores"))
}

/// Where the host had the CPUs of two actors: what lies between them costs accordingly.
fn placement(placements: &RunPlacements) -> Option<String> {
    let time = |placement: &RunPlacement| show(placement.line_ns, None, Quantity::Latency);
    match placements.placements.as_slice() {
        [] => None,
        [one] => {
            Some(format!("a cache line went between the two CPUs and back in {} in all trials", time(one)))
        }
        several => {
            let states = several
                .iter()
                .map(|one| format!("{} in {} of the trials", time(one), show_percent(one.share)));
            Some(format!(
                "the host moved the two CPUs at least {}: a cache line went between them and back in {}",
                many(placements.moves, "time"),
                joined(states, ", ")
            ))
        }
    }
}

/// The use of each CPU; a dash where it was not seen. `None` where no core was probed.
pub(crate) fn cpus(analysis: &Analysis) -> Option<Table> {
    let columns = Columns::new(Column::number("CPU", 0), |usage: &&CpuUse| usage.cpu.to_string())
        .with(Column::number("core not shared", 0), |usage| show_percent(usage.quiet_share))
        .with(Column::number("for, on average", 0), |usage| time_or_dash(usage.quiet_ns))
        .with(Column::number("shared for, on average", 0), |usage| time_or_dash(usage.shared_ns))
        .with(Column::number("slowdown", 0), |usage| {
            usage.slowdown.map_or_else(|| "–".to_owned(), show_ratio)
        });
    (!analysis.cpus.is_empty()).then(|| columns.table_of(&analysis.cpus))
}

fn time_or_dash(ns: Option<f64>) -> String {
    ns.map_or_else(|| "–".to_owned(), |ns| show(ns, None, Quantity::Latency))
}

/// Writes how each CPU was used, the clock and what waiting cost.
///
/// # Errors
/// When the page cannot be written.
pub fn cores_text(analysis: &Analysis, page: &mut Page<'_>) -> io::Result<()> {
    match cpus(analysis) {
        Some(table) => page.table(&table)?,
        None => writeln!(page.out, "  no core was probed in this run")?,
    }
    let rest = run(analysis).into_iter().filter(|(label, _)| *label != "cores").map(|(_, text)| text);
    let mut lines = rest.chain(disturbances::all(analysis));
    lines.try_for_each(|text| page.text("", "  ", &printable(&text), Paint::Plain))
}

/// Spans of a run that are listed with their times at most.
const MOST_SPANS: usize = 12;
/// The levels of a timeline, from quiet for none of the time to all of it.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The sign of a level from 0 to 1.
pub(crate) fn level_sign(share: f64) -> char {
    let level = (share.clamp(0.0, 1.0) * (LEVELS.len() - 1) as f64).round() as usize;
    LEVELS.get(level).copied().unwrap_or(' ')
}

/// Writes when the busiest of the probed cores was quiet: a sign for each span of the run, and those that were shared with their
/// times.
pub(crate) fn timeline(spans: &[QuietSpan], page: &mut Page<'_>) -> io::Result<()> {
    let Some(last) = spans.last() else {
        return Ok(());
    };
    let lasted = seconds(last.to_s);
    let signs: String = spans.iter().map(|span| level_sign(span.quiet_share)).collect();
    page.blank()?;
    let text = format!(
        "when no other hardware thread used the busiest core, over the {lasted} of the run (█ all of the time):"
    );
    page.text("", "  ", &text, Paint::Plain)?;
    page.text("  ", "  ", &signs, Paint::Plain)?;
    let mut shared: Vec<&QuietSpan> = spans.iter().filter(|span| span.quiet_share < QUIET_SPAN).collect();
    shared.sort_by(|one, other| one.quiet_share.total_cmp(&other.quiet_share));
    let more = shared.len().saturating_sub(MOST_SPANS);
    shared.truncate(MOST_SPANS);
    shared.sort_by(|one, other| one.from_s.total_cmp(&other.from_s));
    for span in shared {
        let [from, to] = [span.from_s, span.to_s].map(seconds);
        let share = show_percent(1.0 - span.quiet_share);
        page.text("  ", "    ", &format!("{from} to {to}: shared {share} of the time"), Paint::Plain)?;
    }
    match more {
        0 => Ok(()),
        more => page.text("  ", "    ", &format!("and {} more", many(more, "span")), Paint::Faint),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::{Estimate, Row};

    #[test]
    fn the_clock_of_the_values_is_said_where_it_moved_and_values_follow_it() {
        let analysis = |low: f64, clock_share| Analysis {
            clock_range: Some([low, 4e9, 4.1e9]),
            reference_hz: Some(4.1e9),
            highest_hz: Some(4.1e9),
            rows: vec![Row {
                estimate: Some(Estimate { clock_share, ..Estimate::default() }),
                ..Row::default()
            }],
            ..Analysis::default()
        };
        let moved = analysis(3.9e9, Some(1.0));
        assert_eq!(
            at_clock(&moved).as_deref(),
            Some("values at 4.10 GHz, ° as the clock ran (3.90 to 4.10 GHz)")
        );
        let marks = |analysis: &Analysis, clock_share| {
            clock_mark(
                analysis,
                &Row { estimate: Some(Estimate { clock_share, ..Estimate::default() }), ..Row::default() },
            )
        };
        assert_eq!([marks(&moved, None), marks(&moved, Some(0.0))], ["°", ""]);
        assert_eq!(marks(&analysis(4.09e9, Some(1.0)), None), "");
        assert_eq!(at_clock(&analysis(4.09e9, Some(1.0))), None);
        assert_eq!(at_clock(&analysis(3.9e9, None)), None);
    }
}
