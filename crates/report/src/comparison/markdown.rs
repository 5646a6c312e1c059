//! A comparison as a Markdown document that can be read in an issue.

use super::summary::answer;
use super::{
    ComparedRecord, ComparedView, change, clocks, decision, differs, interval, lines, listed, settings, value,
};
use crate::markdown::escaped;
use crate::wording::sentence;
use analysis::{Compared, Comparison};
use std::io::{self, Write};

/// Writes the document.
///
/// # Errors
/// When `out` cannot be written.
pub fn comparison_markdown(view: &ComparedView<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# oscope: records compared\n")?;
    record("first", &view.first, out)?;
    for (other, comparison) in view.others {
        record("second", other, out)?;
        if let Some(line) = clocks(comparison) {
            writeln!(out, "\n{}", escaped(&sentence(&line)))?;
        }
        writeln!(out, "\n{}\n", escaped(&sentence(&answer(comparison))))?;
        for line in lines(view, other, comparison) {
            writeln!(out, "{}\n", escaped(&sentence(&line)))?;
        }
        machines(&view.first, other, comparison, out)?;
        table(view, comparison, out)?;
    }
    Ok(())
}

fn record(label: &str, record: &ComparedRecord<'_>, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "- **{label}**: {}, {}",
        escaped(record.name),
        record.header.started
    )
}

fn machines(
    first: &ComparedRecord<'_>,
    second: &ComparedRecord<'_>,
    comparison: &Comparison,
    out: &mut dyn Write,
) -> io::Result<()> {
    let lines = settings(first, second);
    let lines = lines.into_iter().chain(comparison.machines.iter().map(differs));
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return writeln!(out, "Machine and settings are the same in both.\n");
    }
    writeln!(out, "## what differs\n")?;
    for line in lines {
        writeln!(out, "- {}", escaped(&line))?;
    }
    writeln!(out)
}

fn table(view: &ComparedView<'_>, comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let mut points = listed(view, comparison).peekable();
    if points.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "| point | first | second | change | interval | decision |")?;
    writeln!(out, "| :-- | --: | --: | --: | :-- | :-- |")?;
    for point in points {
        writeln!(out, "| {} |", fields(point).join(" | "))?;
    }
    writeln!(out)
}

fn fields(point: &Compared) -> [String; 6] {
    let noisy = if point.noisy { "~ " } else { "" };
    let why = super::reason(point).map(|reason| format!(": {reason}"));
    [
        format!("`{}`", point.id.to_string().replace(['`', '|'], "'")),
        value(point.first, point),
        value(point.second, point),
        change(point),
        interval(point),
        escaped(&format!("{noisy}{}{}", decision(point), why.unwrap_or_default())),
    ]
}
