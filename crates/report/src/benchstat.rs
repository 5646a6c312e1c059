//! The text form of Go's benchmarks, which `benchstat` reads: one line per trial.
//!
//! <https://golang.org/design/14313-benchmark-format>

use crate::View;
use crate::tables::in_rounds;
use crate::wording::{joined, printable};
use analysis::Row;
use quantity::Quantity;
use std::io::{self, Write};

/// Writes one line for each trial of each row that has a number. Rows whose number is noisy are there, too: their
/// spread shows it.
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
    let has_number = |row: &&Row| row.verdict.has_number();
    for row in view.analysis.rows.iter().filter(has_number) {
        let name = name(row);
        for (_, trial) in in_rounds(row).filter(|(_, trial)| trial.typical.is_finite()) {
            writeln!(out, "{name} 1 {} {}", trial.typical, unit(row.quantity()))?;
        }
    }
    Ok(())
}

/// A name in the form's grammar: no space in it, and a part for each parameter. The first letter is a capital, without
/// which the line is no result.
fn name(row: &Row) -> String {
    let id = &row.point.id;
    let operation = one_word(&id.operation);
    let mut letters = operation.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    let parameters = id.point.split_whitespace().map(|pair| format!("/{}", one_word(pair)));
    let parameters: String = parameters.collect();
    format!("Benchmark{first}{}{parameters}", letters.as_str())
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
