//! All that a record says of one point: its value, both predictions term by term, its witnesses with what
//! they counted, what was set aside, and its trials.

use crate::page::Page;
use crate::style::{Paint, Style};
use crate::table::{Cell, Column, Columns};
use crate::wording::{consequence, expected, many, some_joined};
use crate::{cells, cores, failures, notes, reasons, remarks};
use analysis::{Judged, Predicted, Row};
use quantity::{show, show_interval, show_ratio};
use record::Origin;
use std::io::{self, Write};

/// Where the text behind a label begins.
const LABEL: usize = 14;
/// Bars of the histogram, and the cells of the longest.
const BARS: usize = 9;
const LONGEST: usize = 32;

/// A text behind a label.
fn labelled(label: &str, text: &str, paint: Paint, page: &mut Page<'_>) -> io::Result<()> {
    page.text(&format!("    {label:LABEL$} "), &" ".repeat(LABEL + 5), text, paint)
}

/// A text below a label.
fn indented(text: &str, page: &mut Page<'_>) -> io::Result<()> {
    page.text("      ", "          ", text, Paint::Plain)
}

/// Writes all that is known of one point, for a terminal of this width.
///
/// # Errors
/// When `out` cannot be written.
pub fn explain_row(row: &Row, width: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\n  {}", style.paint(&row.point.id.to_string(), Paint::Strong))?;
    let mut page = Page { width, style, out };
    value(row, &mut page)?;
    for (name, predicted) in [("T0, from facts", &row.from_facts), ("T1, from parts", &row.from_parts)] {
        if let Some(predicted) = predicted {
            prediction(name, predicted, row, &mut page)?;
        }
    }
    if let Some(words) = cells::user_words(row) {
        labelled("user's", &words, Paint::Plain, &mut page)?;
    }
    for reason in &row.unpredicted {
        labelled(remarks::missing(row), &failures::unpredicted(reason), Paint::Faint, &mut page)?;
    }
    if !row.witnesses.is_empty() {
        labelled("witnesses", "per iteration", Paint::Plain, &mut page)?;
    }
    row.witnesses
        .iter()
        .try_for_each(|judged| witness(judged, reasons::names(row, &judged.witness), &mut page))?;
    rest(row, &mut page)?;
    histogram(row, &mut page)
}

/// One line for each point.
///
/// # Errors
/// When `out` cannot be written.
pub fn explain_briefly(rows: &[&Row], width: usize, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let name = Column::name("  point", 0, 24, usize::MAX);
    let columns = Columns::new(name, |row: &&Row| format!("  {}", row.point.id.point))
        .with(Column::number("measured", 0), |row| cells::measured(row))
        .with(Column::word("", 1), |row| cores::state_cell(row))
        .with(Column::number("interval", 2), |row| cells::interval(row))
        .with(Column::number("predicted", 1), |row| cells::total(row))
        .with(Column::number("ratio", 1), |row| cells::ratio(row))
        .with(Column::word("verdict", 3), |row| Cell::new(row.verdict.word(), cells::paint(row.verdict)));
    Page { width, style, out }.table(&columns.of(rows.iter().copied()))
}

fn value(row: &Row, page: &mut Page<'_>) -> io::Result<()> {
    let verdict = match (reasons::reason(row), reasons::remedy(row)) {
        (None, _) => row.verdict.word().to_owned(),
        (Some(reason), None) => format!("{}: {reason}", row.verdict.word()),
        (Some(reason), Some(remedy)) => format!("{}: {reason} → {remedy}", row.verdict.word()),
    };
    labelled("verdict", &verdict, cells::paint(row.verdict), page)?;
    let Some(estimate) = &row.estimate else {
        return Ok(());
    };
    let interval = match cells::interval(row) {
        none if none.is_empty() => "too few trials for an interval".to_owned(),
        some => some,
    };
    labelled("typical", &format!("{} ({interval})", cells::typical(row)), Paint::Plain, page)?;
    let spread = match cells::deviation(row) {
        none if none.is_empty() => String::new(),
        some => format!(", deviation {some}"),
    };
    let text = format!(
        "{}{spread}; {}, {}",
        cells::best(row),
        many(estimate.trials, "trial"),
        many(estimate.batches, "batch")
    );
    labelled("best", &text, Paint::Plain, page)?;
    let lines = [("core", cores::words(row)), ("clock", cores::clock_words(row))];
    for (label, text) in lines.iter().filter_map(|(label, text)| Some((label, text.as_ref()?))) {
        labelled(label, text, Paint::Plain, page)?;
    }
    Ok(())
}

