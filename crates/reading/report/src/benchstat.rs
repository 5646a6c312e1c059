//! The text form of Go's benchmarks, which `benchstat` reads: one line per trial.
//!
//! <https://golang.org/design/14313-benchmark-format>

use crate::View;
use crate::tables::in_rounds;
use crate::wording::{joined, printable};
use analysis::{Row, Verdict};
use quantity::Quantity;
use std::io::{self, Write};

/// Writes one line for each trial of each row that has a number, and one for each row that has none. A verdict other than
/// measured is a unit of its own, `1 noisy`, of which benchstat makes a table: the points that have it.
///
/// # Errors
/// When `out` cannot be written.
pub fn benchstat(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "oscope: {}", one_line(&view.header.program))?;
    for (key, fact) in
        [("cpu", "processor.model"), ("kernel", "kernel.release"), ("goarch", "processor.architecture")]
    {
        if let Some(text) = view.machine.text(fact) {
            writeln!(out, "{key}: {}", one_line(text))?;
        }
    }
    let rows = &view.analysis.rows;
    for verdict in NOT_MEASURED.into_iter().filter(|verdict| rows.iter().any(|row| row.verdict == *verdict)) {
        writeln!(out, "Unit {} assume=exact better=lower", verdict.word())?;
    }
    rows.iter().try_for_each(|row| write_row(row, out))
}

/// Verdicts of rows of which a number says less, or that have none.
const NOT_MEASURED: [Verdict; 4] = [Verdict::Noisy, Verdict::Contradicted, Verdict::Skipped, Verdict::Failed];

fn write_row(row: &Row, out: &mut dyn Write) -> io::Result<()> {
    let (name, verdict) = (name(row), row.verdict.word());
    if !row.verdict.has_number() {
        return writeln!(out, "{name} 1 1 {verdict}");
    }
    let verdict = if row.verdict == Verdict::Measured { String::new() } else { format!(" 1 {verdict}") };
    for (_, trial) in in_rounds(row).filter(|(_, trial)| trial.typical.is_finite()) {
        writeln!(out, "{name} 1 {} {}{verdict}", trial.typical, unit(row.quantity()))?;
    }
    Ok(())
}

/// A name in the form's grammar: no space in it, and a part for each parameter. What follows `Benchmark` begins with a
/// capital, without which the line is no result; the id keeps its own letters.
fn name(row: &Row) -> String {
    let id = &row.point.id;
    let parameters = id.point.split_whitespace().map(|pair| format!("/{}", one_word(pair)));
    let parameters: String = parameters.collect();
    format!("BenchmarkOscope/{}{parameters}", one_word(&id.operation))
}

/// The unit; benchstat knows of these that less `ns/op` and more `B/s` is better.
fn unit(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Latency => "ns/op",
        Quantity::Bandwidth => "B/s",
        Quantity::Size => "bytes",
        Quantity::Frequency => "Hz",
        Quantity::Count => "count",
        Quantity::Ratio => "ratio",
    }
}

fn one_line(text: &str) -> String {
    joined(printable(text).split_whitespace(), " ")
}

fn one_word(text: &str) -> String {
    joined(printable(text).split_whitespace(), "-")
}
