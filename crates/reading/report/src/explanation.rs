//! All that a record says of one point: its value, both predictions term by term, its witnesses with what
//! they counted, what was set aside, and its trials.

use crate::page::Page;
use crate::scene::ends;
use crate::style::Paint;
use crate::table::{Cell, Column, Columns};
use crate::wording::{consequence, cut_end, expected, many, some_joined};
use crate::{cells, cores, failures, next_run, notes, reasons, remarks};
use analysis::{Judged, Predicted, Row};
use quantity::{show, show_interval, show_ratio};
use record::Origin;
use std::io;

/// Where the text behind a label begins.
const LABEL: usize = 14;
/// Bars of the histogram, and the cells of the longest.
const BARS: usize = 9;
const LONGEST: usize = 32;

/// A text behind its label, or below one where that is empty.
type Entry = (&'static str, String, Paint);

fn entry(label: &'static str, text: impl Into<String>) -> Entry {
    (label, text.into(), Paint::Plain)
}

/// Writes all that is known of one point.
///
/// # Errors
/// When the page cannot be written.
pub fn explain_row(row: &Row, page: &mut Page<'_>) -> io::Result<()> {
    let name = page.style.paint(&row.point.id.to_string(), Paint::Strong);
    page.lines(&[String::new(), format!("  {name}")])?;
    let bars = histogram(row, page.width);
    let heading = (!bars.is_empty()).then(|| entry("trials", "each one's typical value"));
    for (label, text, paint) in entries(row).into_iter().chain(heading) {
        match label {
            "" => page.text("      ", "          ", &text, paint)?,
            label => page.text(&format!("    {label:LABEL$} "), &" ".repeat(LABEL + 5), &text, paint)?,
        }
    }
    page.lines(&bars)
}

fn entries(row: &Row) -> Vec<Entry> {
    let mut all = value(row);
    let tiers = [("T0, from facts", &row.from_facts), ("T1, from parts", &row.from_parts)];
    for (name, predicted) in tiers.into_iter().filter_map(|(name, tier)| Some((name, tier.as_ref()?))) {
        all.extend(prediction(name, predicted, row));
    }
    all.extend(cells::user_words(row).map(|words| entry("user's", words)));
    all.extend(
        row.unpredicted.iter().map(|term| (remarks::missing(row), failures::unpredicted(term), Paint::Faint)),
    );
    all.extend((!row.witnesses.is_empty()).then(|| entry("witnesses", "per iteration")));
    all.extend(row.witnesses.iter().map(|judged| entry("", witness(judged, row))));
    let aside = row.set_aside.iter();
    let aside =
        aside.map(|entry| format!("{} ({})", many(entry.batches, "batch"), failures::cause(&entry.cause)));
    all.extend(some_joined(aside, ", ").map(|aside| entry("set aside", aside)));
    all.extend((!row.modes.is_empty()).then(|| entry("modes", remarks::modes(row))));
    all.extend(row.notes.iter().map(|note| entry("note", notes::text(note, row.quantity()))));
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
        .with(Column::word("", 1), |row| cores::state_cell(row))
        .with(Column::number("interval", 2), |row| cells::interval(row))
        .with(Column::number("predicted", 1), |row| cells::total(row))
        .with(Column::number("ratio", 1), |row| cells::ratio(row))
        .with(Column::word("verdict", 3), |row| Cell::new(row.verdict.word(), cells::paint(row.verdict)));
    page.table(&columns.table_of(rows.iter().copied()))
}

fn value(row: &Row) -> Vec<Entry> {
    let reason = reasons::reason(row).map(|reason| format!(": {reason}"));
    let remedy = reasons::remedy(row).filter(|_| reason.is_some()).map(|remedy| format!(" → {remedy}"));
    let why: String = [reason, remedy].into_iter().flatten().collect();
    let verdict = ("verdict", format!("{}{why}", row.verdict.word()), cells::paint(row.verdict));
    let Some(estimate) = &row.estimate else {
        return vec![verdict];
    };
    let interval = match cells::interval(row) {
        none if none.is_empty() => "too few trials for an interval".to_owned(),
        some => some,
    };
    let deviation = Some(cells::deviation(row)).filter(|deviation| !deviation.is_empty());
    let spread = deviation.map_or_else(String::new, |deviation| format!(", deviation {deviation}"));
    let (trials, batches) = (many(estimate.trials, "trial"), many(estimate.batches, "batch"));
    let typical = entry("typical", format!("{} ({interval})", cells::typical(row)));
    let best = entry("best", format!("{}{spread}; {trials}, {batches}", cells::best(row)));
    let core = cores::words(row).map(|words| entry("core", words));
    let clock = cores::clock_words(row).map(|words| entry("clock", words));
    let next_run = next_run::words(row).map(|words| entry("next run", words));
    [verdict, typical].into_iter().chain(next_run).chain([best]).chain(core).chain(clock).collect()
}

fn prediction(name: &'static str, predicted: &Predicted, row: &Row) -> Vec<Entry> {
    let (quantity, total) = (row.quantity(), predicted.total);
    let ratio = predicted.ratio(row).map(|ratio| format!("; measured / predicted {}", show_ratio(ratio)));
    let (value, interval) = (cells::range(total, quantity), show_interval(total.low, total.high, quantity));
    let terms = predicted.terms.iter().map(|(term, range)| {
        let (side, value) = (cells::side(term), cells::range(*range, quantity));
        entry("", format!("{side} {value}: {} = {}", term.name, term.formula))
    });
    let total = entry(name, format!("{value} ({interval}){}", ratio.unwrap_or_default()));
    let assumed = some_joined(&predicted.assumed, ", ").map(|facts| entry("", format!("assumed: {facts}")));
    std::iter::once(total).chain(terms).chain(assumed).collect()
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

/// The trials' typical values, counted in bars of equal width.
fn histogram(row: &Row, width: usize) -> Vec<String> {
    let values: Vec<f64> = row.trials.iter().map(|trial| trial.typical).collect();
    let (low, high) = ends(values.iter().copied());
    let step = (high - low) / BARS as f64;
    if values.len() < 2 || !(step.is_finite() && step > 0.0) {
        return Vec::new();
    }
    let mut counts = [0_usize; BARS];
    for value in &values {
        let bar = (((value - low) / step) as usize).min(BARS - 1);
        if let Some(count) = counts.get_mut(bar) {
            *count += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let middles = (0..BARS).map(|bar| low + step * (bar as f64 + 0.5));
    let names = middles.map(|middle| show(middle, Some(step / 2.0), row.quantity()));
    let names: Vec<String> = names.collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let lines = names.iter().zip(counts).map(|(name, count)| {
        let bar = "█".repeat((count * LONGEST).div_ceil(most));
        let number = if count > 0 { format!("{bar} {count}") } else { String::new() };
        format!("      {name:>widest$}  {number}")
    });
    lines.map(|line| cut_end(line.trim_end(), width)).collect()
}
