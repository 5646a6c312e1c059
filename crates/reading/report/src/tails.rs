//! Tails as blocks: percentiles with their intervals, what a closed loop would have hidden, and the causes of slow iterations.

use crate::View;
use crate::document::Block;
use crate::results::least_name;
use crate::style::Paint;
use crate::table::{Cell, Column, Columns, Table};
use crate::thresholds::LEAST_FOR_PERCENT;
use crate::wording::{capital, joined, many, some_joined};
use analysis::{
    Observer, PERCENTILES, Percentile, PointTail, Row, SlowIteration, TailCause, TailCauses, TailChange,
    TailDecision, TailDistribution, TooFew, percentile_name,
};
use quantity::{Quantity, show, show_interval, show_percent};
use record::PointId;
use std::collections::BTreeSet;

/// The least width on which intervals stand beside percentiles.
const WITH_INTERVALS: usize = 100;

fn time(ns: u64) -> String {
    show(ns as f64, None, Quantity::Latency)
}

/// The value of a percentile, or that iterations are too few for one.
fn value(found: &Result<Percentile, TooFew>) -> Cell {
    match found {
        Ok(found) => Cell::from(time(found.value)),
        Err(_) => Cell::new("–", Paint::Faint),
    }
}

/// The interval in which the next run finds a percentile; `≥` where iterations are too few for an upper end, and nothing where the
/// lower end is not even above the median.
fn interval(tail: &PointTail, found: &Result<Percentile, TooFew>, median: f64) -> Cell {
    let Some(interval) = found.ok().and_then(|found| tail.next_run(&found)) else { return Cell::default() };
    let (low, high) = (interval.low as f64, interval.high.map(|high| high as f64));
    Cell::new(interval_text(low, high, median), Paint::Faint)
}

fn interval_text(low: f64, high: Option<f64>, median: f64) -> String {
    match high {
        Some(high) => show_interval(low, high, Quantity::Latency),
        None if low <= median => String::new(),
        None => format!("≥ {}", show(low, None, Quantity::Latency)),
    }
}

/// The median of a distribution.
fn median(one: &TailDistribution) -> f64 {
    one.percentile(0.5).map_or(0.0, |found| found.value as f64)
}

/// A line of the table: what it is of, and its distribution.
pub(crate) type Named<'a> = (String, &'a PointTail, &'a TailDistribution);

/// The lines of a point: service times, and response times of an open loop.
pub(crate) fn named(tail: &PointTail) -> Vec<Named<'_>> {
    let id = tail.id.to_string();
    let mut lines = vec![(id.clone(), tail, &tail.service)];
    if let Some(response) = &tail.response {
        lines.push((format!("{id}, response"), tail, response));
    }
    lines
}

