//! The fastest of several ways to do one thing: who won, by how much, and what the bus carried meanwhile.

use crate::answers::contrast::quotient;
use crate::answers::finding::{Finding, Outcome, cautious, typical};
use crate::answers::questions::question::Fastest;
use crate::rows::row::{Row, Verdict};
use quantity::{Quantity, show, show_ratio};
use record::PointId;

/// The points between which it is decided: all that differ in the parameter alone.
pub(crate) fn points(of: &Fastest, rows: &[Row]) -> Vec<PointId> {
    let all = of.holds.iter().flat_map(|holds| candidates(of, holds, rows));
    all.map(|(_, row)| row.point.id.clone()).collect()
}

/// The rows with these parameters and one more, and its value in each.
fn candidates<'r>(of: &Fastest, holds: &str, rows: &'r [Row]) -> Vec<(&'r str, &'r Row)> {
    let value = |row: &'r Row| {
        let mut own = None;
        let others: Vec<&str> = row
            .point
            .id
            .point
            .split(' ')
            .filter(|pair| match pair.split_once('=') {
                Some((name, value)) if name == of.by => {
                    own = Some(value);
                    false
                }
                _ => true,
            })
            .collect();
        own.filter(|_| others.join(" ") == holds)
    };
    let rows = rows.iter().filter(|row| row.point.id.operation == of.operation);
    rows.filter_map(|row| Some((value(row)?, row))).collect()
}

/// The same from the fastest to the slowest, those with a number.
fn ranked<'r>(of: &Fastest, holds: &str, rows: &'r [Row]) -> Vec<(&'r str, &'r Row, f64)> {
    let candidates = candidates(of, holds, rows).into_iter();
    let mut all: Vec<_> = candidates
        .filter(|(_, row)| matches!(row.verdict, Verdict::Measured | Verdict::Noisy))
        .filter_map(|(name, row)| Some((name, row, row.estimate.as_ref()?.typical)))
        .collect();
    all.sort_by(|one, other| other.2.total_cmp(&one.2));
    all
}

/// Who won, in a sentence.
///
/// # Errors
/// Why nobody has.
pub(crate) fn outcome(of: &Fastest, rows: &[Row]) -> Outcome {
    let mut groups = of.holds.iter().zip(of.among);
    let (holds, among) = groups.next().ok_or("nothing is asked")?;
    let (mut finding, mut sentence) = group(of, holds, among, rows)?;
    for (holds, among) in groups {
        // What was not measured on all CPUs leaves the answer for one as it is.
        if let Ok((more, words)) = group(of, holds, among, rows) {
            sentence = format!("{sentence}; {words}");
            if matches!(finding, Finding::Untested) {
                finding = more;
            }
        }
    }
    Ok((finding, sentence))
}

fn group(of: &Fastest, holds: &str, among: &str, rows: &[Row]) -> Outcome {
    let ranked = ranked(of, holds, rows);
    let Some((name, first, value)) = ranked.first() else {
        return Err(format!("no {} of {} {holds} has a number", of.by, of.operation));
    };
    let first = cautious(first);
    let range = crate::answers::contrast::seen(&first, *value);
    let range = first
        .estimate
        .as_ref()
        .and_then(crate::rows::row::Estimate::range)
        .unwrap_or(range);
    let is_noisy = if first.verdict == Verdict::Noisy {
        ", noisy"
    } else {
        ""
    };
    let rate = format!("{}{is_noisy}{}", typical(&first), bus(of, name, *value));
    let Some((next, second, _)) = ranked.get(1) else {
        let sentence = format!("{among} {name} reaches {rate}");
        return Ok((Finding::Undecided(range), sentence));
    };
    let factor = quotient(&first, &cautious(second));
    let slowest = ranked.last().filter(|_| ranked.len() > 2);
    let slowest = slowest.map_or_else(String::new, |(name, _, least)| {
        format!(", {} what {name} does", show_ratio(value / least))
    });
    match factor {
        Some(factor) if factor.low > 1.0 => Ok((
            Finding::Decided(range),
            format!(
                "{among} {name} is the fastest: {rate}, {} what {next} does{slowest}",
                show_ratio(factor.value)
            ),
        )),
        _ => Ok((
            Finding::Undecided(range),
            format!("{among} {name} and {next} cannot be told apart: {rate}{slowest}"),
        )),
    }
}

/// What the bus to memory carries at this rate, where that is another number.
fn bus(of: &Fastest, name: &str, rate: f64) -> String {
    let (_, times, why) = of
        .traffic
        .iter()
        .find(|(method, ..)| *method == name || method.is_empty())
        .copied()
        .unwrap_or((name, 1.0, ""));
    if times <= 1.0 {
        return String::new();
    }
    let carried = show(rate * times, Some(rate * times * 0.03), Quantity::Bandwidth);
    format!(" (at most {carried} on the bus: {why})")
}
