//! OpenMetrics: what a monitoring system scrapes or a file collector picks up.
//!
//! <https://prometheus.io/docs/specs/om/open_metrics_spec/>

use crate::View;
use analysis::{Estimate, Row};
use quantity::Quantity;
use std::io::{self, Write};

/// A family of metrics: its name, which ends with its unit, what a value is, and of rows of which quantities.
type Family = (&'static str, &'static str, &'static str, &'static [Quantity]);

/// The families.
const FAMILIES: [Family; 5] = [
    ("oscope_latency_seconds", "seconds", "Time per iteration.", &[Quantity::Latency]),
    (
        "oscope_bandwidth_bytes_per_second",
        "bytes_per_second",
        "Payload moved per second.",
        &[Quantity::Bandwidth],
    ),
    ("oscope_size_bytes", "bytes", "An amount of memory or storage.", &[Quantity::Size]),
    ("oscope_frequency_hertz", "hertz", "Events per second.", &[Quantity::Frequency]),
    ("oscope_value_ratio", "ratio", "A count, a share or a factor.", &[Quantity::Count, Quantity::Ratio]),
];

/// Base units of this quantity in the unit of its family.
fn per_unit(quantity: Quantity) -> f64 {
    if quantity == Quantity::Latency { 1e9 } else { 1.0 }
}

/// A value of a row.
type Statistic = fn(&Row, &Estimate) -> Option<f64>;

/// Which values of a row are given, as the label `stat`.
const STATISTICS: [(&str, Statistic); 5] = [
    ("typical", |_, estimate| Some(estimate.typical)),
    ("low", |_, estimate| estimate.interval.map(|(low, _)| low)),
    ("high", |_, estimate| estimate.interval.map(|(_, high)| high)),
    ("best", |_, estimate| Some(estimate.best)),
    ("predicted", |row, _| Some(row.predicted()?.total.value)),
];

/// Writes the document. Rows without a number are in `oscope_verdict_info` alone.
///
/// # Errors
/// When `out` cannot be written.
pub fn openmetrics(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    for family in &FAMILIES {
        write_family(view, family, out)?;
    }
    writeln!(out, "# TYPE oscope_verdict info\n# HELP oscope_verdict What may be said of a point.")?;
    for row in &view.analysis.rows {
        let verdict = row.verdict.word();
        writeln!(out, "oscope_verdict_info{{{},verdict=\"{verdict}\"}} 1", labels(row))?;
    }
    writeln!(out, "# TYPE oscope_run info\n# HELP oscope_run The run that all values are from.")?;
    let [program, started] = [&view.header.program, &view.header.started].map(|text| escaped(text));
    writeln!(out, "oscope_run_info{{program=\"{program}\",started=\"{started}\"}} 1")?;
    writeln!(out, "# EOF")
}

fn write_family(view: &View<'_>, family: &Family, out: &mut dyn Write) -> io::Result<()> {
    let (name, unit, help, quantities) = family;
    let rows = view.analysis.rows.iter().filter(|row| quantities.contains(&row.quantity()));
    let rows: Vec<(&Row, &Estimate)> = rows.filter_map(|row| Some((row, row.estimate.as_ref()?))).collect();
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "# TYPE {name} gauge\n# UNIT {name} {unit}\n# HELP {name} {help}")?;
    for (row, estimate) in rows {
        let values = STATISTICS.iter().filter_map(|(stat, of)| Some((stat, of(row, estimate)?)));
        for (stat, value) in values.filter(|(_, value)| value.is_finite()) {
            let value = value / per_unit(row.quantity());
            writeln!(out, "{name}{{{},stat=\"{stat}\"}} {value}", labels(row))?;
        }
    }
    Ok(())
}

fn labels(row: &Row) -> String {
    let (id, area) = (&row.point.id, &row.point.area);
    let [operation, point, area] = [&id.operation, &id.point, area].map(|text| escaped(text));
    format!("operation=\"{operation}\",point=\"{point}\",area=\"{area}\"")
}

/// A label's value as the format wants it.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\n', "\\n")
}