/// The table of all points.
fn table(tails: &[PointTail], width: usize) -> Table {
    let name = Column::name("", 0, least_name(width), usize::MAX);
    let mut columns = Columns::new(name, |(name, ..): &Named<'_>| name.clone());
    for (index, share) in PERCENTILES.into_iter().enumerate() {
        let of = move |one: &TailDistribution| one.percentiles.get(index).copied();
        let title = percentile_name(share);
        let priority = if index % 2 == 1 { 4 } else { 0 };
        columns = columns.with(Column::number(title, priority), move |(_, _, one)| {
            of(one).as_ref().map(value).unwrap_or_default()
        });
        // The median and the 9th decile have narrow intervals.
        if share >= 0.99 && width >= WITH_INTERVALS {
            columns = columns.with(Column::word("95 %", 3 + index as u8), move |(_, tail, one)| {
                of(one).as_ref().map(|found| interval(tail, found, median(one))).unwrap_or_default()
            });
        }
    }
    columns
        .with(Column::number("max", 1), |(_, _, one)| time(one.longest_ns))
        .with(Column::number("of", 2), |(_, _, one)| one.samples.to_string())
        .table_of(tails.iter().flat_map(named))
}

/// What the signs of the table mean.
fn legend(tails: &[PointTail]) -> String {
    let all = tails.iter().flat_map(|tail| tail.service.percentiles.iter().zip(PERCENTILES));
    let lacks = all.filter_map(|(found, share)| Some((percentile_name(share), found.err()?.needed)));
    let lacks: BTreeSet<(String, u64)> = lacks.collect();
    let lacks = some_joined(lacks.iter().map(|(name, needed)| format!("{name} {needed}")), ", ");
    let lacking = lacks.map_or_else(String::new, |lacks| {
        format!("; – has too few iterations ({lacks} are needed), none is extrapolated: longer --duration")
    });
    format!(
        "service time of each iteration, closed loop unless \"response\"; of: iterations; intervals are those in \
         which the next run finds the percentile in 95 % of the cases; max is that of this many iterations and no percentile{lacking}"
    )
}

/// Other tasks that are named at most.
const MOST_TASKS: usize = 3;

/// The words for a cause.
pub(crate) fn cause(cause: &TailCause) -> String {
    match cause {
        TailCause::Stopped => "stopped by a signal".to_owned(),
        TailCause::Throttled => "CPU quota used up".to_owned(),
        TailCause::OtherTask(None) => "another task".to_owned(),
        TailCause::OtherTask(Some(name)) => format!("another task ({})", task_name(name)),
        TailCause::MajorFault => "page read from a device".to_owned(),
        TailCause::Reclaim => "memory reclaim".to_owned(),
        TailCause::Device => "waiting for a device".to_owned(),
        TailCause::Hypervisor => "hypervisor (steal time)".to_owned(),
        TailCause::TicksMissing => "hypervisor or firmware (ticks missing)".to_owned(),
        TailCause::Tick => "tick".to_owned(),
        TailCause::Interrupt(name) => name.clone(),
        TailCause::MinorFault => "page fault".to_owned(),
        TailCause::SharedCore => "shared core".to_owned(),
        TailCause::Unknown => "unknown".to_owned(),
    }
}

/// What a task is called: those of a run are not other programs.
fn task_name(name: &str) -> &str {
    match name {
        "oscope" => "oscope itself",
        SPINNER => "oscope's own, which keeps the CPU from idling",
        name => name,
    }
}

/// The task that a point with `idle=busy` has.
const SPINNER: &str = "oscope-spinner";

/// The percentiles of the service times of a point that have enough iterations, in a line.
pub(crate) fn percentiles(tail: &PointTail) -> String {
    let found = tail.service.percentiles.iter().flatten();
    let found = found.map(|one| format!("{} {}", percentile_name(one.share), time(one.value)));
    let of = many(tail.service.samples as usize, "iteration");
    format!("{}, max {} (of {of})", joined(found, ", "), time(tail.service.longest_ns))
}

/// What delayed the iterations beyond a percentile, in a sentence.
fn causes_sentence(causes: &TailCauses) -> String {
    let beyond = format!("beyond {} ({})", percentile_name(causes.share), time(causes.beyond_ns));
    let known = causes.outliers.len();
    let iterations = match causes.beyond.saturating_sub(known as u64) {
        0 => format!("{} while counters were read", many(known, "iteration")),
        _ => format!(
            "the {known} slowest of {} while counters were read: a record keeps no more of each trial",
            many(causes.beyond as usize, "iteration")
        ),
    };
    if causes.outliers.is_empty() {
        return format!("no iteration {beyond} while counters were read");
    }
    let shares = causes.counts.iter().map(|(one, count)| {
        let seen = match one {
            TailCause::OtherTask(None) if !causes.tasks.is_empty() => {
                format!(
                    " ({})",
                    joined(causes.tasks.iter().take(MOST_TASKS).map(|name| task_name(name)), ", ")
                )
            }
            _ => String::new(),
        };
        let part = match known < LEAST_FOR_PERCENT {
            true => count.to_string(),
            false => show_percent(*count as f64 / known as f64),
        };
        format!("{part} {}{seen}", cause(one))
    });
    format!("{beyond}: {} (of {iterations})", joined(shares, ", "))
}

/// Why the record has no cause of a point; `None` where it has some.
fn no_causes(tail: &PointTail) -> Option<&'static str> {
    match (&tail.causes, &tail.looked) {
        (Some(_), _) => None,
        (None, None) => {
            Some("no cause is known: counters were read in no trial (it takes two rounds: --rounds)")
        }
        (None, Some(_)) => Some("no cause is known: the iterations are too few for p99 (longer --duration)"),
    }
}