fn prediction(name: &str, predicted: &Predicted, row: &Row, page: &mut Page<'_>) -> io::Result<()> {
    let quantity = row.quantity();
    let total = predicted.total;
    let ratio = row.estimate.as_ref().map_or_else(String::new, |estimate| {
        format!("; measured / predicted {}", show_ratio(estimate.typical / total.value))
    });
    let text = format!(
        "{} ({}){ratio}",
        cells::range(total, quantity),
        show_interval(total.low, total.high, quantity)
    );
    labelled(name, &text, Paint::Plain, page)?;
    predicted.terms.iter().try_for_each(|(term, range)| {
        let (side, value) = (cells::side(term), cells::range(*range, quantity));
        indented(&format!("{side} {value}: {} = {}", term.name, term.formula), page)
    })
}

/// A witness and what it counted; how it is broken unless the verdict says so.
fn witness(judged: &Judged, is_said: bool, page: &mut Page<'_>) -> io::Result<()> {
    let witness = &judged.witness;
    let expected = expected(witness);
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
        Some(_) if is_said => format!("✗ {}: see the verdict", witness.counter),
        Some(broken) => format!("✗ {} ({})", reasons::outside(&broken), consequence(witness.breach)),
        None => format!("{sign} {} {counted}, expected {expected}", witness.counter),
    };
    indented(&format!("{says}; {proves}: {}", witness.proves), page)
}

/// What was set aside, modes and notes.
fn rest(row: &Row, page: &mut Page<'_>) -> io::Result<()> {
    let aside = row.set_aside.iter();
    let aside =
        aside.map(|entry| format!("{} ({})", many(entry.batches, "batch"), failures::cause(&entry.cause)));
    if let Some(aside) = some_joined(aside, ", ") {
        labelled("set aside", &aside, Paint::Plain, page)?;
    }
    if !row.modes.is_empty() {
        labelled("modes", &remarks::modes(row), Paint::Plain, page)?;
    }
    let mut notes = row.notes.iter().map(|note| notes::text(note, row.quantity()));
    notes.try_for_each(|text| labelled("note", &text, Paint::Plain, page))
}

/// The trials' typical values, counted in bars of equal width.
fn histogram(row: &Row, page: &mut Page<'_>) -> io::Result<()> {
    let values: Vec<f64> = row.trials.iter().map(|trial| trial.typical).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let step = (high - low) / BARS as f64;
    if values.len() < 2 || !(step.is_finite() && step > 0.0) {
        return Ok(());
    }
    labelled("trials", "each one's typical value", Paint::Plain, page)?;
    let mut counts = [0_usize; BARS];
    for value in &values {
        let bar = (((value - low) / step) as usize).min(BARS - 1);
        if let Some(count) = counts.get_mut(bar) {
            *count += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let names: Vec<String> = (0..BARS)
        .map(|bar| show(low + step * (bar as f64 + 0.5), Some(step / 2.0), row.quantity()))
        .collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (name, count) in names.iter().zip(counts) {
        let bar = "█".repeat((count * LONGEST).div_ceil(most));
        let number = if count > 0 { format!("{bar} {count}") } else { String::new() };
        let line = format!("      {name:>widest$}  {number}");
        writeln!(page.out, "{}", crate::wording::cut_end(line.trim_end(), page.width))?;
    }
    Ok(())
}
