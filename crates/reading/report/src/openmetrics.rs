//! OpenMetrics: what a monitoring system scrapes or a file collector picks up. It is also in Prometheus' text format 0.0.4,
//! which node_exporter's textfile collector reads: that has no metrics of type info, so facts are gauges whose value is 1.
//!
//! <https://prometheus.io/docs/specs/om/open_metrics_spec/>

use crate::View;
use crate::wording::joined;
use analysis::{Estimate, Row, Verdict};
use quantity::Quantity;
use record::{Machine, PointId};
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
    ("low", |_, estimate| estimate.interval.map(|interval| interval.low)),
    ("high", |_, estimate| estimate.interval.map(|interval| interval.high)),
    ("best", |_, estimate| Some(estimate.best)),
    ("predicted", |row, _| Some(row.predicted()?.total.value)),
];

/// Verdicts, each of which has a count of points.
const VERDICTS: [Verdict; 5] =
    [Verdict::Measured, Verdict::Noisy, Verdict::Contradicted, Verdict::Skipped, Verdict::Failed];

/// Facts of the machine that the run is known by, each with its label. What is unknown has no label.
const FACTS: [(&str, &str); 5] = [
    ("kernel", "kernel.release"),
    ("processor", "processor.model"),
    ("vendor", "environment.vendor"),
    ("machine", "environment.product"),
    ("hypervisor", "environment.hypervisor"),
];

/// Writes the document. Rows without a number are in `oscope_verdict_info` alone.
///
/// # Errors
/// When `out` cannot be written.
pub fn openmetrics(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    for family in &FAMILIES {
        write_family(view, family, out)?;
    }
    head("oscope_verdict_info", "What may be said of a point.", out)?;
    for row in &view.analysis.rows {
        let verdict = row.verdict.word();
        writeln!(out, "oscope_verdict_info{{{},verdict=\"{verdict}\"}} 1", labels(row))?;
    }
    write_trust(view, out)?;
    head("oscope_run_info", "The run that all values are from.", out)?;
    writeln!(out, "oscope_run_info{{{}}} 1", run_labels(view))?;
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

/// A gauge: its name, what it is, and its values behind their labels.
type Gauge = (&'static str, &'static str, Vec<(String, f64)>);

/// How far the run can be trusted: points by their verdict, how quiet the cores were, how long it waited for that.
fn write_trust(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let rows = &view.analysis.rows;
    head("oscope_points", "Points by verdict; only measured and noisy ones have a number.", out)?;
    for verdict in VERDICTS {
        let count = rows.iter().filter(|row| row.verdict == verdict).count();
        writeln!(out, "oscope_points{{verdict=\"{}\"}} {count}", verdict.word())?;
    }
    let cpus = view.analysis.cpus.iter();
    let quiet = cpus.map(|usage| (format!("{{cpu=\"{}\"}}", usage.cpu), usage.quiet_share)).collect();
    let ended = view.end.map(|end| end.at_ns as f64 / 1e9);
    let gauges: [Gauge; 4] = [
        ("oscope_quiet_ratio", "Share of the time for which no other task used the core.", quiet),
        (
            "oscope_waited_ratio",
            "Share of the time spent waiting for quiet cores.",
            without_labels(view.analysis.waited),
        ),
        (
            "oscope_asked_precision_ratio",
            "Half width of an interval, as a share of the value, at which a point is measured.",
            without_labels(Some(view.plan.settings.precision)),
        ),
        (
            "oscope_run_duration_seconds",
            "How long the run took; absent where it was killed.",
            without_labels(ended),
        ),
    ];
    for (name, help, values) in gauges {
        let values: Vec<_> = values.into_iter().filter(|(_, value)| value.is_finite()).collect();
        if !values.is_empty() {
            head(name, help, out)?;
        }
        values.iter().try_for_each(|(labels, value)| writeln!(out, "{name}{labels} {value}"))?;
    }
    Ok(())
}

fn without_labels(value: Option<f64>) -> Vec<(String, f64)> {
    value.map(|value| (String::new(), value)).into_iter().collect()
}

/// The lines before the values of a gauge.
fn head(name: &str, help: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# TYPE {name} gauge\n# HELP {name} {help}")
}

fn run_labels(view: &View<'_>) -> String {
    let header = view.header;
    let run = [
        ("program", Some(&*header.program)),
        ("commit", header.commit.as_deref()),
        ("started", Some(&*header.started)),
    ];
    let known = run.into_iter().filter_map(|(label, text)| Some((label, text?)));
    joined(known.chain(machine_labels(view.machine)).map(|(name, text)| label(name, text)), ",")
}

/// What is known of the machine of [`FACTS`], by their labels.
pub fn machine_labels(machine: &Machine) -> impl Iterator<Item = (&'static str, &str)> {
    FACTS.into_iter().filter_map(|(label, fact)| Some((label, machine.text(fact)?)))
}

fn labels(row: &Row) -> String {
    point_labels(&row.point.id, &row.point.area)
}

/// The labels of a point.
pub fn point_labels(id: &PointId, area: &str) -> String {
    let labels = [("operation", &*id.operation), ("point", &*id.point), ("area", area)];
    joined(labels.into_iter().map(|(name, text)| label(name, text)), ",")
}

/// A label and its value as the format wants it.
pub fn label(name: &str, text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{name}=\"{escaped}\"")
}