/// What is said of a point: causes, what a closed loop would hide, and what limits the numbers.
pub(crate) fn sentences(tail: &PointTail) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(tail.causes.as_ref().map(causes_sentence));
    said.extend(no_causes(tail).map(str::to_owned));
    said.extend(hidden(tail));
    if tail.unserved > 0 {
        said.push(format!(
            "the schedule could not be kept: {} never began, so response times have no percentile; lower --rate",
            many(tail.unserved as usize, "iteration")
        ));
    }
    if let Observer::Differs { index } = tail.observer {
        let name = PERCENTILES.get(index).copied().map(percentile_name).unwrap_or_default();
        let values = [Some(&tail.service), tail.looked.as_ref()]
            .map(|one| one.and_then(|one| one.percentiles.get(index)?.ok()).map(|found| time(found.value)));
        let [without, with] = values.map(Option::unwrap_or_default);
        said.push(format!(
            "reading counters changed the tail: {name} is {without} without, {with} with readings; causes are of the latter"
        ));
    }
    if tail.incomplete > 0 {
        said.push(format!("{} left out: fewer iterations timed than made", many(tail.incomplete, "trial")));
    }
    said
}

/// What coordinated omission would have hidden: the response time beside the service time that a closed loop shows.
fn hidden(tail: &PointTail) -> Option<String> {
    let response = tail.response.as_ref()?;
    let highest = PERCENTILES.into_iter().rev().find_map(|share| {
        Some((share, tail.service.percentile(share)?.value, response.percentile(share)?.value))
    });
    let (share, service, response) = highest?;
    let (rate, name) = (tail.rate?, percentile_name(share));
    Some(format!(
        "at {} per second, {name} of the response is {}; a closed loop would show {}, and hide {}",
        show(rate, None, Quantity::Count),
        time(response),
        time(service),
        time(response.saturating_sub(service))
    ))
}

/// The slowest iterations that are listed.
const MAX_SLOWEST: usize = 10;

/// The slowest iterations of a point.
pub(crate) fn slowest(causes: &TailCauses) -> &[SlowIteration] {
    causes.outliers.get(..MAX_SLOWEST).unwrap_or(&causes.outliers)
}

/// They with their causes, as a table.
fn worst(causes: &TailCauses) -> Option<Block> {
    let table = Columns::new(Column::number("at", 0), |one: &&SlowIteration| format!("{:.3} s", one.at_s))
        .with(Column::number("took", 0), |one| time(one.took_ns))
        .with(Column::prose("cause", 0, 10, usize::MAX), |one| cause(&one.cause))
        .table_of(slowest(causes));
    (!causes.outliers.is_empty()).then_some(Block::Table(table))
}

/// The percentiles of all points, with a sentence on each.
pub(crate) fn brief(view: &View<'_>, width: usize) -> Vec<Block> {
    let tails = &view.analysis.tails;
    if tails.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Table(table(tails, width)), Block::Text(legend(tails), Paint::Faint)];
    let items: Vec<String> = tails
        .iter()
        .flat_map(|tail| sentences(tail).into_iter().map(|sentence| format!("{}: {sentence}", tail.id)))
        .collect();
    if !items.is_empty() {
        blocks.push(Block::List { most: items.len(), items });
    }
    blocks
}

/// The percentile that the first screen of a run of batches shows.
const HEADLINE_SHARE: f64 = 0.99;

/// That percentile of the points that are shown, where their iterations suffice.
pub(crate) fn headline(view: &View<'_>, rows: &[(String, &Row)]) -> Option<String> {
    let found = rows.iter().filter_map(|(name, row)| {
        let tail = view.analysis.single_tails.iter().find(|tail| tail.id == row.point.id)?;
        let index = PERCENTILES.iter().position(|share| *share == HEADLINE_SHARE)?;
        let percentile = tail.service.percentiles.get(index).filter(|found| found.is_ok())?;
        // The row has a median of its own: that of the quiet cores.
        let median = median(&tail.service).max(row.typical().unwrap_or_default());
        let range = interval(tail, percentile, median).text;
        let range = if range.is_empty() { range } else { format!("{range}, ") };
        Some(format!("{name} {} ({range}of {})", value(percentile).text, tail.service.samples))
    });
    let found = joined(found, "; ");
    let name = percentile_name(HEADLINE_SHARE);
    (!found.is_empty()).then(|| format!("{name}: {found}. More: oscope run --tail"))
}

