//! A table of measurements as the rules see it.

use crate::params::Params;
use quantity::{Printed, PublishedUnit, Quantity, Scale};

/// Seconds per cycle that no processor that is sold goes below: 6.5 GHz.
pub(crate) const SHORTEST_PERIOD: f64 = 1.0 / 6.5e9;

/// One row: what was measured, and the figures that are given of it, in the unit in which they are printed.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// Line of the file.
    pub line: u64,
    /// Where the row comes from; empty when the table has one source.
    pub report: String,
    /// Section or table of the report.
    pub section: String,
    /// The operation.
    pub operation: String,
    /// Its parameters.
    pub params: Params,
    /// The unit as it is printed.
    pub unit_text: String,
    /// What that unit is; `None` when it is not known.
    pub unit: Option<PublishedUnit>,
    /// The kind of what is measured, by the unit or the column that says so.
    pub quantity: Option<Quantity>,
    /// Base hardware performance.
    pub base: Option<Printed>,
    /// Estimated software overhead.
    pub software: Option<Printed>,
    /// Prediction.
    pub predicted: Option<Printed>,
    /// Result.
    pub measured: Option<Printed>,
    /// Its deviation.
    pub deviation: Option<Printed>,
    /// The smallest that was seen, or the lower end of a range.
    pub minimum: Option<Printed>,
    /// The largest that was seen, or the upper end of a range.
    pub maximum: Option<Printed>,
    /// Figures below which a share of the sample lies, by that share, the result among them where it is a median.
    pub quantiles: Vec<(f64, Printed)>,
    /// What columns say that no rule understands, names and whole numbers: it may tell two rows apart.
    pub beside: Vec<String>,
    /// How often it happened in a second, where the table has such a column.
    pub per_second: Option<f64>,
    /// The result in seconds, bytes per second or bytes, where the table has such a column.
    pub measured_si: Option<f64>,
    /// The prediction likewise.
    pub predicted_si: Option<f64>,
    /// Seconds per cycle, for rows in cycles, when they can be known.
    pub period: Option<f64>,
}

impl Row {
    /// The factor from the printed unit to base units; `None` for logarithms and unknown units.
    pub(crate) fn factor(&self) -> Option<f64> {
        match self.unit?.scale {
            Scale::Times(factor) => Some(factor),
            Scale::Cycles => self.period,
            Scale::Log2(_) => None,
        }
    }

    /// A figure of this row in base units.
    pub(crate) fn si(&self, figure: Option<Printed>) -> Option<f64> {
        let figure = figure?.value;
        match self.unit.map(|unit| unit.scale) {
            Some(Scale::Log2(one)) => Some(one * figure.exp2()),
            _ => Some(figure * self.factor()?),
        }
    }

    /// The result in base units, by the printed unit, or by the table's own column.
    pub(crate) fn result(&self) -> Option<f64> {
        self.si(self.measured)
            .or(self.measured_si.filter(|_| self.measured.is_some()))
    }

    pub(crate) fn is(&self, quantity: Quantity) -> bool {
        self.quantity == Some(quantity)
    }

    /// A time that one operation takes: not a slope, a share or a difference.
    pub(crate) fn is_time_of_one(&self) -> bool {
        self.is(Quantity::Latency) && !self.params.is_derived()
    }

    pub(crate) fn in_cycles(&self) -> bool {
        self.unit.is_some_and(|unit| unit.scale == Scale::Cycles)
    }

    /// Whether its id is this one or begins with it and a dot.
    pub(crate) fn belongs(&self, prefix: &str) -> bool {
        let rest = self.operation.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Whether it is a call by the C library, and says so.
    pub(crate) fn is_by_libc(&self) -> bool {
        self.operation.ends_with(".libc") || self.params.get("method") == Some("libc")
    }

    /// Report, operation and parameters, as text.
    pub(crate) fn subject(&self) -> String {
        let (report, params) = (&self.report, self.params.without(&["trial"]).text());
        let parts = [report.as_str(), &self.operation, &params];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(" ")
    }

    /// A figure with its unit, as it is printed.
    pub(crate) fn told(&self, figure: Option<Printed>) -> String {
        let value = figure.map_or_else(|| "?".to_owned(), |figure| figure.value.to_string());
        format!("{value} {}", self.unit_text).trim_end().to_owned()
    }
}

/// Things that belong together, by a key, in the order in which each key comes first.
pub(crate) fn grouped<K: PartialEq, T>(all: impl IntoIterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, one) in all {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(one),
            None => groups.push((key, vec![one])),
        }
    }
    groups
}

/// Facts of one machine that rules can use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Machine {
    /// The report whose machine it is.
    pub report: String,
    /// Nominal clock, in Hz.
    pub clock_hz: Option<f64>,
    /// Last cache, in bytes.
    pub last_cache: Option<f64>,
    /// The fastest network link that is told in bits per second, in bytes per second. Links are rated in bits; a
    /// figure in bytes beside it is a bus or a slip.
    pub link: Option<f64>,
    /// Memory, in bytes.
    pub memory: Option<f64>,
    /// The fastest rate of its storage that is told in bytes, in bytes per second.
    pub storage: Option<f64>,
    /// Whether all of its storage that is told turns.
    pub turns: bool,
    /// Whether some of its storage is memory.
    pub keeps_in_memory: bool,
}

/// All rows, the machines that are told beside them, and which columns were understood.
#[derive(Debug, Clone, Default)]
pub struct Table {
    /// Rows, in the order of the file.
    pub rows: Vec<Row>,
    /// Machines; often none.
    pub machines: Vec<Machine>,
    /// Columns that are used, as the file names them.
    pub used: Vec<String>,
    /// Columns that are not.
    pub unused: Vec<String>,
}

impl Table {
    /// The reports that rows name, in their order.
    pub(crate) fn reports(&self) -> Vec<&str> {
        let mut reports: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !reports.contains(&row.report.as_str()) {
                reports.push(&row.report);
            }
        }
        reports
    }

    /// Rows of a report.
    pub(crate) fn of<'t>(&'t self, report: &'t str) -> impl Iterator<Item = &'t Row> {
        self.rows.iter().filter(move |row| row.report == report)
    }

    /// The smallest plain time, in seconds, of the operations below a prefix, and the row that tells it.
    pub(crate) fn fastest<'t>(&'t self, report: &'t str, prefix: &str) -> Option<(f64, &'t Row)> {
        self.fastest_of(report, |row| row.belongs(prefix))
    }

    /// The same of the rows that are meant.
    pub(crate) fn fastest_of<'t>(
        &'t self,
        report: &'t str,
        is_meant: impl Fn(&Row) -> bool,
    ) -> Option<(f64, &'t Row)> {
        let times = self
            .of(report)
            .filter(|row| is_meant(row) && row.is_time_of_one());
        times
            .filter(|row| row.params.is_plain() && !row.params.is_trial())
            .filter_map(|row| Some((row.result().filter(|&time| time > 0.0)?, row)))
            .min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// How short a cycle may be on the machine of a row, in seconds: a core may run faster than the clock that is told
    /// of it, and its empty loop tells. `None` where no clock is known.
    pub(crate) fn cycle(&self, row: &Row) -> Option<f64> {
        let empty_loop = self.fastest(&row.report, "loop.iteration").map(|(time, _)| time);
        let seen = empty_loop.filter(|time| *time > SHORTEST_PERIOD);
        row.period
            .map(|period| seen.map_or(period, |seen| period.min(seen)))
    }

    /// The first machine that is told for a report.
    pub(crate) fn machine(&self, report: &str) -> Option<&Machine> {
        self.machines.iter().find(|machine| machine.report == report)
    }
}
