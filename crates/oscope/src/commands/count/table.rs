//! The counts as rows, for scripts and for predictions.

use count::{KernelCount, PointCount};
use std::io::{self, Write};

/// Figures of the table behind the point and its instructions.
const FIGURES: [&str; 15] = [
    "user",
    "strings",
    "string_bytes",
    "locked",
    "serialising",
    "calls",
    "indirect_calls",
    "loads",
    "stores",
    "data_lines",
    "code_lines",
    "deferred",
    "floor",
    // Of an operation that is less its control, and shared by switches.
    "control",
    "switches",
];

/// Writes the counts of the last kernel.
pub fn csv(counts: &[KernelCount], out: &mut dyn Write) -> io::Result<()> {
    let Some(count) = counts.last() else { return Ok(()) };
    writeln!(
        out,
        "# Instructions of an iteration, the kernel's and the program's: Linux {} ({}), {}.",
        count.release, count.architecture, count.emulator
    )?;
    writeln!(
        out,
        "# Boot options besides those of oscope: {}; {} CPU; {} boots. A string instruction counts once.",
        if count.options.is_empty() { "none" } else { &count.options },
        count.cpus,
        count.seeds.len()
    )?;
    writeln!(out, "# Written by: oscope count KERNEL --format csv")?;
    writeln!(out, "operation,point,instructions,{}", FIGURES.join(","))?;
    for point in &count.points {
        let Some(instructions) = value(point, "instructions") else { continue };
        let figures = FIGURES.map(|name| match name {
            "floor" => {
                point.figures.get("instructions").map(|figure| plain(figure.floor)).unwrap_or_default()
            }
            "control" => point.control.map(plain).unwrap_or_default(),
            "switches" => point.control.map(|_| plain(point.switches)).unwrap_or_default(),
            name => value(point, name).map(plain).unwrap_or_default(),
        });
        writeln!(
            out,
            "{},{},{},{}",
            point.id.operation,
            report::csv_field(&point.id.point),
            plain(instructions),
            figures.join(",")
        )?;
    }
    Ok(())
}

/// A figure of an iteration.
fn value(point: &PointCount, name: &str) -> Option<f64> {
    point.figures.get(name).map(|figure| figure.value)
}

/// A count with at most two decimals.
pub fn plain(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" || text.is_empty() { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_two_decimals_at_most() {
        assert_eq!([326.0, 7_156.364, 0.001, -0.001, 10.5].map(plain), ["326", "7156.36", "0", "0", "10.5"]);
    }
}
