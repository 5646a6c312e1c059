//! The counts as rows, for scripts and for predictions.

use count::{Difference, KernelCount, PointCount};
use record::PointId;
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

/// Writes the counts of a kernel, or of two with what became of each point.
pub fn csv(counts: &[KernelCount], difference: Option<&Difference>, out: &mut dyn Write) -> io::Result<()> {
    counts.iter().try_for_each(|count| remarks(count, out))?;
    match (counts, difference) {
        ([from, to], Some(difference)) => compared(from, to, difference, out),
        _ => counts.iter().try_for_each(|count| figures(count, out)),
    }
}

fn remarks(count: &KernelCount, out: &mut dyn Write) -> io::Result<()> {
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
    writeln!(out, "# Written by: oscope count KERNEL --format csv")
}

/// The points of two kernels, in the order of the first.
fn compared(
    from: &KernelCount,
    to: &KernelCount,
    difference: &Difference,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "operation,point,before,floor_before,after,floor_after,result")?;
    let figures = |count: &KernelCount, id: &PointId| {
        let point = count.points.iter().find(|point| point.id == *id);
        let figure = point.and_then(|point| point.figures.get("instructions"));
        figure.map_or_else(
            || ",".to_owned(),
            |figure| format!("{},{}", plain(figure.value), plain(figure.floor)),
        )
    };
    let of_first = from.points.iter().map(|point| &point.id);
    for id in of_first.chain(&difference.added) {
        let result = match () {
            () if difference.changed.iter().any(|point| point.id == *id) => "changed",
            () if difference.within.iter().any(|(within, _)| within == id) => "within_floor",
            () if difference.lost.contains(id) => "only_first",
            () if difference.added.contains(id) => "only_second",
            () if difference.by_other_means.contains(id) => "by_other_means",
            () => "equal",
        };
        let (before, after) = (figures(from, id), figures(to, id));
        writeln!(out, "{},{},{before},{after},{result}", id.operation, report::csv_field(&id.point))?;
    }
    Ok(())
}

/// The points of one kernel.
fn figures(count: &KernelCount, out: &mut dyn Write) -> io::Result<()> {
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
