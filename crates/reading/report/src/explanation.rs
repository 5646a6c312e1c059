//! All that a record says of one point: first the answer, then both predictions term by term, what was excluded, its
//! trials, its witnesses with what they counted, and the formulas.

use crate::answers::sentence;
use crate::groups::grouped;
use crate::page::Page;
use crate::scene::ends;
use crate::style::Paint;
use crate::table::{Cell, Column, Columns};
use crate::wording::{capital, consequence, cut_end, expected, few, joined, many, some_joined};
use crate::{cells, cores, deviations, failures, next_run, notes, reasons, remarks, tails};
use analysis::{Answer, Judged, LikelyReason, Note, PointTail, Predicted, Row, Tier};
use quantity::{Quantity, parse_bytes, show, show_bytes, show_interval};
use record::{Machine, Origin, Range, Term};
use std::io;

/// Where the text behind a label begins.
const LABEL: usize = 14;
/// Bars of the histogram, and the cells of the longest.
const BARS: usize = 9;
const LONGEST: usize = 32;
/// Trials further from the middle half of them than this share of its width are counted in the outer bars (Tukey's fences).
const FENCE: f64 = 1.5;

/// A text behind its label, or below one where that is empty.
type Entry = (&'static str, String, Paint);

fn entry(label: &'static str, text: impl Into<String>) -> Entry {
    (label, text.into(), Paint::Plain)
}

/// Writes the answer that a point gives: its value, its verdict with the reason and what to do, how it stands to its prediction
/// and why.
///
/// # Errors
/// When the page cannot be written.
pub fn explain_answer(row: &Row, page: &mut Page<'_>) -> io::Result<()> {
    let name = page.style.paint(&row.point.id.to_string(), Paint::Strong);
    page.lines(&[format!("  {name}")])?;
    write(answer(row), page)
}

/// Writes what the run of a point was under, where its reason does not name it.
///
/// # Errors
/// When the page cannot be written.
pub fn explain_run_under(row: &Row, machine: &Machine, page: &mut Page<'_>) -> io::Result<()> {
    let names_it = |note: &Note| matches!(note, Note::Deviation(found) if matches!(found.reason, LikelyReason::RunsUnder { .. }));
    let under = deviations::run_under(machine, Some(row)).filter(|_| !row.notes.iter().any(names_it));
    write(under.map(|under| entry("run under", under)).into_iter().collect(), page)
}

/// Writes what was found of a cache in a few sentences: the answers to questions about its size, and what a load from it takes.
///
/// # Errors
/// When the page cannot be written.
pub fn explain_size_of_cache(answers: &[&Answer], load: Option<&Row>, page: &mut Page<'_>) -> io::Result<()> {
    let sizes =
        answers.iter().map(|answer| format!("{} {}.", answer.question.asks, capital(&sentence(answer))));
    let load = load.map(|row| {
        let bytes = row.point.id.parameter("bytes").and_then(|bytes| parse_bytes(bytes).ok());
        let of = bytes.map_or_else(String::new, |bytes| format!(" of {}", show_bytes(bytes)));
        format!("A load from a working set{of} takes {} ({}).", cells::typical(row), row.verdict.word())
    });
    let text = joined(sizes.chain(load), " ");
    page.text("", "", &text, Paint::Plain)
}

/// Writes the percentiles of a point whose iterations were each timed, and what delayed the slowest.
///
/// # Errors
/// When the page cannot be written.
pub fn explain_tail(tail: &PointTail, page: &mut Page<'_>) -> io::Result<()> {
    let said = tails::sentences(tail).into_iter().map(|sentence| entry("tail", sentence));
    write(std::iter::once(entry("percentiles", tails::percentiles(tail))).chain(said).collect(), page)
}

/// Writes all else that is known of one point: its predictions in words, what was measured beside its value, its trials, its
/// witnesses, and last its formulas.
///
/// # Errors
/// When the page cannot be written.
pub fn explain_details(row: &Row, page: &mut Page<'_>) -> io::Result<()> {
    page.blank()?;
    let bars = histogram(row, page.width);
    let heading = (!bars.is_empty()).then(|| entry("trials", "each one's typical value"));
    write(details(row).into_iter().chain(heading).collect(), page)?;
    page.lines(&bars)?;
    let witnesses = (!row.witnesses.is_empty()).then(|| entry("witnesses", "per iteration"));
    let witnesses = witnesses.into_iter().chain(row.witnesses.iter().map(|one| entry("", witness(one, row))));
    write(witnesses.collect(), page)?;
    write(tiers(row).flat_map(|(name, predicted)| formulas(name, predicted)).collect(), page)
}

/// Writes all that is known of one point.
///
/// # Errors
/// When the page cannot be written.
pub fn explain_row(row: &Row, page: &mut Page<'_>) -> io::Result<()> {
    page.blank()?;
    explain_answer(row, page)?;
    explain_details(row, page)
}

/// Writes texts behind their labels.
fn write(entries: Vec<Entry>, page: &mut Page<'_>) -> io::Result<()> {
    entries.into_iter().try_for_each(|(label, text, paint)| match label {
        "" => page.text("      ", "          ", &text, paint),
        label => page.text(&format!("    {label:LABEL$} "), &" ".repeat(LABEL + 5), &text, paint),
    })
}

/// The predictions of a row that have a value.
fn tiers(row: &Row) -> impl Iterator<Item = (&'static str, &Predicted)> {
    let tiers = [("T0, from facts", &row.from_facts), ("T1, from parts", &row.from_parts)];
    tiers.into_iter().filter_map(|(name, tier)| Some((name, tier.as_ref()?)))
}

fn answer(row: &Row) -> Vec<Entry> {
    let mut all = Vec::new();
    if row.estimate.is_some() {
        let half = match cells::half_width(row) {
            dash if dash == "–" => String::new(),
            half => format!(" ± {half} in the next run"),
        };
        let interval = match cells::interval(row) {
            none if none.is_empty() => "too few trials for an interval".to_owned(),
            some => format!("{some} in this run"),
        };
        all.push(entry("typical", format!("{}{half} ({interval})", cells::typical(row))));
    }
    let reason = reasons::reason(row).map_or_else(String::new, |reason| format!(": {reason}"));
    all.push(("verdict", format!("{}{reason}", row.verdict.word()), cells::paint(row.verdict)));
    all.extend(states(row));
    all.extend(reasons::remedy(row).filter(|_| !reason.is_empty()).map(|remedy| entry("what to do", remedy)));
    if let (Some(predicted), ratio) = (row.predicted(), cells::ratio(row))
        && !ratio.is_empty()
    {
        let from = match predicted.tier {
            Tier::Facts => "T0, from facts and constants",
            Tier::Parts => "T1, from parts measured in this run",
        };
        let total = cells::range(predicted.total, row.quantity());
        all.push(entry("prediction", format!("{ratio} its prediction of {total} ({from})")));
    }
    let deviation = row.notes.iter().find_map(|note| match note {
        Note::Deviation(deviation) => Some(deviation),
        _ => None,
    });
    let why = deviation.and_then(|deviation| {
        deviations::why(deviation, row.quantity())
            .or_else(|| Some("no contrast of this run explains it".to_owned()))
    });
    all.extend(why.map(|why| entry("why", why)));
    all
}

/// The states that a value may be of, each with its share.
fn states(row: &Row) -> Option<Entry> {
    let of_processes = row.notes.iter().find_map(|note| match note {
        Note::States(_) => Some(notes::brief(note, row.quantity())),
        _ => None,
    });
    let of_samples = (!row.modes.is_empty()).then(|| remarks::modes(row));
    let text = match (of_processes, of_samples) {
        (Some(groups), _) => format!("{groups}; the value is that of the most frequent"),
        (None, Some(modes)) if !row.undecided_states().is_empty() => {
            format!(
                "{modes}; none is clearly the most frequent, so the value of each stands in place of a median"
            )
        }
        (None, Some(modes)) => modes,
        (None, None) => return None,
    };
    Some(entry("states", text))
}

fn details(row: &Row) -> Vec<Entry> {
    let mut all = Vec::new();
    if let Some(estimate) = &row.estimate {
        let deviation = Some(cells::deviation(row)).filter(|deviation| !deviation.is_empty());
        let spread = deviation.map_or_else(String::new, |deviation| format!(", deviation {deviation}"));
        let (trials, batches) = (many(estimate.trials, "trial"), many(estimate.batches, "batch"));
        let percentile = if row.quantity() == Quantity::Bandwidth { "95th" } else { "5th" };
        all.push(match cells::best(row) {
            none if none.is_empty() => entry("counted", format!("{trials}, {batches}{spread}")),
            best => {
                let what = format!("{best} ({percentile} percentile of a trial, in the median)");
                entry("best", format!("{what}{spread}; {trials}, {batches}"))
            }
        });
    }
    all.extend(next_run::words(row).map(|words| entry("next run", words)));
    all.extend(tiers(row).flat_map(|(name, predicted)| prediction(name, predicted, row)));
    all.extend(cells::user_words(row).map(|words| entry("user's", words)));
    let missing =
        grouped(row.unpredicted.iter().map(|term| ((term.tier, failures::no_value(&term.why)), &term.term)));
    all.extend(missing.into_iter().map(|((_, why), terms)| {
        let terms: Vec<String> = terms.into_iter().map(|term| format!("\u{201c}{term}\u{201d}")).collect();
        let text = format!("{}: {why}", few(&terms, 1));
        (remarks::missing(row), text, Paint::Faint)
    }));
    let core = cores::words(row).map(|words| entry("core", words));
    let clock = cores::clock_words(row).map(|words| entry("clock", words));
    all.extend(core.into_iter().chain(clock));
    let aside = row.set_aside.iter();
    let aside =
        aside.map(|entry| format!("{} ({})", many(entry.batches, "batch"), failures::cause(&entry.cause)));
    all.extend(some_joined(aside, ", ").map(|aside| entry("excluded", aside)));
    let others = row.notes.iter().filter(|note| !matches!(note, Note::Deviation(_) | Note::States(_)));
    all.extend(others.map(|note| entry("note", notes::text(note, row.quantity()))));
    all
}

/// One line for each point.
///
/// # Errors
/// When the page cannot be written.
pub fn explain_briefly(rows: &[&Row], page: &mut Page<'_>) -> io::Result<()> {
    let name = Column::name("  point", 0, 24, usize::MAX);
    let columns = Columns::new(name, |row: &&Row| format!("  {}", row.point.id.point))
        .with(Column::number("measured", 0), |row| cells::measured(row))
        .with(Column::word("", 0), |row| cells::mark_cell(row))
        .with(Column::word("", 1), |row| cores::state_cell(row))
        .with(Column::number("interval", 2), |row| cells::interval(row))
        .with(Column::number("predicted", 1), |row| cells::total(row))
        .with(Column::number("ratio", 1), |row| cells::ratio(row))
        .with(Column::word("verdict", 3), |row| Cell::new(row.verdict.word(), cells::paint(row.verdict)));
    page.table(&columns.table_of(rows.iter().copied()))
}

/// The value of a point with the sign of its verdict: `634 ns ~`.
pub fn value_text(row: &Row) -> String {
    format!("{} {}", cells::measured(row), cells::mark(row.verdict)).trim_end().to_owned()
}

/// A prediction and its terms that are not zero; their formulas stand last.
fn prediction(name: &'static str, predicted: &Predicted, row: &Row) -> Vec<Entry> {
    let (quantity, total) = (row.quantity(), predicted.total);
    let ratio = Some(cells::factors(row, total.value)).filter(|ratio| !ratio.is_empty());
    let ratio = ratio.map(|ratio| format!("; measured / predicted {ratio}"));
    let (value, interval) = (cells::range(total, quantity), show_interval(total.low, total.high, quantity));
    let terms = terms(predicted).map(|(term, range)| {
        let (side, value) = (cells::side(term), cells::range(*range, quantity));
        entry("", format!("{value} {}, {side}", term.name))
    });
    let total = entry(name, format!("{value} ({interval}){}", ratio.unwrap_or_default()));
    let assumed = some_joined(&predicted.assumed, ", ").map(|facts| entry("", format!("assumed: {facts}")));
    std::iter::once(total).chain(terms).chain(assumed).collect()
}

/// The terms of a prediction that are not zero.
fn terms(predicted: &Predicted) -> impl Iterator<Item = &(Term, Range)> {
    predicted.terms.iter().filter(|(_, range)| !cells::is_nothing(*range))
}

/// The formulas of the terms that are not zero, with their sources, and how many are.
fn formulas(tier: &'static str, predicted: &Predicted) -> Vec<Entry> {
    let zero = predicted.terms.len() - terms(predicted).count();
    let zero = (zero > 0).then(|| entry("", format!("left out: {} of value 0", many(zero, "term"))));
    let formulas = terms(predicted).map(|(term, _)| {
        let sources = some_joined(term.formula.sources(), "; ").map(|sources| format!(" ({sources})"));
        entry("", format!("{} = {}{}", term.name, term.formula, sources.unwrap_or_default()))
    });
    std::iter::once(entry("formula", tier)).chain(formulas).chain(zero).collect()
}

/// A witness and what it counted; how it is broken unless the verdict says so.
fn witness(judged: &Judged, row: &Row) -> String {
    let witness = &judged.witness;
    let proves = if witness.positive { "proves" } else { "proves the quiet" };
    let place = match witness.origin {
        Origin::Trial => many(judged.read, "trial"),
        Origin::Rehearsal => "the rehearsal".to_owned(),
    };
    let counted = match (judged.counted, failures::counted(judged)) {
        (Some(_), counted) if judged.read > 1 => format!("median {counted} in {place}"),
        (Some(_), counted) => format!("{counted} in {place}"),
        (None, why) => why,
    };
    let sign = if judged.counted.is_some() { "✓" } else { "–" };
    let says = match judged.breach() {
        Some(_) if reasons::names(row, witness) => format!("✗ {}: see the verdict", witness.counter),
        Some(broken) => format!("✗ {} ({})", reasons::outside(&broken), consequence(witness.breach)),
        None => format!("{sign} {} {counted}, expected {}", witness.counter, expected(witness)),
    };
    format!("{says}; {proves}: {}", witness.proves)
}

/// The trials' typical values, counted in bars of equal width around the middle of them; far ones are in the outer bars.
fn histogram(row: &Row, width: usize) -> Vec<String> {
    let mut values: Vec<f64> = row.trials.iter().map(|trial| trial.typical).collect();
    values.sort_by(f64::total_cmp);
    let quarter = values.len() / 4;
    let (least, most) = ends(values.iter().copied());
    let (low, high) = ends(values.iter().copied().skip(quarter).take(values.len() - 2 * quarter));
    let fence = FENCE * (high - low);
    let (low, high) = match fence > 0.0 {
        true => (least.max(low - fence), most.min(high + fence)),
        false => (least, most),
    };
    let step = (high - low) / BARS as f64;
    if values.len() < 2 || !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let mut counts = [0_usize; BARS];
    for value in &values {
        // A value below the first bar is in it.
        let bar = (((value - low) / step) as usize).min(BARS - 1);
        if let Some(count) = counts.get_mut(bar) {
            *count += 1;
        }
    }
    let longest = counts.iter().copied().max().unwrap_or(1).max(1);
    let names = (0..BARS).map(|bar| {
        let middle = show(low + step * (bar as f64 + 0.5), Some(step / 2.0), row.quantity());
        match bar {
            0 if least < low => format!("≤ {middle}"),
            last if last + 1 == BARS && most > high => format!("≥ {middle}"),
            _ => middle,
        }
    });
    let names: Vec<String> = names.collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let lines = names.iter().zip(counts).map(|(name, count)| {
        let bar = "█".repeat((count * LONGEST).div_ceil(longest));
        let number = if count > 0 { format!("{bar} {count}") } else { String::new() };
        format!("      {name:>widest$}  {number}")
    });
    lines.map(|line| cut_end(line.trim_end(), width)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::TrialValue;

    #[test]
    fn one_far_trial_does_not_push_the_others_into_one_bar() {
        let values = (0..20).map(|trial| 100.0 + f64::from(trial)).chain([5000.0]);
        let trials = values.map(|typical| TrialValue { round: 0, typical, best: typical }).collect();
        let lines = histogram(&Row { trials, ..Row::default() }, 80);
        let filled = lines.iter().filter(|line| line.contains('█')).count();
        assert_eq!(lines.len(), BARS);
        assert!(filled >= 5 && lines.iter().any(|line| line.contains('≥')), "{lines:#?}");
    }
}
