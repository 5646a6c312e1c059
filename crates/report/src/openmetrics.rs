//! OpenMetrics: what a monitoring system scrapes or a file collector picks up.
//!
//! <https://prometheus.io/docs/specs/om/open_metrics_spec/>

use crate::View;
use analysis::{Estimate, Row};
use quantity::Quantity;
use std::io::{self, Write};

/// A family of metrics: rows of which quantities, under which name, in which unit, and what a base unit is of it.
struct Family {
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    quantities: &'static [Quantity],
    scale: f64,
}

/// Nanoseconds in a second.
const SECOND: f64 = 1e9;

const FAMILIES: [Family; 5] = [
    Family {
        name: "oscope_latency_seconds",
        unit: "seconds",
        help: "Time per iteration.",
        quantities: &[Quantity::Latency],
        scale: SECOND,
    },
    Family {
        name: "oscope_bandwidth_bytes_per_second",
        unit: "bytes_per_second",
        help: "Payload moved per second.",
        quantities: &[Quantity::Bandwidth],
        scale: 1.0,
    },
    Family {
        name: "oscope_size_bytes",
        unit: "bytes",
        help: "An amount of memory or storage.",
        quantities: &[Quantity::Size],
        scale: 1.0,
    },
    Family {
        name: "oscope_frequency_hertz",
        unit: "hertz",
        help: "Events per second.",
        quantities: &[Quantity::Frequency],
        scale: 1.0,
    },
    Family {
        name: "oscope_value_ratio",
        unit: "ratio",
        help: "A count, a share or a factor.",
        quantities: &[Quantity::Count, Quantity::Ratio],
        scale: 1.0,
    },
];

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
    writeln!(out, "# TYPE oscope_verdict info")?;
    writeln!(out, "# HELP oscope_verdict What may be said of a point.")?;
    for row in &view.analysis.rows {
        let verdict = row.verdict.word();
        writeln!(out, "oscope_verdict_info{{{},verdict=\"{verdict}\"}} 1", labels(row))?;
    }
    writeln!(out, "# TYPE oscope_run info")?;
    writeln!(out, "# HELP oscope_run The run that all values are from.")?;
    writeln!(
        out,
        "oscope_run_info{{program=\"{}\",started=\"{}\"}} 1",
        escaped(&view.header.program),
        escaped(&view.header.started)
    )?;
    writeln!(out, "# EOF")
}

fn write_family(view: &View<'_>, family: &Family, out: &mut dyn Write) -> io::Result<()> {
    let rows = view.analysis.rows.iter();
    let mut rows = rows
        .filter(|row| family.quantities.contains(&row.quantity()))
        .filter_map(|row| Some((row, row.estimate.as_ref()?)))
        .peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "# TYPE {} gauge", family.name)?;
    writeln!(out, "# UNIT {} {}", family.name, family.unit)?;
    writeln!(out, "# HELP {} {}", family.name, family.help)?;
    for (row, estimate) in rows {
        let values = STATISTICS.iter().filter_map(|(name, of)| Some((name, of(row, estimate)?)));
        for (name, value) in values.filter(|(_, value)| value.is_finite()) {
            let value = value / family.scale;
            writeln!(out, "{}{{{},stat=\"{name}\"}} {value}", family.name, labels(row))?;
        }
    }
    Ok(())
}

fn labels(row: &Row) -> String {
    format!(
        "operation=\"{}\",point=\"{}\",area=\"{}\"",
        escaped(&row.point.id.operation),
        escaped(&row.point.id.point),
        escaped(&row.point.area)
    )
}

/// A label's value as the format wants it.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    text.replace('\n', "\\n")
}