/// What is decided.
const OF_TWO_RUNS: &str =
    "lower and higher: the intervals, widened by what runs on one machine differ by, do not meet";

/// The percentiles of two runs, and what is decided of each.
pub(crate) fn changes(tails: &[(PointId, Vec<TailChange>)]) -> Option<Block> {
    let lines = tails.iter().flat_map(|(id, changes)| changes.iter().map(move |change| (id, change)));
    let table = Columns::new(Column::name("", 0, 20, usize::MAX), |(id, _): &(&PointId, &TailChange)| {
        Cell::point(id)
    })
    .with(Column::word("", 0), |(_, change)| percentile_name(change.share))
    .with(Column::number("first", 2), |(_, change)| time(change.ns[0]))
    .with(Column::number("second", 0), |(_, change)| time(change.ns[1]))
    .with(Column::word("decision", 0), |(_, change)| match change.decision {
        TailDecision::Lower => "lower",
        TailDecision::Higher => "higher",
        TailDecision::Undecided => "undecided (intervals overlap)",
        TailDecision::Unknown => "unknown (no interval)",
    })
    .table_of(lines);
    let blocks = vec![Block::Table(table), Block::Text(OF_TWO_RUNS.to_owned(), Paint::Faint)];
    Block::part("percentiles", if tails.is_empty() { Vec::new() } else { blocks })
}

/// All of it: also the slowest iterations of each point, and what the readings cost.
pub(crate) fn all(view: &View<'_>, width: usize) -> Option<Block> {
    let mut blocks = brief(view, width);
    for tail in &view.analysis.tails {
        let Some(causes) = &tail.causes else { continue };
        let mut own: Vec<Block> = worst(causes).into_iter().collect();
        let mut text = format!(
            "In every second trial all counters were read around each iteration, outside of the timed part: {} each. \
             The percentiles and max above are of the other trials.",
            time(causes.look_ns)
        );
        for (file, why) in &causes.unread {
            text.push_str(&format!(" {} is not read: {why}.", capital(file)));
        }
        own.push(Block::Text(text, Paint::Faint));
        blocks.extend(Block::part(format!("slowest iterations while counters were read: {}", tail.id), own));
    }
    Block::part("tails", blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// What is said of as many iterations, of which the second half is unknown, and of this number beyond the percentile.
    fn said(causes: [usize; 2], beyond: u64) -> String {
        let [ticks, unknown] = causes;
        let slow = |cause: TailCause| SlowIteration { at_s: 0.0, took_ns: 58_000, cause };
        let outliers = vec![slow(TailCause::Unknown); ticks + unknown];
        let counts = vec![(TailCause::Tick, ticks), (TailCause::Unknown, unknown)];
        causes_sentence(&TailCauses {
            share: 0.99,
            beyond_ns: 58_000,
            outliers,
            beyond,
            counts,
            tasks: Vec::new(),
            look_ns: 1,
            unread: BTreeMap::new(),
        })
    }

    #[test]
    fn causes_of_few_iterations_are_counted_and_those_that_the_record_lacks_are_said() {
        let few = said([2, 1], 3);
        assert_eq!(few, "beyond p99 (58.0 µs): 2 tick, 1 unknown (of 3 iterations while counters were read)");
        let many = said([15, 5], 400);
        assert_eq!(
            many,
            "beyond p99 (58.0 µs): 75 % tick, 25 % unknown (of the 20 slowest of 400 iterations while counters were \
             read: a record keeps no more of each trial)"
        );
    }

    #[test]
    fn bound_of_a_percentile_is_above_the_median() {
        assert_eq!(interval_text(14_800.0, None, 24_000.0), "");
        assert_eq!(interval_text(24_000.0, None, 14_800.0), "≥ 24.0 µs");
        assert_eq!(interval_text(14_800.0, Some(34_000.0), 24_000.0), "15–34 µs");
    }

    #[test]
    fn supervisor_of_a_run_is_named_as_such() {
        let named = |name: &str| cause(&TailCause::OtherTask(Some(name.to_owned())));
        assert_eq!(named("oscope"), "another task (oscope itself)");
        assert_eq!(named(SPINNER), "another task (oscope's own, which keeps the CPU from idling)");
        assert_eq!(named("cargo"), "another task (cargo)");
    }
}
